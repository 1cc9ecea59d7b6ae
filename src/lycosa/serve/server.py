"""The HTTP server of a read-only SPARQL endpoint over the index of a crawl.

It listens on a loopback address by default, answers `GET` and `POST` at `/sparql` (`protocol`),
and limits the time and the size of every result (`query.answer_pool`). On a loopback address
it answers only requests whose `Host` is this machine's own name.

A request must arrive within fifteen seconds of the connection or of the last response, however
slowly its bytes come, and has a maximum size. A client must read its response at 50 kB a
second. A slow client never makes another client wait (`connections`).
"""

from __future__ import annotations

import contextlib
import io
import socket
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any, NamedTuple

from lycosa import __version__
from lycosa.errors import QueryError
from lycosa.query.answer_pool import AnswerPool
from lycosa.query.formats import MEDIA_TYPES
from lycosa.query.protocol import Query
from lycosa.query.triple_store import TripleStore
from lycosa.serve.connections import MOST_ASKING, Connections
from lycosa.serve.protocol import (
    PATH,
    Description,
    Problem,
    description,
    is_local_name,
    read,
)

LARGEST_HEAD_BYTES = 131_072
LARGEST_QUESTION_BYTES = 1_000_000
REQUEST_SECONDS = 15.0
READING_SECONDS, READING_BYTES = 30.0, 50_000
"""A client must read a response in 30 s, plus a second for every 50 kB."""

MOST_HELD_ANSWERS = 2
"""How many responses of the largest size may wait in memory for slow readers."""

_TURNED_AWAY = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 0\r\n"
    b"Connection: close\r\n\r\n"
)

_STATUSES = {
    "refused": HTTPStatus.BAD_REQUEST,
    "not-acceptable": HTTPStatus.NOT_ACCEPTABLE,
    "too-large": HTTPStatus.INTERNAL_SERVER_ERROR,
    "too-slow": HTTPStatus.SERVICE_UNAVAILABLE,
    "busy": HTTPStatus.SERVICE_UNAVAILABLE,
    "failed": HTTPStatus.INTERNAL_SERVER_ERROR,
    "unguarded": HTTPStatus.INTERNAL_SERVER_ERROR,
}


class Limits(NamedTuple):
    """The limits of a query."""

    seconds: float = 30.0
    largest_bytes: int = 50_000_000
    processes: int = 2


