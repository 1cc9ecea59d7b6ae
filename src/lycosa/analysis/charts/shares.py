"""Draws one bar that is cut into parts, with a legend line for each part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lycosa.analysis.charts.canvas import INK, PALETTE, PAPER, Canvas, text_width
from lycosa.analysis.report.wording import count, share, shown

_BAR, _ROW = 34.0, 21.0
_DARK = {PALETTE[0], PALETTE[2], PALETTE[4]}
"""Colours on which white text is readable."""


class Part(NamedTuple):
    """A part of the whole."""

    name: str
    value: int
    colour: str = ""


@dataclass(frozen=True)
class Shares:
    """Parts of one whole, in the order given."""

    title: str
    caption: str
    parts: Sequence[Part]

    def draw(self, width: int, identity: str) -> str:
        """Draw it."""
        whole = sum(part.value for part in self.parts)
        columns = 1 if width < 480 else 2
        rows = -(-len(self.parts) // columns)
        canvas = Canvas(width, _BAR + 14 + _ROW * rows)
        at = 0.0
        for number, part in enumerate(self.parts):
            colour = part.colour or PALETTE[number % len(PALETTE)]
            length = part.value / whole * width
            told = share(part.value, whole)
            tip = f"{shown(part.name)}: {count(part.value)} ({told})"
            canvas.rect(at, 0, max(length - 1, 0.5) if length else 0, _BAR, colour, tip=tip)
            if length > text_width(told) + 12:
                ink = PAPER if colour in _DARK else INK
                canvas.text(at + length / 2, _BAR / 2 + 4, told, "middle", fill=ink)
            at += length
            x = number % columns * width / columns
            y = _BAR + 28 + _ROW * (number // columns)
            canvas.rect(x, y - 10, 11, 11, colour)
            value = f"{count(part.value)} ({told})"
            canvas.explained(x + 18, y, shown(part.name, 40), value)
        parts = "; ".join(
            f"{shown(part.name)}: {count(part.value)} ({share(part.value, whole)})"
            for part in self.parts
        )
        return canvas.svg(self.title, f"One bar of {count(whole)} in parts. {parts}.", identity)
