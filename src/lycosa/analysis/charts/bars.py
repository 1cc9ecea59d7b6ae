"""Bar charts: one horizontal bar for each thing, with its name and its number.

There is no axis: the number stands beside every bar. Where the figure is narrow, names stand above
their bars and not beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lycosa.analysis.charts.canvas import BLUE, FAINT, SOFT, Canvas, fitted, text_width
from lycosa.analysis.report.wording import shown

_NARROW = 480
_ROW, _BAR, _TWO_LINES = 25.0, 15.0, 38.0
_GAP = 10.0
_LEAST = 1.5


class Bar(NamedTuple):
    """A bar."""

    name: str
    value: float
    label: str
    """Its number, as it is written."""
    colour: str = BLUE


@dataclass(frozen=True)
class Bars:
    """Bars below each other, in the order given."""

    title: str
    caption: str
    bars: Sequence[Bar]

    def draw(self, width: int, identity: str) -> str:
        """Draw it."""
        is_narrow = width < _NARROW
        row = _TWO_LINES if is_narrow else _ROW
        canvas = Canvas(width, row * len(self.bars) + 4)
        most = max((bar.value for bar in self.bars), default=0.0) or 1.0
        labels = max(text_width(bar.label) for bar in self.bars)
        names = max(text_width(shown(bar.name)) for bar in self.bars)
        left = 0.0 if is_narrow else min(names + 1, 0.42 * width) + _GAP
        room = width - left - labels - _GAP
        for number, bar in enumerate(self.bars):
            top = 2 + row * number
            middle = top + (26 if is_narrow else row / 2)
            if is_narrow:
                canvas.text(0, top + 13, fitted(shown(bar.name), width))
            else:
                name = fitted(shown(bar.name), left - _GAP)
                canvas.text(left - _GAP, middle + 4, name, "end")
            length = max(bar.value / most * room, _LEAST if bar.value else 0)
            tip = f"{shown(bar.name)}: {bar.label}"
            canvas.rect(left, middle - _BAR / 2, length, _BAR, bar.colour, tip=tip)
            canvas.text(left + length + 7, middle + 4, bar.label, fill=SOFT)
        if not is_narrow:
            canvas.path(f"M{left:.1f} 0V{canvas.height:.1f}", FAINT)
        return canvas.svg(self.title, self._description(), identity)

    def _description(self) -> str:
        told = "; ".join(f"{shown(bar.name)}: {bar.label}" for bar in self.bars[:8])
        more = len(self.bars) - 8
        return f"Bars. {told}{f'; and {more} more' if more > 0 else ''}."
