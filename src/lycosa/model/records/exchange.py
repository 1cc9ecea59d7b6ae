"""Records of one exchange with a server: `Request`, `Answer`, and `Capture` for the store.

A worker sends a `Request` and gets an `Answer`. `Capture` joins the two with all facts read from
the answer; the store returns the `Place` of its record.
"""

from __future__ import annotations

import enum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from lycosa._support.tuples import NamedTuple
from lycosa.model.links import NO_LINKS, Links
from lycosa.model.records.outcomes import Outcome


class Purpose(enum.IntEnum):
    """The purpose of a request."""

    PAGE = 1
    ROBOTS = 2
    HEAD = 3
    """To check whether a page exists: asked for by HEAD, and no content is kept."""


class Validators(Struct, frozen=True):
    """The ETag and Last-Modified by which a server knows our version (RFC 9110, 8.8)."""

    etag: str = ""
    last_modified: str = ""
    date: str = ""
    """Date of the record that holds our version, as written there."""


class Request(Struct, frozen=True):
    """A request, ready to be sent: the address is fixed and the pauses have passed."""

    url: str
    host: str
    address: str
    purpose: Purpose
    agent: str
    largest_body_bytes: int
    partition: int = -1
    """The partition of the request, so that its owner can be checked once more before sending."""
    validators: Validators | None = None
    """Validators of the stored version, so that the server need only send a different one."""
    form: bytes = b""
    """Body to post, for the job's login or a plugin (`lycosa.model.url.posts`); else it is GET."""
    handshake_seconds: float = 0.0
    """Time limit for the TCP handshake with a silent address; 0 means the job's own."""
    content_type: str = ""
    """Type of `form`; "" for that of a form."""
    is_anonymous: bool = False
    """Whether cookies and secrets of the job's login are left out."""


class Answer(Struct, frozen=True):
    """The answer of a server, or a failure below HTTP (then `status` is 0)."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    began: float
    ended: float
    failure: Outcome | None = None
    truncated: bool = False
    """Whether `body` is only the beginning of the server's content; `truncated_by` tells why."""
    asked: bytes = b""
    """The request as it was sent, for the archive."""
    head: bytes = b""
    """Status line and headers as received."""
    sent: bytes = b""
    """The body as received, in its transfer and content codings; `body` is the content."""
    by_name: dict[str, str] | None = None
    """The first header of each name, in lower case; None if the head was not parsed."""
    truncated_by: str = "length"
    """Reason for a truncated body, in the words of WARC 1.1: `length` (longer than the request
    allows), `disconnect` (the connection ended before the body) or `time` (it took too long)."""
    beginning: Answer | None = None
    """For a failure, the received part of the answer, if it had a part of a good body."""
    detail: str = ""
    """For a failure to connect, the system's reason, if it gave one."""
    findings: Any = None
    """`Findings` of a process that read it apart (`lycosa.runtime.isolation`); usually None."""
    is_missed: bool = False
    """For a failure to connect: only the request's own `handshake_seconds` were over."""

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
    """Result of a DNS lookup: an address, or None if there is none."""

    address: str | None
    seconds_valid: float
    is_missing: bool = False
    """With None: the name server answered that the name or its address does not exist. Otherwise no
    name server answered."""


class Place(NamedTuple):
    """Where a record is in the archive: segment number, first byte, number of bytes."""

    segment: int
    offset: int
    length: int


class Item(Struct, frozen=True):
    """A row that a plugin has read out of a page (`lycosa.features.plugins.items`)."""

    kind: str
    data: str
    """Its values, as a JSON object."""
    key: str | None = None
    """Values of the columns that tell items of the kind apart, as JSON; None if it has no key."""
    columns: str | None = None
    """Columns that were declared for the kind, with their types, as JSON."""


class Capture(Struct, frozen=True):
    """An exchange with a server and the facts read from it, as the store keeps them."""

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
    """The mining rule that guessed the URL, in lower case; "" if a link led to it."""
    extra: tuple[object, ...] = ()
    """Values of the plugins' columns, in the order of the store's columns; () if there are none."""
    triples: bytes | None = None
    """Structured data of the page as N-Triples; None if it was not read."""
    held: Place | None = None
    """Place of the version that we hold according to the log, if there is one."""
    refused_links: Links = NO_LINKS
    """Links that are only recorded in the table of links: a page whose distance falls sends the
    links of its record on without asking the rules again."""
    is_noindex: bool = False
    """Whether the page asks not to be found by a search."""
    is_noarchive: bool = False
    """Whether the page asks not to be shown from an archive."""
    is_withheld: bool = False
    """Whether it is kept but left out of the index for replay."""
    source_id: int = 0
    """Id of the page that first led to the URL; 0 if there is none or it is unknown."""
    is_after_redirect: bool = False
    """A redirect led to the URL."""
    picture: bytes = b""
    """Picture of a rendered page, as PNG."""
    source_url: str = ""
    """URL of the page that first led here; "" if there is none or another partition has it."""
    unread: str = ""
    """Readers that died on the page or exceeded their limits, separated by spaces."""
    items: tuple[Item, ...] = ()
    """Items that plugins have read out of the page, in their order."""
