"""Tables and turns as SVG, a paper's on the left and ours on the right."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

COLOURS = ("#1f77b4", "#d95f02", "#2a9d4a", "#7b3294", "#b8860b")
_CELL, _ROW, _TOP, _LEFT, _GAP = 66, 34, 84, 62, 96
_FONT = 'font-family="sans-serif"'


class Cell(NamedTuple):
    """One cell of a table."""

    text: str
    is_marked: bool = False


def draw_cells(title: str, theirs: Sequence[Sequence[Cell]], ours: Sequence[Sequence[Cell]]) -> str:
    """Return two tables of nodes (across) and host sets (down), side by side."""
    width_of_one = _CELL * len(theirs[0])
    width = 2 * (_LEFT + width_of_one) + _GAP - _LEFT + 20
    height = _TOP + _ROW * len(theirs) + 24
    parts = _begin(title, width, height)
    for left, name, table in (
        (_LEFT, "theirs", theirs),
        (_LEFT + width_of_one + _GAP, "ours", ours),
    ):
        parts.append(_text(left, 54, name, "start"))
        for node in range(len(table[0])):
            parts.append(_text(left + _CELL * (node + 0.5), 74, f"node {node}", "middle"))
        for number, row in enumerate(table):
            top = _TOP + _ROW * number
            if len(table) > 1:
                parts.append(_text(left - 8, top + 21, f"set {number}", "end"))
            for node, cell in enumerate(row):
                fill = COLOURS[node] if cell.is_marked else "#ffffff"
                x = left + _CELL * node
                parts.append(
                    f'<rect x="{x}" y="{top}" width="{_CELL}" height="{_ROW}" fill="{fill}" '
                    f'fill-opacity="{0.75 if cell.is_marked else 1}" stroke="#444444"/>'
                )
                parts.append(_text(x + _CELL / 2, top + 21, cell.text, "middle"))
    return "\n".join([*parts, "</svg>"]) + "\n"


def draw_turns(
    title: str,
    sets: int,
    nodes: int,
    theirs: Sequence[tuple[float, float, int, int]],
    ours: Sequence[tuple[float, float, int, int]],
) -> str:
    """Return who serves which host set when: (from, to, host set, node)."""
    wide, narrow, row = 620, 240, 40
    width, height = _LEFT + narrow + _GAP + wide + 24, _TOP + row * sets + 74
    parts = _begin(title, width, height)
    for left, length, name, turns, unit in (
        (_LEFT, narrow, "theirs", theirs, "slots"),
        (_LEFT + narrow + _GAP, wide, "ours", ours, "seconds"),
    ):
        last = max(end for _, end, _, _ in turns)
        parts.append(_text(left, 54, name, "start"))
        for number in range(sets):
            parts.append(_text(left - 8, _TOP + row * number + 24, f"set {number}", "end"))
            y = _TOP + row * number + 4
            parts.append(
                f'<rect x="{left}" y="{y}" width="{length}" height="{row - 8}" fill="#eeeeee"/>'
            )
        for begin, end, host_set, node in turns:
            x, size = left + begin / last * length, (end - begin) / last * length
            parts.append(
                f'<rect x="{x:.2f}" y="{_TOP + row * host_set + 4}" width="{size:.2f}" '
                f'height="{row - 8}" fill="{COLOURS[node]}"/>'
            )
        below = _TOP + row * sets + 18
        parts.append(_text(left, below, "0", "middle"))
        parts.append(_text(left + length, below, f"{last:,.0f} {unit}", "end"))
    for node in range(nodes):
        x, y = _LEFT + 110 * node, height - 26
        parts.append(f'<rect x="{x}" y="{y}" width="14" height="14" fill="{COLOURS[node]}"/>')
        parts.append(_text(x + 20, y + 12, f"node {node}", "start"))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _begin(title: str, width: float, height: float) -> list[str]:
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {_FONT}>',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="16" y="26" font-size="16" font-weight="bold">{escape(title)}</text>',
    ]


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="12" text-anchor="{anchor}">{escape(text)}</text>'
    )
