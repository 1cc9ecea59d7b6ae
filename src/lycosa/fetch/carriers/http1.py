"""Sends HTTP over our own sockets: no library between the event loop and the bytes.

    start     takes an idle connection to the site, or opens one; sends the request
    reading   cuts the incoming bytes into head and body (`framing`) until the answer ends
    release   keeps a reusable connection and watches it: a server that ends it,
              or speaks without being asked, loses it

Most requests in a crawl of one site are small answers over one kept
connection, one after the other. There libcurl and its callbacks cost twice as much as this
(docs/decisions/0023-direct-http.md). `tls` puts a handshake before it; proxies stay with `curl`.

Always true:
  * a connection goes to the address that its request names, and carries one request at a time;
  * a request is put on the wire once: if its connection dies under it, the answer is cut short,
    or the connection was stale (`kept`);
  * an ended exchange is handed over from a callback of the event loop, never from within `start`.
"""

from __future__ import annotations

import errno
import os
import select
import socket
from collections.abc import Callable

from lycosa.coding.heads import CHUNKED, UNTIL_CLOSE, BadHead, cut_head, read_head
from lycosa.fetch.carriers import undelivered
from lycosa.fetch.carriers.exchange import Exchange, Outgoing, Surroundings
from lycosa.fetch.carriers.framing import ChunkReader, may_be_http
from lycosa.fetch.carriers.kept import idle_seconds
from lycosa.fetch.carriers.throttle import BURST_BYTES
from lycosa.loop import EventLoop
from lycosa.records import Outcome

READ_BYTES = 131_072
"""How much is read at once: most pages then come in one piece. All connections share it."""

LONGEST_HEADS_BYTES = 262_144
"""Of all heads of an answer together, interim ones included."""

KEPT_SECONDS = 30.0
"""So long an idle connection is kept from others that would take its place.

When more sites are asked in turn than connections may stand, those that came first are of use in
each round; if the last ones stood, every connection would end before its site's next turn."""

IDLE_SECONDS = 90.0
"""After so long an idle connection is closed, at the next occasion: it is of no use to anybody."""
_UNDER_WAY = (0, errno.EINPROGRESS, errno.EAGAIN)


class DirectCarrier:
    """Implements `exchange.Carrier` for plain HTTP."""

    def __init__(
        self,
        loop: EventLoop,
        around: Surroundings,
        most_idle: int,
        on_end: Callable[..., None],
    ) -> None:
        self.loop = loop
        self.around = around
        self.on_end = on_end
        self.buffer = memoryview(bytearray(READ_BYTES))
        self._most_idle = most_idle
        self._idle: dict[tuple[str, ...], Connection] = {}
        self._all: set[Connection] = set()

    def start(self, outgoing: Outgoing) -> Exchange:
        """Ask over a standing connection to the site, or over a new one."""
        connection = self._idle.pop(outgoing.key[:2], None)
        if connection is None or not connection.still_stands():
            connection = self.new_connection()
        connection.begin(outgoing)
        return connection

    def new_connection(self) -> Connection:
        """Return a connection that has not been opened."""
        return Connection(self)

    def stop(self, exchange: Exchange) -> None:
        """Close a connection that is in use."""
        assert isinstance(exchange, Connection)
        exchange.close()

    def release(self, exchange: Exchange) -> None:
        """Keep a connection for the next request to its site, if it can carry one."""
        assert isinstance(exchange, Connection)
        head = exchange.received.head
        exchange.rest()
        if not exchange.is_open:
            return
        site, often = exchange.key[:2], self.around.stale.often
        if site in self._idle or (often and site in often):
            exchange.close()
            return
        exchange.idle_since = now = self.loop.time()
        exchange.ends_at = 0.0
        told = head.by_name.get("keep-alive") if head is not None else None
        if told is not None and (seconds := idle_seconds(told)) is not None:
            if seconds <= 0.0:
                exchange.close()
                return
            exchange.ends_at = now + seconds
        oldest = next(iter(self._idle.values()), None)
        while oldest is not None and now - oldest.idle_since > IDLE_SECONDS:
            self.forget(oldest)
            oldest = next(iter(self._idle.values()), None)
        if len(self._idle) >= self._most_idle:
            if oldest is None or now - oldest.idle_since < KEPT_SECONDS:
                exchange.close()
                return
            self.forget(oldest)
        self._idle[site] = exchange

    def forget(self, connection: Connection) -> None:
        """Drop an idle connection: its server has ended it, or another one takes its place."""
        self._idle.pop(connection.key[:2], None)
        connection.close()

    def opened(self, connection: Connection) -> None:
        """Note a connection, to be closed at the end."""
        self._all.add(connection)

    def closed(self, connection: Connection) -> None:
        """Note that a connection is gone."""
        self._all.discard(connection)

    def abort_all(self) -> None:
        """Close every connection."""
        self._idle.clear()
        for connection in list(self._all):
            connection.close()

    def close(self) -> None:
        """Close every connection."""
        self.abort_all()


