"""The HTTP server under pages, REST, SPARQL and replay: uvicorn with deadlines and limits.

`WebServer` runs an application of Starlette; `BoundedProtocol` is the only code of ours below it.

uvicorn itself waits for a request as long as its client likes. Here the head of a request must
arrive within fifteen seconds of the connection or of the last response, its body within fifteen
more, however slowly their bytes come; a request that is late gets 408. A client must read a
response at 50 kB a second. `connections` decides who keeps a connection when many clients come.

Always true:
  * a connection that is not answering a request ends by a deadline, or is the first to be dropped;
  * a deadline ends the connection even if its client reads nothing (`abort`, not `close`).

Cost: one timer for each request, one more for each response that is not read at once.
Not here: access rights (`web.security`).
"""

from __future__ import annotations

import asyncio
import gc
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ipaddress import ip_network
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from lycosa.errors import LycosaError
from lycosa.web.connections import Connection, ConnectionLimits, Connections

HEAD_SECONDS = 15.0
BODY_SECONDS = 15.0
READING_SECONDS, READING_BYTES = 30.0, 50_000
"""Seconds for reading a response; each 50 kB adds one."""
LARGEST_HEAD_BYTES = 131_072
"""Most bytes of a request's head; its first line may hold a SPARQL query."""
STOP_SECONDS = 1
COLLECTING = (2_000, 5, 5)
"""New objects after which garbage is collected, and the ratios for older generations."""

_HEAD, _BODY, _READING, _ANSWERING = "head", "body", "reading", "answering"
_PHASES = {h11.IDLE: _HEAD, h11.SEND_BODY: _BODY}
_LATE = (
    b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nX-Content-Type-Options: nosniff\r\n"
    b"Connection: close\r\n\r\n"
)
_TURNED_AWAY = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 0\r\n"
    b"Connection: close\r\n\r\n"
)


class _Config(uvicorn.Config):
    """The settings of uvicorn, with the connections that all its protocols share."""

    bounded: Connections


class BoundedProtocol(H11Protocol):
    """A connection: uvicorn's own protocol under deadlines."""

    def __init__(self, config: uvicorn.Config, *given: Any, **named: Any) -> None:
        super().__init__(config, *given, **named)
        assert isinstance(config, _Config)
        self._bounded = config.bounded
        self._place: Connection | None = None
        self._phase = ""
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request, or turn the client away."""
        super().connection_made(transport)
        place = Connection(self.client[0] if self.client else "", transport.abort)
        if not self._bounded.admit(place):
            transport.write(_TURNED_AWAY)
            transport.close()
            return
        self._place = place
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Free the connection for another client."""
        super().connection_lost(exc)
        self._expect(None)
        if self._place is not None:
            self._bounded.leave(self._place)
            self._place = None

    def data_received(self, data: bytes) -> None:
        """Take bytes of a request."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        """Wait for the client to read the response."""
        super().pause_writing()
        self._look()

    def resume_writing(self) -> None:
        """Resume writing: the client has read most of the response."""
        super().resume_writing()
        self._look()

    def _look(self) -> None:
        """Set the deadline of the current phase, if the phase has changed."""
        phase = _PHASES.get(self.conn.their_state, _ANSWERING)
        if self.flow.write_paused:
            # The next request may be here already: its client still has to read.
            phase = _READING
        if self._place is None or phase == self._phase:
            return
        self._phase = phase
        if phase == _READING:
            held = self.transport.get_write_buffer_size()
            self._bounded.read(self._place, held)
            self._expect(READING_SECONDS + held / READING_BYTES)
        elif phase == _ANSWERING:
            self._bounded.answer(self._place)
            self._expect(None)
        else:
            self._bounded.wait(self._place)
            self._expect(HEAD_SECONDS if phase == _HEAD else BODY_SECONDS)

    def _expect(self, seconds: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if seconds is None else self.loop.call_later(seconds, self._end_late)

    def _end_late(self) -> None:
        if self._has_begun() and not self.transport.get_write_buffer_size():
            self.transport.write(_LATE)
        if self.transport.get_write_buffer_size():
            self.transport.abort()  # `close` would wait until the client has read everything
        else:
            self.transport.close()

    def _has_begun(self) -> bool:
        """Return whether part of a request has arrived that has no response yet."""
        if self._phase == _HEAD:
            return bool(self.conn.trailing_data[0])
        return self._phase == _BODY and not self.cycle.response_started


def listen(host: str, port: int) -> socket.socket:
    """Listen on an address; port 0 takes a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio switches Nagle's algorithm off only where the protocol is named: head and body are
    # two pieces, and the second would wait 40 ms for the client's acknowledgement of the first
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise LycosaError(
            f"{host}:{port}: cannot listen there: {error.strerror}\n"
            "  choose another --port (0 takes a free one), or --host"
        ) from None
    return listener


def address_of(listener: socket.socket) -> str:
    """Return host and port of a listener for clients on this machine."""
    host, port = listener.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"[{shown}]:{port}" if ":" in shown else f"{shown}:{port}"


class WebServer:
    """A server that listens already, at `url`.

    Behind a trusted proxy the client of a request is the one that `X-Forwarded-For` names, and its
    scheme that of `X-Forwarded-Proto`.
    """

    def __init__(
        self, app: ASGIApp, listener: socket.socket, url: str, limits: ConnectionLimits
    ) -> None:
        self.url = url
        self._listener = listener
        config = _Config(
            app,
            http=BoundedProtocol,
            h11_max_incomplete_event_size=LARGEST_HEAD_BYTES,
            log_config=None,
            log_level="error",
            access_log=False,
            server_header=False,
            lifespan="on",
            ws="none",
            proxy_headers=bool(limits.proxies),
            forwarded_allow_ips=list(limits.proxies),
            timeout_keep_alive=int(HEAD_SECONDS),
            timeout_graceful_shutdown=STOP_SECONDS,
        )
        config.bounded = Connections(limits)
        self._server = uvicorn.Server(config)

    def run(self) -> None:
        """Answer requests until a signal comes, or `end`."""
        with collecting_often():
            self._server.run(sockets=[self._listener])

    def end(self) -> None:
        """End `run`; may be called by another thread."""
        self._server.should_exit = True

    def end_when(self, should_end: Callable[[], bool]) -> None:
        """End `run` when a function that is called every second says so."""

        def watch() -> None:
            while not should_end():
                time.sleep(1.0)
            self.end()

        threading.Thread(target=watch, daemon=True).start()

    def close(self) -> None:
        """Stop listening."""
        self._listener.close()


@contextmanager
def collecting_often() -> Iterator[None]:
    """Collect garbage often while the context lasts, except for objects loaded already.

    A closed connection leaves a cycle of 1 kB behind. By the thresholds of a command
    (`lycosa._support.memory`) none would be freed before 200,000 objects more are there than at the
    start.
    """
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTING)
    try:
        yield
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)


def checked_proxies(proxies: Sequence[str]) -> tuple[str, ...]:
    """Return the addresses or networks of proxies; raise an error for anything else."""
    for proxy in proxies:
        try:
            ip_network(proxy)
        except ValueError:
            raise LycosaError(
                f"--trusted-proxy {proxy}: is not an address or network\n"
                "  write it like 127.0.0.1 or 10.0.0.0/24"
            ) from None
    return tuple(proxies)
