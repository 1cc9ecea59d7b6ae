"""A site with members' pages on loopback, for tests of logging in."""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import NamedTuple
from urllib.parse import parse_qs

from integration.loopback_site import Answers, LoopbackSite, served

USER, PASSWORD, TOKEN = "ada", "correct-horse-battery", "token-for-the-interface"
SESSION = "session-id-that-nobody-may-see"
MEMBERS = 6


class Asked(NamedTuple):
    """A request that came."""

    method: str
    path: str
    moment: float


class MembersSite(LoopbackSite):
    """Shows `/members/N` to those who have logged in, and `/api/N` to those with a token."""

    def __init__(
        self, loses_after: int = 1_000, robots: str = "", tls: ssl.SSLContext | None = None
    ) -> None:
        super().__init__(_Answers, robots, tls)
        self.requests: list[Asked] = []
        self.loses_after = loses_after
        """So many pages a session is good for."""
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

    def paths(self, method: str = "GET") -> list[str]:
        """Return the paths that were asked for."""
        return [asked.path for asked in self.requests if asked.method == method]

    def came(self, method: str, path: str) -> None:
        """A request came."""
        asked = Asked(method, path, time.monotonic())
        self.requests.append(asked)
        self.watch(asked)


_FORM = (
    "<title>Log in</title><form method=post><input type=hidden name=csrf value=c5rf>"
    "<input name=user><input type=password name=password></form>"
)


class _Answers(Answers):
    server: MembersSite

    def get(self) -> None:
        self.server.came("GET", self.path)
        path = self.path.partition("?")[0]
        if path == "/robots.txt":
            self.send_robots(self.server.robots)
        elif path == "/":
            links = "".join(f"<a href=/members/{n}>m{n}</a>" for n in range(MEMBERS))
            links += "<a href=/api/1>a</a>" if self.server.has_interface else ""
            self.send(200, f"<title>Front</title>{links}<a href=/logout>out</a>")
        elif path == "/login":
            self.send(200, _FORM)
        elif path == "/logout":
            self.server.left = 0
            self.send(200, "bye")
        elif path.startswith("/members/"):
            self._member(path)
        elif path.startswith("/api/"):
            is_known = self.headers.get("Authorization") == f"Bearer {TOKEN}"
            self.send(200 if is_known else 401, "<title>Interface</title><p>data</p>")
        else:
            self.send(404, "nothing")

    def post(self) -> None:
        self.server.came("POST", self.path)
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        given = [form.get(name, [""])[0] for name in ("user", "password", "csrf")]
        if self.path != "/login" or given != [USER, PASSWORD, "c5rf"]:
            if self.server.accepts_all:
                self.send(302, "", "text/html", ("Location", "/"))
            else:
                self.send(200 if self.server.shows_form else 403, _FORM)
            return
        self.server.logins += 1
        self.server.left = self.server.loses_after
        cookie = ("Set-Cookie", f"sid={SESSION}-{self.server.logins}; Path=/; HttpOnly")
        self.send(302, "", "text/html", cookie, ("Location", "/members/0"))

    def _member(self, path: str) -> None:
        session = f"sid={SESSION}-{self.server.logins}"
        if self.server.left <= 0 or session not in self.headers.get("Cookie", ""):
            if self.server.shows_form:
                self.send(200, _FORM)
            else:
                self.send(302, "", "text/html", ("Location", f"/login?next={path}"))
            return
        self.server.left -= 1
        again = ("Set-Cookie", f"{session}; Path=/")
        text = f"<title>Member {path[-1]}</title><p>Private words {path}</p>"
        self.send(200, text, "text/html", again)


def members_site(
    loses_after: int = 1_000, robots: str = "", tls: ssl.SSLContext | None = None
) -> AbstractContextManager[MembersSite]:
    """Serve the site."""
    return served(MembersSite(loses_after, robots, tls))
