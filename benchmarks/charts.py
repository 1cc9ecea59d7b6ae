"""Line charts as SVG, drawn by hand: a few lines over time, in colours that can be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import floor, log10
from typing import NamedTuple

WIDTH, HEIGHT = 760, 400
LEFT, RIGHT, TOP, BOTTOM = 74, 200, 46, 52
_STEPS = (1, 2, 2.5, 5, 10)
_FONT = 'font-family="sans-serif"'


class Line(NamedTuple):
    """One curve."""

    name: str
    points: Sequence[tuple[float, float]]
    colour: str
    is_dashed: bool = False


def draw(title: str, across: str, up: str, lines: Sequence[Line]) -> str:
    """Return a chart as an SVG document."""
    xs = ticks(max(x for line in lines for x, _ in line.points))
    ys = ticks(max(y for line in lines for _, y in line.points))
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    most_x = max(x for line in lines for x, _ in line.points)

    def place(x: float, y: float) -> tuple[float, float]:
        return LEFT + x / most_x * (right - LEFT), bottom - y / ys[-1] * (bottom - TOP)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" {_FONT}>',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="26" font-size="16" font-weight="bold">{escape(title)}</text>',
    ]
    for y in ys:
        _, at = place(0, y)
        parts.append(f'<path d="M{LEFT} {at:.1f}H{right}" stroke="#dddddd" fill="none"/>')
        parts.append(_text(LEFT - 8, at + 4, f"{y:,g}", "end"))
    for x in xs:
        if x <= most_x:
            at, _ = place(x, 0)
            parts.append(f'<path d="M{at:.1f} {bottom}v5" stroke="#444444" fill="none"/>')
            parts.append(_text(at, bottom + 19, f"{x:,g}", "middle"))
    parts.append(_text((LEFT + right) / 2, HEIGHT - 12, across, "middle"))
    middle = (TOP + bottom) / 2
    parts.append(
        f'<text transform="translate(18 {middle:.0f}) rotate(-90)" font-size="12" '
        f'text-anchor="middle">{escape(up)}</text>'
    )
    for number, line in enumerate(lines):
        way = "L".join(f"{x:.1f} {y:.1f}" for x, y in (place(*point) for point in line.points))
        dashes = ' stroke-dasharray="5 4"' if line.is_dashed else ""
        style = f'stroke="{line.colour}" stroke-width="2" fill="none"{dashes}'
        parts.append(f'<path d="M{way}" {style}/>')
        at = TOP + 12 + 22 * number
        parts.append(f'<path d="M{right + 16} {at - 4}h28" {style}/>')
        parts.append(_text(right + 50, at, line.name, "start"))
    parts.append(f'<path d="M{LEFT} {TOP}V{bottom}H{right}" stroke="#444444" fill="none"/>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="12" text-anchor="{anchor}">{escape(text)}</text>'
    )


def ticks(most: float) -> list[float]:
    """Return round numbers from 0 to what covers `most`, some six of them."""
    rough = max(most, 1e-9) / 6
    size = 10.0 ** floor(log10(rough))
    step = next(size * factor for factor in _STEPS if size * factor >= rough)
    return [step * n for n in range(int(most / step) + 2)]
