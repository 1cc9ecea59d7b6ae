"""The content that is read from a document, and the outcomes of reading."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

READ = "read"
NO_TEXT = "no_text"
"""It was read and holds pictures alone: a scan."""
ENCRYPTED = "encrypted"
DAMAGED = "damaged"
"""It breaks the rules of its format, or has crashed the library."""
TOO_LARGE = "too_large"
"""It needs more memory than the process has, or unpacks to more than it may."""
TOO_SLOW = "too_slow"
CUT_OFF = "cut_off"
"""The crawl kept only its beginning: `[fetch] largest_body_bytes`."""
UNSUPPORTED = "unsupported"
"""It is something else than its media type says, or of a kind that is not read (.doc, .xls)."""
NEEDS_LIBRARY = "needs_library"
"""It is a PDF, and the extra `documents` is not installed."""
UNGUARDED = "unguarded"
"""The kernel does not let a process give up the network, so nothing is read."""

MOST_CHARACTERS = 5_000_000
"""Most characters of a text; the rest is cut off."""
_TITLE_LENGTH = 500
MOST_LINKS = 2_000
LONGEST_LINK = 2_000
"""Limits for the links of a document; further and longer links are left out."""


class Document(msgspec.Struct):
    """The content of a document."""

    outcome: str
    kind: str = ""
    """pdf, docx, xlsx, pptx, odt, ods, odp, epub, rtf; "" if that cannot be told."""
    title: str = ""
    """The title in its metadata."""
    pages: int = 0
    """Number of pages, slides or sheets, if the format has them."""
    text: str = ""
    links: list[str] = []
    """The targets of its links as written; only for PDF."""


class Unreadable(Exception):
    """A document cannot be read; the argument is the outcome."""


def read_document(
    kind: str, title: str, pages: int, text: str, links: Iterable[str] = ()
) -> Document:
    """Return a document that was read, with its text in the shape of all texts."""
    lines = (" ".join(line.split()) for line in text.splitlines())
    joined = "\n".join(line for line in lines if line)[:MOST_CHARACTERS]
    whole = joined.encode("utf-8", "replace").decode()
    named = " ".join(title.split())[:_TITLE_LENGTH].encode("utf-8", "replace").decode()
    some = [link for link in dict.fromkeys(links) if link and len(link) <= LONGEST_LINK]
    return Document(READ if whole else NO_TEXT, kind, named, pages, whole, some[:MOST_LINKS])
