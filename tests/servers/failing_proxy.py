"""A proxy before an HTTP service that lets a share of all requests fail.

A request fails in one of three ways, as a bad network and a bad service do:

    before   it is answered by 503, or not at all, and the service never sees it
    middle   half of its body reaches the service; or half of the answer reaches the client
    after    the service has done it, and the answer is lost

Every request has a connection of its own, so that each can be cut by itself. Headers are passed on
as they are: signatures stay valid.
"""

from __future__ import annotations

import random
import re
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from servers.processes import free_address

PORT = 7002
_BYTES = 1 << 16
_DOWN = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class FailingProxy:
    """Listens on a loopback address, and leads to a service."""

    def __init__(self, target: tuple[str, int], share: float, seed: int) -> None:
        self._target = target
        self.share = share
        self._chance = random.Random(seed)
        self._lock = threading.Lock()
        self.host = free_address(PORT)
        self.counts: Counter[str] = Counter()
        """Requests by what became of them: `passed`, `before`, `middle`, `after`."""
        self._listener = socket.create_server((self.host, PORT), backlog=128)
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def endpoint(self) -> str:
        """Where it takes requests."""
        return f"http://{self.host}:{PORT}"

    def close(self) -> None:
        """Take no more requests."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, suppress(OSError):
            head, body = _head_of(client)
            if not head:
                return
            length = int((re.findall(rb"(?i)content-length: (\d+)", head) or [b"0"])[0])
            with self._lock:
                fails = self._chance.random() < self.share
                how = self._chance.choice(("before", "middle", "after")) if fails else "passed"
                is_silent = self._chance.random() < 0.5
                self.counts[how] += 1
            if how == "before" and is_silent:
                return
            while len(body) < length and (data := client.recv(_BYTES)):
                body += data
            if how == "before":
                client.sendall(_DOWN)
                return
            with socket.create_connection(self._target) as service:
                begun = head.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
                if how == "middle" and length:
                    service.sendall(begun + body[: length // 2])
                    return
                service.sendall(begun + body)
                answer = b""
                while data := service.recv(_BYTES):
                    answer += data
            if how == "after":
                return
            client.sendall(answer if how == "passed" else answer[: len(answer) // 2])


def _head_of(client: socket.socket) -> tuple[bytes, bytes]:
    content = b""
    while b"\r\n\r\n" not in content:
        data = client.recv(_BYTES)
        if not data:
            return b"", b""
        content += data
    head, _, body = content.partition(b"\r\n\r\n")
    return head + b"\r\n\r\n", body


@contextmanager
def failing_proxy(endpoint: str, share: float, seed: int = 0) -> Iterator[FailingProxy]:
    """Run a proxy before an endpoint (`http://host:port`); it ends with the block."""
    host, port = endpoint.removeprefix("http://").split(":")
    proxy = FailingProxy((host, int(port)), share, seed)
    try:
        yield proxy
    finally:
        proxy.close()
