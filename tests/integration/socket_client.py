"""A client of a few lines for the test web over sockets: it asks, listens, and waits."""

from __future__ import annotations

import http.client
import socket
import time
from collections.abc import Callable

from lycosa_testweb import RefereeRules
from lycosa_testweb.parts import take_apart
from lycosa_testweb.servers.server import SOCKET_TOLERANCE_SECONDS, SocketWeb

PATIENCE = 10.0
NO_PAUSES = RefereeRules(0.0, 0.0, tolerance_seconds=SOCKET_TOLERANCE_SECONDS)


class Heard:
    """What came, and how it ended: "silence", "reset", "close" or "enough"."""

    def __init__(self, data: bytes, ending: str) -> None:
        self.ending = ending
        self.data = data
        self.head, _, self.body = data.partition(b"\r\n\r\n")

    @property
    def promised(self) -> int:
        line = next(line for line in self.head.split(b"\r\n") if line.startswith(b"Content-Length"))
        return int(line.partition(b":")[2])


def connect(server: SocketWeb, url: str) -> http.client.HTTPConnection:
    place, port = server.endpoint(url)
    if not url.startswith("https:"):
        return http.client.HTTPConnection(place, port, timeout=PATIENCE)
    context = server.tls_context()
    raw = socket.create_connection((place, port), timeout=PATIENCE)
    connection = http.client.HTTPSConnection(place, port, timeout=PATIENCE)
    connection.sock = context.wrap_socket(raw, server_hostname=take_apart(url).host)
    return connection


def ask(connection: http.client.HTTPConnection, url: str) -> http.client.HTTPResponse:
    parts = take_apart(url)
    host = url.partition("://")[2].partition("/")[0]
    connection.request("GET", parts.target, headers={"Host": host, "User-Agent": "lycosa"})
    return connection.getresponse()


def get(server: SocketWeb, url: str) -> tuple[int, list[tuple[str, str]], bytes]:
    connection = connect(server, url)
    try:
        response = ask(connection, url)
        return response.status, response.getheaders(), response.read()
    finally:
        connection.close()


def shout(server: SocketWeb, url: str, *, most: int = 1 << 30, wait: float = PATIENCE) -> Heard:
    """Ask by hand, and say what was heard and how it ended."""
    parts = take_apart(url)
    heard = bytearray()
    with socket.create_connection(server.endpoint(url), timeout=wait) as client:
        client.sendall(f"GET {parts.target} HTTP/1.1\r\nHost: {parts.host}\r\n\r\n".encode())
        while len(heard) < most:
            try:
                data = client.recv(1 << 16)
            except TimeoutError:
                return Heard(bytes(heard), "silence")
            except ConnectionResetError:
                return Heard(bytes(heard), "reset")
            if not data:
                return Heard(bytes(heard), "close")
            heard += data
    return Heard(bytes(heard), "enough")


def wait_for(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.002)
