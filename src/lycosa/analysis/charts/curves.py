"""Curves of shares over a number that grows, with the band in which a share may lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lycosa.analysis.charts.axes import percent_name, whole_ticks
from lycosa.analysis.charts.canvas import BLUE, FAINT, INK, SMALL, SOFT, Canvas, text_width
from lycosa.analysis.report.wording import count, share

_BOTTOM, _RIGHT = 46.0, 14.0
_TALL = 0.42
_LINE, _SIGN, _BETWEEN = 17.0, 23.0, 18.0
"""A line of the legend, the sign before a name, and the room between two entries."""


class Curve(NamedTuple):
    """A line through points, in the order of their first number."""

    name: str
    points: Sequence[tuple[float, float]]
    """A number above 0, and a share."""
    colour: str = BLUE
    width: float = 2.0


class Band(NamedTuple):
    """The bounds of a share over a number."""

    name: str
    edges: Sequence[tuple[float, float, float]]
    """A number, the least share and the largest."""
    colour: str = FAINT


@dataclass(frozen=True)
class Curves:
    """Curves over one number, and a band behind them."""

    title: str
    caption: str
    across: str
    """The text of the horizontal axis."""
    up: str
    """The text of the vertical axis."""
    curves: Sequence[Curve]
    band: Band | None = None

    def draw(self, width: int, identity: str) -> str:
        """Draw it."""
        entries = self._legend(width)
        top = 30.0 + _LINE * (1 + max((line for _, line, _ in entries), default=0))
        height = top + max(200.0, _TALL * width) + _BOTTOM - 30
        canvas = Canvas(width, height)
        ticks = self._ticks()
        left = max(text_width(percent_name(tick / 100), SMALL) for tick in ticks) + 10
        frame = _Frame(self._most(), ticks[-1] / 100, left, width - _RIGHT, top, height - _BOTTOM)
        canvas.text(0, 12, self.up, size=SMALL, fill=SOFT)
        if self.band is not None:
            above = [frame.place(x, high) for x, _, high in self.band.edges]
            below = [frame.place(x, low) for x, low, _ in reversed(self.band.edges)]
            canvas.path(f"M{_way([*above, *below])}Z", self.band.colour, 0.5, self.band.colour)
        self._draw_axes(canvas, frame, ticks)
        for curve in self.curves:
            way = _way([frame.place(*point) for point in curve.points])
            canvas.path(f"M{way}", curve.colour, curve.width)
        for entry, line, x in entries:
            self._draw_entry(canvas, entry, x, 28 + _LINE * line)
        return canvas.svg(self.title, self._description(), identity)

    def _draw_axes(self, canvas: Canvas, frame: _Frame, ticks: Sequence[int]) -> None:
        for tick in ticks:
            _, y = frame.place(0, tick / 100)
            canvas.path(f"M{frame.left:.1f} {y:.1f}H{frame.right:.1f}", FAINT)
            canvas.text(frame.left - 6, y + 4, percent_name(tick / 100), "end", SMALL, fill=SOFT)
        for number in whole_ticks(frame.most, 5 if canvas.width > 500 else 3):
            if number <= frame.most:
                x, _ = frame.place(number, 0)
                half = text_width(count(number), SMALL) / 2
                canvas.path(f"M{x:.1f} {frame.bottom:.1f}v4", SOFT)
                at = min(x, canvas.width - half)
                canvas.text(at, frame.bottom + 16, count(number), "middle", SMALL, fill=SOFT)
        canvas.path(f"M{frame.left:.1f} {frame.bottom:.1f}H{frame.right:.1f}", SOFT)
        middle = (frame.left + frame.right) / 2
        canvas.text(middle, canvas.height - 8, self.across, "middle", SMALL, fill=SOFT)

    def _draw_entry(self, canvas: Canvas, entry: Curve | Band, x: float, y: float) -> None:
        if isinstance(entry, Curve):
            canvas.path(f"M{x:.1f} {y - 4:.1f}h16", entry.colour, entry.width)
        else:
            canvas.rect(x, y - 9, 16, 10, entry.colour)
        canvas.text(x + _SIGN, y, entry.name, size=SMALL, fill=INK)

    def _legend(self, width: float) -> list[tuple[Curve | Band, int, float]]:
        """Return the entries of the legend, each with its line and its place."""
        found: list[tuple[Curve | Band, int, float]] = []
        entries: list[Curve | Band] = [*self.curves]
        if self.band is not None:
            entries.append(self.band)
        line, x = 0, 0.0
        for entry in entries:
            needed = _SIGN + text_width(entry.name, SMALL)
            if x and x + needed > width:
                line, x = line + 1, 0.0
            found.append((entry, line, x))
            x += needed + _BETWEEN
        return found

    def _most(self) -> float:
        return max(x for curve in self.curves for x, _ in curve.points)

    def _ticks(self) -> list[int]:
        """Return the named shares, in percent."""
        highest = max(y for curve in self.curves for _, y in curve.points)
        if self.band is not None:
            highest = max(highest, *(high for _, _, high in self.band.edges))
        ticks = whole_ticks(100 * min(highest, 1.0))
        return [tick for tick in ticks if tick <= 100] or [0, 100]

    def _description(self) -> str:
        told = []
        for curve in self.curves:
            (x0, y0), (x1, y1) = curve.points[0], curve.points[-1]
            told.append(
                f"{curve.name}: {share(y0, 1)} at {count(x0)}, {share(y1, 1)} at {count(x1)}"
            )
        return f"{self.up} over {self.across}. {'; '.join(told)}."


class _Frame(NamedTuple):
    most: float
    highest: float
    left: float
    right: float
    top: float
    bottom: float

    def place(self, x: float, y: float) -> tuple[float, float]:
        return (
            self.left + x / self.most * (self.right - self.left),
            self.bottom - y / self.highest * (self.bottom - self.top),
        )


def _way(places: Sequence[tuple[float, float]]) -> str:
    return "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