class Connection(Exchange):
    """One connection to a site, and the request that it carries."""

    __slots__ = (
        "_carrier",
        "_chunks",
        "_descriptor",
        "_heads_bytes",
        "_is_asking",
        "_is_lasting",
        "_is_reused",
        "_left",
        "_peer",
        "_pending",
        "_socket",
        "_unsent",
        "_watch",
        "ends_at",
        "idle_since",
    )

    idle_since: float
    """Since when it has waited for a request."""
    ends_at: float
    """When the server will close it, by its own word, less a second; 0 if it has not said so."""
    waits: tuple[type[OSError], ...] = (BlockingIOError,)
    """What a socket raises that is not ready."""

    def __init__(self, carrier: DirectCarrier) -> None:
        super().__init__(carrier.around, carrier)
        self._carrier = carrier
        self._socket: socket.socket | None = None
        self._descriptor = -1
        self._watch = select.poll()
        """Tells of an idle connection whether anything has come: at half the cost of trying."""
        self._peer = ""
        self._unsent = b""
        self._is_asking = False
        self._pending: bytes | None = b""
        """The beginning of a head that has not come whole; None once the head is read."""
        self._heads_bytes = 0
        """Of interim answers too, all together."""
        self._left = 0
        self._chunks: ChunkReader | None = None
        self._is_lasting = False
        self._is_reused = False
        """Whether the connection has carried a request before this one."""

    @property
    def is_open(self) -> bool:
        """Whether there is a connection that can carry the next request."""
        return self._socket is not None

    @property
    def is_connected(self) -> bool:
        """Whether TCP's handshake is over."""
        return bool(self._peer)

    def begin(self, outgoing: Outgoing) -> None:
        """Take a request and send it, or connect first."""
        super().begin(outgoing)
        self._pending, self._chunks, self._heads_bytes = b"", None, 0
        self._is_asking = True
        self._is_reused = self._socket is not None
        if self._is_reused:
            self._send()
        else:
            self._connect(outgoing)

    def still_stands(self) -> bool:
        """Return whether an idle connection can be used; closes it if not."""
        assert self._socket is not None
        is_in_time = not self.ends_at or self._carrier.loop.time() < self.ends_at
        if is_in_time and not self._watch.poll(0):
            return True
        self.close()  # the server has ended it, will now, or has spoken without being asked
        return False

    def close(self) -> None:
        """Let the connection go; harmless when it is gone."""
        self.is_paused = False
        if self._socket is not None:
            loop = self._carrier.loop
            loop.remove_reader(self._descriptor)
            loop.remove_writer(self._descriptor)
            if self._is_asking:
                undelivered.forget(self._socket)
            self._socket.close()
            self._socket = None
            self._carrier.closed(self)

    def go_on(self) -> None:
        """Read again."""
        if self._socket is not None:
            self._carrier.loop.add_reader(self._descriptor, self._on_readable)

    # -- beginning ------------------------------------------------------------------------

    def _connect(self, outgoing: Outgoing) -> None:
        address, port = outgoing.request.address, outgoing.origin.port
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        connecting = socket.socket(family, socket.SOCK_STREAM)
        connecting.setblocking(False)
        connecting.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket, self._descriptor = connecting, connecting.fileno()
        self._watch = select.poll()
        self._watch.register(self._descriptor, select.POLLIN)
        self._carrier.opened(self)
        try:
            result = connecting.connect_ex((address, self._around.ports.get(port, port)))
        except (OSError, OverflowError) as problem:  # what is no address or no port
            self.close()
            raise ValueError(f"{address}: {problem}") from problem
        loop = self._carrier.loop
        if result in _UNDER_WAY:
            loop.add_writer(self._descriptor, self._on_connected)
        else:
            self.received.detail = os.strerror(result)
            loop.call_soon(self._on_unreachable, outgoing)

    def _on_unreachable(self, outgoing: Outgoing) -> None:
        if self._socket is not None and self.outgoing is outgoing:
            self._end(Outcome.CONNECT_FAILURE)

    def _on_connected(self) -> None:
        assert self._socket is not None
        loop = self._carrier.loop
        loop.remove_writer(self._descriptor)
        if problem := self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            self.received.detail = os.strerror(problem)
            self._end(Outcome.CONNECT_FAILURE)
            return
        try:
            self._peer = self._socket.getpeername()[0]
        except OSError:
            self._end(Outcome.CONNECT_FAILURE)
            return
        undelivered.limit_delivery(self._socket)
        self._established()

    def _established(self) -> None:
        self._carrier.loop.add_reader(self._descriptor, self._on_readable)
        self._send()

    def _send(self) -> None:
        if not self.may_go(self._peer):
            self._carrier.loop.call_soon(self._on_refused, self.outgoing)
            return
        self._unsent = self.asked()
        self._send_rest()

    def _on_refused(self, outgoing: Outgoing) -> None:
        if self._socket is not None and self.outgoing is outgoing:
            self._end(self.received.verdict)

    def _send_rest(self) -> None:
        assert self._socket is not None
        try:
            sent = self._socket.send(self._unsent)
        except self.waits:
            sent = 0
        except OSError:
            return  # the reader is told of it, too
        self._unsent = self._unsent[sent:]
        if self._unsent:
            self._carrier.loop.add_writer(self._descriptor, self._on_writable)

    def _on_writable(self) -> None:
        self._carrier.loop.remove_writer(self._descriptor)
        self._send_rest()

    # -- reading --------------------------------------------------------------------------

    def _on_readable(self) -> None:
        assert self._socket is not None
        buffer, throttle = self._carrier.buffer, self._around.throttle
        if throttle is not None:
            buffer = buffer[:BURST_BYTES]
            if not throttle.has_some():
                self._carrier.loop.remove_reader(self._descriptor)
                throttle.pause(self)
                return
        try:
            size = self._socket.recv_into(buffer)
        except self.waits:
            return
        except OSError:
            size = -1
        if throttle is not None:
            throttle.spend(max(size, 0))
        if not self._is_asking:
            self._carrier.forget(self)
        elif size > 0:
            self._take(buffer[:size])
        else:
            self._on_closed(was_reset=size < 0)

    def _take(self, piece: memoryview) -> None:
        """Take a piece of the answer, which is copied: the next one comes to the same place."""
        if self._pending is None:
            self._take_body(bytes(piece))
            return
        data: bytes | memoryview = self._pending + piece if self._pending else piece
        while self._pending is not None:
            cut = cut_head(data)
            if cut is None:
                self._wait_for_head(bytes(data))
                return
            head, data = cut
            if not self._begin_body(head):
                return
        self._take_body(bytes(data))

    def _take_body(self, data: bytes) -> None:
        if self._chunks is not None:
            self._take_chunks(data)
        elif self._left == UNTIL_CLOSE:
            if data and not self.received.take(data, self.limit):
                self._end(None)
        else:
            self._take_counted(data)

    def _wait_for_head(self, data: bytes) -> None:
        self._pending = data
        if not may_be_http(data) or len(data) > LONGEST_HEADS_BYTES:
            self._end(Outcome.BAD_ANSWER)

    def _begin_body(self, sent: bytes) -> bool:
        """Read a head; False when it ends the exchange."""
        self._heads_bytes += len(sent)
        try:
            head = read_head(sent)
        except BadHead:
            self._end(Outcome.BAD_ANSWER)
            return False
        if self._heads_bytes > LONGEST_HEADS_BYTES:
            self._end(Outcome.BAD_ANSWER)
            return False
        self.received.head = head
        if head.status < 200 and head.status != 101:
            self._pending = b""
            return True
        self._pending = None
        self._left, self._is_lasting = head.length, head.is_lasting
        if self.is_head:
            self._left = 0
        elif head.length == CHUNKED:
            self._chunks = ChunkReader()
        return True

    def _take_counted(self, data: bytes) -> None:
        if len(data) > self._left:  # what exceeds the length belongs to no answer
            data = data[: self._left]
            self._is_lasting = False
        self._left -= len(data)
        if data and not self.received.take(data, self.limit):
            self._is_lasting = False
            self._end(None)
        elif not self._left:
            self._end(None)

    def _take_chunks(self, data: bytes) -> None:
        assert self._chunks is not None
        end = self._chunks.take(data)
        if end is not None and (end < len(data) or self._chunks.is_broken):
            data = data[:end]
            self._is_lasting = False
        if data and not self.received.take(data, self.limit):
            self._is_lasting = False
            self._end(None)
        elif end is not None:
            self._end(None)

    def _on_closed(self, was_reset: bool) -> None:
        """The server has ended the connection: is that the end of the answer?"""
        is_whole = self._pending is None and self._left == UNTIL_CLOSE and not was_reset
        self._is_lasting = False
        if self._is_reused and self._pending == b"" and self.received.head is None:
            self.note_stale()
            self._end(self.received.verdict)
            return
        self._end(None if is_whole else Outcome.CUT_SHORT)

    # -- the end --------------------------------------------------------------------------

    def _end(self, verdict: Outcome | None) -> None:
        self._is_asking = False
        if verdict is not None or not self._is_lasting or self._unsent:
            self.close()
        if verdict is not None:
            self.received.verdict = verdict
        self._carrier.on_end(self)
