"""How much larger than its markup a tree can become, by the open formatting elements.

The HTML standard opens formatting elements again (`b`, `font` …) wherever a later block has closed
them: 500 that are left open and 8,000 paragraphs make four million elements of 37 kB. It also
copies some when they end around blocks. `growth` predicts that before any tree is built, without
following the standard: it counts which formatting elements may be open, and takes each of them as
opened again at every tag that can close one.

The prediction is an upper bound whatever the markup holds:
  * start tags count even where there may be none (comments, scripts, values of attributes), and an
    end tag closes nothing, because it may be in one of these; but an element is closed whose end
    tag is the first tag in it;
  * of equal start tags three are open at most, by the standard, and of `a` one;
  * the length of a tag is that of its attributes too, which are copied with it.

Cost: linear in the bytes. Not here: the decision what is too much (`trees`).
"""

from __future__ import annotations

import re

ELEMENT_BYTES = 200
"""Memory of an element without attributes."""
COPIES = 32
"""Elements that one end tag of a formatting element can make (standard, adoption agency: 8 x 4)."""
LOOKED_AHEAD = 1024
"""How far a tag is read beyond a `<` in it; one that is longer counts as long as the document."""

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
