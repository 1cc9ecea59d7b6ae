"""The messages between a worker and its browser process, as frames of msgpack over a socket pair.

The worker sends one page at a time. While it is rendered, the process asks for parts, one after the
other, and tells of links as it finds them; `Done` is its last word on the page.
"""

from __future__ import annotations

import enum
import socket
import struct

import msgspec
from msgspec import Struct

_LENGTH = struct.Struct("<I")
LARGEST_FRAME_BYTES = 256 << 20


class Ending(enum.StrEnum):
    """Outcomes of rendering a page. The names are part of the log's format."""

    RENDERED = "rendered"
    TIMED_OUT = "timed-out"
    """The page did not come to an end in its time; links found until then count."""
    OUT_OF_MEMORY = "out-of-memory"
    CRASHED = "crashed"
    """The browser, or the process of the page in it, ended."""
    FAILED = "failed"
    """The browser could not show the document at all."""


class Holding(enum.IntEnum):
    """The state of a part in the crawl."""

    HELD = 1
    MISSING = 2
    """It was never requested, and may come."""
    GONE = 3
    """It cannot come: refused, not found, or not wanted."""


PHASES = {
    "loading": "while it was loading",
    "reading": "before it was quiet",
    "picture": "while its picture was taken",
    "clicks": "while it was clicked",
    "frames": "while its frames were read",
}
"""Phases of a page in the order of time, each with the words for a page that ended in it."""


class RenderPage(Struct, tag="page"):
    """A page to be rendered."""

    url: str
    headers: list[tuple[str, str]]
    body: bytes
    seconds: float
    memory_bytes: int
    clicks: int
    is_last: bool = False
    """Whether this is the last round: missing parts stay missing, and the page is explored."""
    wants_picture: bool = False
    """Also take a picture, and tell of images, styles and fonts that are missing for it."""
    moment: float = 0.0
    """The time that the page's scripts see: the moment of the fetch, in every round."""


class Part(Struct, tag="part"):
    """The crawl's answer for a requested part."""

    holding: Holding
    status: int = 0
    headers: list[tuple[str, str]] = []
    body: bytes = b""


class PartWanted(Struct, tag="wanted"):
    """The page asks for this URL."""

    url: str
    is_needed: bool = True
    """Whether the tree depends on it: not an image, a font or a film."""


class FoundLink(Struct, tag="found"):
    """A link that the page made, or would have followed."""

    how: str
    """`anchor`, `navigation`, `click`, `state`, `window`, `form`, `hash` or `download`."""
    url: str
    text: str = ""
    rel: str = ""


class Shown(Struct, tag="shown"):
    """The document as it was before the first click; it stands whatever becomes of the page."""

    html: str
    base: str


class Ready(Struct, tag="ready"):
    """The browser is there."""

    version: str


class Done(Struct, tag="done"):
    """The page is rendered, or will not be."""

    ending: Ending
    html: str = ""
    """The document that was shown (`Shown`): the worker adds it."""
    base: str = ""
    missing: list[str] = []
    """Parts that the tree depends on, and that may come."""
    parts: int = 0
    """Number of parts that the page requested."""
    has_data: bool = False
    """Whether scripts have asked for data (`fetch`, XMLHttpRequest) and got it."""
    clicked: int = 0
    untried: int = 0
    """Elements that were to be clicked and were not: no time or no click was left."""
    reloads: int = 0
    """Number of times that it was shown again, because clicks had taken elements away."""
    picture: bytes = b""
    """PNG, if one was wanted and could be taken."""
    detail: str = ""
    seconds: float = 0.0
    memory_bytes: int = 0
    """Peak memory of all processes of the browser together."""
    cpu_seconds: float = 0.0
    """The time of these processes for the page."""
    is_last: bool = False
    """Whether the process ends with this page, which did not give way to another."""
    error: str = ""
    """The first error that a script of the page has not caught."""
    phases: dict[str, float] = {}
    """Seconds of each phase (`PHASES`), in their order; the last is the one in which it ended."""

    def why(self) -> str:
        """Return the failure in words, with its phases; "" if the page was rendered."""
        if self.ending is Ending.RENDERED:
            return ""
        while_ = PHASES.get(next(reversed(self.phases), ""), "")
        times = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in self.phases.items())
        return "; ".join(one for one in (self.detail, while_, times) if one)


ToBrowser = RenderPage | Part
FromBrowser = Ready | PartWanted | FoundLink | Shown | Done


def send(end: socket.socket, message: msgspec.Struct) -> None:
    """Send a message, whole."""
    packed = msgspec.msgpack.encode(message)
    end.sendall(_LENGTH.pack(len(packed)) + packed)


def receive(end: socket.socket) -> bytes | None:
    """Return the next frame; None when the other side has gone."""
    head = _exactly(end, _LENGTH.size)
    if head is None:
        return None
    (length,) = _LENGTH.unpack(head)
    return _exactly(end, length) if length <= LARGEST_FRAME_BYTES else None


def _exactly(end: socket.socket, count: int) -> bytes | None:
    parts = bytearray()
    while len(parts) < count:
        try:
            some = end.recv(min(count - len(parts), 1 << 20))
        except OSError:
            return None
        if not some:
            return None
        parts += some
    return bytes(parts)
