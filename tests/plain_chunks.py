"""Chunked bodies in plain Python: tests compare `lycosa.fetch.coding._chunks` with it."""

from __future__ import annotations

import enum

from lycosa.fetch.coding.chunks import Dechunked, Framing

_LONGEST_SIZE_LINE = 16_384
_HEXADECIMAL = frozenset(b"0123456789abcdefABCDEF")
_BLANK = (b"", b"\r")
"""An empty line without its line feed."""


class _Line(enum.Enum):
    """The meaning of the next line of a chunked body."""

    SIZE = 1
    END_OF_CHUNK = 2
    TRAILER = 3


class ChunkReader:
    """Follows the chunks of one body to their end."""

    def __init__(self) -> None:
        self._expects = _Line.SIZE
        self._left = 0
        """Bytes of the present chunk that are still to come."""
        self._line = b""
        self.is_broken = False

    def take(self, data: bytes) -> int | None:
        """Take the next piece; returns how much of it belongs to the body if that ends here."""
        at, end = 0, len(data)
        while at < end:
            if self._left:
                step = min(self._left, end - at)
                self._left -= step
                at += step
                continue
            stop = data.find(b"\n", at)
            if stop < 0:
                self._line += data[at:]
                self.is_broken = len(self._line) > _LONGEST_SIZE_LINE
                return end if self.is_broken else None
            line, self._line = self._line + data[at:stop], b""
            at = stop + 1
            if not self._read(line):
                self.is_broken = self._expects is not _Line.TRAILER
                return end if self.is_broken else at
        return None

    def _read(self, line: bytes) -> bool:
        """Read one line between the chunks; False where the body has ended."""
        if self._expects is _Line.TRAILER:
            return line not in _BLANK
        if self._expects is _Line.END_OF_CHUNK:
            self._expects = _Line.SIZE
            return line in _BLANK
        size = chunk_size(line)
        if size is None:
            return False
        self._left = size
        self._expects = _Line.END_OF_CHUNK if size else _Line.TRAILER
        return True


def dechunk(sent: bytes) -> Dechunked:
    """Take the chunks out of a body."""
    pieces: list[bytes] = []
    framing = _read_chunks(sent, pieces)
    return Dechunked(b"".join(pieces), framing)


def _read_chunks(sent: bytes, pieces: list[bytes]) -> Framing:
    at = 0
    while True:
        line_end = sent.find(b"\n", at, at + _LONGEST_SIZE_LINE)
        if line_end < 0:
            is_longer = len(sent) - at >= _LONGEST_SIZE_LINE
            return Framing.BAD if is_longer or not _may_be_size(sent[at:]) else Framing.CUT
        size = chunk_size(sent[at:line_end])
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
