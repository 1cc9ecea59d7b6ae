"""Saves a partition's state at one sequence, to shorten the replay of a resume.

Partitions are saved one at a time, in turn, so that no resume has a long replay and no moment has a
long write. A snapshot is written under a temporary name, synced and renamed; only then the previous
one is removed. A damaged snapshot is ignored and the state is folded from the archive and the log
instead, which is slower and never wrong.
"""

from __future__ import annotations

import contextlib
import os
import struct
import zlib
from pathlib import Path
from typing import Protocol

import zstandard

from lycosa._support import beneath
from lycosa._support.failpoints import reach
from lycosa.errors import FormatError

VERSION = 1
_MAGIC = b"LYCOSA-SNAP"
_HEADER = struct.Struct("<11sBQII")


class Snapshots(Protocol):
    """Keeps the newest snapshot of every partition."""

    def write(self, partition: int, sequence: int, state: bytes) -> int:
        """Store a snapshot durably; return its size in bytes."""

    def newest(self, partition: int) -> tuple[int, bytes] | None:
        """Return the newest whole snapshot as (sequence, state)."""


class MemorySnapshots:
    """Snapshots of a simulation."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[int, bytes]] = {}

    def write(self, partition: int, sequence: int, state: bytes) -> int:
        """Store a snapshot."""
        reach("snapshot.before-rename")
        self._kept[partition] = (sequence, state)
        reach("snapshot.renamed")
        return len(state)

    def newest(self, partition: int) -> tuple[int, bytes] | None:
        """Return the snapshot."""
        return self._kept.get(partition)


class SnapshotFolder:
    """Snapshots as files `PPPP-SEQUENCE.snapshot`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def write(self, partition: int, sequence: int, state: bytes) -> int:
        """Write, sync, rename, and remove older snapshots."""
        packed = zstandard.compress(state, 3)
        checksum = _checksum(packed, partition, sequence)
        header = _HEADER.pack(_MAGIC, VERSION, sequence, len(packed), checksum)
        temporary = self._folder / f"{partition:04d}.writing"
        with beneath.open_new(temporary, "wb") as file:
            file.write(header + packed)
            file.flush()
            os.fsync(file.fileno())
        reach("snapshot.before-rename")
        final = self._folder / f"{partition:04d}-{sequence:012d}.snapshot"
        older = [path for path in self._of(partition) if path != final]
        temporary.rename(final)
        reach("snapshot.renamed")
        for path in older:
            path.unlink(missing_ok=True)
        return len(header) + len(packed)

    def newest(self, partition: int) -> tuple[int, bytes] | None:
        """Return the newest snapshot that is whole."""
        for path in self._of(partition):
            found = read_snapshot(path)
            if found is not None:
                return found
        return None

    def sequences(self) -> list[tuple[int, int]]:
        """Return partition and sequence of every snapshot, by the names of their files."""
        names = (path.stem.split("-") for path in self._folder.glob("*-*.snapshot"))
        return [(int(pair[0]), int(pair[1])) for pair in names if all(map(str.isdigit, pair))]

    def _of(self, partition: int) -> list[Path]:
        # `glob` and `iterdir` make a path for each file and partition: 8 ms of a resume.
        beginning = f"{partition:04d}-"
        names = [name for name in os.listdir(self._folder) if name.startswith(beginning)]  # noqa: PTH208
        names = [name for name in names if name.endswith(".snapshot")]
        return [self._folder / name for name in sorted(names, reverse=True)]


def _checksum(packed: bytes, partition: int, sequence: int) -> int:
    """Return the CRC of a snapshot; it differs for another partition's file under this name."""
    return zlib.crc32(packed, zlib.crc32(b"%d %d" % (partition, sequence)))


def read_snapshot(path: Path) -> tuple[int, bytes] | None:
    """Return a snapshot as (sequence, state); None if it is not whole, or belongs to another
    partition.

    In files of older versions the checksum does not cover their names.
    """
    partition, _, named = path.stem.partition("-")
    with contextlib.suppress(OSError, zstandard.ZstdError):
        data = beneath.read_bytes(path)
        if len(data) < _HEADER.size:
            return None
        magic, version, sequence, length, checksum = _HEADER.unpack_from(data)
        packed = data[_HEADER.size :]
        if magic != _MAGIC or len(packed) != length or sequence != int(named):
            return None
        if checksum not in (_checksum(packed, int(partition), sequence), zlib.crc32(packed)):
            return None
        if version > VERSION:
            raise FormatError(
                f"{path}: has snapshot format {version}; this Lycosa reads up to {VERSION}\n"
                "  resume with a newer release, or delete the file to fold the log instead"
            )
        return sequence, zstandard.decompress(packed)
    return None
