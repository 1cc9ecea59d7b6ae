"""Formats numbers for people, and makes text from the web fit to be shown.

Text from the web may be ten thousand characters long, reverse the direction of writing, or consist
of invisible characters. `lycosa._support.safe_text` makes these visible, and `shortened` leaves
out the middle. Neither escapes HTML: that is done where HTML is written.
"""

from __future__ import annotations

from math import floor, log10
from typing import Any

from lycosa._support.amounts import size_text
from lycosa._support.safe_text import visible

NO_BREAK = "\N{NO-BREAK SPACE}"

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_LONGEST = 120


def shortened(text: str, most: int = _LONGEST) -> str:
    """Leave out the middle of a text that is too long; both ends are the most telling."""
    if len(text) <= most:
        return text
    behind = max((most - 1) // 3, 0)
    return f"{text[: most - 1 - behind]}…{text[len(text) - behind :]}"


def shown(text: str, most: int = _LONGEST) -> str:
    """Make text from the web fit to be read: bounded, and without invisible characters."""
    # Cut first, so that a megabyte is not searched for text that will be left out anyway.
    return shortened(visible(shortened(text, 2 * most)), most)


def count(number: float) -> str:
    """Write a whole number: `12,345`."""
    return f"{number:,.0f}"


def share(part: float, whole: float, *, is_aligned: bool = False) -> str:
    """Write a part of a whole: `86.8 %`. Only all is 100 %, and only nothing is 0 %.

    In columns all have a digit behind the point, which `is_aligned` is for.
    """
    if not whole or not part:
        return f"0{NO_BREAK}%"
    percent = 100 * part / whole
    if percent < 0.1:
        return f"<0.1{NO_BREAK}%"
    if part < whole and percent > 99.9:
        return f">99.9{NO_BREAK}%"
    text = f"{percent:.1f}"
    if not is_aligned or part == whole:
        text = text.removesuffix(".0")
    return f"{text}{NO_BREAK}%"


def number(value: float) -> str:
    """Write a number with three significant digits: `2.24`, `31.4`, `12,345`, `3.1 × 10⁻⁵`."""
    size = abs(value)
    if size and size < 1e-3:
        power = floor(log10(size))
        return f"{value / 10.0**power:.1f}{NO_BREAK}×{NO_BREAK}{power_of_ten(power)}"
    for least, digits in ((99.95, 0), (9.995, 1), (0.9995, 2)):
        if size >= least:
            return f"{value:,.{digits}f}"
    return f"{value:.3f}" if value else "0"


def power_of_ten(power: int) -> str:
    """Write a power of ten: `10⁻⁵`."""
    return f"10{str(power).translate(_SUPERSCRIPTS)}"


def seconds(value: float, *, is_aligned: bool = False) -> str:
    """Write a pause to the millisecond, or as coarse as it is long: `0.301 s`, `15.2 s`."""
    digits = 3 if value < 10 else 1 if value < 1000 else 0
    text = f"{value:,.{digits}f}"
    if is_aligned:
        return f"{text}{NO_BREAK}s"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text}{NO_BREAK}s"


def cell(value: Any, kind: str, *, is_aligned: bool = False) -> str:
    """Write a value as its kind of column has it (`section.Kind`)."""
    match kind:
        case "count":
            return count(value)
        case "share":
            return share(value, 1, is_aligned=is_aligned)
        case "size":
            return size_text(value)
        case "number":
            return number(value)
        case "seconds":
            return seconds(value, is_aligned=is_aligned)
    return str(value)


def listed(words: list[str]) -> str:
    """Join words as in a sentence: `a, b and c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"
