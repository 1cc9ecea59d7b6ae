"""Sends HTTP over our own sockets: no library between the event loop and the bytes.

    start     takes an idle connection to the site, or opens one; sends the request
    reading   cuts the incoming bytes into head and body until the answer ends (RFC 9112, 6.3)
    release   keeps a reusable connection and watches it: a server that ends it,
              or speaks without being asked, loses it

The usual way of a page over a kept connection is compiled (`_wires`). This module has the rest:
connecting, heads in pieces, ends of connections.

Most requests in a crawl of one site are small answers over one kept
connection, one after the other. There libcurl and its callbacks cost twice as much as this
(docs/decisions/0012-http-client.md). `tls` puts a handshake before it; proxies stay with `curl`.

Always true:
  * a connection goes to the address that its request names, and carries one request at a time;
  * a request is put on the wire once: if its connection dies under it, the answer is cut short,
    or the connection was stale (`kept`);
  * an ended exchange is handed over from a callback of the event loop, never from within `start`.
"""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable

from lycosa._support.loop import EventLoop
from lycosa.fetch.coding.heads import UNTIL_CLOSE
from lycosa.fetch.http import undelivered
from lycosa.fetch.http._exchange import Outgoing
from lycosa.fetch.http._wires import LONGEST_HEADS_BYTES, Pool, Wire
from lycosa.fetch.http.exchange import Surroundings
from lycosa.model.records import Outcome

KEPT_SECONDS = 30.0
"""Minimum idle time before a connection may be evicted.

When more sites are asked in turn than connections may stand, those that came first are of use in
each round; if the last ones stood, every connection would end before its site's next turn."""

IDLE_SECONDS = 90.0
"""After so long an idle connection is closed, at the next occasion: it is of no use to anybody."""

_MAGIC = b"HTTP/"
_UNDER_WAY = (0, errno.EINPROGRESS, errno.EAGAIN)


def may_be_http(start: bytes) -> bool:
    """Return whether these first bytes can begin an answer."""
    return start.startswith(_MAGIC) or _MAGIC.startswith(start)


class DirectCarrier(Pool):
    """Implements `exchange.Carrier` for plain HTTP."""

    def __init__(
        self,
        loop: EventLoop,
        around: Surroundings,
        most_idle: int,
        on_end: Callable[..., None],
    ) -> None:
        super().__init__(loop, around, most_idle, on_end, KEPT_SECONDS, IDLE_SECONDS)

    def new_connection(self) -> Connection:
        """Return a connection that has not been opened."""
        return Connection(self)


class Connection(Wire):
    """One connection to a site, and the request that it carries: what is rare of it."""

    __slots__ = ()

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

    def part(self) -> None:
        """Let the connection go, and keep nothing for another one to its site."""
        self.close()

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
        self._carrier.opened(self)
        try:
            result = connecting.connect_ex((address, self._around.ports.get(port, port)))
        except (OSError, OverflowError) as problem:  # not an address, or not a port
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

    def _on_refused(self, outgoing: Outgoing) -> None:
        if self._socket is not None and self.outgoing is outgoing:
            self._end(self.received.verdict)

    def _on_writable(self) -> None:
        self._carrier.loop.remove_writer(self._descriptor)
        self._send_rest()

    # -- reading --------------------------------------------------------------------------

    def _wait_for_head(self, data: bytes) -> None:
        self._pending = data
        if not may_be_http(data) or len(data) > LONGEST_HEADS_BYTES:
            self._end(Outcome.BAD_ANSWER)

    def _on_closed(self, was_reset: bool) -> None:
        """The server has ended the connection: is that the end of the answer?"""
        is_whole = self._pending is None and self._left == UNTIL_CLOSE and not was_reset
        self._is_lasting = False
        if self._is_reused and self._pending == b"" and self.received.head is None:
            self.note_stale()
            self._end(self.received.verdict)
            return
        self._end(None if is_whole else Outcome.CUT_SHORT)
