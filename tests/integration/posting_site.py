"""A site on loopback whose lists come by POST, which counts every POST that it gets."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import parse_qs

PAGES = 4
ROWS = 5


class Sent(NamedTuple):
    """A POST that came."""

    path: str
    body: str
    content_type: str
    cookie: str
    moment: float
    authorization: str = ""


class PostingSite(ThreadingHTTPServer):
    """Answers searches by POST, page by page; some of its paths misbehave."""

    daemon_threads = True

    def __init__(
        self, robots: str = "", pages: int = PAGES, tls: ssl.SSLContext | None = None
    ) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.scheme = "http" if tls is None else "https"
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_side=True)
        self.robots, self.pages = robots, pages
        self.sent: list[Sent] = []
        self.asked: list[tuple[str, float]] = []
        """Paths of all other requests."""
        self.watch: Callable[[Sent], None] = lambda sent: None
        """Told of every POST before it is answered."""

    @property
    def url(self) -> str:
        """The front page."""
        return f"{self.scheme}://127.0.0.1:{self.server_address[1]}/"

    def times(self) -> Counter[tuple[str, str]]:
        """Return how often each body came for each path."""
        return Counter((sent.path, sent.body) for sent in self.sent)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that were killed."""


def _rows(query: str, page: int, pages: int) -> str:
    rows = "".join(f"<li class=row>{query} {page} {n}</li>" for n in range(ROWS))
    more = f'<b class=next data-page="{page + 1}">more</b>' if page < pages else ""
    return f"<title>{query} {page}</title><ul>{rows}</ul>{more}"


class _Answers(BaseHTTPRequestHandler):
    server: PostingSite
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.asked.append((self.path, time.monotonic()))
        if self.path == "/robots.txt":
            self._send(200 if self.server.robots else 404, self.server.robots, "text/plain")
        elif self.path == "/":
            self._send(
                200,
                "<title>Front</title><form method=post action=/search>"
                "<input type=hidden name=token value=t0k><input name=q value=any>"
                "<input type=checkbox name=all><input type=submit name=go value=Go></form>",
            )
        elif self.path == "/login":
            self._send(
                200, "<form method=post><input name=user><input type=password name=p></form>"
            )
        elif self.path in ("/thanks", "/search"):
            self._send(200, f"<title>{self.path}</title>words")
        else:
            self._send(404, "nothing")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        kind, cookie = self.headers["Content-Type"], self.headers.get("Cookie", "")
        secret = self.headers.get("Authorization", "")
        sent = Sent(self.path, body, kind, cookie, time.monotonic(), secret)
        self.server.sent.append(sent)
        self.server.watch(sent)
        form = parse_qs(body)
        match self.path:
            case "/search":
                page = int(form.get("page", ["1"])[0])
                self._send(200, _rows(form["q"][0], page, self.server.pages))
            case "/login":
                self._send(302, "", "text/html", ("Location", "/"), ("Set-Cookie", "sid=s3ss10n"))
            case "/moved":
                self._send(307, "", "text/html", ("Location", "/search"))
            case "/see":
                self._send(303, "", "text/html", ("Location", "/thanks"))
            case "/never":
                time.sleep(3)
                self.close_connection = True
            case "/dies":
                self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True
            case "/broken":
                self._send(500, "broken")
            case "/later":
                self._send(503, "later", "text/plain", ("Retry-After", "1"))
            case _:
                self._send(200, f"<title>{self.path}</title>{body} {kind}")

    def _send(
        self, status: int, text: str, kind: str = "text/html", *headers: tuple[str, str]
    ) -> None:
        body = text.encode()
        self.send_response(status)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(body))), *headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


@contextmanager
def posting_site(
    robots: str = "", pages: int = PAGES, tls: ssl.SSLContext | None = None
) -> Iterator[PostingSite]:
    """Serve the site."""
    with PostingSite(robots, pages, tls) as site:
        thread = threading.Thread(target=site.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield site
        finally:
            site.shutdown()
            thread.join()
