"""A site on loopback whose lists come by POST, which counts every POST that it gets."""

from __future__ import annotations

import socket
import ssl
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import NamedTuple
from urllib.parse import parse_qs

from integration.loopback_site import Answers, LoopbackSite, served

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


class PostingSite(LoopbackSite):
    """Answers searches by POST, page by page; some of its paths misbehave."""

    def __init__(
        self, robots: str = "", pages: int = PAGES, tls: ssl.SSLContext | None = None
    ) -> None:
        super().__init__(_Answers, robots, tls)
        self.pages = pages
        self.sent: list[Sent] = []
        self.asked: list[tuple[str, float]] = []
        """Paths of all other requests."""
        self.watch: Callable[[Sent], None] = lambda sent: None
        """Told of every POST before it is answered."""

    def times(self) -> Counter[tuple[str, str]]:
        """Return how often each body came for each path."""
        return Counter((sent.path, sent.body) for sent in self.sent)


def _rows(query: str, page: int, pages: int) -> str:
    rows = "".join(f"<li class=row>{query} {page} {n}</li>" for n in range(ROWS))
    more = f'<b class=next data-page="{page + 1}">more</b>' if page < pages else ""
    return f"<title>{query} {page}</title><ul>{rows}</ul>{more}"


class _Answers(Answers):
    server: PostingSite

    def get(self) -> None:
        self.server.asked.append((self.path, time.monotonic()))
        if self.path == "/robots.txt":
            self.send_robots(self.server.robots)
        elif self.path == "/":
            self.send(
                200,
                "<title>Front</title><form method=post action=/search>"
                "<input type=hidden name=token value=t0k><input name=q value=any>"
                "<input type=checkbox name=all><input type=submit name=go value=Go></form>",
            )
        elif self.path == "/login":
            self.send(200, "<form method=post><input name=user><input type=password name=p></form>")
        elif self.path in ("/thanks", "/search"):
            self.send(200, f"<title>{self.path}</title>words")
        else:
            self.send(404, "nothing")

    def post(self) -> None:
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
                self.send(200, _rows(form["q"][0], page, self.server.pages))
            case "/login":
                self.send(302, "", "text/html", ("Location", "/"), ("Set-Cookie", "sid=s3ss10n"))
            case "/moved":
                self.send(307, "", "text/html", ("Location", "/search"))
            case "/see":
                self.send(303, "", "text/html", ("Location", "/thanks"))
            case "/never":
                time.sleep(3)
                self.close_connection = True
            case "/dies":
                self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True
            case "/broken":
                self.send(500, "broken")
            case "/later":
                self.send(503, "later", "text/plain", ("Retry-After", "1"))
            case _:
                self.send(200, f"<title>{self.path}</title>{body} {kind}")


def posting_site(
    robots: str = "", pages: int = PAGES, tls: ssl.SSLContext | None = None
) -> AbstractContextManager[PostingSite]:
    """Serve the site."""
    return served(PostingSite(robots, pages, tls))
