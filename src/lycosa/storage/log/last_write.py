"""The last write of a crawl directory that the server of its log has acknowledged.

A server may be restored from an older copy, or lose acknowledged writes. Its log then continues
from an earlier moment, and pages that were fetched since would be fetched and kept again. All
writes to a log on a server have one order, and a copy holds the writes up to some moment. So it is
enough to remember the last acknowledged write: if the log has that batch, it has all earlier writes
of this directory, too. If the log ends before that batch, or has another batch in its place, it has
gone back.

The write is remembered in a mapped file: a commit makes no system call for it. The kernel has the
bytes, so they survive the death of the process. A power cut may leave an older write, which was
acknowledged as well. The file has two slots, each with a checksum, which are written in turn: a
process that is killed while it writes leaves the other slot whole.
"""

from __future__ import annotations

import mmap
import os
import struct
import zlib
from hashlib import blake2b
from pathlib import Path

from lycosa._support import beneath
from lycosa._support.tuples import NamedTuple
from lycosa.errors import LogGoneBack

RESTORED = (
    "stop the crawl on all machines. Restore a newer copy; or go on with this one, which fetches"
    " again what it lacks: lycosa cluster restored LOG, then lycosa resume DIR everywhere"
)
_SLOT = struct.Struct("<QQQQ16s")
_CHECKSUM = struct.Struct("<I")
_SLOT_BYTES = 64


class Acknowledged(NamedTuple):
    """A batch that the server has acknowledged."""

    partition: int
    sequence: int
    digest: bytes
    """Of its events."""
    number: int = 0
    """Number of its last message in the stream; 0 if the server has none."""

    def refuse_gone_back(self, place: str, head: int, batch: bytes | None) -> None:
        """Raise `LogGoneBack` unless the log reaches this batch and has its content.

        `batch` is what the log has in its place; None if that is not known.
        """
        if head < self.sequence:
            told = f"it ends at {head:,}"
        elif batch is not None and digest_of(batch) != self.digest:
            told = "another one is in its place"
        else:
            return
        raise gone_back(
            place,
            f"batch {self.sequence:,} of partition {self.partition} was acknowledged to this"
            f" directory, and {told}",
        )


def digest_of(events: bytes) -> bytes:
    """Return the digest by which a batch is recognised."""
    return blake2b(events, digest_size=16).digest()


def gone_back(place: str, what: str) -> LogGoneBack:
    """Return the error for a log that lacks acknowledged writes."""
    return LogGoneBack(
        f"{place}: the log has gone back, as when its server was restored from an older copy:"
        f" {what}\n"
        f"  {RESTORED}"
    )


class LastWrite:
    """The last acknowledged write of a directory, in a file that need not exist yet."""

    def __init__(self, path: Path, *, is_compared: bool = True) -> None:
        """Read the file; without `is_compared` a log that has gone back is opened all the same."""
        self._path = path
        self._map: mmap.mmap | None = None
        self._count, self._found = _newest(path)
        self._is_compared = is_compared

    @property
    def wanted(self) -> Acknowledged | None:
        """The batch that the log must have; None if none is known."""
        return self._found if self._is_compared else None

    def note(self, partition: int, sequence: int, events: bytes, number: int = 0) -> None:
        """Remember a write that was acknowledged after all others."""
        if self._map is None:
            self._map = _mapped(self._path)
        self._count += 1
        self._found = Acknowledged(partition, sequence, digest_of(events), number)
        self._is_compared = True
        slot = _SLOT.pack(self._count, partition, sequence, number, self._found.digest)
        first = self._count % 2 * _SLOT_BYTES
        content = slot + _CHECKSUM.pack(zlib.crc32(slot))
        self._map[first : first + len(content)] = content

    def close(self) -> None:
        """Close the file."""
        if self._map is not None:
            self._map.close()
            self._map = None


def _newest(path: Path) -> tuple[int, Acknowledged | None]:
    """Return the count and content of the slot that was written last."""
    try:
        file = beneath.descriptor(path, os.O_RDONLY)
    except FileNotFoundError:
        return 0, None
    try:
        content = os.read(file, 2 * _SLOT_BYTES)  # no more, whatever a directory of others has
    finally:
        os.close(file)
    newest: tuple[int, Acknowledged | None] = (0, None)
    for first in (0, _SLOT_BYTES):
        slot = content[first : first + _SLOT.size]
        checksum = content[first + _SLOT.size : first + _SLOT.size + _CHECKSUM.size]
        if len(slot) < _SLOT.size or checksum != _CHECKSUM.pack(zlib.crc32(slot)):
            continue
        count, partition, sequence, number, digest = _SLOT.unpack(slot)
        newest = max(newest, (count, Acknowledged(partition, sequence, digest, number)))
    return newest


def _mapped(path: Path) -> mmap.mmap:
    path.parent.mkdir(parents=True, exist_ok=True)
    file = beneath.descriptor(path, os.O_RDWR | os.O_CREAT)
    try:
        if os.fstat(file).st_size < 2 * _SLOT_BYTES:
            os.posix_fallocate(file, 0, 2 * _SLOT_BYTES)
        return mmap.mmap(file, 2 * _SLOT_BYTES)
    finally:
        os.close(file)
