"""The board in NATS: a key-value bucket of JetStream, replicated three times.

A bucket is a stream with one message a key; the sequence of the message is its revision.
Compare-and-swap is a publish that names the last sequence of its subject. Values are read from the
stream's leader, one by one. A list comes from any replica, a thousand messages a round trip, and
may be stale. A key that is written in the meantime gets a higher sequence, so it cannot be missed.

A deletion is a conditional marker, whose message is then purged: otherwise a marker would stay for
every key that ever existed, and each list would carry all of them.

nats-py speaks asyncio. Its event loop runs in a thread of this board, and calls wait for it.

Not here: the check that the servers can be trusted. Versions before 2.15.1 accept two writers with
one expected sequence; the log checks the version when a machine joins a crawl.
"""

from __future__ import annotations

import asyncio
import base64
import builtins
import json
import threading
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js.api import Header, KeyValueConfig
from nats.js.errors import APIError, BadRequestError, NoStreamResponseError, NotFoundError

from lycosa.errors import LogError
from lycosa.runtime.coordination.keys import check
from lycosa.runtime.coordination.protocol import (
    ANSWER_SECONDS,
    NOTHING,
    REFUSED,
    UNAVAILABLE,
    UNDECIDED,
    Answer,
    Entry,
    Verdict,
)
from lycosa.storage.jetstream.client import StrictClient

T = TypeVar("T")

WRONG_SEQUENCE = 10071
"""The subject has another last sequence than expected."""
IN_FLIGHT = 10164
"""Another write to the subject is in flight, whose result is not decided yet."""
NOT_FOUND = 10037

_OPERATION = "KV-Operation"
_DELETED = {_OPERATION: "DEL"}
_RETRY_SECONDS = 0.02
_AT_ONCE = 1000
"""Messages of a list in one round trip. A list by `multi_last` ends at 1,024 subjects."""
_LONGEST_LIST = 5
"""Longest time of a list, in deadlines of one answer."""
_MARKERS_AT_ONCE = 100
"""Markers of earlier deletions that one deletion purges besides its own."""
_PAGE_ENDS = "204"
_NOTHING_THERE = "404"
_PASSING = ("408", "503")


class _Page(NamedTuple):
    """Some messages of a list."""

    messages: list[Msg]
    is_last: bool