class Endpoint:
    """A running endpoint; the constructor starts to listen."""

    def __init__(
        self, folder: Path, host: str = "127.0.0.1", port: int = 0, limits: Limits | None = None
    ) -> None:
        limits = limits or Limits()
        index = TripleStore(folder)
        if index.current() is None:
            raise index.missing()
        self._pool = AnswerPool(folder, limits.processes, limits.largest_bytes)
        reply = self._pool.ask(Query("ASK {}"), limits.seconds)
        if reply.kind != "answer":
            self._pool.close()
            raise QueryError(reply.text)
        try:
            self._server = _Server((host, port), self._pool, limits)
        except OSError as error:
            self._pool.close()
            raise QueryError(
                f"{host}:{port}: cannot listen there: {error.strerror}\n"
                "  choose another --port, or --host"
            ) from None

    @property
    def url(self) -> str:
        """The URL of the endpoint."""
        return self._server.url

    def run(self) -> None:
        """Answer until `stop` is called or a signal comes."""
        self._server.serve_forever()

    def stop(self) -> None:
        """Make `run` return."""
        self._server.shutdown()

    def close(self) -> None:
        """Close the socket and the processes."""
        self._server.server_close()
        self._pool.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], pool: AnswerPool, limits: Limits) -> None:
        self.pool = pool
        self.limits = limits
        self.is_local = _is_loopback(address[0])
        each = MOST_ASKING if self.is_local else MOST_ASKING // 2
        self.connections = Connections(MOST_HELD_ANSWERS * limits.largest_bytes, each)
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        super().__init__(address, _Handler)
        host, port = self.server_address[:2]
        shown = f"[{host!s}]" if ":" in str(host) else str(host)
        self.url = f"http://{shown}:{port}{PATH}"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection, or turn it away when all others are busy."""
        if not self.connections.admit(request, client_address[0]):
            with contextlib.suppress(OSError):
                request.setblocking(False)
                request.send(_TURNED_AWAY)
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except RuntimeError:  # the system gives no more threads
            self.connections.leave(request)
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve a connection in its thread."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.connections.leave(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    server_version = f"Lycosa/{__version__}"
    sys_version = ""

    def setup(self) -> None:
        """Read under a deadline."""
        super().setup()
        self._incoming = _Incoming(self.connection)
        self.rfile = io.BufferedReader(self._incoming)
        self._ours = self.server.connections.of(self.connection)

    def handle_one_request(self) -> None:
        """Wait for a request, and answer it."""
        self.server.connections.wait(self._ours)
        self._incoming.expect(LARGEST_HEAD_BYTES + LARGEST_QUESTION_BYTES, REQUEST_SECONDS)
        super().handle_one_request()

    def do_GET(self) -> None:
        """Answer a request."""
        self._serve()

    do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do_GET  # noqa: N815

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""

    def _serve(self) -> None:
        if self.server.is_local and not is_local_name(self.headers.get("Host", "")):
            self._refuse(Problem(HTTPStatus.FORBIDDEN, "ask by localhost or a loopback address"))
            return
        body = self._body()
        if isinstance(body, Problem):
            self.close_connection = True
            self._refuse(body)
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        wanted = read(self.command, self.path, headers, body)
        if isinstance(wanted, Problem):
            self._refuse(wanted)
        elif isinstance(wanted, Description):
            content = description(self.server.url).encode()
            self._reply(HTTPStatus.OK, "text/turtle; charset=utf-8", content)
        elif not self.server.connections.ask(self._ours):
            busy = Problem(HTTPStatus.SERVICE_UNAVAILABLE, "too many queries at once")
            self._refuse(busy)
        else:
            reply = self.server.pool.ask(wanted, self.server.limits.seconds)
            if reply.kind == "answer":
                self._reply(HTTPStatus.OK, MEDIA_TYPES[reply.text], reply.body)
            else:
                self._refuse(Problem(_STATUSES[reply.kind], reply.text))

    def _body(self) -> bytes | Problem:
        if "Transfer-Encoding" in self.headers:
            return Problem(HTTPStatus.LENGTH_REQUIRED, "send the length of the query")
        try:
            length = int(self.headers.get("Content-Length", "0"))
        except ValueError:
            return Problem(HTTPStatus.BAD_REQUEST, "the length is not a number")
        if not 0 <= length <= LARGEST_QUESTION_BYTES:
            return Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the query is too long")
        body = self.rfile.read(length) if length else b""
        if len(body) < length:
            return Problem(HTTPStatus.BAD_REQUEST, "the query is incomplete")
        return body

    def _refuse(self, problem: Problem) -> None:
        self._reply(problem.status, "text/plain; charset=utf-8", f"{problem.text}\n".encode())

    def _reply(self, status: HTTPStatus, content_type: str, content: bytes) -> None:
        self.server.connections.read(self._ours, len(content))
        self.connection.settimeout(READING_SECONDS + len(content) / READING_BYTES)
        with contextlib.suppress(OSError):
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(content)))
            self.send_header("X-Content-Type-Options", "nosniff")
            if status is HTTPStatus.SERVICE_UNAVAILABLE:
                self.send_header("Retry-After", "5")
            if status is HTTPStatus.METHOD_NOT_ALLOWED:
                self.send_header("Allow", "GET, HEAD, POST")
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)
            return
        self.close_connection = True


class _Incoming(io.RawIOBase):
    """The bytes that a client sends, up to a deadline and a size limit."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._left_bytes = 0
        self._until = 0.0

    def expect(self, most_bytes: int, seconds: float) -> None:
        """Begin to wait for a request."""
        self._left_bytes, self._until = most_bytes, time.monotonic() + seconds

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Read what there is."""
        seconds = self._until - time.monotonic()
        if seconds <= 0 or self._left_bytes <= 0:
            raise TimeoutError
        self._connection.settimeout(seconds)
        count = self._connection.recv_into(buffer)
        self._left_bytes -= count
        return count


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
