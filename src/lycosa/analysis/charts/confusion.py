"""Confusion matrices: which topics a model takes for which others.

A row for each labelled topic, a column for each guessed one. A cell is the darker the larger its
share of the row is; its number is the count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lycosa.analysis.charts.canvas import BLUE, INK, PAPER, Canvas
from lycosa.analysis.charts.grid import Cell, Grid, tinted
from lycosa.analysis.report.wording import count, share, shown

_DARK = 0.55
"""Share from which white text is readable on the cell."""


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
        return self._grid.height(width)

    @property
    def needed_width(self) -> float:
        """The width at which cells are not too small."""
        return self._grid.needed_width

    def paint(self, canvas: Canvas, x: float, top: float, width: float) -> None:
        """Draw it on a canvas, at this place and so wide."""
        self._grid.paint(canvas, x, top, width)

    def description(self) -> str:
        """Return the text for screen readers."""
        right = sum(self.counts[at][at] for at in range(len(self.names)))
        total = sum(map(sum, self.counts))
        told = "; ".join(
            f"{shown(name)}: {count(self.counts[at][at])} of {count(sum(self.counts[at]))}"
            for at, name in enumerate(self.names[:24])
        )
        return f"Confusion matrix: {count(right)} of {count(total)} are right. {told}."

    @property
    def _grid(self) -> Grid:
        return Grid(self.names, "labelled", "guessed, by the number of the row", self._cell)

    def _cell(self, row: int, column: int) -> Cell:
        number, whole = self.counts[row][column], sum(self.counts[row])
        part = number / whole if whole else 0.0
        tip = f"{shown(self.names[row])} taken for {shown(self.names[column])}: {count(number)}"
        return Cell(
            count(number) if number else "",
            f"{tip} ({share(number, whole)})",
            tinted(BLUE, 0.08 + 0.92 * part) if number else PAPER,
            PAPER if part >= _DARK else INK,
        )
