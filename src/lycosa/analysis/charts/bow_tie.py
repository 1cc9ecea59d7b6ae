"""Draws the bow tie of a graph: the core, the parts that lead to it and from it, and the rest.

The picture of Broder et al. (2000). Core and wings grow with the square root of their shares, from
a minimum size on; the numbers are exact. An empty part is drawn with dashes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt

from lycosa.analysis.charts.canvas import (
    BLUE,
    FAINT,
    GREY,
    INK,
    ORANGE,
    PAPER,
    PURPLE,
    SKY,
    SMALL,
    SOFT,
    Canvas,
)
from lycosa.analysis.report.wording import count, share

_HEIGHT, _MIDDLE, _FLOOR = 330.0, 150.0, 268.0
_BEND = -12.0
"""How high the tubes are bent."""
_NAMES = {
    "scc": "SCC",
    "in": "IN",
    "out": "OUT",
    "tube": "tubes",
    "tendril": "tendrils",
    "island": "islands",
}
_DASHES = ' stroke-dasharray="4 3"'


@dataclass(frozen=True)
class BowTie:
    """The parts of a graph by their names in `lycosa.frontier.graph.bow_tie`."""

    title: str
    caption: str
    parts: Mapping[str, int]

    def draw(self, width: int, identity: str) -> str:
        """Draw it."""
        canvas = Canvas(width, _HEIGHT)
        picture = _Picture(canvas, self.parts)
        picture.draw()
        told = "; ".join(f"{_NAMES[part]}: {picture.told(part)}" for part in _NAMES)
        return canvas.svg(self.title, f"A bow tie. {told}.", identity)


class _Picture:
    def __init__(self, canvas: Canvas, parts: Mapping[str, int]) -> None:
        self._canvas = canvas
        self._parts = {name: parts.get(name, 0) for name in _NAMES}
        self._whole = sum(self._parts.values())
        self._centre = canvas.width / 2
        self._scale = min(1.0, canvas.width / 560)
        self._radius = (36 + 40 * self._root("scc")) * (0.7 + 0.3 * self._scale)
        self._edge = max(4.0, self._centre - 290)

    def told(self, part: str) -> str:
        number = self._parts[part]
        return f"{count(number)} ({share(number, self._whole)})"

    def draw(self) -> None:
        self._tube()
        self._tendrils()
        self._wing("in", -1, SKY)
        self._wing("out", 1, ORANGE)
        self._core()
        self._islands()

    def _root(self, part: str) -> float:
        return sqrt(self._parts[part] / self._whole) if self._whole else 0.0

    def _look(self, part: str, fill: str) -> tuple[str, str, str]:
        """Return fill, line and dashes of a part."""
        return (fill, fill, "") if self._parts[part] else (PAPER, GREY, _DASHES)

    def _label(self, x: float, y: float, part: str, ink: str, anchor: str = "middle") -> None:
        number = self._parts[part]
        self._canvas.text(x, y - 9, _NAMES[part], anchor, is_bold=True, fill=ink)
        told = share(number, self._whole) if number else "none"
        self._canvas.text(x, y + 6, told, anchor, fill=ink)
        if number:
            self._canvas.text(x, y + 20, count(number), anchor, SMALL, fill=ink)

    def _core(self) -> None:
        fill, line, dashes = self._look("scc", BLUE)
        more = f' stroke="{line}"{dashes}'
        self._canvas.circle(self._centre, _MIDDLE, self._radius + 4, PAPER)
        self._canvas.circle(self._centre, _MIDDLE, self._radius, fill, more=more)
        self._label(self._centre, _MIDDLE, "scc", PAPER if self._parts["scc"] else SOFT)

    def _wing_height(self, part: str) -> float:
        return 32 + 62 * self._root(part)

    def _wing(self, part: str, side: int, colour: str) -> None:
        fill, line, dashes = self._look(part, colour)
        inner, outer = self._inner(side), self._outer(side)
        near, far = 0.55 * self._radius, self._wing_height(part)
        bend = inner + 0.35 * (outer - inner)
        bulge = outer + side * -10
        way = (
            f"M{inner:.1f} {_MIDDLE - near:.1f}"
            f"C{bend:.1f} {_MIDDLE - near:.1f} {bend:.1f} {_MIDDLE - far:.1f}"
            f" {bulge:.1f} {_MIDDLE - far:.1f}"
            f"Q{outer + side * 10:.1f} {_MIDDLE:.1f} {bulge:.1f} {_MIDDLE + far:.1f}"
            f"C{bend:.1f} {_MIDDLE + far:.1f} {bend:.1f} {_MIDDLE + near:.1f}"
            f" {inner:.1f} {_MIDDLE + near:.1f}Z"
        )
        self._canvas.path(way, line, 1.2, fill, dashes)
        ink = INK if self._parts[part] else SOFT
        self._label(inner + 0.58 * (outer - inner), _MIDDLE, part, ink)

    def _inner(self, side: int) -> float:
        return self._centre + side * 0.8 * self._radius

    def _outer(self, side: int) -> float:
        return self._centre + side * (self._centre - self._edge - 8)

    def _tube(self) -> None:
        _, line, dashes = self._look("tube", PURPLE)
        ends = [
            (self._outer(side) - side * 42, _MIDDLE - 0.8 * self._wing_height(part))
            for part, side in (("in", -1), ("out", 1))
        ]
        (x0, y0), (x1, y1) = ends
        bend = f"C{x0 + 30:.1f} {_BEND:g} {x1 - 30:.1f} {_BEND:g} {x1:.1f} {y1:.1f}"
        way = f"M{x0:.1f} {y0:.1f}{bend}"
        width = 3 + 12 * self._root("tube") if self._parts["tube"] else 1.2
        self._canvas.path(way, line, width, more=dashes)
        # The middle of the curve: its ends count a quarter, what it bends to the rest.
        y = min(_MIDDLE - self._radius - 12, 0.125 * (y0 + y1) + 0.75 * _BEND + 38)
        ink = INK if self._parts["tube"] else SOFT
        self._canvas.text(self._centre, y - 15, "tubes", "middle", fill=ink, is_bold=True)
        self._canvas.text(self._centre, y, self._short("tube"), "middle", fill=ink)

    def _short(self, part: str) -> str:
        number = self._parts[part]
        return f"{share(number, self._whole)}, {count(number)}" if number else "none"

    def _tendrils(self) -> None:
        fill, line, dashes = self._look("tendril", GREY)
        radius = 6 + 14 * self._root("tendril")
        width = 3.0 if self._parts["tendril"] else 1.2
        for part, side in (("in", -1), ("out", 1)):
            x = self._outer(side) - side * 46
            end = self._outer(side) - side * 24
            y = _MIDDLE + 0.8 * self._wing_height(part)
            bend = f"C{x:.1f} {y + 30:.1f} {end:.1f} {y + 20:.1f} {end:.1f} {_FLOOR:.1f}"
            self._canvas.path(f"M{x:.1f} {y:.1f}{bend}", line, width, more=dashes)
            self._canvas.circle(end, _FLOOR, radius, fill, more=f' stroke="{line}"{dashes}')
        ink = INK if self._parts["tendril"] else SOFT
        x = self._outer(-1) + 24
        self._canvas.text(x, _HEIGHT - 22, "tendrils", "middle", fill=ink, is_bold=True)
        self._canvas.text(x, _HEIGHT - 7, self._short("tendril"), "middle", fill=ink)

    def _islands(self) -> None:
        fill, line, dashes = self._look("island", FAINT)
        more = f' stroke="{GREY if self._parts["island"] else line}"{dashes}'
        radius = 5 + 12 * self._root("island")
        for step, size in ((-1.0, 0.75), (0.15, 1.0), (1.2, 0.6)):
            x = self._centre + step * 2.1 * radius
            self._canvas.circle(x, _FLOOR + 2 * step, size * radius, fill, more=more)
        ink = INK if self._parts["island"] else SOFT
        self._canvas.text(self._centre, _HEIGHT - 22, "islands", "middle", fill=ink, is_bold=True)
        self._canvas.text(self._centre, _HEIGHT - 7, self._short("island"), "middle", fill=ink)
