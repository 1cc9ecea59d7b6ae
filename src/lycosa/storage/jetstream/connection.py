"""The connection to the servers, in a thread with an event loop of its own.

Calls come from any thread and wait for their answer. Failures come in two kinds: `Refused` is a
decision of the server, with its code. Every temporary failure (no leader, no answer, no space, too
much in flight) is retried by `patiently` until its patience has ended. No error of the client
leaves `call`: a temporary one becomes `LogUnavailable`, a decision `LogError`.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any, TypeVar

from nats.aio.msg import Msg
from nats.errors import Error as NatsError

from lycosa.errors import LogError, LogUnavailable
from lycosa.storage.jetstream.address import Address
from lycosa.storage.jetstream.client import StrictClient

T = TypeVar("T")
ANSWER_SECONDS = 5.0
_PASSING = frozenset(
    {
        10008,  # JetStream is temporarily not available
        10009,  # peers are being assigned
        10023,  # no resources
        10028,  # no memory
        10047,  # no room on the disk
        10077,  # the message could not be stored: no room
        10118,  # the stream has no leader
        10176,  # the batch is incomplete: its leader has changed
        10211,  # too many batches are in flight
    }
)
_ERRORS_KEPT = 100
_FORBIDDEN = "permissions violation"
UNDECIDED = 10164
"""Code for a refusal because another write to the subject is in flight, often our own."""
WRONG_LAST = 10071
NOT_FOUND = 10037
STREAM_NOT_FOUND = 10059


class Refused(Exception):
    """A refusal by the server."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"{text} ({code})")
        self.code = code
        self.text = text


