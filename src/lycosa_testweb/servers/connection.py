"""A connection to a test web: HTTP/1.1 with keep-alive, and failures on purpose.

For watchers, a request begins when the last byte of its head is in, and ends
when the last byte of the answer is out, or the connection is gone. Where the whole answer
goes out at once the moment just before counts, so that no client can have seen the end
earlier than the watcher. Pipelined requests begin when they come in, though they
are answered in turn: to a watcher they overlap, as they should.

With TLS the end is when the answer is encrypted; up to some 64 kB may still be on their
way to the kernel then.

Failures below HTTP (`Reply.failure`) happen for real: a reset for a connection that
could not be made, silence for a timeout, half a body, noise instead of an answer.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections import deque
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import NamedTuple, Protocol, cast

from msgspec import structs

from lycosa.model.records import Outcome, Purpose, Request, Validators
from lycosa_testweb.parts import DEFAULT_PORTS
from lycosa_testweb.robots import CUT_BYTES
from lycosa_testweb.servers.raw import Ending, Reset, StayOpen
from lycosa_testweb.web import PLAIN, Reply

_MOST_HEAD_BYTES = 64 * 1024
_MOST_FORM_BYTES = 64 * 1024
_NO_LIMIT = 1 << 62
_LINGER_NOT = struct.pack("ii", 1, 0)
_LOST = Reply(0, failure=Outcome.CUT_SHORT)
_NOISE = bytes(range(128, 256)) * 2 + b"\r\n\r\n"
_HALF = b"<!doctype html><title>Half a page</title><p>" + b"and so on " * 40
_STATUS_LINES = {
    status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n" for status in HTTPStatus
}


class Exchange(NamedTuple):
    """A request that is not answered yet."""

    request: Request
    began: float
    ticket: int
    keeps_open: bool
    wants_body: bool
    cookie: str = ""


class Site(NamedTuple):
    """The address and port of a connection."""

    scheme: str
    address: str
    """The web's own address."""
    port: int
    """The real port, which stands for the scheme's default."""


class Desk(Protocol):
    """The server behind a connection."""

    silence_seconds: float
    time_scale: float
    takes_forms: bool

    def now(self) -> float:
        """Return the moment."""

    def begin(self, request: Request, moment: float, client: str) -> int:
        """Tell those who watch; returns a ticket."""

    def end(self, exchange: Exchange, moment: float, reply: Reply) -> None:
        """Tell those who watch."""

    def answer(self, request: Request, moment: float, cookie: str) -> Reply:
        """Ask the web."""

    def raw(self, request: Request) -> AsyncIterator[bytes] | None:
        """Ask the web for bytes that are not HTTP."""

    def purpose(self, url: str, target: str) -> Purpose:
        """Return the purpose of a request, as far as a server can tell."""

    def opened(self, connection: Connection) -> None:
        """A connection has been accepted."""

    def closed(self, connection: Connection) -> None:
        """A connection has ended."""


def head_of(reply: Reply, *, closes: bool) -> bytes:
    """Return status line and headers as they are sent."""
    first = _STATUS_LINES.get(reply.status) or f"HTTP/1.1 {reply.status} Unheard Of\r\n"
    lines = [first, *(f"{name}: {value}\r\n" for name, value in reply.headers)]
    if reply.header("content-length") is None and _has_body(reply.status):
        lines.append(f"Content-Length: {len(reply.body)}\r\n")
    if closes:
        lines.append("Connection: close\r\n")
    lines.append("\r\n")
    return "".join(lines).encode("latin-1")


def _has_body(status: int) -> bool:
    return status >= 200 and status not in (204, 304)


def _header(head: bytes, low: bytes, name: bytes) -> bytes:
    """Return the value of a header; `low` is the head in small letters."""
    at = low.find(b"\r\n" + name + b":")
    if at < 0:
        return b""
    at += len(name) + 3
    end = head.find(b"\r\n", at)
    return (head[at:end] if end >= 0 else head[at:]).strip()


