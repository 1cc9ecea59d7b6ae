"""Parses HTML to a tree, unless the tree would be out of proportion to the page.

`growth` predicts how many elements a parser may open again. Nearly all pages stay within what is
granted to a page of their size, and are parsed at once. A page that may exceed it is parsed up to
the places where the prediction passes another such amount, and the markup of these beginnings is
measured: between two of them the tree cannot grow by more. So an honest page is parsed although
more was predicted, and one that does exceed it is given up before it takes much memory.

Always true: the tree has at most `MOST_ELEMENTS` elements and twice what is granted for elements
that are opened again; the decision depends on the bytes alone.

Cost: linear in the bytes, with `MOST_PARSES` parses of a suspicious page.
"""

from __future__ import annotations

import turbohtml

from lycosa.extract.html._growth import ELEMENT_BYTES, growth

MOST_ELEMENTS = 300_000
MOST_PARSES = 16
GROWN_FROM_BYTE = 64
SPARE_BYTES = 8 << 20
LARGEST_BYTES = 32 << 20
"""Room for elements that are opened again: this much for each byte of a page, and this much more,
up to a limit."""


class Overgrown(Exception):
    """The tree of a page would be out of proportion to it."""


def parse_page(body: bytes) -> turbohtml.Document:
    """Return the tree of a page in UTF-8; raises `Overgrown`."""
    if is_overgrown(body):
        raise Overgrown
    return turbohtml.parse(body.decode("utf-8", "replace"))


def is_overgrown(body: bytes) -> bool:
    """Return whether the tree of a page would be out of proportion to it."""
    granted = min(GROWN_FROM_BYTE * len(body) + SPARE_BYTES, LARGEST_BYTES)
    elements, cuts = growth(body, granted, MOST_PARSES)
    if elements > MOST_ELEMENTS or len(cuts) > MOST_PARSES:
        return True
    return any(_size(body[:cut]) > granted + elements * ELEMENT_BYTES for cut in cuts)


def _size(body: bytes) -> int:
    """Return about how much memory the tree of a page takes."""
    markup = turbohtml.parse(body.decode("utf-8", "replace")).html
    return markup.count("<") // 2 * ELEMENT_BYTES + len(markup) - len(body)
