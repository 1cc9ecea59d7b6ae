"""The server of the fixed web: on loopback, in the crawl's thread, whenever it is told to answer.

Over TLS it takes the records apart in memory and sends each answer by one call, so how the bytes
arrive depends on nothing but the answer. After `ANSWERS_EACH` answers it asks for another
connection, so handshakes are part of what a page costs.
"""

from __future__ import annotations

import select
import socket
from pathlib import Path

from benchmarks.budget.fixed_web import Web

TYPE_CHECKING = False  # as checkers take it: crawls without TLS load no `ssl`, and none is counted

if TYPE_CHECKING:
    import ssl

ANSWERS_EACH = 50
"""How many answers a connection over TLS has, as if its server were nginx with few requests."""
_KEEP, _CLOSE = b"Connection: keep-alive", b"Connection: close"


class Server:
    """Answers everything that has been asked."""

    def __init__(self, addresses: list[str], web: Web, certificate: Path | None = None) -> None:
        self._web = web
        self._events = select.epoll()
        self._listeners: dict[int, socket.socket] = {}
        self._connections: dict[int, _Plain] = {}
        self._context = _context(certificate) if certificate else None
        self.port = 0
        for address in addresses:
            listener = socket.create_server((address, self.port), backlog=512)
            listener.setblocking(False)
            self.port = listener.getsockname()[1]
            self._listeners[listener.fileno()] = listener
            self._events.register(listener, select.EPOLLIN)

    def step(self, wait: float = 0.0) -> bool:
        """Answer everything that has been asked; returns whether there was anything."""
        found = self._events.poll(wait)
        for number, _ in sorted(found):
            if number in self._listeners:
                self._accept(self._listeners[number])
            else:
                self._answer(self._connections[number])
        return bool(found)

    def _accept(self, listener: socket.socket) -> None:
        connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        number = connection.fileno()
        context = self._context
        made = _Secure(connection, context) if context is not None else _Plain(connection)
        self._connections[number] = made
        self._events.register(connection, select.EPOLLIN)

    def _answer(self, connection: _Plain) -> None:
        asked = connection.receive()
        if asked is None:
            self._events.unregister(connection.socket)
            del self._connections[connection.socket.fileno()]
            connection.socket.close()
        elif asked:
            connection.send(self._web.answer(asked))


class _Plain:
    """A connection without TLS."""

    def __init__(self, connected: socket.socket) -> None:
        self.socket = connected

    def receive(self) -> bytes | None:
        """Return a request, or None at the end of the connection."""
        return self.socket.recv(65_536) or None

    def send(self, answer: bytes) -> None:
        """Send an answer."""
        self.socket.sendall(answer)


class _Secure(_Plain):
    """A connection over TLS."""

    def __init__(self, connected: socket.socket, context: ssl.SSLContext) -> None:
        import ssl

        super().__init__(connected)
        self._come, self._go = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._come, self._go, server_side=True)
        self._waits = ssl.SSLWantReadError
        self._is_shaking = True
        self._answered = 0

    def receive(self) -> bytes | None:
        """Go on with the handshake, or return a request; nothing if it is not whole."""
        came = self.socket.recv(65_536)
        if not came:
            return None
        self._come.write(came)
        try:
            if self._is_shaking:
                self._tls.do_handshake()
                self._is_shaking = False
            return self._tls.read(65_536)
        except self._waits:
            return b""
        finally:
            self._flush()

    def send(self, answer: bytes) -> None:
        """Send an answer, the last one with the wish for another connection."""
        self._answered += 1
        is_last = self._answered == ANSWERS_EACH
        self._tls.write(answer.replace(_KEEP, _CLOSE, 1) if is_last else answer)
        self._flush()

    def _flush(self) -> None:
        if self._go.pending:
            self.socket.sendall(self._go.read())


def _context(certificate: Path) -> ssl.SSLContext:
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context
