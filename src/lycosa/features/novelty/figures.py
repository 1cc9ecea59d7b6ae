"""Tells a table of figures from a page that merely counts: do its figures say something new?

Pages of a price list have the same words and other prices; those of an endless calendar have the
same words and other days. *Figures* are numbers of three digits, or with a decimal point, except
years, dates, times and numbers within names. Pages are compared by *neighbours*, two figures in a
row: a hundred prices make thousands of them, and a footer that repeats itself makes no new ones.

Asked only about pages whose text was shown before but for its digits.

Memory: what a crawl has forgotten at a kill, or for want of room, is new once more.
"""

from __future__ import annotations

import re
from itertools import islice, pairwise

LEAST_NEW = 6
"""New neighbours that make a page new: a counter of visitors, a moment and a duration are fewer."""
MOST_REMEMBERED = 8192
"""Neighbours of a shape of URLs; 0.5 MB."""
MOST_SHAPES = 16
MOST_FIGURES, MOST_BYTES = 2000, 200_000
"""Figures of a page that are looked at, and the part of its text in which they stand."""

_ALONE = r"(?<![\w.,':/])(?<!\d-)"
_FIGURE = re.compile(rf"{_ALONE}\d++(?:[.,']\d++)*+(?![.,]?[\w:/]|-\d|\.)".encode())
_YEAR = re.compile(rb"[12]\d{3}")
_DATE = re.compile(rb"\d\d?\.\d\d?\.\d{2,4}")


class SeenFigures:
    """The neighbours that pages of some shapes have shown lately."""

    def __init__(self) -> None:
        self._shapes: dict[int, set[tuple[bytes, bytes]]] = {}

    def are_new(self, shape: int, text: bytes) -> bool:
        """Remember the figures of a text; returns whether enough of them are new to its shape."""
        shown = set(pairwise(figures(text)))
        if len(shown) < LEAST_NEW:
            return False
        known = self._shapes.pop(shape, set())
        count = len(shown - known)
        if len(known) + count > MOST_REMEMBERED:
            known = set()
        self._shapes[shape] = known | shown
        if len(self._shapes) > MOST_SHAPES:
            del self._shapes[next(iter(self._shapes))]
        return count >= LEAST_NEW


def figures(text: bytes) -> list[bytes]:
    """Return the figures of a text, in order."""
    numbers = (match[0] for match in _FIGURE.finditer(text, 0, MOST_BYTES))
    return list(islice(filter(_is_figure, numbers), MOST_FIGURES))


def _is_figure(number: bytes) -> bool:
    if number.isdigit():
        return len(number) > 2 and not _YEAR.fullmatch(number)
    return not _DATE.fullmatch(number)
