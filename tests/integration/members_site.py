"""A site with members' pages on loopback, for tests of logging in."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import parse_qs

USER, PASSWORD, TOKEN = "ada", "correct-horse-battery", "token-for-the-interface"
SESSION = "session-id-that-nobody-may-see"
MEMBERS = 6


class Asked(NamedTuple):
    """A request that came."""

    method: str
    path: str
    moment: float


class MembersSite(ThreadingHTTPServer):
    """Shows `/members/N` to those who have logged in, and `/api/N` to those with a token."""

    def __init__(
        self, loses_after: int = 1_000, robots: str = "", tls: ssl.SSLContext | None = None
    ) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.scheme = "http" if tls is None else "https"
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_side=True)
        self.requests: list[Asked] = []
        self.loses_after = loses_after
        """So many pages a session is good for."""
        self.robots = robots
        self.has_interface = False
        """Whether the front page links to it."""
        self.left = 0
        self.logins = 0
        self.shows_form = False
        """Whether the form takes the place of a refusal, with status 200, as many sites do."""
        self.accepts_all = False
        """Whether a wrong password is answered like the right one, without a session."""
        self.watch: Callable[[Asked], None] = lambda asked: None
        """Told of every request before it is answered."""

    @property
    def url(self) -> str:
        """The front page."""
        return f"{self.scheme}://127.0.0.1:{self.server_address[1]}/"

    def paths(self, method: str = "GET") -> list[str]:
        """Return the paths that were asked for."""
        return [asked.path for asked in self.requests if asked.method == method]

    def came(self, method: str, path: str) -> None:
        """A request came."""
        asked = Asked(method, path, time.monotonic())
        self.requests.append(asked)
        self.watch(asked)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that were killed."""


_FORM = (
    "<title>Log in</title><form method=post><input type=hidden name=csrf value=c5rf>"
    "<input name=user><input type=password name=password></form>"
)


class _Answers(BaseHTTPRequestHandler):
    server: MembersSite
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.came("GET", self.path)
        path = self.path.partition("?")[0]
        if path == "/robots.txt":
            self._send(200 if self.server.robots else 404, self.server.robots, "text/plain")
        elif path == "/":
            links = "".join(f"<a href=/members/{n}>m{n}</a>" for n in range(MEMBERS))
            links += "<a href=/api/1>a</a>" if self.server.has_interface else ""
            self._send(200, f"<title>Front</title>{links}<a href=/logout>out</a>")
        elif path == "/login":
            self._send(200, _FORM)
        elif path == "/logout":
            self.server.left = 0
            self._send(200, "bye")
        elif path.startswith("/members/"):
            self._member(path)
        elif path.startswith("/api/"):
            is_known = self.headers.get("Authorization") == f"Bearer {TOKEN}"
            self._send(200 if is_known else 401, "<title>Interface</title><p>data</p>")
        else:
            self._send(404, "nothing")

    def do_POST(self) -> None:
        self.server.came("POST", self.path)
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        given = [form.get(name, [""])[0] for name in ("user", "password", "csrf")]
        if self.path != "/login" or given != [USER, PASSWORD, "c5rf"]:
            if self.server.accepts_all:
                self._send(302, "", "text/html", ("Location", "/"))
            else:
                self._send(200 if self.server.shows_form else 403, _FORM)
            return
        self.server.logins += 1
        self.server.left = self.server.loses_after
        cookie = ("Set-Cookie", f"sid={SESSION}-{self.server.logins}; Path=/; HttpOnly")
        self._send(302, "", "text/html", cookie, ("Location", "/members/0"))

    def _member(self, path: str) -> None:
        session = f"sid={SESSION}-{self.server.logins}"
        if self.server.left <= 0 or session not in self.headers.get("Cookie", ""):
            if self.server.shows_form:
                self._send(200, _FORM)
            else:
                self._send(302, "", "text/html", ("Location", f"/login?next={path}"))
            return
        self.server.left -= 1
        again = ("Set-Cookie", f"{session}; Path=/")
        text = f"<title>Member {path[-1]}</title><p>Private words {path}</p>"
        self._send(200, text, "text/html", again)

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
def members_site(
    loses_after: int = 1_000, robots: str = "", tls: ssl.SSLContext | None = None
) -> Iterator[MembersSite]:
    """Serve the site."""
    with MembersSite(loses_after, robots, tls) as site:
        thread = threading.Thread(target=site.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield site
        finally:
            site.shutdown()
            thread.join()
