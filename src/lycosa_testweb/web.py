"""The protocol of a test web: `answer` and `resolve`, and the truth for judges.

`answer` and `resolve` are functions of the question and the moment, and of nothing
else: no state changes by asking. A site that fails now and works later does so because
time has passed, not because it was asked before. So a crawl can be repeated, cut at any
moment and compared, and a web of millions of pages needs no memory.

`Truth` is what a generator knows about its own robots files because it made them; no
robots parser is involved, so it can convict ours.
"""

from __future__ import annotations

from email.utils import formatdate
from typing import NamedTuple, Protocol, runtime_checkable

from lycosa.model.records import Outcome, Purpose, Request, Resolved
from lycosa_testweb.mixing import digest, fraction, long_tailed
from lycosa_testweb.parts import take_apart

Headers = tuple[tuple[str, str], ...]

HTML: Headers = (("Content-Type", "text/html; charset=utf-8"),)
"""The headers of an ordinary page."""
PLAIN: Headers = (("Content-Type", "text/plain; charset=utf-8"),)
"""The headers of a robots file or of a short excuse."""
_CHANGED_SECONDS = 2e7
"""How long a page stays as it is, in the middle of all pages: some eight months."""


class Reply(NamedTuple):
    """The reply of a server to one request."""

    status: int
    headers: Headers = ()
    body: bytes = b""
    latency_seconds: float = 0.05
    """From the beginning of the request to the end of the answer, or of the attempt."""
    failure: Outcome | None = None
    """A failure below HTTP; then `status` is 0."""

    def header(self, name: str) -> str | None:
        """Return the first header of that name (given in lower case)."""
        for key, value in self.headers:
            if key.lower() == name:
                return value
        return None


def with_etag(reply: Reply, request: Request) -> Reply:
    """Return the reply with an ETag, or a 304 to a client that holds this version."""
    etag = f'"{digest(reply.body.decode("latin-1")):x}"'
    headers = (*reply.headers, ("ETag", etag))
    if request.validators is not None and request.validators.etag == etag:
        return reply._replace(status=304, headers=headers[-1:], body=b"")
    return reply._replace(headers=headers)


def with_date(reply: Reply, key: int, moment: float) -> Reply:
    """Return the reply with the moment of its last change, which pages have every so often."""
    period = long_tailed(_CHANGED_SECONDS, 1.2, key, 20)
    changed = moment - (moment + fraction(key, 21) * period) % period
    return reply._replace(
        headers=(*reply.headers, ("Last-Modified", formatdate(int(changed), usegmt=True)))
    )


class Web(Protocol):
    """Servers and names, as far as a client can tell."""

    def answer(self, request: Request, moment: float) -> Reply:
        """Return the server's reply to a request that begins at `moment`."""

    def resolve(self, host: str, moment: float) -> Resolved:
        """Return the address of a host."""


@runtime_checkable
class FormWeb(Protocol):
    """A web that takes posted forms and cookies; all others refuse a POST with 405."""

    def answer_visitor(self, request: Request, moment: float, cookie: str) -> Reply:
        """Return the reply to a visitor with this `Cookie` header; `request.form` is posted."""


class Truth(Protocol):
    """Facts that hold by construction, for a referee."""

    def is_allowed(self, url: str, agent: str) -> bool:
        """Say whether the robots rules of the URL's site, once they can be had, allow it."""

    def crawl_delay(self, host: str, agent: str) -> float:
        """Return the Crawl-delay that the host's robots file asks for, or 0."""


def request_for(web: Web, url: str, *, agent: str = "lycosa", moment: float = 0.0) -> Request:
    """Return a request as a client would make it; robots.txt is recognised by its path."""
    parts = take_apart(url)
    purpose = Purpose.ROBOTS if parts.path == "/robots.txt" else Purpose.PAGE
    address = web.resolve(parts.host, moment).address or ""
    return Request(url, parts.host, address, purpose, agent, 4 * 1024 * 1024)
