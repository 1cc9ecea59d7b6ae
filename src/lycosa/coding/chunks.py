"""Removes the chunked transfer coding from a body (RFC 9112, 7.1).

The archive keeps the body as it was sent; this module gives its content. It skips chunk
extensions and trailers, accepts a bare line feed as a line end, and requires nothing
after the last chunk's size. Anything else is malformed.
"""

from __future__ import annotations

import enum

from lycosa.tuples import NamedTuple

_LONGEST_SIZE_LINE = 16_384
_HEXADECIMAL = frozenset(b"0123456789abcdefABCDEF")

SMALL_SIZES = {b"%x\r" % size: size for size in range(1, 256)}
"""Lines before small chunks, as they are usually written: a body can consist of these."""


class Framing(enum.Enum):
    """How a chunked body ended."""

    WHOLE = "whole"
    CUT = "cut"
    """It ended before its last chunk."""
    BAD = "bad"
    """Something else stood where a chunk should begin."""


class Dechunked(NamedTuple):
    """The content of a chunked body, as far as it could be read."""

    content: bytes
    framing: Framing


def dechunk(sent: bytes) -> Dechunked:
    """Take the chunks out of a body; never raises."""
    pieces: list[bytes] = []
    framing = _read_chunks(sent, pieces)
    return Dechunked(pieces[0] if len(pieces) == 1 else b"".join(pieces), framing)


def _read_chunks(sent: bytes, pieces: list[bytes]) -> Framing:
    at = 0
    while True:
        line_end = sent.find(b"\n", at, at + _LONGEST_SIZE_LINE)
        if line_end < 0:
            is_longer = len(sent) - at >= _LONGEST_SIZE_LINE
            return Framing.BAD if is_longer or not _may_be_size(sent[at:]) else Framing.CUT
        line = sent[at:line_end]
        size = SMALL_SIZES.get(line) or chunk_size(line)
        if size is None:
            return Framing.BAD
        if size == 0:
            return Framing.WHOLE
        begin = line_end + 1
        at = begin + size
        pieces.append(sent[begin:at])
        if at >= len(sent):
            return Framing.CUT
        if sent.startswith(b"\r\n", at):
            at += 2
        elif sent[at] == 10:
            at += 1
        elif sent[at] != 13 or at + 1 < len(sent):
            return Framing.BAD
        else:
            at += 2


def _may_be_size(start: bytes) -> bool:
    digits = start.partition(b";")[0].removesuffix(b"\r").rstrip(b" \t")
    return not digits or (len(digits) <= 16 and _HEXADECIMAL.issuperset(digits))


def chunk_size(line: bytes) -> int | None:
    """Return the size of a chunk, or None if malformed; `int` alone accepts too much."""
    digits = line.removesuffix(b"\r").partition(b";")[0].rstrip(b" \t")
    if not 0 < len(digits) <= 16 or not _HEXADECIMAL.issuperset(digits):
        return None
    return int(digits, 16)
