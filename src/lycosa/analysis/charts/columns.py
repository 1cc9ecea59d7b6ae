"""Histograms: columns side by side, over an axis with names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lycosa.analysis.charts.axes import whole_ticks
from lycosa.analysis.charts.canvas import (
    BLUE,
    FAINT,
    RED,
    SMALL,
    SOFT,
    Canvas,
    text_width,
)
from lycosa.analysis.report.wording import count

_HEIGHT, _BOTTOM, _RIGHT = 250.0, 46.0, 14.0
_TOP, _TOP_OF_MARK = 28.0, 44.0
_LEAST = 1.5


class Column(NamedTuple):
    """A column; its name is that of its left edge, or of its middle."""

    name: str
    value: int
    told: str = ""
    """The range of the column, in words."""


class Mark(NamedTuple):
    """A line across the figure at a place, counted in columns."""

    at: float
    text: str


@dataclass(frozen=True)
class Columns:
    """Columns in the order given."""

    title: str
    caption: str
    across: str
    """The text of the horizontal axis."""
    up: str
    """The text of the vertical axis."""
    columns: Sequence[Column]
    last_edge: str = ""
    """If there is one, names belong to the left edges of columns, and this to the end."""
    mark: Mark | None = None

    def draw(self, width: int, identity: str) -> str:
        """Draw it."""
        canvas = Canvas(width, _HEIGHT)
        upward = whole_ticks(max((column.value for column in self.columns), default=1))
        left = max(text_width(count(tick), SMALL) for tick in upward) + 10
        if self.last_edge:
            left = max(left, text_width(self.columns[0].name, SMALL) / 2)
        top, bottom, right = self._top(), _HEIGHT - _BOTTOM, width - _RIGHT
        canvas.text(0, 12, self.up, size=SMALL, fill=SOFT)
        for tick in upward:
            at = bottom - tick / upward[-1] * (bottom - top)
            canvas.path(f"M{left:.1f} {at:.1f}H{right:.1f}", FAINT)
            canvas.text(left - 6, at + 4, count(tick), "end", SMALL, fill=SOFT)
        step = (right - left) / max(len(self.columns), 1)
        gap = min(2.0, step / 5)
        for number, column in enumerate(self.columns):
            height = column.value / upward[-1] * (bottom - top)
            height = max(height, _LEAST if column.value else 0)
            tip = f"{column.told or column.name}: {count(column.value)}"
            x = left + step * number
            canvas.rect(x + gap / 2, bottom - height, step - gap, height, BLUE, tip=tip)
        self._draw_names(canvas, left, step, bottom)
        canvas.path(f"M{left:.1f} {bottom:.1f}H{right:.1f}", SOFT)
        if self.mark is not None:
            self._draw_mark(canvas, self.mark, left + step * self.mark.at, bottom)
        middle = (left + right) / 2
        canvas.text(middle, _HEIGHT - 8, self.across, "middle", SMALL, fill=SOFT)
        return canvas.svg(self.title, self._description(), identity)

    def _top(self) -> float:
        return _TOP if self.mark is None else _TOP_OF_MARK

    def _draw_names(self, canvas: Canvas, left: float, step: float, bottom: float) -> None:
        names = [column.name for column in self.columns]
        if self.last_edge:
            names.append(self.last_edge)
        widest = max((text_width(name, SMALL) for name in names), default=0)
        # A long first name begins at the edge of the picture, and so comes nearer to the second.
        apart = widest + 6 + max(0, widest / 2 - left)
        every = max(1, -(-int(apart) // max(int(step), 1)))
        for number, name in enumerate(names):
            if number % every:
                continue
            x = left + step * (number if self.last_edge else number + 0.5)
            if self.last_edge:
                canvas.path(f"M{x:.1f} {bottom:.1f}v4", SOFT)
            half = text_width(name, SMALL) / 2
            at = max(half, min(x, canvas.width - half))
            canvas.text(at, bottom + 16, name, "middle", SMALL, fill=SOFT)

    def _draw_mark(self, canvas: Canvas, mark: Mark, x: float, bottom: float) -> None:
        top = self._top()
        dashes = ' stroke-dasharray="4 3"'
        canvas.path(f"M{x:.1f} {top - 18:.1f}V{bottom:.1f}", RED, 1.5, more=dashes)
        is_late = x + 6 + text_width(mark.text, SMALL) > canvas.width
        at, anchor = (x - 6, "end") if is_late else (x + 6, "start")
        canvas.text(at, top - 9, mark.text, anchor, SMALL, fill=RED)

    def _description(self) -> str:
        told = "; ".join(
            f"{column.told or column.name}: {count(column.value)}" for column in self.columns[:24]
        )
        more = len(self.columns) - 24
        rest = f"; and {more} more columns" if more > 0 else ""
        return f"Histogram of {self.up} by {self.across}. {told}{rest}."
