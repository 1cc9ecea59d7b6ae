"""Parses `Retry-After`: how long a server wants to be left alone (RFC 9110, 10.2.3).

The value is a number of seconds or a date. Dates have three forms (RFC 9110, 5.6.7),
all of them in GMT whatever they say. Servers also send fractions, empty values and prose; an
unreadable value counts as not sent, and the job's back-off applies instead.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

_SECONDS = r"(?a)\d+(?:\.\d*)?"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATES = (
    # Sun, 06 Nov 1994 08:49:37 GMT, and Sunday, 06-Nov-94 08:49:37 GMT
    (
        r"[a-z]+,?\s+(?P<day>\d{1,2})[\s-](?P<month>[a-z]{3})[\s-](?P<year>\d{4}|\d\d)"
        r"\s+(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?:\s+(?:gmt|utc|\+0000))?"
    ),
    # Sun Nov  6 08:49:37 1994
    (
        r"[a-z]+\s+(?P<month>[a-z]{3})\s+(?P<day>\d{1,2})"
        r"\s+(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)\s+(?P<year>\d{4})"
    ),
)
LONGEST_VALUE = 100
"""No real value is longer; nothing beyond is worth reading."""


def retry_after_seconds(value: str | None, now: float) -> float | None:
    """Return the seconds to wait from `now` on, or None when the value says nothing.

    A date in the past says nothing: either the server's clock is wrong or ours is.
    """
    if value is None or len(value) > LONGEST_VALUE:
        return None
    text = value.strip().lower()
    if re.fullmatch(_SECONDS, text):
        return float(text)
    if text.startswith("-") and re.fullmatch(_SECONDS, text[1:]):
        return 0.0
    moment = _read_date(text, now)
    return None if moment is None or moment < now else moment - now


def _read_date(text: str, now: float) -> float | None:
    for pattern in _DATES:
        if (match := re.fullmatch(pattern, text, re.ASCII)) and match["month"] in _MONTHS:
            month = _MONTHS.index(match["month"]) + 1
            day, hour, minute = (int(match[part]) for part in ("day", "hour", "minute"))
            # A leap second is the last one that datetime knows.
            second = min(int(match["second"]), 59)
            try:
                year = _whole_year(match["year"], now)
                return datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp()
            except (ValueError, OverflowError):
                return None
    return None


def _whole_year(digits: str, now: float) -> int:
    """Complete a year of two digits: never more than 50 years ahead (RFC 9110, 5.6.7)."""
    if len(digits) == 4:
        return int(digits)
    this_year = datetime.fromtimestamp(now, UTC).year
    year = this_year - this_year % 100 + int(digits)
    return year - 100 if year > this_year + 50 else year
