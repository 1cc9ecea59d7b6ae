"""Finds single tags of a page without building a tree: their attributes, and the page's base."""

from __future__ import annotations

import re
from html import unescape

from lycosa.extract.structured.ntriples import resolved

_ATTRIBUTE = re.compile(
    rb"""[\s/]*+(?:(>)|([^\s/>=][^\s/>=]*+)\s*+(?:=\s*+(?:"([^"]*+)"?|'([^']*+)'?|([^\s>]*+)))?+)"""
)
_BASE = re.compile(rb"<!--|<base(?=[\s/])", re.IGNORECASE)


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
    while found := _BASE.search(body, position):
        position = found.end()
        if found[0] == b"<!--":
            end = body.find(b"-->", position - 2)
            position = len(body) if end < 0 else end + 3
            continue
        attributes, position = attributes_at(body, position)
        if "href" in attributes:
            return resolved(attributes["href"], url) or url
    return url
