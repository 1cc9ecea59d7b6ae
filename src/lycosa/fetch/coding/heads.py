"""Parses the head of an HTTP response: status, headers, and where the body ends (RFC 9112, 6.3).

`cut_head` finds the empty line that ends a head, `read_head` makes a `Head` of it, and `is_plain`
tells whether all parsers would agree where the head ends. All are pure functions.

Servers may end lines with a bare line feed, and fold a header over several lines. A header
without a colon, a NUL, or two different lengths raise `BadHead`: they are not HTTP, and guessing
which of two meanings the server intended would be unsafe.

    head          the record `Head`, and `BadHead`
    _reading      the compiled parser; every page has a head, so its speed counts
    pure_reading  the same parser in Python, for rare heads and as the test oracle of `_reading`
"""

from __future__ import annotations

from lycosa.fetch.coding._reading import cut_head, is_plain, read_head
from lycosa.fetch.coding.head import CHUNKED, UNTIL_CLOSE, BadHead, Head, Headers

__all__ = [
    "CHUNKED",
    "UNTIL_CLOSE",
    "BadHead",
    "Head",
    "Headers",
    "cut_head",
    "is_plain",
    "read_head",
]