class NatsBoard:
    """A connection to the bucket of a crawl; threads may share it."""

    def __init__(
        self,
        options: Mapping[str, Any],
        bucket: str,
        *,
        replicas: int = 3,
        answer_seconds: float = ANSWER_SECONDS,
    ) -> None:
        """`options` are those of `nats.connect`: servers, credentials, TLS."""
        self._bucket = bucket
        self._stream = f"KV_{bucket}"
        self._replicas = replicas
        self._seconds = answer_seconds
        self._options = dict(options)
        self._client: StrictClient | None = None
        self._is_made = False
        self._markers: dict[str, int] = {}
        """Sequences of markers that lists have shown, by subject."""
        self._gate = asyncio.Lock()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="lycosa-board", daemon=True
        )
        self._thread.start()

    def get(self, key: str) -> Entry | None:
        """Read one value from the leader."""
        return self._result(self._get(key), None)

    def put(self, key: str, value: bytes, expect: int) -> Answer:
        """Publish on condition."""
        check(key, value)
        return self._result(self._write(key, value, expect, {}), UNDECIDED)

    def delete(self, key: str, expect: int) -> Answer:
        """Publish a marker on condition, then purge it."""
        if not expect:
            return REFUSED
        answer = self._result(self._write(key, b"", expect, _DELETED), UNDECIDED)
        if answer.is_written:
            # A marker that stays after a lost answer is listed, and purged by a later deletion.
            self._result(self._purge({self._subject(key): answer.revision}), None)
        return answer

    def list(self, prefix: str) -> dict[str, Entry] | None:
        """Read the values of a prefix from any replica."""
        # Each page has the deadline of an answer; ten thousand entries are ten pages.
        return self._result(self._list(prefix), None, _LONGEST_LIST * self._seconds)

    def close(self) -> None:
        """Close the connection and end the thread."""
        if self._thread.is_alive():
            self._result(self._close(), None)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def _result(self, call: Coroutine[Any, Any, T], if_late: T, seconds: float = 0.0) -> T:
        """Wait for a call, which has its own deadline; a broken connection counts as an answer."""
        bounded = asyncio.wait_for(call, seconds or self._seconds)
        try:
            return asyncio.run_coroutine_threadsafe(bounded, self._loop).result()
        except (NatsError, OSError, TimeoutError):
            return if_late

    async def _connected(self) -> Client | None:
        """Return a connected client; None if there is no connection at the moment."""
        try:
            return await asyncio.wait_for(self._connect(), self._seconds / 2)
        except (NatsError, OSError, TimeoutError):
            return None

    async def _connect(self) -> Client | None:
        async with self._gate:
            if self._client is None or self._client.is_closed:
                if self._client is not None:
                    await self._client.end()
                client = StrictClient()
                await client.connect(
                    connect_timeout=2,
                    allow_reconnect=True,
                    max_reconnect_attempts=-1,
                    reconnect_time_wait=0.2,  # type: ignore[arg-type]  # a fraction of a second is allowed
                    ping_interval=1,
                    max_outstanding_pings=2,
                    error_cb=_ignore,
                    name="lycosa board",
                    **self._options,
                )
                self._client = client
            if not self._client.is_connected:
                return None
            if not self._is_made:
                await self._make(self._client)
                self._is_made = True
            return self._client

    async def _make(self, client: Client) -> None:
        stream = client.jetstream(timeout=self._seconds)
        wanted = KeyValueConfig(
            bucket=self._bucket, history=1, replicas=self._replicas, direct=True
        )
        try:  # look for it first: a member's credentials may not allow making streams
            made = (await stream.stream_info(self._stream)).config
        except NotFoundError:
            with suppress(BadRequestError):  # another process made it first, with other settings
                await stream.create_key_value(config=wanted)
            made = (await stream.stream_info(self._stream)).config
        is_limited = made.max_age or (made.max_bytes or -1) > 0
        if (made.num_replicas or 0) < self._replicas or is_limited:
            raise LogError(
                f"the bucket `{self._bucket}` has {made.num_replicas} replicas, a longest age of"
                f" {made.max_age} s and space for {made.max_bytes} bytes\n"
                f"  it needs {self._replicas} replicas and no limits:"
                f" nats stream edit {self._stream} --replicas {self._replicas}"
                " --max-age 0 --max-bytes -1"
            )

    async def _get(self, key: str) -> Entry | None:
        client = await self._connected()
        found = await self._last(client, key) if client else None
        if found is None:
            return None
        return NOTHING if found[1] else found[0]

    async def _last(self, client: Client, key: str) -> tuple[Entry, bool]:
        """Return the last message of a key, from the leader, and whether it is a deletion."""
        question = json.dumps({"last_by_subj": self._subject(key)}).encode()
        subject = f"$JS.API.STREAM.MSG.GET.{self._stream}"
        told = json.loads((await client.request(subject, question, timeout=self._seconds)).data)
        if "error" in told:
            if told["error"].get("err_code") == NOT_FOUND:
                return NOTHING, False
            raise APIError.from_error(told["error"])
        message = told["message"]
        value = base64.b64decode(message.get("data", ""))
        headers = base64.b64decode(message.get("hdrs", ""))
        entry = Entry(value, message["seq"], _moment(message["time"]))
        return entry, _OPERATION.encode() in headers

    async def _write(
        self, key: str, value: bytes, expect: int, headers: Mapping[str, str]
    ) -> Answer:
        client = await self._connected()
        if client is None:
            return UNAVAILABLE
        answer = await self._publish(client, key, value, expect, headers)
        if answer.verdict is Verdict.REFUSED and not expect:
            last, is_deleted = await self._last(client, key)
            if is_deleted:
                return await self._publish(client, key, value, last.revision, headers)
        return answer

    async def _publish(
        self, client: Client, key: str, value: bytes, expect: int, headers: Mapping[str, str]
    ) -> Answer:
        named = {**headers, Header.EXPECTED_LAST_SUBJECT_SEQUENCE.value: str(expect)}
        stream = client.jetstream(timeout=self._seconds)
        last_try = self._loop.time() + self._seconds / 3
        while True:
            try:
                told = await stream.publish(self._subject(key), value, headers=named)
            except (
                NoStreamResponseError
            ):  # no leader yet, or this client does not know its server yet
                if self._loop.time() > last_try:
                    return UNAVAILABLE
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            except APIError as error:
                if error.err_code == IN_FLIGHT:
                    await asyncio.sleep(_RETRY_SECONDS)
                    continue
                return REFUSED if error.err_code == WRONG_SEQUENCE else UNDECIDED
            return Answer(Verdict.WRITTEN, told.seq)

    async def _list(self, prefix: str) -> dict[str, Entry] | None:
        """Read all messages below a prefix in the order of their sequences, page after page."""
        client = await self._connected()
        if client is None:
            return None
        entries: dict[str, Entry] = {}
        subjects, first = self._subject(prefix) + ">", 1
        while True:
            page = await self._page(client, subjects, first)
            for message in page.messages:
                headers = message.headers or {}
                subject, entry = headers["Nats-Subject"], _entry(message)
                if _OPERATION in headers:
                    self._markers[subject] = entry.revision
                    entries.pop(self._key(subject), None)
                else:
                    entries[self._key(subject)] = entry
                first = entry.revision + 1
            if page.is_last:
                return entries

    async def _page(self, client: Client, subjects: str, first: int) -> _Page:
        """Ask one replica for messages from a sequence on, and whether they were the last."""
        question = {"next_by_subj": subjects, "seq": first, "batch": _AT_ONCE}
        inbox = client.new_inbox()
        found: builtins.list[Msg] = []
        ending: asyncio.Future[Msg] = self._loop.create_future()

        async def take(message: Msg) -> None:
            if "Status" not in (message.headers or {}):
                found.append(message)
            elif not ending.done():
                ending.set_result(message)

        # A callback costs a third of waiting for each message by itself.
        subscription = await client.subscribe(inbox, cb=take)
        try:
            subject = f"$JS.API.DIRECT.GET.{self._stream}"
            await client.publish(subject, json.dumps(question).encode(), reply=inbox)
            headers = (await asyncio.wait_for(ending, self._seconds)).headers or {}
        finally:
            await subscription.unsubscribe()
        status = headers["Status"]
        if status == _PAGE_ENDS:
            return _Page(found, headers.get("Nats-Num-Pending", "0") == "0")
        if status == _NOTHING_THERE:
            return _Page(found, is_last=True)
        if status in _PASSING:
            raise TimeoutError(f"a list of {subjects} was answered by {status}")
        raise LogError(
            f"the bucket `{self._bucket}` cannot be listed: the server answers {status}"
            f" {headers.get('Description', '')}\n  its servers must be nats-server 2.15.1 or newer,"
            " with the settings that Lycosa gave the bucket"
        )

    async def _purge(self, markers: Mapping[str, int]) -> None:
        """Remove markers; a newer message of the same key has a higher sequence, and stays."""
        client = await self._connected()
        if client is None:
            return
        wanted = dict(markers)
        while self._markers and len(wanted) < _MARKERS_AT_ONCE:
            subject, sequence = self._markers.popitem()
            wanted.setdefault(subject, sequence)
        for subject, sequence in wanted.items():
            question = json.dumps({"filter": subject, "seq": sequence + 1}).encode()
            name = f"$JS.API.STREAM.PURGE.{self._stream}"
            await client.request(name, question, timeout=self._seconds)

    async def _close(self) -> None:
        if self._client is not None:
            await self._client.end()

    def _subject(self, key: str) -> str:
        return f"$KV.{self._bucket}.{key.replace('/', '.')}"

    def _key(self, subject: str) -> str:
        return subject.removeprefix(f"$KV.{self._bucket}.").replace(".", "/")


def _entry(message: Msg) -> Entry:
    headers = message.headers or {}
    moment = _moment(headers["Nats-Time-Stamp"])
    return Entry(message.data, int(headers["Nats-Sequence"]), moment)


def _moment(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


async def _ignore(error: Exception) -> None:
    """Ignore the error: the call that met it returns it as its answer."""
