"""Records of one exchange with a server: `Request`, `Answer`, and `Capture` for the store.

A worker sends a `Request` and gets an `Answer`. `Capture` joins the two with everything that was
read from the answer; the store returns the `Place` of its record.
"""

from __future__ import annotations

import enum
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from lycosa.links import NO_LINKS, Links
from lycosa.records.outcomes import Outcome


class Purpose(enum.IntEnum):
    """The purpose of a request."""

    PAGE = 1
    ROBOTS = 2
    HEAD = 3
    """To know whether a page is there: asked for by HEAD, and nothing of it is kept."""


class Validators(Struct, frozen=True):
    """The ETag and Last-Modified by which a server knows our version (RFC 9110, 8.8)."""

    etag: str = ""
    last_modified: str = ""
    date: str = ""
    """Of the record that holds it, as it stands there."""


class Request(Struct, frozen=True):
    """One request, ready to be sent: the address is fixed and the pauses have passed."""

    url: str
    host: str
    address: str
    purpose: Purpose
    agent: str
    largest_body_bytes: int
    partition: int = -1
    """The partition of the request, so that its owner can be checked once more before sending."""
    validators: Validators | None = None
    """Of the version that is held: the server need send only another one."""
    form: bytes = b""
    """Of a login that the job asks for: what is posted. All other requests are GET."""
    handshake_seconds: float = 0.0
    """Time limit for TCP's handshake with an address that has not answered; 0: the job's own."""


class Answer(Struct, frozen=True):
    """The answer of a server, or a failure below HTTP (then `status` is 0)."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    began: float
    ended: float
    failure: Outcome | None = None
    truncated: bool = False
    """`body` is the beginning of what the server has: `truncated_by` says why."""
    asked: bytes = b""
    """The request as it was sent, for the archive."""
    head: bytes = b""
    """Status line and headers as they were sent."""
    sent: bytes = b""
    """The body as it was sent, in its transfer and content codings; `body` is the content."""
    by_name: dict[str, str] | None = None
    """The first header of each name, in lower case; None when the head was not parsed."""
    truncated_by: str = "length"
    """Why a body is truncated, in the words of WARC 1.1: `length` (longer than the request
    allows), `disconnect` (the connection ended before the body) or `time` (it took too long)."""
    beginning: Answer | None = None
    """Of a failure: the answer as far as it came, if something of a good body did."""
    detail: str = ""
    """With a failure to connect: the reason in the system's words, where it gave one."""
    findings: Any = None
    """`Findings` of a process that has read it apart (`lycosa.crawl.apart`); None as a rule."""
    is_missed: bool = False
    """With a failure to connect: only the request's own `handshake_seconds` were over."""

    def earlier(self, seconds: float) -> Answer:
        """Return the answer with its moments moved back by this number of seconds."""
        return replace(self, began=self.began - seconds, ended=self.ended - seconds)

    def header(self, name: str) -> str | None:
        """Return the first header of that name (given in lower case)."""
        if self.by_name is not None:
            return self.by_name.get(name)
        length = len(name)
        for key, value in self.headers:
            if len(key) == length and key.lower() == name:
                return value
        return None


class Resolved(Struct, frozen=True):
    """The result of a DNS lookup: an address, or None when there is none."""

    address: str | None
    seconds_valid: float
    is_missing: bool = False
    """With None: the name server says that there is no such name, or no address of it. Else no
    name server could say."""


class Place(NamedTuple):
    """Where a record is in the archive: segment number, first byte, number of bytes."""

    segment: int
    offset: int
    length: int


class Capture(Struct, frozen=True):
    """One exchange with a server and the facts read from it, as the store keeps them."""

    key: str
    purpose: Purpose
    outcome: Outcome
    distance: int
    request: Request
    answer: Answer
    links: Links = NO_LINKS
    title: str = ""
    description: str = ""
    text: bytes = b""
    """The visible text, in UTF-8."""
    language: str = ""
    charset: str = ""
    fingerprint: int = 0
    rule: str = ""
    """The mining rule that guessed the URL, in lower case; "" when a link led to it."""
    extra: tuple[object, ...] = ()
    """The values of the plugins' columns, in the order of the store's; () when there are none."""
    triples: bytes | None = None
    """The structured data of the page as N-Triples; None when it was not read."""
    held: Place | None = None
    """The place of the version that the log says we hold, if there is one."""
    refused_links: Links = NO_LINKS
    """Links that are recorded in the table of links and nowhere else, because a page that comes
    nearer passes on what its record names without asking the rules again."""
    is_noindex: bool = False
    """The page asks not to be found by a search."""
    is_noarchive: bool = False
    """The page asks not to be shown from an archive."""
    is_withheld: bool = False
    """It is kept, and left out of the index by which archives are replayed."""
    source_id: int = 0
    """The id of the page that first led to the URL; 0 when none did or it is unknown."""
    is_after_redirect: bool = False
    """A redirect led to the URL."""
    picture: bytes = b""
    """Of a rendered page: a picture of it, as PNG."""
    source_url: str = ""
    """Of the page that first led to the URL; "" when none did or another partition has it."""
    unread: str = ""
    """The readers that died of the page or exceeded their limits, a space between them."""
