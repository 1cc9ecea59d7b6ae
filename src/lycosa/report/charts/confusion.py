"""Confusion matrices: which topics a model takes for which others.

A row for each labelled topic, a column for each guessed one. A cell is the darker the larger its
share of the row is; its number is the count. Where the figure is too narrow for names above the
columns, these have the numbers of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lycosa.report.charts.canvas import (
    BLUE,
    FAINT,
    INK,
    PAPER,
    SMALL,
    SOFT,
    Canvas,
    fitted,
    text_width,
)
from lycosa.report.wording import count, share, shown

_HEAD, _GAP = 46.0, 8.0
_LEAST_CELL, _MOST_CELL = 24.0, 46.0
_DARK = 0.55
"""Share from which white can be read on the cell."""


@dataclass(frozen=True)
class Confusion:
    """Counts of labelled (rows) and guessed (columns) topics, in the order of the names."""

    title: str
    caption: str
    names: Sequence[str]
    counts: Sequence[Sequence[int]]

    def draw(self, width: int, identity: str) -> str:
        """Draw it."""
        canvas = Canvas(width, self.height(width))
        self.paint(canvas, 0.0, 0.0, width)
        return canvas.svg(self.title, self.description(), identity)

    def height(self, width: int) -> float:
        """Return how high it is at this width."""
        return _HEAD + self._cell(width) * len(self.names) + 4

    @property
    def needed_width(self) -> float:
        """The width at which cells are not too small."""
        names = max((text_width(shown(name)) for name in self.names), default=0.0)
        return min(names, 280.0) + 40 + _LEAST_CELL * len(self.names)

    def paint(self, canvas: Canvas, x: float, top: float, width: float) -> None:
        """Draw it on a canvas, at this place and so wide."""
        cell, left = self._cell(width), x + self._left(width)
        canvas.text(x, top + 14, "labelled", size=SMALL, fill=SOFT)
        canvas.text(left, top + 14, "guessed, by the number of the row", size=SMALL, fill=SOFT)
        for row, name in enumerate(self.names):
            number = f"{row + 1}"
            canvas.text(left + (row + 0.5) * cell, top + _HEAD - 8, number, "middle", SMALL, SOFT)
            middle = top + _HEAD + (row + 0.5) * cell + 4
            told = fitted(shown(name), left - x - _GAP - 24)
            canvas.text(left - _GAP - 20, middle, told, "end")
            canvas.text(left - _GAP, middle, number, "end", SMALL, SOFT)
            self._paint_row(canvas, row, cell, (left, top + _HEAD + row * cell))

    def description(self) -> str:
        """Return what a screen reader says."""
        right = sum(self.counts[at][at] for at in range(len(self.names)))
        total = sum(map(sum, self.counts))
        told = "; ".join(
            f"{shown(name)}: {count(self.counts[at][at])} of {count(sum(self.counts[at]))}"
            for at, name in enumerate(self.names[:24])
        )
        return f"Confusion matrix: {count(right)} of {count(total)} are right. {told}."

    def _paint_row(
        self, canvas: Canvas, row: int, cell: float, corner: tuple[float, float]
    ) -> None:
        (left, top), whole = corner, sum(self.counts[row])
        for column, number in enumerate(self.counts[row]):
            part = number / whole if whole else 0.0
            guessed = shown(self.names[column])
            tip = f"{shown(self.names[row])} taken for {guessed}: {count(number)}"
            fill = _shade(part) if number else PAPER
            x = left + column * cell
            canvas.rect(x + 0.5, top + 0.5, cell - 1, cell - 1, FAINT)
            told = f"{tip} ({share(number, whole)})"
            canvas.rect(x + 1, top + 1, cell - 2, cell - 2, fill, told)
            if number:
                ink = PAPER if part >= _DARK else INK
                canvas.text(x + cell / 2, top + cell / 2 + 4, count(number), "middle", SMALL, ink)

    def _left(self, width: float) -> float:
        names = max((text_width(shown(name)) for name in self.names), default=0.0)
        return min(names + 2, 0.4 * width) + 24 + _GAP

    def _cell(self, width: float) -> float:
        room = (width - self._left(width)) / max(len(self.names), 1)
        return max(_LEAST_CELL, min(_MOST_CELL, room))


def _shade(part: float) -> str:
    """Return a blue between white and the palette's."""
    ends = zip(
        *([int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in (PAPER, BLUE)),
        strict=True,
    )
    depth = 0.08 + 0.92 * part
    return "#" + "".join(f"{round(low + (high - low) * depth):02x}" for low, high in ends)
