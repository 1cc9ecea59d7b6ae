"""A read-only SPARQL endpoint over the index of a crawl.

It listens on a loopback address unless told otherwise, answers `GET` and `POST` at `/sparql`
(`protocol`), and has every question answered within a time and a size (`answering`). On a loopback
address only requests are answered whose `Host` is this machine's own name.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any, NamedTuple

from lycosa import __version__
from lycosa.errors import QueryError
from lycosa.query.answering import Answerers
from lycosa.query.forms import MEDIA_TYPES
from lycosa.query.generations import Generations
from lycosa.query.questions import Question
from lycosa.serve.protocol import (
    PATH,
    Description,
    Problem,
    description,
    is_local_name,
    read,
)

LARGEST_QUESTION_BYTES = 1_000_000
MOST_CONNECTIONS = 64

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
    """What an answer may cost."""

    seconds: float = 30.0
    largest_bytes: int = 50_000_000
    processes: int = 2


class Endpoint:
    """A server that listens; made to listen by making it."""

    def __init__(
        self, folder: Path, host: str = "127.0.0.1", port: int = 0, limits: Limits | None = None
    ) -> None:
        limits = limits or Limits()
        if Generations(folder).current() is None:
            raise QueryError(
                f"{folder}: has no index of triples\n  build it: lycosa index {folder}"
            )
        self._answerers = Answerers(folder, limits.processes, limits.largest_bytes)
        said = self._answerers.ask(Question("ASK {}"), limits.seconds)
        if said.kind != "answer":
            self._answerers.close()
            raise QueryError(said.text)
        try:
            self._server = _Server((host, port), self._answerers, limits)
        except OSError as error:
            self._answerers.close()
            raise QueryError(
                f"{host}:{port}: cannot be listened on: {error.strerror}\n"
                "  choose another --port, or --host"
            ) from None

    @property
    def url(self) -> str:
        """Where questions are answered."""
        return self._server.url

    def run(self) -> None:
        """Answer until `stop` is called or a signal comes."""
        self._server.serve_forever()

    def stop(self) -> None:
        """Make `run` return."""
        self._server.shutdown()

    def close(self) -> None:
        """Let go of everything."""
        self._server.server_close()
        self._answerers.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, address: tuple[str, int], answerers: Answerers, limits: Limits) -> None:
        self.answerers = answerers
        self.limits = limits
        self.is_local = _is_loopback(address[0])
        self._places = threading.BoundedSemaphore(MOST_CONNECTIONS)
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        super().__init__(address, _Handler)
        host, port = self.server_address[:2]
        shown = f"[{host!s}]" if ":" in str(host) else str(host)
        self.url = f"http://{shown}:{port}{PATH}"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection, unless there are too many."""
        if not self._places.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve a connection in its thread."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing when a client goes away."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    server_version = f"Lycosa/{__version__}"
    sys_version = ""
    timeout = 30
    """Seconds that a client may take to say something."""

    def do_GET(self) -> None:
        """Answer a question in the address."""
        self._serve()

    do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do_GET  # noqa: N815

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

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
        asked = read(self.command, self.path, headers, body)
        if isinstance(asked, Problem):
            self._refuse(asked)
        elif isinstance(asked, Description):
            content = description(self.server.url).encode()
            self._reply(HTTPStatus.OK, "text/turtle; charset=utf-8", content)
        else:
            answered = self.server.answerers.ask(asked, self.server.limits.seconds)
            if answered.kind == "answer":
                self._reply(HTTPStatus.OK, MEDIA_TYPES[answered.text], answered.body)
            else:
                self._refuse(Problem(_STATUSES[answered.kind], answered.text))

    def _body(self) -> bytes | Problem:
        if "Transfer-Encoding" in self.headers:
            return Problem(HTTPStatus.LENGTH_REQUIRED, "send the length of the question")
        try:
            length = int(self.headers.get("Content-Length", "0"))
        except ValueError:
            return Problem(HTTPStatus.BAD_REQUEST, "the length is no number")
        if not 0 <= length <= LARGEST_QUESTION_BYTES:
            return Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the question is too long")
        return self.rfile.read(length) if length else b""

    def _refuse(self, problem: Problem) -> None:
        self._reply(problem.status, "text/plain; charset=utf-8", f"{problem.text}\n".encode())

    def _reply(self, status: HTTPStatus, content_type: str, content: bytes) -> None:
        with contextlib.suppress(OSError):
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(content)))
            self.send_header("X-Content-Type-Options", "nosniff")
            if status is HTTPStatus.METHOD_NOT_ALLOWED:
                self.send_header("Allow", "GET, HEAD, POST")
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
