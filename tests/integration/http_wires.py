"""One wire, two HTTP clients: ours over a real socket, and `h11`, fed with the same pieces.

A test plays the server by hand. It sends a piece, both clients read it, and both say what they
have understood so far: `Reading`. Then it asks both whether the connection may carry the next
request.
"""

from __future__ import annotations

import fcntl
import select
import socket
import struct
import termios
from collections.abc import Callable
from typing import Any, NamedTuple

import h11

from lycosa._support.loop import Callback, Cancellable
from lycosa.fetch.client import HttpTransport
from lycosa.model.clock import VirtualClock
from lycosa.model.job import Fetch
from lycosa.model.records import Answer, Purpose, Request

PATIENCE_MILLISECONDS = 10_000
MOST_BYTES = 1 << 20
URL = "http://site.test/page"


class Reading(NamedTuple):
    """What a client understood of an answer."""

    state: str
    """`waits` for more, has it `whole`, or has `refused` it."""
    status: int = 0
    headers: tuple[tuple[str, str], ...] = ()
    """Names in lower case; those of the framing left out, which `h11` rewrites."""
    body: bytes = b""
    reason: str = ""
    """Why it refused."""


FRAMING = frozenset({"content-length", "transfer-encoding"})
WAITS = Reading("waits")


class _Never:
    def cancel(self) -> None:
        """Nothing to call off: timers of this loop never run out."""


class HandLoop:
    """An event loop that turns when the test says so; its clock stands still."""

    def __init__(self) -> None:
        self.readers: dict[int, Callable[[], object]] = {}
        self.writers: dict[int, Callable[[], object]] = {}
        self.soon: list[Callable[[], object]] = []

    def time(self) -> float:
        return 0.0

    def call_soon(self, callback: Callback, *args: Any) -> Cancellable:
        self.soon.append(lambda: callback(*args))
        return _Never()

    call_soon_threadsafe = call_soon

    def call_later(self, delay: float, callback: Callback, *args: Any) -> Cancellable:
        return _Never()

    call_at = call_later

    def add_reader(self, fd: Any, callback: Callback, *args: Any) -> None:
        self.readers[fd] = lambda: callback(*args)

    def remove_reader(self, fd: Any) -> bool:
        return self.readers.pop(fd, None) is not None

    def add_writer(self, fd: Any, callback: Callback, *args: Any) -> None:
        self.writers[fd] = lambda: callback(*args)

    def remove_writer(self, fd: Any) -> bool:
        return self.writers.pop(fd, None) is not None

    def add_signal_handler(self, sig: int, callback: Callback, *args: Any) -> None:
        raise NotImplementedError

    def remove_signal_handler(self, sig: int) -> bool:
        raise NotImplementedError

    def stop(self) -> None:
        raise NotImplementedError

    def is_closed(self) -> bool:
        return False

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        raise context["exception"]

    def write(self) -> None:
        """Wait until the one socket that is being connected is, and tell its writer."""
        for number, callback in list(self.writers.items()):
            wait_for(number, select.POLLOUT)
            callback()

    def read(self, size: int) -> None:
        """Wait until so many bytes have come for the one reader (0: the end), and tell it."""
        for number, callback in list(self.readers.items()):
            wait_for(number, select.POLLIN)
            while size and waiting_bytes(number) < size:
                select.select([], [], [], 0.0002)
            callback()
        while self.soon:
            self.soon.pop(0)()


