"""Where does an answer end? (RFC 9112, 6.3)

Pure: the head of an answer in, a `Frame` out: how the end of its body is told, and whether the
connection can be used again after it. `ChunkReader` finds the end of a chunked body piece by
piece, without taking the chunks off: the archive keeps them (`coding.chunks` gives the content).

A server may end lines with a bare line feed, and fold a header over several lines. A header
without a colon, a NUL, two lengths that differ: that is no HTTP, and `BadHead` says so. Which of
two readings a server meant is not ours to guess.

Cost: a few searches in the head, made lower-case once; time linear in the bytes.
"""

from __future__ import annotations

import enum
import re
from typing import NamedTuple

from lycosa.coding.chunks import chunk_size

UNTIL_CLOSE = -1
CHUNKED = -2

_HEAD_END = re.compile(rb"\n\r?\n")
_STATUS_LINE = re.compile(rb"HTTP/(\d)(?:\.(\d))? ?[ \t]*(\d{3})(?!\d)")
_MAGIC = b"HTTP/"
_LENGTH = b"\ncontent-length:"
_CODING = b"\ntransfer-encoding:"
_CONNECTION = b"\nconnection:"
_LONGEST_SIZE_LINE = 16_384
_BODILESS = frozenset({204, 205, 304})


class BadHead(Exception):
    """What came is no HTTP."""


class Frame(NamedTuple):
    """How an answer's body ends."""

    status: int
    length: int
    """Of the body in bytes, or `UNTIL_CLOSE` or `CHUNKED`."""
    is_lasting: bool
    """The connection can carry another request when the body has ended."""


def may_be_http(start: bytes) -> bool:
    """Return whether these first bytes can begin an answer."""
    return start.startswith(_MAGIC) or _MAGIC.startswith(start)


def head_end(data: bytes) -> int:
    """Return where the first head in `data` ends, behind its empty line, or 0."""
    found = _HEAD_END.search(data)
    return found.end() if found is not None else 0


def lines_of(head: bytes) -> list[bytes]:
    """Return the lines of a head with their ends; a folded line belongs to the one before."""
    lines = [line + b"\n" for line in head.split(b"\n")[:-1]]
    if b"\n " in head or b"\n\t" in head:
        folded = [lines[0]]
        for line in lines[1:]:
            if line[:1] in b" \t" and len(folded) > 1:
                folded[-1] += line
            else:
                folded.append(line)
        return folded
    return lines


def frame_of(head: bytes, lines: list[bytes]) -> Frame:
    """Return how the answer with this head ends; raises `BadHead`."""
    found = _STATUS_LINE.match(head)
    if found is None or b"\0" in head:
        raise BadHead
    for line in lines[1:-1]:
        if b":" not in line:
            raise BadHead
    version, status = found[1] + (found[2] or b"0"), int(found[3])
    low = head.lower()
    is_lasting = version == b"11"
    if _CONNECTION in low:
        wishes = b",".join(_values(low, _CONNECTION))
        is_lasting = b"close" not in wishes if is_lasting else b"keep-alive" in wishes
    if _CODING in low:
        length = _coded_length(low)
        # Both a coding and a length: the sender is not to be trusted with another request.
        is_lasting = is_lasting and _LENGTH not in low
    elif _LENGTH in low:
        length = _length(_values(low, _LENGTH))
    else:
        length = UNTIL_CLOSE
    if status < 200 or status in _BODILESS:
        length = 0
    return Frame(status, length, is_lasting and length != UNTIL_CLOSE)


def _values(low: bytes, name: bytes) -> list[bytes]:
    values, at = [], low.find(name)
    while at >= 0:
        begin = at + len(name)
        values.append(low[begin : low.find(b"\n", begin)].strip())
        at = low.find(name, begin)
    return values


def _length(values: list[bytes]) -> int:
    told = {part.strip() for value in values for part in value.split(b",")}
    one = told.pop()
    if told or not one.isdigit() or len(one) > 18:
        raise BadHead
    return int(one)


def _coded_length(low: bytes) -> int:
    last = b",".join(_values(low, _CODING)).rpartition(b",")[2].strip()
    return CHUNKED if last == b"chunked" else UNTIL_CLOSE


class ChunkReader:
    """Follows the chunks of one body to their end."""

    __slots__ = ("_expects", "_left", "_line")

    def __init__(self) -> None:
        self._expects = _Line.SIZE
        self._left = 0
        """Bytes of the present chunk that are still to come."""
        self._line = b""

    def take(self, data: bytes) -> int | None:
        """Take the next piece; returns how much of it belongs to the body if that ends here.

        A size that is none ends the body too: nothing that follows can be understood. What is
        wrong with the chunks is told by `coding.chunks` when they are taken off.
        """
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
                return end if len(self._line) > _LONGEST_SIZE_LINE else None
            line, self._line = self._line + data[at:stop], b""
            at = stop + 1
            if not self._read(line):
                return at if self._expects is _Line.TRAILER else end
        return None

    def _read(self, line: bytes) -> bool:
        """Read one line between the chunks; False where the body has ended."""
        if self._expects is _Line.TRAILER:
            return bool(line.strip(b"\r"))
        if self._expects is _Line.END_OF_CHUNK:
            self._expects = _Line.SIZE
            return not line.strip(b"\r")
        size = chunk_size(line)
        if size is None:
            return False
        self._left = size
        self._expects = _Line.END_OF_CHUNK if size else _Line.TRAILER
        return True


class _Line(enum.Enum):
    """What the next line of a chunked body is."""

    SIZE = 1
    END_OF_CHUNK = 2
    TRAILER = 3
