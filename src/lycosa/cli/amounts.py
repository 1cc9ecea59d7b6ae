"""Sizes and times as people write them, in both directions.

    10MB  1.5GiB  800k        bytes: k, M, G, T are thousands, Ki, Mi, Gi, Ti are 1024s
    30s  2h  1h30m  1.5d      seconds: ms, s, m or min, h, d, w; a bare number is seconds

Always true: what `size_text` and `duration_text` write can be read back, and means the
same but for the digits that were rounded away.
"""

from __future__ import annotations

import re
from decimal import Decimal

import click

from lycosa.amounts import counted, duration_text, size_text

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
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+")
_SIZE = re.compile(rf"({_NUMBER.pattern})\s*([kmgtp]?)(i?)(?:b|bytes?)?(?:/s)?", re.IGNORECASE)
_SECONDS = {
    "ms": Decimal("0.001"),
    "s": Decimal(1),
    "sec": Decimal(1),
    "m": Decimal(60),
    "min": Decimal(60),
    "h": Decimal(3600),
    "d": Decimal(86_400),
    "day": Decimal(86_400),
    "days": Decimal(86_400),
    "w": Decimal(604_800),
}
_PIECE = re.compile(rf"({_NUMBER.pattern})\s*([a-z]+)\s*", re.IGNORECASE)


def parse_size(text: str) -> int:
    """Return a number of bytes; a ValueError says how to write one."""
    match = _SIZE.fullmatch(text.strip())
    if match is None or (match[3] and not match[2]):
        raise ValueError(f"{text!r} is not a size; write for example 800k, 10MB or 1.5GiB")
    factor = 1024 if match[3] else 1000
    return int(Decimal(match[1]) * factor ** _PREFIXES[match[2].lower()])


def parse_seconds(text: str) -> float:
    """Return a number of seconds; a ValueError says how to write one."""
    stripped = text.strip()
    if _NUMBER.fullmatch(stripped):
        return float(stripped)
    total, at = Decimal(0), 0
    while match := _PIECE.match(stripped, at):
        if (unit := _SECONDS.get(match[2].lower())) is None:
            break
        total += Decimal(match[1]) * unit
        at = match.end()
    if not stripped or at != len(stripped):
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