class Wire:
    """A server that a test plays, with our client at the other end."""

    def __init__(self) -> None:
        self.loop = HandLoop()
        self.listener = socket.create_server(("127.0.0.1", 0))
        port = self.listener.getsockname()[1]
        self.transport = HttpTransport(
            self.loop, VirtualClock(), Fetch(allow_private=True), ports={80: port}
        )
        self.served: socket.socket | None = None
        self.answer: Answer | None = None

    def close(self) -> None:
        self.transport.close()
        self.hang_up()
        self.listener.close()

    def hang_up(self) -> None:
        if self.served is not None:
            self.served.close()
            self.served = None

    def ask(self) -> bool:
        """Let our client ask for a page; True if it asked over the standing connection."""
        self.answer = None
        request = Request(URL, "site.test", "127.0.0.1", Purpose.PAGE, "lycosa", MOST_BYTES)
        self.transport.send(request, self._answered)
        is_new = bool(self.loop.writers)  # what connects waits to become writable
        if is_new:
            self.hang_up()
            self.loop.write()
            self.served, _ = self.listener.accept()
        assert self.served is not None
        wait_for(self.served.fileno(), select.POLLIN)
        assert self.served.recv(65_536).startswith(b"GET /page HTTP/1.1\r\n")
        return not is_new

    def _answered(self, answer: Answer) -> None:
        assert self.answer is None
        self.answer = answer

    def send(self, piece: bytes) -> None:
        """Send a piece, unless our client has let go of the connection; it reads the piece."""
        if piece and self.loop.readers:
            assert self.served is not None
            self.served.sendall(piece)
            self.loop.read(len(piece))

    def end(self) -> None:
        """End the connection from the server's side."""
        if self.loop.readers:
            assert self.served is not None
            self.served.shutdown(socket.SHUT_WR)
            self.loop.read(0)

    def reading(self) -> Reading:
        """Say what our client has understood."""
        answer = self.answer
        if answer is None:
            return WAITS
        if answer.failure is not None or answer.truncated:
            failure = "BODY" if answer.failure is None else answer.failure.name
            return Reading("refused", reason=failure)
        headers = tuple((name.lower(), value) for name, value in answer.headers)
        return Reading("whole", answer.status, without_framing(headers), answer.body)


class Reference:
    """The same connection by `h11`."""

    def __init__(self) -> None:
        self.connection = h11.Connection(h11.CLIENT, max_incomplete_event_size=MOST_BYTES)

    def ask(self) -> None:
        self._reading = WAITS
        self._has_more = False
        self._body = b""
        self._head: h11.Response | None = None
        self.connection.send(h11.Request(method="GET", target="/page", headers=[("Host", "x")]))
        self.connection.send(h11.EndOfMessage())

    def take(self, piece: bytes) -> None:
        """Take a piece; an empty one is the end of the connection."""
        if self._reading.state != "waits":
            self._has_more = self._has_more or bool(piece)
            return
        try:
            self.connection.receive_data(piece)
            while self._next(self.connection.next_event()):
                pass
        except h11.RemoteProtocolError as problem:
            self._reading = Reading("refused", reason=str(problem))

    def _next(self, event: Any) -> bool:
        if isinstance(event, h11.Response):
            self._head = event
        elif isinstance(event, h11.Data):
            self._body += bytes(event.data)
        elif isinstance(event, h11.EndOfMessage):
            assert self._head is not None
            headers = tuple(
                (name.decode("latin-1"), value.decode("latin-1"))
                for name, value in self._head.headers
            )
            status = self._head.status_code
            self._reading = Reading("whole", status, without_framing(headers), self._body)
            return False
        elif isinstance(event, h11.ConnectionClosed):
            self._reading = Reading("refused", reason="closed before an answer")
            return False
        return event is not h11.NEED_DATA and event is not h11.PAUSED

    def reading(self) -> Reading:
        return self._reading

    def next_cycle(self) -> bool:
        """Make ready for the next request, if this connection may carry one.

        `h11` would take what came unasked for the next answer; nobody should.
        """
        connection = self.connection
        if self._has_more:
            return False
        if connection.their_state is not h11.DONE or connection.trailing_data != (b"", False):
            return False
        connection.start_next_cycle()
        return True


def without_framing(headers: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    return tuple(header for header in headers if header[0] not in FRAMING)


def wait_for(number: int, event: int) -> None:
    watch = select.poll()
    watch.register(number, event)
    assert watch.poll(PATIENCE_MILLISECONDS), "nothing came"


def waiting_bytes(number: int) -> int:
    """Return how many bytes a socket holds for its reader."""
    size: int = struct.unpack("i", fcntl.ioctl(number, termios.FIONREAD, b"\0\0\0\0"))[0]
    return size
