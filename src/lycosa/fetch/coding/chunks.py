"""Removes the chunked transfer coding from a body (RFC 9112, 7.1).

The archive keeps the body as it was sent; this module gives its content. `_chunks` does the work,
and follows the chunks of an answer while they arrive.
"""

from __future__ import annotations

import enum

from lycosa._support.tuples import NamedTuple
from lycosa.fetch.coding._chunks import taken_off


class Framing(enum.Enum):
    """How a chunked body ended."""

    WHOLE = "whole"
    CUT = "cut"
    """It ended before its last chunk."""
    BAD = "bad"
    """Something else stood where a chunk should begin."""


_FRAMINGS = tuple(Framing)


class Dechunked(NamedTuple):
    """The content of a chunked body, as far as it could be read."""

    content: bytes
    framing: Framing


def dechunk(sent: bytes) -> Dechunked:
    """Take the chunks out of a body; never raises."""
    content, how = taken_off(sent)
    return Dechunked(content, _FRAMINGS[how])
