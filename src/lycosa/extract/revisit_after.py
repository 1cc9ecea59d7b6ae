"""Reads the wish of a page about its next visit: `<meta name="revisit-after" content="7 days">`.

No standard has it. It is written as a number with a unit; a number alone means days. Pages that
say nothing cost one search in their beginning, and only crawls that revisit ask.
"""

from __future__ import annotations

import re

LONGEST_SECONDS = 366 * 86_400.0
"""Longest wish that counts: after a year authors have often forgotten theirs."""
_FIRST_BYTES = 65_536
_MARK = re.compile(rb"(?i)revisit-after")
_META = re.compile(rb"""(?i)<meta\s[^<>]{0,1000}?=\s*["']?\s*revisit-after\b[^<>]{0,1000}""")
_CONTENT = re.compile(
    rb"""(?i)\bcontent\s*=\s*["']?\s*(\d{1,5})\s*(hour|day|week|month|year)?s?\b"""
)
_UNITS = {
    b"hour": 3600.0,
    b"day": 86_400.0,
    b"week": 7 * 86_400.0,
    b"month": 30 * 86_400.0,
    b"year": 365 * 86_400.0,
}


def revisit_after_seconds(body: bytes) -> float:
    """Return after how long a page asks to be visited again; 0.0 if it does not say."""
    first = body[:_FIRST_BYTES]
    if _MARK.search(first) is None:
        return 0.0
    tag = _META.search(first)
    found = _CONTENT.search(tag[0]) if tag is not None else None
    if found is None:
        return 0.0
    seconds = int(found[1]) * _UNITS[(found[2] or b"day").lower()]
    return min(seconds, LONGEST_SECONDS)
