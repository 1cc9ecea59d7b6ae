"""Formats sizes, durations and counts for people: `1.2 MB`, `3 h 10 min`, `2,000 links`."""

from __future__ import annotations


def size_text(size_bytes: float) -> str:
    """Write a number of bytes: `812 B`, `1.2 MB`."""
    if size_bytes < 1000:
        return f"{size_bytes:.0f} B"
    units = iter(("kB", "MB", "GB", "TB", "PB"))
    unit = next(units)
    size_bytes /= 1000
    while size_bytes >= 999.95 and (larger := next(units, "")):
        size_bytes, unit = size_bytes / 1000, larger
    return f"{size_bytes:.1f} {unit}"


def duration_text(seconds: float) -> str:
    """Write a number of seconds in at most two units: `42 s`, `3 h 10 min`, `2 days 4 h`."""
    if seconds < 9.95:
        return f"{seconds:.1f} s".replace(".0 s", " s")
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{rest} s"
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(round(seconds / 60), 60)
    if hours < 48:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(round(seconds / 3600), 24)
    return f"{days} days {hours} h" if hours else f"{days} days"


def counted(count: int, one: str, many: str = "") -> str:
    """Write a number of things: `1 link`, `2,000 links`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
