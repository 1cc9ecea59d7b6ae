"""Finds where an answer begins and ends on a connection (RFC 9112, 6.3).

`coding.heads` parses the head. `ChunkReader` finds the end of a chunked body as it arrives,
without removing the chunks: the archive keeps them (`coding.chunks` removes them later).
Time is linear in the bytes.
"""

from __future__ import annotations

import enum
import re

from lycosa.coding.chunks import chunk_size

_MAGIC = b"HTTP/"
_LONGEST_SIZE_LINE = 16_384
_SMALL = (
    rb"(?s)(?:" + b"|".join(rb"%x\r\n.{%d}\r\n" % (size, size) for size in range(1, 16)) + rb")++"
)
"""Chunks of a few bytes, one after the other; compiled by those that meet chunks."""
_BLANK = (b"", b"\r")
"""An empty line without its line feed."""


def may_be_http(start: bytes) -> bool:
    """Return whether these first bytes can begin an answer."""
    return start.startswith(_MAGIC) or _MAGIC.startswith(start)


class ChunkReader:
    """Follows the chunks of one body to their end."""

    __slots__ = ("_expects", "_left", "_line", "is_broken")

    def __init__(self) -> None:
        self._expects = _Line.SIZE
        self._left = 0
        """Bytes of the present chunk that are still to come."""
        self._line = b""
        self.is_broken = False
        """Whether a chunk was malformed, so that the end of the answer cannot be found."""

    def take(self, data: bytes) -> int | None:
        """Take the next piece; returns how much of it belongs to the body if that ends here.

        A malformed size ends the body too, and then the chunks are broken: nothing that follows
        can be understood. `coding.chunks` says what is wrong when it takes the chunks off.
        """
        at, end = 0, len(data)
        while at < end:
            if self._left:
                step = min(self._left, end - at)
                self._left -= step
                at += step
                continue
            # A body of very small chunks would take microseconds a byte in the steps below.
            if (
                self._expects is _Line.SIZE
                and not self._line
                and (run := re.compile(_SMALL).match(data, at))
            ):
                at = run.end()
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


class _Line(enum.Enum):
    """The meaning of the next line of a chunked body."""

    SIZE = 1
    END_OF_CHUNK = 2
    TRAILER = 3
