"""Compressed files for the log's batches that a snapshot already covers.

Each partition has one file, which is appended to and never rewritten. It holds frames of `(first
sequence, last sequence, length, crc, zstd(batches))`. Together with the log it is the whole
history. A crawl can therefore be resumed without a snapshot, and `explain` can tell the discovery
of an old URL.

A crash can leave half a frame at the end; the next append cuts it off. A crash between archiving
and deleting from the log archives a range twice; readers skip the repetition.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
import zstandard

from lycosa._support import beneath
from lycosa._support.decoders import msgpack_decoder
from lycosa.errors import FormatError

MAGIC = b"LYCOSA-ARCHIVE-1\n"
FRAME = struct.Struct("<QQII")
FRAME_BATCHES = 256
FRAME_BYTES = 4 << 20
_batches = msgpack_decoder(list[tuple[int, bytes]])


def framed(
    batches: Iterable[tuple[int, bytes]],
) -> Iterator[tuple[list[tuple[int, bytes]], bool]]:
    """Yield batches in groups for one frame each; the last batch comes alone, marked as last.

    A log keeps its last batch, even if everything before it is in the archive.
    """
    group: list[tuple[int, bytes]] = []
    size = 0
    for pair in batches:
        if len(group) > FRAME_BATCHES or size > FRAME_BYTES:
            yield group, False
            group, size = [], 0
        group.append(pair)
        size += len(pair[1])
    if len(group) > 1:
        yield group[:-1], False
    if group:
        yield group[-1:], True


class Archive:
    """The archived batches of all partitions, below one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def append(self, partition: int, batches: Sequence[tuple[int, bytes]]) -> None:
        """Add batches, in order, and make them durable."""
        packed = zstandard.compress(msgspec.msgpack.encode(batches), 3)
        frame = FRAME.pack(batches[0][0], batches[-1][0], len(packed), zlib.crc32(packed))
        path = self._path(partition)
        whole = self._whole_bytes(path)
        with beneath.open_file(path, "r+b" if whole else "wb") as file:
            if not whole:
                file.write(MAGIC)
            else:
                file.seek(whole)
            file.write(frame + packed)
            file.truncate()
            file.flush()
            os.fsync(file.fileno())
        if not whole:
            self._sync_folder()

    def read(self, partition: int, after: int) -> Iterator[tuple[int, bytes]]:
        """Yield archived batches after a sequence, each once, in order."""
        path = self._path(partition)
        if not path.exists():
            return
        with beneath.open_file(path, "rb") as file:
            start = file.read(len(MAGIC))
            if len(start) < len(MAGIC):
                return  # a full disk or a kill came before the first frame
            _check_magic(path, start)
            while header := file.read(FRAME.size):
                if len(header) < FRAME.size:
                    return  # a crash left a part of the last frame, whose batches are in the log
                _, last, length, checksum = FRAME.unpack(header)
                if last <= after:
                    file.seek(length, os.SEEK_CUR)
                    continue
                packed = file.read(length)
                if len(packed) < length:
                    return
                if zlib.crc32(packed) != checksum:
                    raise FormatError(
                        f"{path}: the batches up to sequence {last} are damaged\n"
                        "  keep the readable parts: lycosa verify"
                        f" {self._folder.parent.parent} --repair"
                    )
                for sequence, batch in _batches.decode(zstandard.decompress(packed)):
                    if sequence > after:  # a crash may have archived a range twice
                        after = sequence
                        yield sequence, batch

    def _sync_folder(self) -> None:
        """Make a new file's name as durable as its contents."""
        descriptor = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _path(self, partition: int) -> Path:
        return self._folder / f"{partition:04d}.archive"

    @staticmethod
    def _whole_bytes(path: Path) -> int:
        """Return the length of the file up to its last whole frame."""
        if not path.exists():
            return 0
        with beneath.open_file(path, "rb") as file:
            start = file.read(len(MAGIC))
            if len(start) < len(MAGIC):
                return 0
            _check_magic(path, start)
            end = len(MAGIC)
            for position in _frame_ends(file.fileno(), end):
                end = position
        return end


def _frame_ends(descriptor: int, position: int) -> Iterator[int]:
    """Yield the end of every whole frame."""
    size = os.fstat(descriptor).st_size
    while position + FRAME.size <= size:
        length = FRAME.unpack(os.pread(descriptor, FRAME.size, position))[2]
        position += FRAME.size + length
        if position > size:
            return
        yield position


def _check_magic(path: Path, start: bytes) -> None:
    if start != MAGIC:
        raise FormatError(
            f"{path}: not an archive that this Lycosa can read (it starts with {start[:17]!r})\n"
            "  resume the crawl with the release that wrote it or a newer one"
        )


Batches = Callable[[int], Iterable[tuple[int, bytes]]]
"""Returns the batches after a sequence, in order."""


def read_history(
    after: int, head: int, archived: Batches, stored: Batches
) -> Iterator[tuple[int, bytes]]:
    """Yield the batches after a sequence, at least up to `head`, each once.

    Their owner may move them meanwhile: a batch is copied to the archive before it is removed from
    the log. So a reader that meets a gap reads the archive again. Only a gap that remains is
    damage; then the batches behind it are yielded, and the fold raises.
    """
    while True:
        before = after
        for sequence, batch in archived(after):
            after = sequence
            yield sequence, batch
        for sequence, batch in stored(after):
            if sequence != after + 1:
                break
            after = sequence
            yield sequence, batch
        if after >= head:
            return
        if after == before:
            yield from stored(after)
            return
