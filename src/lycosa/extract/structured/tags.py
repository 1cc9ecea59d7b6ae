"""Finds single tags of a page without building a tree: their attributes, and the page's base."""

from __future__ import annotations

import re
from html import unescape

from lycosa.extract._look import place_of
from lycosa.extract.structured.ntriples import resolved

_ATTRIBUTE = re.compile(
    rb"""[\s/]*+(?:(>)|([^\s/>=][^\s/>=]*+)\s*+(?:=\s*+(?:"([^"]*+)"?|'([^']*+)'?|([^\s>]*+)))?+)"""
)
_BASES = b"!--", b"base"
_BASE = re.compile(rb"<!--|<base(?=[\s/])", re.IGNORECASE)


def next_element(
    body: bytes, position: int, names: tuple[bytes, ...], form: re.Pattern[bytes]
) -> re.Match[bytes] | None:
    """Return the next place where a form matches, which begins as one of the names does.

    Searching for the form itself would try it at each `<` of the page, which is dearer by far.
    """
    while (at := place_of(body, position, names)) >= 0:
        if found := form.match(body, at):
            return found
        position = at + 1
    return None


def attributes_at(body: bytes, position: int) -> tuple[dict[str, str], int]:
    """Return the attributes of a tag, read from the end of its name, and the end of the tag."""
    attributes: dict[str, str] = {}
    while found := _ATTRIBUTE.match(body, position):
        position = found.end()
        if found[1]:
            return attributes, position
        value = found[3] if found[3] is not None else found[4] if found[4] is not None else found[5]
        name = found[2].decode("utf-8", "replace").lower()
        attributes.setdefault(name, unescape((value or b"").decode("utf-8", "replace")))
    end = body.find(b">", position)
    return attributes, len(body) if end < 0 else end + 1


def document_base(body: bytes, url: str) -> str:
    """Return the base against which the references of a page are resolved."""
    position = 0
    while found := next_element(body, position, _BASES, _BASE):
        position = found.end()
        if found[0] == b"<!--":
            end = body.find(b"-->", position - 2)
            position = len(body) if end < 0 else end + 3
            continue
        attributes, position = attributes_at(body, position)
        if "href" in attributes:
            return resolved(attributes["href"], url) or url
    return url
