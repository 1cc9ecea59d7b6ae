"""What a tree of a page would cost, found out before one is built.

Parsers of HTML take time that grows with the square of the nesting, because the standard makes
them look through all open elements at every tag, and space that grows with the product of open
formatting elements and blocks, because it makes them open the former anew in each of the latter.
A page of a few hundred kilobytes can so take minutes. `is_bearable` counts what both would come
to, in one pass over the tags.
"""

from __future__ import annotations

import re

MOST_STEPS = 50_000_000
"""Looks at open elements; a hundred million take half a second."""

MOST_COPIES = 500_000
"""Elements that are opened anew; each takes two hundred bytes."""

_FEW_TAGS = 2000
_TAG = re.compile(rb"<(/?)([A-Za-z][A-Za-z0-9]*)")
_SHALLOW = frozenset(
    b"area base br col embed hr img input link meta param source track wbr "
    b"dd dt li optgroup option p tbody td tfoot th thead tr".split()
)
"""Elements that hold nothing, or end by themselves where the next one begins."""
_FORMATTING = frozenset(b"a b big code em font i nobr s small strike strong tt u".split())


def is_bearable(body: bytes) -> bool:
    """Return whether a tree of this page can be built in little time and space."""
    if body.count(b"<") <= _FEW_TAGS:
        return True
    open_now: dict[bytes, int] = {}
    depth = formatting = steps = copies = 0
    for end, raw_name in _TAG.findall(body):
        name = raw_name.lower()
        is_formatting = name in _FORMATTING
        if name in _SHALLOW:
            copies += 0 if end else formatting
        elif not end:
            open_now[name] = open_now.get(name, 0) + 1
            depth += 1
            formatting += is_formatting
            copies += 0 if is_formatting else formatting
        elif open_now.get(name, 0):
            open_now[name] -= 1
            depth -= 1
            formatting -= is_formatting
        steps += depth
        if steps > MOST_STEPS or copies > MOST_COPIES:
            return False
    return True
