"""A WACZ file that is nowhere written: its bytes by range, read from the segments in place."""

from __future__ import annotations

import errno
import os
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path
from threading import Lock

from lycosa._support import beneath
from lycosa.errors import StoreError
from lycosa.storage.wacz.layout import Source, pieces_of
from lycosa.storage.wacz.parts import OnBytes, Parts, gather

Content = bytes
"""The type, under a name that the method `bytes` does not hide."""
_MOST_OPEN_FILES = 32
_BLOCK_BYTES = 1 << 20
_NO_COPY = (errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM)
"""Errors of file systems between which the kernel does not copy."""


class VirtualWacz:
    """The archive of a crawl; threads may share it.

    It is that of the moment when it was made: segments that are sealed later are not in it. When a
    file has been rewritten since (a host was forgotten), reading it raises `StoreError`.
    """

    def __init__(
        self,
        folder: Path,
        on_bytes: OnBytes = lambda done, of: None,
        parts: Parts | None = None,
    ) -> None:
        """`parts` are those of a selection; the whole crawl without them."""
        if parts is None:
            parts = gather(folder, on_bytes)
        self.folder = folder
        self.pages = parts.pages
        self.main_page = parts.main_page
        self.digest = parts.digest
        """Of the description, which has the digests of all files: a name of the content."""
        self._pieces = pieces_of(parts.members)
        self._starts = [piece.start for piece in self._pieces]
        self.size = self._pieces[-1].start + self._pieces[-1].size
        self._states = {
            member.source: _state(member.source.stat())
            for member in parts.members
            if isinstance(member.source, Path)
        }
        self._open: dict[Path, int] = {}
        self._lock = Lock()

    def bytes(self, start: int, stop: int) -> Content:
        """Return the bytes from `start` up to `stop`, as far as the archive goes."""
        return b"".join(self._read(*part) for part in self._parts(start, stop))

    def write(self, target: int, start: int, stop: int) -> None:
        """Write the same bytes to the same place of a file; the kernel copies files to it."""
        for source, begin, end in self._parts(start, stop):
            if isinstance(source, Path):
                self._copy(source, begin, end, target, start)
            else:
                _write(target, source[begin:end], start)
            start += end - begin

    def _parts(self, start: int, stop: int) -> Iterator[tuple[Source, int, int]]:
        """Yield sources with begin and end in them."""
        start, stop = max(0, start), min(stop, self.size)
        number = bisect_right(self._starts, start) - 1
        while start < stop:
            piece = self._pieces[number]
            end = min(stop - piece.start, piece.size)
            yield piece.source, start - piece.start, end
            start = piece.start + end
            number += 1

    def close(self) -> None:
        """Close all files."""
        with self._lock:
            for descriptor in self._open.values():
                os.close(descriptor)
            self._open = {}

    def _read(self, source: Source, begin: int, end: int) -> Content:
        if not isinstance(source, Path):
            return source[begin:end]
        with self._lock:
            content = os.pread(self._descriptor(source), end - begin, begin)
        if len(content) != end - begin:
            raise self._changed(source)
        return content

    def _copy(self, path: Path, begin: int, end: int, target: int, start: int) -> None:
        with self._lock:
            descriptor = self._descriptor(path)
            while begin < end:
                try:
                    count = os.copy_file_range(descriptor, target, end - begin, begin, start)
                except OSError as error:
                    if error.errno not in _NO_COPY:
                        raise
                    content = os.pread(descriptor, min(end - begin, _BLOCK_BYTES), begin)
                    _write(target, content, start)
                    count = len(content)
                if not count:
                    raise self._changed(path)
                begin, start = begin + count, start + count

    def _descriptor(self, path: Path) -> int:
        found = self._open.pop(path, -1)
        if found < 0:
            try:
                found = beneath.descriptor(path)
            except FileNotFoundError:
                raise self._changed(path) from None
            if _state(os.fstat(found)) != self._states[path]:
                os.close(found)
                raise self._changed(path)
        self._open[path] = found
        if len(self._open) > _MOST_OPEN_FILES:
            os.close(self._open.pop(next(iter(self._open))))
        return found

    def _changed(self, path: Path) -> StoreError:
        return StoreError(f"{path}: has changed since the archive was opened\n  open it again")


def _state(found: os.stat_result) -> tuple[int, int]:
    return found.st_size, found.st_mtime_ns


def _write(target: int, content: bytes, start: int) -> None:
    while content:
        count = os.pwrite(target, content, start)
        content, start = content[count:], start + count
