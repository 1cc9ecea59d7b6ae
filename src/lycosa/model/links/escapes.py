"""Escapes that a URL does not need: letters, digits, `-`, `.`, `_`, `~` (RFC 3986, 6.2.2.2)."""

from __future__ import annotations

import re

UNRESERVED = re.compile(r"%(?:2[DE]|3[0-9]|[46][1-9A-F]|[57][0-9A]|5F|7E)")
"""In keys, whose escapes are written in capitals."""


def is_spelled_otherwise(key: str) -> bool:
    """Tell whether a key has such an escape."""
    return UNRESERVED.search(key) is not None
