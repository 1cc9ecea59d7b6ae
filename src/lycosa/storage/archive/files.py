"""Append-only files whose bytes can be read before they are flushed.

Always true of an `Appendable`:
  * bytes stand in the file in the order in which they were appended, at the offset that
    `append` returned;
  * a failed flush can be repeated: the buffer is kept until everything is written, and bytes are
    written at their own offset, not at the end of the file.

`append` and `extend` belong to one thread and `flush` to one thread at a time; any thread may call
`read`.
"""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterable
from pathlib import Path

from xxhash import xxh3_64

from lycosa._support import beneath
from lycosa.errors import StoreError

_MOST_CHUNKS = 512
"""How many chunks are written by one call; the kernel takes 1,024."""
_TEMPORARY = ".tmp"


class Appendable:
    """A new file, open for appending, and the bytes that have not been flushed."""

    def __init__(self, path: Path, *, is_digested: bool = False) -> None:
        self.path = path
        self._is_digested = is_digested
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        self.descriptor = beneath.descriptor(path, flags)
        self.end = 0
        self.flushed = 0
        """How many bytes the operating system has."""
        self.digest = xxh3_64()
        """Of these bytes."""
        self.is_closed = False
        self._unflushed: dict[int, bytes | memoryview] = {}
        self._lock = threading.Lock()

    def append(self, content: bytes | memoryview) -> int:
        """Take bytes into the buffer and return where they will stand."""
        with self._lock:
            offset = self.end
            self._unflushed[offset] = content
            self.end += len(content)
        return offset

    def extend(self, contents: Iterable[bytes]) -> int:
        """Append one after the other, and return where the first will stand."""
        with self._lock:
            begin = end = self.end
            for content in contents:
                self._unflushed[end] = content
                end += len(content)
            self.end = end
        return begin

    def flush(self, is_synced: bool) -> None:
        """Hand everything appended so far to the operating system; perhaps to the disk."""
        with self._lock:
            batch = list(self._unflushed.items())
        if not batch:
            return
        chunks = [chunk for _, chunk in batch]
        try:
            _write_all(self.descriptor, chunks, batch[0][0])
            if is_synced:
                os.fsync(self.descriptor)
        except OSError as error:
            raise write_failure(self.path, sum(map(len, chunks)), error) from error
        for chunk in chunks if self._is_digested else ():
            self.digest.update(chunk)
        self.flushed = batch[0][0] + sum(map(len, chunks))
        with self._lock:
            for offset, _ in batch:
                del self._unflushed[offset]

    def unflushed(self, begin: int) -> list[bytes | memoryview]:
        """Return what was appended from an offset on, and has not been flushed."""
        with self._lock:
            return [chunk for offset, chunk in self._unflushed.items() if offset >= begin]

    def read(self, offset: int, most_bytes: int) -> bytes:
        """Return the bytes at an offset: a whole appended chunk, or `most_bytes` of the file."""
        with self._lock:
            chunk = self._unflushed.get(offset)
            if chunk is not None:
                return bytes(chunk)
            if self.is_closed:
                raise OSError(errno.EBADF, os.strerror(errno.EBADF))
            return os.pread(self.descriptor, most_bytes, offset)

    def close(self) -> None:
        """Close the file; unflushed bytes are lost."""
        with self._lock:
            if not self.is_closed:
                self.is_closed = True
                os.close(self.descriptor)


def _write_all(file: int, chunks: list[bytes | memoryview], offset: int) -> None:
    """Write chunks one after the other, without joining them first."""
    for first in range(0, len(chunks), _MOST_CHUNKS):
        some = chunks[first : first + _MOST_CHUNKS]
        written = os.pwritev(file, some, offset)
        whole = sum(map(len, some))
        if written < whole:
            write_at(file, memoryview(b"".join(some))[written:], offset + written)
        offset += whole


def write_at(file: int, content: memoryview, offset: int) -> None:
    """Write all of the content at a place of a file."""
    while content:
        written = os.pwrite(file, content, offset)
        content, offset = content[written:], offset + written


_PAGE_BYTES = 4096
_KEEP_SIZE_AND_PUNCH_HOLE = 1 | 2
"""FALLOC_FL_KEEP_SIZE and FALLOC_FL_PUNCH_HOLE of fallocate(2)."""


def give_room_back(file: int, content: bytes, offset: int) -> None:
    """Free the blocks of a file that hold nothing but zeros of this content, written at `offset`.

    They read as zeros afterwards, and the length of the file stays. A file system that cannot do
    that keeps the blocks.
    """
    import ctypes  # only a removal needs it

    fallocate = ctypes.CDLL(None, use_errno=True).fallocate
    fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64]
    nothing = bytes(_PAGE_BYTES)
    first = -offset % _PAGE_BYTES
    hole = None
    for at in range(first, len(content) + _PAGE_BYTES, _PAGE_BYTES):
        if content[at : at + _PAGE_BYTES] == nothing:
            hole = at if hole is None else hole
        elif hole is not None:
            if fallocate(file, _KEEP_SIZE_AND_PUNCH_HOLE, offset + hole, at - hole):
                return
            hole = None


def write_failure(path: Path, size_bytes: int, error: OSError) -> StoreError:
    """Return the error that says why a file could not be written, and what to do."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StoreError(
            f"{path}: the disk has no room for {size_bytes:,} more bytes\n"
            "  make room, then go on: committed pages are safe, the others are fetched again"
        )
    return StoreError(
        f"{path}: cannot be written: {error.strerror}\n"
        "  check who owns it, and the disk; then go on: committed pages are safe"
    )


def sync_folder(folder: Path) -> None:
    """Make the names of new files survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def temporary(path: Path) -> Path:
    """Return under which name a file is written until it is complete."""
    return path.with_name(path.name + _TEMPORARY)


def remove_temporary(folder: Path) -> None:
    """Remove what a killed process has left in a folder, files and folders.

    Only for who holds the lock of the folder: the rest may belong to another process.
    """
    import shutil  # seldom is there anything to remove

    for leftover in folder.glob(f"*{_TEMPORARY}"):
        shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink()


def sync_file(path: Path) -> None:
    """Bring what was written to a file to the disk."""
    descriptor = beneath.descriptor(path)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
