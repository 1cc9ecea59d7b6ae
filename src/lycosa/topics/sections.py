"""Cuts a page into its sections: from one heading to the next.

The markup is cut before every start tag `h1` to `h6` that is no part of a comment, a script or the
like, and every piece is read as a page is (`lycosa.extract.page`). A section with few words is a
part of the one before it: a heading whose text is in the sections below it, a line of contacts.

Cost: linear in the bytes of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lycosa.extract.charset import to_utf8
from lycosa.extract.html.names import RAW
from lycosa.extract.page import scan

FEWEST_WORDS = 20
"""A section with fewer words is too short to say what it is about."""

_MARK = re.compile(rf"<(?:(!--)|(h[1-6]|{'|'.join(sorted(RAW))})(?=[ \t\n\r\f/>]))", re.IGNORECASE)
_HEADING_END = re.compile(r"</h[1-6](?=[ \t\n\r\f/>])", re.IGNORECASE)
_TYPE = "text/html; charset=utf-8"


class Section(NamedTuple):
    """A part of a page under a heading."""

    heading: str
    """"" for what stands before the first one."""
    text: bytes


def sections_of(body: bytes, content_type: str | None) -> list[Section]:
    """Return the sections of an HTML page, in their order."""
    found: list[Section] = []
    for piece in _pieces(to_utf8(body, content_type)[0].decode("utf-8", "replace")):
        text = _text(piece)
        if not text:
            continue
        is_short = len(text.split()) < FEWEST_WORDS
        if found and is_short:
            before = found[-1]
            found[-1] = before._replace(text=before.text + b"\n" + text)
        else:
            found.append(Section(_heading(piece), text))
    if len(found) > 1 and len(found[0].text.split()) < FEWEST_WORDS:
        first, second, *rest = found
        found = [second._replace(text=first.text + b"\n" + second.text), *rest]
    return found


def _pieces(text: str) -> Iterator[str]:
    """Cut markup before every heading."""
    start = position = 0
    while found := _MARK.search(text, position):
        name = (found[2] or "").lower()
        if found[1]:
            end = text.find("-->", found.end())
        elif name in RAW:
            last = re.compile(rf"</{name}", re.IGNORECASE).search(text, found.end())
            end = last.end() if last else -1
        else:
            if found.start() > start:
                yield text[start : found.start()]
            start, end = found.start(), found.end()
        if end < 0:
            break
        position = end
    yield text[start:]


def _heading(piece: str) -> str:
    found = _HEADING_END.search(piece)
    if found is None or not re.match("<h[1-6]", piece, re.IGNORECASE):
        return ""
    return " ".join(_text(piece[: found.start()]).decode("utf-8", "replace").split())


def _text(piece: str) -> bytes:
    return scan(piece.encode("utf-8", "replace"), _TYPE).content
