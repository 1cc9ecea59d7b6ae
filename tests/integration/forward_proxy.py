"""A proxy on loopback that forwards requests, and tunnels; some of its answers get lost."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


class ForwardProxy(ThreadingHTTPServer):
    """Forwards; counts what came by it."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Forwards)
        self.came: list[str] = []
        """Method and place of every request."""
        self.loses_answers = False
        """Whether answers to POSTs are not passed on."""

    @property
    def url(self) -> str:
        """The address for a job."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that are gone."""


class _Forwards(BaseHTTPRequestHandler):
    server: ForwardProxy
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._forward()

    def do_POST(self) -> None:
        self._forward()

    def _forward(self) -> None:
        self.server.came.append(f"{self.command} {self.path}")
        place = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        there = http.client.HTTPConnection(place.netloc, timeout=10)
        headers = {name: value for name, value in self.headers.items() if "roxy" not in name}
        there.request(self.command, place.path or "/", body or None, headers)
        answer = there.getresponse()
        content = answer.read()
        there.close()
        if self.command == "POST" and self.server.loses_answers:
            self.close_connection = True
            return
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "content-length", "transfer-encoding"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_CONNECT(self) -> None:
        self.server.came.append(f"CONNECT {self.path}")
        host, _, port = self.path.partition(":")
        with socket.create_connection((host, int(port)), timeout=10) as there:
            self.send_response_only(200)
            self.end_headers()
            back = threading.Thread(target=_pump, args=(there, self.connection), daemon=True)
            back.start()
            _pump(self.connection, there)
            back.join(10)
        self.close_connection = True

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


def _pump(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(1 << 16):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # one of both has gone


@contextmanager
def forward_proxy() -> Iterator[ForwardProxy]:
    """Serve the proxy."""
    with ForwardProxy() as proxy:
        thread = threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield proxy
        finally:
            proxy.shutdown()
            thread.join()
