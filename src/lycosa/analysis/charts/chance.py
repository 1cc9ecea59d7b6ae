"""Links between topics against chance: which topics link to which more or less than blindly.

A row for each linking topic, a column for each linked one. A cell says how many times as many links
there are as chance would give: blue where there are more, orange where there are fewer, white where
there are too few to tell. The figure shows as many of the topics, from the first on, as fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

from lycosa.analysis.charts.canvas import BLUE, INK, ORANGE, PAPER, Canvas
from lycosa.analysis.charts.grid import Cell, Grid, fitting, tinted
from lycosa.analysis.report.wording import shown

_DARK = 0.55
"""Depth of blue from which white text is readable on the cell."""
_DEEPEST = 3.0
"""Powers of two from chance at which a colour is full."""


@dataclass(frozen=True)
class AgainstChance:
    """Ratios of linking (rows) and linked (columns) topics, in the order of the names."""

    title: str
    caption: str
    names: Sequence[str]
    ratios: Sequence[Sequence[float | None]]
    """Links in multiples of what chance would give; None where nothing can be said."""

    def draw(self, width: int, identity: str) -> str:
        """Draw it."""
        names = self.names[: fitting(self.names, width)]
        grid = Grid(names, "linking", "linked, by the number of the row", self._cell)
        canvas = Canvas(width, grid.height(width))
        grid.paint(canvas, 0.0, 0.0, width)
        return canvas.svg(self.title, self._description(len(names)), identity)

    def _cell(self, row: int, column: int) -> Cell:
        ratio = self.ratios[row][column]
        pair = f"{shown(self.names[row])} to {shown(self.names[column])}"
        if ratio is None:
            return Cell("", f"{pair}: too few links to tell")
        colour = BLUE if ratio >= 1 else ORANGE
        depth = min(abs(log2(ratio)) / _DEEPEST, 1.0) if ratio else 1.0
        ink = PAPER if ratio >= 1 and depth >= _DARK else INK
        told = times(ratio)
        return Cell(told, f"{pair}: {told} times chance", tinted(colour, 0.9 * depth), ink)

    def _description(self, most: int) -> str:
        own = [(shown(self.names[at]), self.ratios[at][at]) for at in range(min(most, 24))]
        told = "; ".join(f"{name}: {times(ratio)}" for name, ratio in own if ratio is not None)
        left_out = len(self.names) - most
        more = f" {left_out} more topics do not fit." if left_out else ""
        return f"Links within each topic, in multiples of chance. {told}.{more}"


def times(ratio: float) -> str:
    """Write a ratio in at most three characters or so: `0`, `0.4`, `2.5`, `13`."""
    return f"{ratio:.0f}" if ratio >= 9.95 or not ratio else f"{ratio:.1f}"
