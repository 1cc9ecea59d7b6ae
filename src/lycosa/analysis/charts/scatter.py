"""Scatter plots: points on two logarithmic axes, with fitted lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10
from typing import NamedTuple

from lycosa.analysis.charts.axes import LogTicks, Namer, log_ticks, plain_name
from lycosa.analysis.charts.canvas import (
    BLUE,
    FAINT,
    INK,
    PAPER,
    RED,
    SMALL,
    SOFT,
    Canvas,
    text_width,
)

_TOP, _BOTTOM, _RIGHT = 30.0, 46.0, 14.0
_TALL = 0.45
_MOST_POINTS = 240
_MINOR = "#f0f0f0"

Point = tuple[float, float]


class Axis(NamedTuple):
    """An axis: its text, and how its numbers are written."""

    text: str
    name: Namer = plain_name


class Series(NamedTuple):
    """Points of one kind."""

    name: str
    points: Sequence[Point]
    """Both numbers are positive; in the order of the first."""
    colour: str = BLUE
    is_hollow: bool = False


class Line(NamedTuple):
    """A line through points."""

    name: str
    points: Sequence[Point]
    colour: str = RED


@dataclass(frozen=True)
class Scatter:
    """Series of points, and lines, on two logarithmic axes."""

    title: str
    caption: str
    across: Axis
    up: Axis
    series: Sequence[Series]
    lines: Sequence[Line] = ()

    def draw(self, width: int, identity: str) -> str:
        """Draw it."""
        height = max(270.0, _TALL * width)
        canvas = Canvas(width, height)
        points = [point for series in self.series for point in series.points]
        x_axis = log_ticks(min(x for x, _ in points), max(x for x, _ in points))
        y_axis = log_ticks(min(y for _, y in points), max(y for _, y in points))
        left = max(text_width(self.up.name(tick), SMALL) for tick in y_axis.named) + 10
        frame = _Frame(x_axis, y_axis, left, width - _RIGHT, _TOP, height - _BOTTOM)
        self._draw_axes(canvas, frame)
        for series in self.series:
            # Points that would stand on others are left out, so that the file stays small.
            for x, y in thinned(series.points, frame):
                fill, more = series.colour, ' fill-opacity="0.75"'
                if series.is_hollow:
                    fill, more = PAPER, f' stroke="{series.colour}" stroke-width="1.4"'
                canvas.circle(*frame.place(x, y), 2.6, fill, more=more)
        for line in self.lines:
            inside = [point for point in line.points if frame.holds(point)]
            way = "L".join(f"{x:.1f} {y:.1f}" for x, y in (frame.place(*p) for p in inside))
            if len(inside) > 1:  # a fitted line may lie outside of the data
                canvas.path(f"M{way}", line.colour, 2)
        self._draw_legend(canvas, frame)
        return canvas.svg(self.title, self._description(), identity)

    def _draw_axes(self, canvas: Canvas, frame: _Frame) -> None:
        left, right, top, bottom = frame[2:]
        canvas.text(0, 12, self.up.text, size=SMALL, fill=SOFT)
        for values, colour in ((frame.x.plain, _MINOR), (frame.x.named, FAINT)):
            for value in values:
                x, _ = frame.place(value, frame.y.low)
                canvas.path(f"M{x:.1f} {top:.1f}V{bottom:.1f}", colour)
        for values, colour in ((frame.y.plain, _MINOR), (frame.y.named, FAINT)):
            for value in values:
                _, y = frame.place(frame.x.low, value)
                canvas.path(f"M{left:.1f} {y:.1f}H{right:.1f}", colour)
        until = -1e9
        for value in frame.x.named:
            x, _ = frame.place(value, frame.y.low)
            name = self.across.name(value)
            half = text_width(name, SMALL) / 2
            if x - half > until + 4:
                at = min(x, canvas.width - half)
                canvas.text(at, bottom + 16, name, "middle", SMALL, fill=SOFT)
                until = x + half
        for value in frame.y.named:
            _, y = frame.place(frame.x.low, value)
            canvas.text(left - 6, y + 4, self.up.name(value), "end", SMALL, fill=SOFT)
        canvas.path(f"M{left:.1f} {top:.1f}V{bottom:.1f}H{right:.1f}", SOFT)
        canvas.text(
            (left + right) / 2, canvas.height - 8, self.across.text, "middle", SMALL, fill=SOFT
        )

    def _draw_legend(self, canvas: Canvas, frame: _Frame) -> None:
        entries: list[tuple[str, Series | Line]] = [(each.name, each) for each in self.series]
        entries += [(line.name, line) for line in self.lines]
        if len(entries) < 2:
            return
        widest = max(text_width(name, SMALL) for name, _ in entries)
        left, top = frame.right - widest - 34, frame.top + 6
        height = 17.0 * len(entries) + 6
        canvas.rect(left - 6, top - 2, widest + 36, height, PAPER)
        for number, (name, entry) in enumerate(entries):
            y = top + 12 + 17 * number
            if isinstance(entry, Line):
                canvas.path(f"M{left:.1f} {y - 4:.1f}h16", entry.colour, 2)
            elif entry.is_hollow:
                more = f' stroke="{entry.colour}" stroke-width="1.4"'
                canvas.circle(left + 8, y - 4, 3, PAPER, more=more)
            else:
                canvas.circle(left + 8, y - 4, 3, entry.colour)
            canvas.text(left + 23, y, name, size=SMALL, fill=INK)

    def _description(self) -> str:
        told = []
        for series in self.series:
            (x0, y0), (x1, y1) = series.points[0], series.points[-1]
            told.append(
                f"{series.name}: {len(series.points)} points from"
                f" ({self.across.name(x0)}, {self.up.name(y0)})"
                f" to ({self.across.name(x1)}, {self.up.name(y1)})"
            )
        told += [f"a line: {line.name}" for line in self.lines]
        return f"{self.up.text} over {self.across.text}, both logarithmic. {'; '.join(told)}."


class _Frame(NamedTuple):
    x: LogTicks
    y: LogTicks
    left: float
    right: float
    top: float
    bottom: float

    def place(self, x: float, y: float) -> Point:
        return (
            self.left + self.x.place(x) * (self.right - self.left),
            self.bottom - self.y.place(y) * (self.bottom - self.top),
        )

    def holds(self, point: Point) -> bool:
        x, y = point
        return self.x.low <= x <= self.x.high and self.y.low <= y <= self.y.high


def thinned(points: Sequence[Point], frame: _Frame) -> list[Point]:
    """Leave out points that would stand on others; the first and the last always stay."""
    if len(points) <= _MOST_POINTS:
        return list(points)
    kept = [points[0]]
    width, height = log10(frame.x.high / frame.x.low), log10(frame.y.high / frame.y.low)
    for x, y in points[1:-1]:
        before_x, before_y = kept[-1]
        across, up = log10(x / before_x) / width, log10(y / before_y) / height
        if abs(across) + abs(up) >= 2 / _MOST_POINTS:
            kept.append((x, y))
    return [*kept, points[-1]]
