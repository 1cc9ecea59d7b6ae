"""Cuts a page into pieces: at headings, at other marks of a new part, and between paragraphs.

The markup is cut before every start tag `h1` to `h6`, `hr`, `article` and `section` that is not in
a comment, a script or the like, and every part is read as a page is (`lycosa.extract.page`). The
lines of a part, which are its paragraphs, are put together to pieces that are long enough to say
what they are about (`lycosa.extract.topics.changes`). So a page without headings has pieces, too. A
part with few words belongs to the piece before it: a heading whose text is in the parts below it, a
line of contacts.

Cost: linear in the bytes of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lycosa.extract.html.names import RAW
from lycosa.extract.page import scan
from lycosa.extract.text.charset import to_utf8
from lycosa.extract.topics.changes import pieces_of

FEWEST_WORDS = 20
"""A part with fewer words is too short to say what it is about."""

_PARTS = "h[1-6]|hr|article|section"
_MARK = re.compile(
    rf"<(?:(!--)|({_PARTS}|{'|'.join(sorted(RAW))})(?=[ \t\n\r\f/>]))", re.IGNORECASE
)
_HEADING_END = re.compile(r"</h[1-6](?=[ \t\n\r\f/>])", re.IGNORECASE)
_TYPE = "text/html; charset=utf-8"


class Piece(NamedTuple):
    """A piece of a page."""

    heading: str
    """The heading with which it begins; "" without one."""
    text: bytes


def pieces_of_page(body: bytes, content_type: str | None) -> list[Piece]:
    """Return the pieces of an HTML page, in their order."""
    found: list[Piece] = []
    waiting = Piece("", b"")
    for part in _parts(to_utf8(body, content_type)[0].decode("utf-8", "replace")):
        text = _text(part)
        if not text:
            continue
        if _is_short(text) and found:
            found[-1] = found[-1]._replace(text=found[-1].text + b"\n" + text)
        elif _is_short(text):
            # Nothing is before it: a menu or a title waits for the part that follows.
            waiting = Piece(waiting.heading or _heading(part), _joined(waiting.text, text))
        else:
            first, *rest = pieces_of(text)
            heading = _heading(part) or waiting.heading
            found.append(Piece(heading, _joined(waiting.text, first)))
            found += [Piece("", one) for one in rest]
            waiting = Piece("", b"")
    return [*found, waiting] if waiting.text else found


def _is_short(text: bytes) -> bool:
    return len(text.split(maxsplit=FEWEST_WORDS)) < FEWEST_WORDS


def _joined(before: bytes, text: bytes) -> bytes:
    return before + b"\n" + text if before else text


def _parts(text: str) -> Iterator[str]:
    """Cut markup before every mark of a new part."""
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


def _heading(part: str) -> str:
    found = _HEADING_END.search(part)
    if found is None or not re.match("<h[1-6]", part, re.IGNORECASE):
        return ""
    return " ".join(_text(part[: found.start()]).decode("utf-8", "replace").split())


def _text(part: str) -> bytes:
    return scan(part.encode("utf-8", "replace"), _TYPE).content
