"""Cuts the markup that `trees` writes into tags and text.

Any markup is read: an unclosed tag reaches to the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

from lycosa.extract.rdfa.names import FIRST_LINE, RAW, VOID

_TAG = re.compile(r"<(/?)([A-Za-z_:\x80-\U0010ffff][^ \t\n\r\f/>]*+)")
_ATTRIBUTE = re.compile(
    r"""[ \t\n\r\f/]*+(?:(>|\Z)|([^ \t\n\r\f/>][^ \t\n\r\f/>=]*+)"""
    r"""(?:="([^"]*+)"|='([^']*+)'|=([^ \t\n\r\f>]*+))?+)"""
)

Attributes = dict[str, str]


class Start(NamedTuple):
    """A start tag; its content begins at `position`."""

    name: str
    attributes: Attributes
    position: int


class End(NamedTuple):
    """An end tag, which begins at `position`, or the place where it is missing."""

    name: str
    position: int


class Text(NamedTuple):
    """Text, its references resolved; `is_raw` where it has none."""

    text: str
    is_raw: bool


def tokens(markup: str, is_xml: bool) -> Iterator[Start | End | Text]:
    """Cut markup into tokens."""
    position = 0
    while True:
        start = markup.find("<", position)
        text = markup[position:] if start < 0 else markup[position:start]
        if text:
            yield Text(unescape(text), is_raw=False)
        if start < 0:
            return
        found = _TAG.match(markup, start)
        if found is None:
            position = _skipped(markup, start, is_xml)
            continue
        name = found[2]
        attributes, position = _attributes(markup, found.end())
        if found[1]:
            yield End(name, start)
            continue
        is_whole = markup.startswith("/>", position - 2) if is_xml else name in VOID
        if not is_xml and name in FIRST_LINE and markup.startswith("\n", position):
            position += 1
        yield Start(name, attributes, position)
        if is_whole:
            yield End(name, position)
        elif not is_xml and name in RAW:
            stop = markup.find(f"</{name}", position)
            stop = len(markup) if stop < 0 else stop
            yield Text(markup[position:stop], is_raw=True)
            position = stop


def _attributes(markup: str, position: int) -> tuple[Attributes, int]:
    attributes: Attributes = {}
    for found in _ATTRIBUTE.finditer(markup, position):
        position = found.end()
        which = found.lastindex or 1
        if which == 1:
            break
        attributes.setdefault(found[2], unescape(found[which]) if which > 2 else "")
    return attributes, position


def _skipped(markup: str, start: int, is_xml: bool) -> int:
    """Return the end of a piece that begins with `<` and is not a tag."""
    for opening, closing in (("<!--", "-->"), ("<?", "?>" if is_xml else ">")):
        if markup.startswith(opening, start):
            end = markup.find(closing, start + len(opening))
            return len(markup) if end < 0 else end + len(closing)
    end = markup.find(">", start)
    return len(markup) if end < 0 else end + 1
