"""A TCP proxy that loses answers, cuts connections or lets nothing through.

It stands between a client and a real server, so that what a network does can be done on purpose:

    proxy.lose_answers()    requests still arrive, answers are swallowed, until `heal`
    proxy.cut()             all connections are broken, and no new ones are taken, until `heal`
    proxy.tear(7)           the seventh answer from now on arrives in half, and nothing after it
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from servers.processes import free_address

PORT = 7001
_BYTES = 1 << 16


class Proxy:
    """Listens on a loopback address; each connection is two threads."""

    def __init__(self, target: tuple[str, int] | str, host: str = "") -> None:
        """Lead to a TCP address, or to the path of a Unix socket; `host` is where it listens."""
        self._target = target
        self.host, self.port = host or free_address(PORT), PORT
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._lock = threading.Lock()
        self._loses_answers = False
        self.answers = 0
        """How often servers have said something, since `tear`."""
        self._torn = range(0)
        self._listen()

    def lose_answers(self) -> None:
        """Swallow what servers say from now on."""
        self._loses_answers = True

    def cut(self) -> None:
        """Break all connections, and take no new ones."""
        self._close_listener()
        self._break()

    def tear(self, answer: int, last: int = 0) -> None:
        """Let answers from one number to another arrive in half; their connections break."""
        self.answers, self._torn = 0, range(answer, (last or answer) + 1)

    def heal(self) -> None:
        """Work as a network should; connections that have lost something are broken."""
        if self._loses_answers:
            self._break()
        self._loses_answers, self._torn = False, range(0)
        if self._listener.fileno() < 0:
            self._listen()

    def close(self) -> None:
        """End everything."""
        self._close_listener()
        self._break()

    def _listen(self) -> None:
        self._listener = socket.create_server((self.host, self.port))
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def _close_listener(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        self._listener.close()

    def _break(self) -> None:
        with self._lock:
            pairs, self._pairs = self._pairs, []
        for pair in pairs:
            for end in pair:
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            try:
                server = self._connect()
            except OSError:
                client.close()
                continue
            with self._lock:
                self._pairs.append((client, server))
            for source, sink, is_answer in ((client, server, False), (server, client, True)):
                ends = (source, sink, is_answer)
                threading.Thread(target=self._forward, args=ends, daemon=True).start()

    def _connect(self) -> socket.socket:
        if not isinstance(self._target, str):
            return socket.create_connection(self._target)
        server = socket.socket(socket.AF_UNIX)
        try:
            server.connect(self._target)
        except OSError:
            server.close()
            raise
        return server

    def _forward(self, source: socket.socket, sink: socket.socket, is_answer: bool) -> None:
        with suppress(OSError):
            while data := source.recv(_BYTES):
                if is_answer:
                    self.answers += 1
                    if self.answers in self._torn:
                        sink.sendall(data[: len(data) // 2])
                        break
                if not (is_answer and self._loses_answers):
                    sink.sendall(data)
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        with self._lock:
            self._pairs = [pair for pair in self._pairs if source not in pair]


@contextmanager
def proxy_to(target: tuple[str, int] | str) -> Iterator[Proxy]:
    """Run a proxy; it ends with the block."""
    proxy = Proxy(target)
    try:
        yield proxy
    finally:
        proxy.close()
