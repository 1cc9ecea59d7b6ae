"""Round numbers for axes, straight and logarithmic."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, floor, isclose, log10
from typing import NamedTuple

from lycosa.analysis.report.wording import NO_BREAK, count, power_of_ten

_WHOLE_STEPS = (1, 2, 5, 10)
_MOST_DECADES = 6
"""Up to this number, all powers of ten on an axis are named."""


def whole_ticks(most: float, wanted: int = 5) -> list[int]:
    """Return round whole numbers from 0 to the first that is not below `most`."""
    rough = max(most, 1) / wanted
    size = 10 ** max(floor(log10(rough)), 0)
    step = next(size * factor for factor in _WHOLE_STEPS if size * factor >= rough)
    return [step * n for n in range(ceil(max(most, 1) / step) + 1)]


class LogTicks(NamedTuple):
    """An axis of powers of ten."""

    low: float
    high: float
    """The ends of the axis; all values are between them."""
    named: list[float]
    plain: list[float]
    """Positions that have a line but no name."""

    def place(self, value: float) -> float:
        """Return the position of a value, between 0 and 1."""
        return log10(value / self.low) / log10(self.high / self.low)


def log_ticks(low: float, high: float) -> LogTicks:
    """Return an axis for positive values from `low` to `high`.

    Where they are less than two powers of ten apart, 2 and 5 are named too, and the axis ends at
    such numbers; otherwise it ends at powers of ten.
    """
    if log10(high / low) < 2:
        return _short(low, high)
    first, last = _floor(log10(low)), _ceil(log10(high))
    step = max(1, ceil((last - first) / _MOST_DECADES))
    powers = [10.0**power for power in range(first, last + 1)]
    named = [10.0**power for power in range(first, last + 1, step)]
    plain = [power * n for power in powers[:-1] for n in range(2, 10)] if step == 1 else powers
    return LogTicks(powers[0], powers[-1], named, [p for p in plain if p not in named])


def _short(low: float, high: float) -> LogTicks:
    first = _floor(log10(low))
    ladder = [n * 10.0**power for power in range(first, first + 4) for n in (1, 2, 5)]
    below = max(n for n in ladder if n <= low * (1 + 1e-9))
    above = min((n for n in ladder if n >= high * (1 - 1e-9) and n > below), default=ladder[-1])
    named = [n for n in ladder if below <= n <= above]
    plain = [
        n * 10.0**power
        for power in range(first, first + 4)
        for n in (3, 4, 6, 7, 8, 9)
        if below < n * 10.0**power < above
    ]
    return LogTicks(below, above, named, plain)


def _floor(power: float) -> int:
    return round(power) if isclose(power, round(power), abs_tol=1e-9) else floor(power)


def _ceil(power: float) -> int:
    return round(power) if isclose(power, round(power), abs_tol=1e-9) else ceil(power)


Namer = Callable[[float], str]
"""Writes the name of a number on an axis."""


def plain_name(value: float) -> str:
    """Write `1`, `1,000`, `0.1`; beyond that as a power of ten."""
    power = log10(value) if value > 0 else 0.0
    if value and (power >= 5 or power <= -3) and isclose(power, round(power), abs_tol=1e-9):
        return power_of_ten(round(power))
    return count(value) if value >= 10 or value == int(value) else f"{value:g}"


def percent_name(value: float) -> str:
    """Write a share: `100 %`, `0.1 %`; smaller ones as a power of ten."""
    power = log10(value) if value > 0 else 0.0
    if value and power <= -5 and isclose(power, round(power), abs_tol=1e-9):
        return power_of_ten(round(power))
    return f"{100 * value:g}{NO_BREAK}%"