class Connection:
    """A connection to any of the servers."""

    def __init__(
        self, address: Address, patience_seconds: float, options: dict[str, Any] | None = None
    ) -> None:
        """Connect with the credentials of the address, or with others."""
        self.address = address
        self.patience_seconds = patience_seconds
        self.answer_seconds = min(ANSWER_SECONDS, patience_seconds)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="nats", daemon=True)
        self._thread.start()
        self._client = StrictClient()
        self._forbidden = ""
        self.on_reconnected: Callable[[], Coroutine[Any, Any, None]] | None = None
        """Called before the next call after the connection was lost; raises what speaks against
        the servers that are connected now."""
        self._losses = self._looked_after = 0
        """How often the connection was lost, and up to which loss the servers were looked at."""
        self._looking = asyncio.Lock()
        self.on_lost: Callable[[], None] = lambda: None
        """Called on the loop's thread when the connection is lost, with all that was under way."""
        try:
            self.call(self._connect(address.options() if options is None else options))
            self._client.warn_if_open(str(address))
        except BaseException:
            self.close()
            raise

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop of the connection's thread."""
        return self._loop

    @property
    def client(self) -> StrictClient:
        """The client of NATS; used only on the loop's thread."""
        return self._client

    @property
    def server_version(self) -> str:
        """The version of the server that we are connected to."""
        version: str = self._client._server_info.get("version", "0")
        return version

    def call(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the loop's thread, and wait for it."""
        if not self._thread.is_alive():
            coroutine.close()
            raise LogError(f"{self.address}: the log is closed")
        try:
            return asyncio.run_coroutine_threadsafe(self._seen(coroutine), self._loop).result()
        except CancelledError:
            raise LogError(f"{self.address}: the log was closed during the call") from None
        # Errors of the client end here: a member waits for its log, and knows no other error.
        except Refused as refused:
            raise LogError(f"{self.address}: JetStream refuses: {refused}") from refused
        except (NatsError, OSError, TimeoutError) as problem:
            raise self.unavailable(problem) from problem

    async def _seen(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine; after a reconnection, look at the servers first."""
        try:
            while self._looked_after != self._losses and self.on_reconnected is not None:
                async with self._looking:
                    losses = self._losses
                    if self._looked_after != losses:
                        await self.on_reconnected()
                        self._looked_after = losses
        except BaseException:
            coroutine.close()
            raise
        return await coroutine

    async def api(self, name: str, request: object = None) -> dict[str, Any]:
        """Ask JetStream's API, which the leader answers."""
        payload = b"" if request is None else json.dumps(request).encode()
        answer = await self._client.request(f"$JS.API.{name}", payload, timeout=self.answer_seconds)
        return checked(answer)

    async def patiently(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Try until the call works, a server refuses it, or patience ends."""
        end = time.monotonic() + self.patience_seconds
        pause = 0.02
        while True:
            try:
                return await attempt()
            except Refused as refused:
                if refused.code not in _PASSING:
                    raise
                problem: Exception = refused
            except (NatsError, OSError, TimeoutError) as error:
                problem = error
            if self._forbidden:  # the server drops such a request without an answer
                raise self._not_allowed()
            if time.monotonic() + pause > end:
                raise self.unavailable(problem) from problem
            await asyncio.sleep(pause)
            pause = min(0.5, 2 * pause)

    def unavailable(self, problem: Exception | str) -> LogUnavailable:
        """Return the error for a log that does not answer."""
        told = str(problem).strip() or type(problem).__name__
        return LogUnavailable(
            f"{self.address}: JetStream has not answered for {self.patience_seconds:g} s: {told}\n"
            "  start a majority of the servers, repair the network or make room, then repeat"
            " the command; a running crawl waits for them"
        )

    def _not_allowed(self) -> LogError:
        told, self._forbidden = self._forbidden, ""
        return LogError(
            f"{self.address}: the key in use has no permission for this: {told}\n"
            "  a member may join a crawl; to begin, move or remove a crawl, use the operator's key:"
            " ?nkey=FILE"
        )

    def close(self) -> None:
        """Close the connection and end the thread."""
        if not self._thread.is_alive():
            return
        with suppress(Exception):
            asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        if not self._loop.is_running():
            self._loop.close()

    async def _close(self) -> None:
        await self._client.end()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _on_disconnected(self) -> None:
        """Fail the waiting calls at once, because the connection and their answers are lost."""
        self._losses += 1
        for future in list(self._client._resp_map.values()):
            if not future.done():
                future.set_exception(ConnectionResetError("the connection was lost"))
        self.on_lost()

    async def _connect(self, options: dict[str, Any]) -> None:
        """Connect to any server; report a refusal at once, but wait for servers that are down."""
        told: asyncio.Queue[Exception] = asyncio.Queue()

        async def note_error(error: Exception) -> None:
            if told.qsize() < _ERRORS_KEPT:
                told.put_nowait(error)
            if _FORBIDDEN in str(error).lower():
                self._forbidden = str(error)

        connecting = asyncio.ensure_future(
            self._client.connect(
                name="lycosa",
                error_cb=note_error,
                disconnected_cb=self._on_disconnected,
                connect_timeout=3,
                reconnect_time_wait=0.2,  # type: ignore[arg-type]  # a fraction of a second works
                max_reconnect_attempts=-1,
                ping_interval=5,
                max_outstanding_pings=2,
                pending_size=64 << 20,
                **options,
            )
        )
        end = time.monotonic() + self.patience_seconds
        problem: Exception = TimeoutError("no server answers")
        # The client tries without end. It reports each failure through `note_error`. A refusal of
        # our credentials ends the attempts at once, and silence ends them with our patience.
        while not connecting.done():
            telling = asyncio.ensure_future(told.get())
            left = max(0.0, end - time.monotonic())
            await asyncio.wait({connecting, telling}, timeout=left, return_when="FIRST_COMPLETED")
            if telling.done():
                problem = telling.result()
            telling.cancel()
            if not connecting.done() and (_is_denial(problem) or time.monotonic() >= end):
                connecting.cancel()
                break
        try:
            await connecting
        except asyncio.CancelledError:
            pass
        except (NatsError, OSError, TimeoutError) as failed:
            problem = failed
        else:
            return
        if not _is_denial(problem):
            raise self.unavailable(problem)
        raise LogError(
            f"{self.address}: NATS refuses the connection: {problem}\n"
            "  name a key (?nkey=FILE) or credentials (?creds=FILE), or set LYCOSA_NATS_PASSWORD or"
            " LYCOSA_NATS_TOKEN; for your own certificate authority: ?ca=FILE"
        )


def _is_denial(problem: Exception) -> bool:
    told = str(problem).lower()
    return isinstance(problem, ssl.SSLError) or "authorization" in told or "authentication" in told


def checked(answer: Msg) -> dict[str, Any]:
    """Return the API's answer, or raise its refusal."""
    told: dict[str, Any] = json.loads(answer.data) if answer.data else {}
    if error := told.get("error"):
        raise Refused(error.get("err_code", error.get("code", 0)), error.get("description", ""))
    return told
