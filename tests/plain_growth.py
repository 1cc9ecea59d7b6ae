"""How much larger than its markup a tree can become, in plain Python: see `_growth`."""

from __future__ import annotations

import re

from lycosa.extract.html._growth import COPIES, ELEMENT_BYTES, LOOKED_AHEAD

_FORMATTING = frozenset(b"a b big code em font i nobr s small strike strong tt u".split())
_CLOSE_NOTHING = _FORMATTING - {b"a", b"nobr"} | {b"br", b"img", b"span"}
"""Elements whose start tag leaves open what is open."""
_TAG = re.compile(rb"<(/?)([A-Za-z][^\t\n\f\r />< ]*+)(?=([\t\n\f\r />])?)")
_ATTRIBUTE = re.compile(
    rb"""[\t\n\f\r /]*+(?:>|[^\t\n\f\r />][^\t\n\f\r />=]*+(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+"""
    rb"""(?:"[^"]*+"|'[^']*+'|(?!["'])[^\t\n\f\r >]*+))?+)"""
)


def growth(body: bytes, step: int, most: int) -> tuple[int, list[int]]:
    """Return how many start tags there are, and where each `step` bytes of growth are reached.

    The positions are those of the tags; it ends when there are more than `most` of them.
    """
    elements = active = active_bytes = longest = longest_anchor = total = 0
    known: dict[bytes, int] = {}
    cuts: list[int] = []
    for tag in _TAG.finditer(body):
        name = tag[2].lower() if tag[3] is not None else b""
        if tag[1]:
            total += active * ELEMENT_BYTES + active_bytes
            total += COPIES * longest if name in _FORMATTING else 0
        else:
            elements += 1
            end = _tag_end(body, tag.end()) if name in _FORMATTING else None
            if name in _FORMATTING and not _is_closed_at_once(body, end, name):
                size = (len(body) if end is None else end) - tag.start()
                longest = max(longest, size)
                if name == b"a":
                    active += longest_anchor == 0
                    active_bytes += max(0, size - longest_anchor)
                    longest_anchor = max(longest_anchor, size)
                else:
                    # Names are compared in lower case, attributes as they are written.
                    text = b"<" + name if tag[3] == b">" else body[tag.start() : end]
                    count = known.get(text, 0) if end is not None else 0
                    known[text] = count + 1
                    active += count < 3
                    active_bytes += size if count < 3 else 0
            if name not in _CLOSE_NOTHING:
                total += active * ELEMENT_BYTES + active_bytes
        while total >= step * (len(cuts) + 1):
            cuts.append(tag.start())
            if len(cuts) > most:
                return elements, cuts
    return elements, cuts


def _tag_end(body: bytes, position: int) -> int | None:
    """Return the end of a tag from the end of its name; None if it has none, or is too long."""
    bracket = body.find(b"<", position)
    limit = len(body) if bracket < 0 else min(len(body), bracket + LOOKED_AHEAD + 1)
    while found := _ATTRIBUTE.match(body, position, limit):
        position = found.end()
        if body[position - 1 : position] == b">" and found[0].strip(b"\t\n\f\r /") == b">":
            return position
    return None


def _is_closed_at_once(body: bytes, position: int | None, name: bytes) -> bool:
    """Return whether the end tag of an element is the first tag in it."""
    bracket = body.find(b"<", position) if position is not None else -1
    if bracket < 0:
        return False
    tag = _TAG.match(body, bracket)
    return tag is not None and tag[1] == b"/" and tag[2].lower() == name and tag[3] is not None