class Connection(asyncio.Protocol):
    """The connection of a client: reads its requests and writes the answers."""

    def __init__(self, desk: Desk, site: Site) -> None:
        self._desk = desk
        self._site = site
        self._loop = asyncio.get_running_loop()
        self._buffer = b""
        self._waiting: deque[Exchange] = deque()
        self._unsent: Reply | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._room = asyncio.Event()
        self._room.set()
        self._is_over = False
        self.answers_once = False
        """Whether the second request ends the connection, without an answer."""
        self._has_answered = False
        self._client = ""
        """The address from which it comes."""

    # -- what the event loop tells -------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember the transport; a plain one shall tell when its last byte is out."""
        self._transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername")  # None if it has gone again
        self._client = str(peer[0]) if peer else ""
        if self._site.scheme == "http":
            self._transport.set_write_buffer_limits(high=0)
        self._desk.opened(self)

    def connection_lost(self, error: Exception | None) -> None:
        """End whatever is still open."""
        self._is_over = True
        self._room.set()
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            self._task.cancel()
        moment = self._desk.now()
        for exchange in self._waiting:
            self._desk.end(exchange, moment, self._seen(exchange))
        self._waiting.clear()
        self._desk.closed(self)

    def _seen(self, exchange: Exchange) -> Reply:
        """Return the part of an unfinished answer that the client may have seen.

        A crawler need not read more than 500 KiB of a robots file (RFC 9309, 2.5).
        """
        reply = self._unsent
        is_enough = reply is not None and len(reply.body) > CUT_BYTES
        if reply is not None and is_enough and exchange.request.purpose is Purpose.ROBOTS:
            return reply
        return _LOST

    def pause_writing(self) -> None:
        """The kernel takes no more for now."""
        self._room.clear()

    def resume_writing(self) -> None:
        """The kernel takes more again."""
        self._room.set()
        reply, self._unsent = self._unsent, None
        if reply is not None:
            self._finish(self._desk.now(), reply)

    def data_received(self, data: bytes) -> None:
        """Take all the requests that are complete."""
        buffer = self._buffer + data if self._buffer else data
        while not self._is_over and (end := buffer.find(b"\r\n\r\n")) >= 0:
            head, end = buffer[:end], end + 4
            if head.startswith(b"POST "):
                if (length := self._form_length(head)) > len(buffer) - end:
                    break  # the rest of the form is still to come
                form, buffer = buffer[end : end + length], buffer[end + length :]
                if not self._is_over:
                    self._take(head, form)
                continue
            buffer = buffer[end:]
            self._take(head)
        self._buffer = buffer
        if len(buffer) > _MOST_HEAD_BYTES and b"\r\n\r\n" not in buffer:
            self._refuse(431)

    # -- requests ------------------------------------------------------------------------

    def _form_length(self, head: bytes) -> int:
        """Return the length of a posted form; refuse one that is not taken here."""
        length = _header(head, head.lower(), b"content-length")
        if not self._desk.takes_forms:
            self._refuse(405)
        elif not length.isdigit() or not int(length):
            self._refuse(411)
        elif int(length) > _MOST_FORM_BYTES:
            self._refuse(413)
        else:
            return int(length)
        return 0

    def _take(self, head: bytes, form: bytes = b"") -> None:
        line, _, _ = head.partition(b"\r\n")
        words = line.split(b" ")
        low = head.lower()
        host = _header(head, low, b"host").decode("latin-1").lower()
        if len(words) != 3 or not host or not words[2].startswith(b"HTTP/1."):
            self._refuse(400)
            return
        method, target, version = words
        if method not in (b"GET", b"HEAD") and not form:
            self._refuse(405)
            return
        choice = _header(head, low, b"connection").lower()
        keeps_open = choice != b"close" if version == b"HTTP/1.1" else choice == b"keep-alive"
        agent = _header(head, low, b"user-agent").decode("latin-1")
        request = self._request(host, target.decode("latin-1"), agent)
        if b"\nif-none-match:" in low:
            held = Validators(_header(head, low, b"if-none-match").decode("latin-1"))
            request = structs.replace(request, validators=held)
        if method == b"HEAD" and request.purpose is Purpose.PAGE:
            request = structs.replace(request, purpose=Purpose.HEAD)
        if form:
            request = structs.replace(request, form=form)
        cookie = ""
        if self._desk.takes_forms:
            cookie = _header(head, low, b"cookie").decode("latin-1")
        moment = self._desk.now()
        ticket = self._desk.begin(request, moment, self._client)
        wants_body = method != b"HEAD"
        self._waiting.append(Exchange(request, moment, ticket, keeps_open, wants_body, cookie))
        if len(self._waiting) == 1:
            self._attend()

    def _request(self, authority: str, target: str, agent: str) -> Request:
        scheme, address, real_port = self._site
        host, _, port = authority.partition(":")
        if port in (str(real_port), str(DEFAULT_PORTS[scheme])):
            authority = host
        if "://" in target:
            url, target = target, "/" + target.partition("://")[2].partition("/")[2]
        else:
            url = f"{scheme}://{authority}{target}"
        return Request(url, host, address, self._desk.purpose(url, target), agent, _NO_LIMIT)

    def _refuse(self, status: int) -> None:
        self._is_over = True
        self._transport.write(head_of(Reply(status, PLAIN), closes=True))
        self._transport.close()

    # -- answers -------------------------------------------------------------------------

    def _attend(self) -> None:
        if self._is_over or not self._waiting:
            return
        exchange = self._waiting[0]
        desk = self._desk
        if self.answers_once and self._has_answered:
            self._finish(desk.now(), _LOST)
            return
        self._has_answered = True
        chunks = desk.raw(exchange.request)
        reply = desk.answer(exchange.request, exchange.began, exchange.cookie)
        if chunks is not None:
            self._task = self._loop.create_task(self._write_raw(chunks, reply))
            return
        seconds = reply.latency_seconds * desk.time_scale
        if seconds > 0.0:
            self._timer = self._loop.call_later(seconds, self._send, reply)
        else:
            self._send(reply)

    def _send(self, reply: Reply) -> None:
        exchange = self._waiting[0]
        if reply.failure is not None:
            self._fail(reply)
            return
        data = head_of(reply, closes=not exchange.keeps_open)
        if exchange.wants_body and _has_body(reply.status):
            data += reply.body
        moment = self._desk.now()
        self._transport.write(data)
        if self._room.is_set():
            self._finish(moment, reply)
        else:
            self._unsent = reply

    def _finish(self, moment: float, reply: Reply) -> None:
        exchange = self._waiting.popleft()
        self._desk.end(exchange, moment, reply)
        if not exchange.keeps_open or reply.failure is not None or reply.status < 200:
            self._is_over = True
            self._transport.close()
        elif self._waiting:
            self._loop.call_soon(self._attend)

    def _fail(self, reply: Reply) -> None:
        """Let happen what the web says has happened."""
        failure, moment = reply.failure, self._desk.now()
        if failure is Outcome.TIMEOUT:
            silence = self._desk.silence_seconds
            self._timer = self._loop.call_later(silence, self._fall_silent, reply)
            return
        if failure is Outcome.CUT_SHORT:
            whole = reply.body or _HALF
            promised = (("Content-Type", "text/html"), ("Content-Length", str(2 * len(_HALF))))
            if reply.body:
                promised = (promised[0], ("Content-Length", str(len(whole))))
                whole = whole[: len(whole) // 2]
            self._transport.write(head_of(Reply(200, promised), closes=False) + whole)
        elif failure is Outcome.BAD_ANSWER:
            self._transport.write(_NOISE)
        else:
            self._reset(reply)
            return
        self._finish(moment, reply)

    def _fall_silent(self, reply: Reply) -> None:
        self._finish(self._desk.now(), reply)

    def _reset(self, reply: Reply) -> None:
        """End the exchange, and tear the connection down."""
        self._is_over = True
        exchange = self._waiting.popleft()
        self._desk.end(exchange, self._desk.now(), reply)
        raw = self._transport.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT)
        self._transport.abort()

    async def _write_raw(self, chunks: AsyncIterator[bytes], reply: Reply) -> None:
        ending: Ending | None = None
        try:
            async for chunk in chunks:
                self._transport.write(chunk)
                await asyncio.sleep(0)  # or a client that reads fast has the loop for itself
                await self._room.wait()
        except Ending as raised:
            ending = raised
        self._task = None
        if self._is_over:
            return
        if isinstance(ending, Reset):
            self._reset(reply)
            return
        exchange = self._waiting.popleft()
        self._desk.end(exchange, self._desk.now(), reply)
        if isinstance(ending, StayOpen):
            self._attend()
        else:
            self._is_over = True
            self._transport.close()

    def abandon(self) -> None:
        """Close now, and say nothing of what was under way."""
        self._waiting.clear()
        self._is_over = True
        self._transport.abort()
