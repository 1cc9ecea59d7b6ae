"""Parses and formats sizes and durations as people write them.

    10MB  1.5GiB  800k        bytes: k, M, G, T are thousands, Ki, Mi, Gi, Ti are 1024s
    30s  2h  1h30m  1.5d      seconds: ms, s, m or min, h, d, w; a bare number is seconds

Always true: what `size_text` and `duration_text` write can be parsed again, and means the
same except for rounded digits.
"""

from __future__ import annotations

import re

import click

from lycosa._support.amounts import counted, duration_text, size_text

__all__ = [
    "counted",
    "duration_flag",
    "duration_text",
    "parse_seconds",
    "parse_size",
    "size_flag",
    "size_text",
]

_PREFIXES = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_SECONDS = {
    "ms": "0.001",
    "s": "1",
    "sec": "1",
    "m": "60",
    "min": "60",
    "h": "3600",
    "d": "86400",
    "day": "86400",
    "days": "86400",
    "w": "604800",
}
# Compiled when an amount with a unit is read; `re` remembers what it has compiled.
_NUMBER = r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+"
_SIZE = rf"(?i)({_NUMBER})\s*([kmgtp]?)(i?)(?:b|bytes?)?(?:/s)?"
_PIECE = rf"(?i)({_NUMBER})\s*([a-z]+)\s*"


def parse_size(text: str) -> int:
    """Return a number of bytes; a ValueError says how to write one."""
    from decimal import Decimal

    match = re.fullmatch(_SIZE, text.strip())
    if match is None or (match[3] and not match[2]):
        raise ValueError(f"{text!r} is not a size; write for example 800k, 10MB or 1.5GiB")
    factor = 1024 if match[3] else 1000
    return int(Decimal(match[1]) * factor ** _PREFIXES[match[2].lower()])


def parse_seconds(text: str) -> float:
    """Return a number of seconds; a ValueError says how to write one."""
    stripped = text.strip()
    if (stripped.isascii() and stripped.isdecimal()) or re.fullmatch(_NUMBER, stripped):
        return float(stripped)
    from decimal import Decimal  # slow to import, and needed only for amounts with units

    total, rest = Decimal(0), stripped
    while match := re.match(_PIECE, rest):
        if (unit := _SECONDS.get(match[2].lower())) is None:
            break
        total += Decimal(match[1]) * Decimal(unit)
        rest = rest[match.end() :]
    if not stripped or rest:
        raise ValueError(f"{text!r} is not a time; write for example 30s, 1h30m or 2d")
    return float(total)


def size_flag(text: str) -> int:
    """Read the value of a flag in bytes."""
    try:
        return parse_size(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def duration_flag(text: str) -> float:
    """Read the value of a flag in seconds."""
    try:
        return parse_seconds(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
