"""Grids of topics by topics: a name for each row, a number for each column, cells with a text.

There is no room for names above the columns, so these have the numbers of the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lycosa.analysis.charts.canvas import (
    FAINT,
    INK,
    PAPER,
    SMALL,
    SOFT,
    Canvas,
    fitted,
    text_width,
)
from lycosa.analysis.report.wording import shown

_HEAD, _GAP = 46.0, 8.0
_LEAST_CELL, _MOST_CELL = 24.0, 46.0


class Cell(NamedTuple):
    """The content of a cell."""

    text: str
    tip: str
    fill: str = PAPER
    ink: str = INK


@dataclass(frozen=True)
class Grid:
    """Cells by row and column, both in the order of the names."""

    names: Sequence[str]
    down: str
    """The name of the rows."""
    across: str
    """The name of the columns."""
    cell: Callable[[int, int], Cell]

    def height(self, width: float) -> float:
        """Return how high it is at this width."""
        return _HEAD + self._side(width) * len(self.names) + 4

    @property
    def needed_width(self) -> float:
        """The width at which cells are not too small."""
        return min(_widest(self.names), 280.0) + 40 + _LEAST_CELL * len(self.names)

    def paint(self, canvas: Canvas, x: float, top: float, width: float) -> None:
        """Draw it on a canvas, at this place and so wide."""
        side, left = self._side(width), x + _left(self.names, width)
        canvas.text(x, top + 14, self.down, size=SMALL, fill=SOFT)
        canvas.text(left, top + 14, self.across, size=SMALL, fill=SOFT)
        for row, name in enumerate(self.names):
            number = f"{row + 1}"
            canvas.text(
                left + (row + 0.5) * side, top + _HEAD - 8, number, "middle", SMALL, fill=SOFT
            )
            middle = top + _HEAD + (row + 0.5) * side + 4
            told = fitted(shown(name), left - x - _GAP - 24)
            canvas.text(left - _GAP - 20, middle, told, "end")
            canvas.text(left - _GAP, middle, number, "end", SMALL, fill=SOFT)
            for column in range(len(self.names)):
                corner = (left + column * side, top + _HEAD + row * side)
                self._paint_cell(canvas, self.cell(row, column), side, corner)

    def _paint_cell(
        self, canvas: Canvas, cell: Cell, side: float, corner: tuple[float, float]
    ) -> None:
        x, top = corner
        canvas.rect(x + 0.5, top + 0.5, side - 1, side - 1, FAINT)
        canvas.rect(x + 1, top + 1, side - 2, side - 2, cell.fill, tip=cell.tip)
        if cell.text:
            middle = (x + side / 2, top + side / 2 + 4)
            canvas.text(*middle, cell.text, "middle", SMALL, fill=cell.ink)

    def _side(self, width: float) -> float:
        room = (width - _left(self.names, width)) / max(len(self.names), 1)
        return max(_LEAST_CELL, min(_MOST_CELL, room))


def fitting(names: Sequence[str], width: float) -> int:
    """Return how many of the names, from the first on, fit into this width."""
    most = len(names)
    while most > 1 and _left(names[:most], width) + _LEAST_CELL * most > width:
        most -= 1
    return most


def _left(names: Sequence[str], width: float) -> float:
    return min(_widest(names) + 2, 0.4 * width) + 24 + _GAP


def _widest(names: Sequence[str]) -> float:
    return max((text_width(shown(name)) for name in names), default=0.0)


def tinted(colour: str, depth: float) -> str:
    """Return a colour between white, at 0, and the one given, at 1."""
    ends = zip(
        *([int(each[at : at + 2], 16) for at in (1, 3, 5)] for each in (PAPER, colour)),
        strict=True,
    )
    return "#" + "".join(f"{round(low + (high - low) * depth):02x}" for low, high in ends)
