"""Calibration curves: is a model right as often as it says it is?

A point for each group of pages of like confidence. On the dashed line confidence and accuracy are
equal; below it the model is overconfident.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lycosa.analysis.charts.axes import percent_name
from lycosa.analysis.charts.canvas import BLUE, FAINT, SMALL, SOFT, Canvas
from lycosa.analysis.report.wording import count

_TOP, _BOTTOM, _LEFT, _RIGHT = 28.0, 42.0, 48.0, 24.0
_MOST_SIDE = 320.0
_TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


class CalibrationPoint(NamedTuple):
    """Pages of like confidence."""

    confidence: float
    accuracy: float
    pages: int


@dataclass(frozen=True)
class Calibration:
    """Points in the order of their confidence."""

    title: str
    caption: str
    points: Sequence[CalibrationPoint]

    def draw(self, width: int, identity: str) -> str:
        """Draw it."""
        canvas = Canvas(width, self.height(width))
        self.paint(canvas, 0.0, 0.0, width)
        return canvas.svg(self.title, self.description(), identity)

    def height(self, width: int) -> float:
        """Return how high it is at this width."""
        return _TOP + self._side(width) + _BOTTOM

    def paint(self, canvas: Canvas, x: float, top: float, width: float) -> None:
        """Draw it on a canvas, at this place and so wide."""
        side, left = self._side(width), x + _LEFT
        floor, right = top + _TOP + side, left + side
        canvas.text(x, top + 12, "share that is right", size=SMALL, fill=SOFT)
        for tick in _TICKS:
            at, y = left + tick * side, floor - tick * side
            canvas.path(f"M{left:.1f} {y:.1f}H{right:.1f}", FAINT)
            canvas.text(left - 6, y + 4, percent_name(tick), "end", SMALL, fill=SOFT)
            canvas.text(at, floor + 16, percent_name(tick), "middle", SMALL, fill=SOFT)
        dashes = ' stroke-dasharray="4 3"'
        canvas.path(f"M{left:.1f} {floor:.1f}L{right:.1f} {top + _TOP:.1f}", SOFT, more=dashes)
        places = [(left + p.confidence * side, floor - p.accuracy * side) for p in self.points]
        if places:
            way = "L".join(f"{across:.1f} {up:.1f}" for across, up in places)
            canvas.path(f"M{way}", BLUE, 1.5)
        for (across, up), point in zip(places, self.points, strict=True):
            canvas.circle(across, up, 4, BLUE, self._told(point))
        canvas.text((left + right) / 2, floor + 34, "confidence", "middle", SMALL, fill=SOFT)

    def description(self) -> str:
        """Return the text for screen readers."""
        return f"Calibration curve. {'; '.join(self._told(point) for point in self.points)}."

    def _told(self, point: CalibrationPoint) -> str:
        said = f"confidence {point.confidence:.0%}, right {point.accuracy:.0%}"
        return f"{said}, {count(point.pages)} pages"

    def _side(self, width: float) -> float:
        return min(_MOST_SIDE, width - _LEFT - _RIGHT)
