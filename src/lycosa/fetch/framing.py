"""The head of an answer taken apart: what it says, and where its body ends (RFC 9112, 6.3).

Pure: the bytes of a head in, a `Head` out. `ChunkReader` finds the end of a chunked body piece by
piece, without taking the chunks off: the archive keeps them (`coding.chunks` gives the content).

A server may end lines with a bare line feed, and fold a header over several lines. A header
without a colon, a NUL, two lengths that differ: that is no HTTP, and `BadHead` says so. Which of
two readings a server meant is not ours to guess.

Cost: most lines of a head are those of the last one, and what a line means is remembered; so a
head costs a look-up a line. Time is linear in the bytes.
"""

from __future__ import annotations

import enum
import re
from functools import lru_cache
from typing import NamedTuple

from lycosa.coding.chunks import chunk_size

UNTIL_CLOSE = -1
CHUNKED = -2

Headers = tuple[tuple[str, str], ...]

_HEAD_END = re.compile(rb"\n\r?\n")
_FOLD = re.compile(rb"\r?\n[ \t]+")
_STATUS_LINE = re.compile(rb"HTTP/(\d(?:\.\d)?)[ \t]+(\d{3})(?!\d)")
_MAGIC = b"HTTP/"
_LONGEST_SIZE_LINE = 16_384
_LONGEST_REMEMBERED = 4_096
_BODILESS = frozenset({204, 205, 304})


class BadHead(Exception):
    """What came is no HTTP."""


_ENDS = frozenset({"content-length", "transfer-encoding", "connection", "content-encoding"})
"""Headers that have to do with the end of their answer."""


class Head(NamedTuple):
    """The head of an answer."""

    sent: bytes
    status: int
    headers: Headers
    """In their order, in Latin-1."""
    length: int
    """Of the body in bytes, or `UNTIL_CLOSE` or `CHUNKED`."""
    is_lasting: bool
    """The connection can carry another request when the body has ended."""
    is_coded: bool
    """The body is not simply the content."""
    by_name: dict[str, str]
    """The first header of each name, which is in lower case."""


def may_be_http(start: bytes) -> bool:
    """Return whether these first bytes can begin an answer."""
    return start.startswith(_MAGIC) or _MAGIC.startswith(start)


def head_end(data: bytes) -> int:
    """Return where the first head in `data` ends, behind its empty line, or 0."""
    found = _HEAD_END.search(data)
    return found.end() if found is not None else 0


def read_head(sent: bytes) -> Head:
    """Take a head apart, from its status line to its empty line; raises `BadHead`."""
    lines = sent.split(b"\n")
    if b"\n " in sent or b"\n\t" in sent:
        first, _, rest = sent.partition(b"\n")
        lines = [first, *_FOLD.sub(b" ", b"\n" + rest)[1:].split(b"\n")]
    version, status = _status(lines[0])
    read = _line if len(sent) <= _LONGEST_REMEMBERED else _read_line
    headers: list[tuple[str, str]] = []
    by_name: dict[str, str] = {}
    ends: dict[str, list[str]] = {}
    for line in lines[1:-2]:
        header, name = read(line)
        headers.append(header)
        if name in _ENDS:
            ends.setdefault(name, []).append(header[1])
        by_name.setdefault(name, header[1])
    length = UNTIL_CLOSE
    if "transfer-encoding" in ends:
        last = ",".join(ends["transfer-encoding"]).rpartition(",")[2].strip().lower()
        length = CHUNKED if last == "chunked" else UNTIL_CLOSE
    elif "content-length" in ends:
        length = _length(ends["content-length"])
    if status < 200 or status in _BODILESS:
        length = 0
    is_lasting = length != UNTIL_CLOSE and _lasts(version, ends)
    is_coded = "transfer-encoding" in ends or "content-encoding" in ends
    return Head(sent, status, tuple(headers), length, is_lasting, is_coded, by_name)


@lru_cache(maxsize=256)
def _status(line: bytes) -> tuple[bytes, int]:
    found = _STATUS_LINE.match(line)
    if found is None or b"\0" in line:
        raise BadHead
    return found[1], int(found[2])


def _read_line(line: bytes) -> tuple[tuple[str, str], str]:
    """Return a header, and its name in lower case."""
    name, colon, value = line.decode("latin-1").partition(":")
    if not colon or "\0" in value or "\0" in name:
        raise BadHead
    name = name.strip()
    return (name, value.strip()), name.lower()


_line = lru_cache(maxsize=4_096)(_read_line)


def _lasts(version: bytes, ends: dict[str, list[str]]) -> bool:
    """Return whether a connection lasts beyond this answer."""
    if "transfer-encoding" in ends and "content-length" in ends:
        return False  # who says both is not to be trusted with another request
    wishes = ",".join(ends.get("connection", ())).lower()
    return "close" not in wishes if version == b"1.1" else "keep-alive" in wishes


def _length(values: list[str]) -> int:
    one = values[0]
    told: set[str] = set()
    if len(values) > 1 or "," in one:
        told = {part.strip() for value in values for part in value.split(",")}
        one = told.pop()
    if told or not (one.isascii() and one.isdigit()) or len(one) > 18:
        raise BadHead
    return int(one)


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
