"""Tells a table of figures from a page that merely counts: do its figures say something new?

Pages of a price list have the same words and other prices; those of an endless calendar have the
same words and other days. *Figures* are numbers of three digits, or with a decimal point, except
years, dates, times and numbers within names. Pages are compared by *neighbours*, two figures in a
row: a hundred prices make thousands of them, and a footer that repeats itself makes no new ones.

Numbers of one and two digits are days, weeks and pages far more often than goals or pieces. They
count where nothing foretells them: *leaps* are farther than one from each of the eight before. A
month, its weeks and a list of pages have hardly any; a league table has many. They are compared
three in a row.

Asked only about pages whose text was shown before but for its digits.

Memory: what a crawl has forgotten at a kill, or for want of room, is new once more.
"""

from __future__ import annotations

import re
from collections import deque
from itertools import islice, pairwise

LEAST_NEW = 6
"""New neighbours that make a page new: a counter of visitors, a moment and a duration are fewer."""
LEAST_NEW_LEAPS = 12
"""New rows of leaps that make a page new: the days of a month with an event each are fewer."""
LOOKED_BACK = 8
MOST_REMEMBERED = 8192
"""Neighbours of a shape of URLs; 0.5 MB."""
MOST_SHAPES = 16
MOST_FIGURES, MOST_BYTES = 2000, 200_000
"""Figures of a page that are looked at, and the part of its text in which they stand."""

_ALONE = r"(?<![\w.,':/])(?<!\d-)"
_FIGURE = re.compile(rf"{_ALONE}\d++(?:[.,']\d++)*+(?![.,]?[\w:/]|-\d|\.)".encode())
_SMALL = re.compile(rf"{_ALONE}\d{{1,2}}(?![.,]?[\w:/]|-\d|\.)".encode())
_YEAR = re.compile(rb"[12]\d{3}")
_DATE = re.compile(rb"\d\d?\.\d\d?\.\d{2,4}")


Neighbours = tuple[bytes, ...] | tuple[int, ...]


class SeenFigures:
    """The neighbours that pages of some shapes have shown lately."""

    def __init__(self) -> None:
        self._shapes: dict[int, set[Neighbours]] = {}

    def are_new(self, shape: int, text: bytes) -> bool:
        """Remember the figures of a text; returns whether enough of them are new to its shape."""
        pairs: set[Neighbours] = set(pairwise(figures(text)))
        small = leaps(text)
        rows: set[Neighbours] = set(zip(small, small[1:], small[2:], strict=False))
        if len(pairs) < LEAST_NEW and len(rows) < LEAST_NEW_LEAPS:
            return False
        known = self._shapes.pop(shape, set())
        pairs -= known
        rows -= known
        if len(known) + len(pairs) + len(rows) > MOST_REMEMBERED:
            known = set()
        self._shapes[shape] = known | pairs | rows
        if len(self._shapes) > MOST_SHAPES:
            del self._shapes[next(iter(self._shapes))]
        return len(pairs) >= LEAST_NEW or len(rows) >= LEAST_NEW_LEAPS


def figures(text: bytes) -> list[bytes]:
    """Return the figures of a text, in order."""
    numbers = (match[0] for match in _FIGURE.finditer(text, 0, MOST_BYTES))
    return list(islice(filter(_is_figure, numbers), MOST_FIGURES))


def leaps(text: bytes) -> list[int]:
    """Return the numbers of one and two digits that no number shortly before them foretells."""
    found: list[int] = []
    before: deque[int] = deque(maxlen=LOOKED_BACK)
    for match in islice(_SMALL.finditer(text, 0, MOST_BYTES), MOST_FIGURES):
        number = int(match[0])
        if all(abs(number - one) > 1 for one in before):
            found.append(number)
        before.append(number)
    return found


def _is_figure(number: bytes) -> bool:
    if number.isdigit():
        return len(number) > 2 and not _YEAR.fullmatch(number)
    return not _DATE.fullmatch(number)
