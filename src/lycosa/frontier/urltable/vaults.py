"""Vaults: the files that hold spilled sites, by offset and length.

Everything in a vault can be rebuilt from the snapshot and the log, and is: a restored table
begins with an empty vault. So nothing here is synced, and nothing outlives its process.
"""

from __future__ import annotations

import errno
import os
import weakref
from bisect import bisect
from pathlib import Path
from typing import IO, Protocol

from lycosa._support.tuples import NamedTuple


class Extent(NamedTuple):
    """Offset and length of a piece in a vault."""

    offset: int
    size: int


class Vault(Protocol):
    """Holds the bytes of spilled sites."""

    def put(self, data: bytes) -> Extent:
        """Keep bytes."""

    def get(self, extent: Extent) -> bytes:
        """Return them."""

    def drop(self, extent: Extent) -> None:
        """Forget them."""


class MemoryVault:
    """A vault for tests and simulations."""

    def __init__(self) -> None:
        self._kept: dict[int, bytes] = {}
        self._next = 0

    def put(self, data: bytes) -> Extent:
        """Keep bytes."""
        extent = Extent(self._next, len(data))
        self._kept[extent.offset] = data
        self._next += 1
        return extent

    def get(self, extent: Extent) -> bytes:
        """Return them."""
        return self._kept[extent.offset]

    def drop(self, extent: Extent) -> None:
        """Forget them."""
        del self._kept[extent.offset]


class FileVault:
    """A file without a name in a folder; dropped pieces leave gaps that are reused, first fit.

    The file is made when the first site is spilled. As it has no name, it is gone with the
    process, however that ends.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: IO[bytes] | None = None
        self._end = 0
        self._gaps: list[Extent] = []
        """By their offset; no two touch, and none touches the end."""

    def put(self, data: bytes) -> Extent:
        """Keep bytes."""
        if self._file is None:
            import tempfile  # most crawls have memory enough

            self._folder.mkdir(parents=True, exist_ok=True)
            self._file = tempfile.TemporaryFile(  # noqa: SIM115
                dir=self._folder, prefix="sealed-", suffix=".urls", buffering=0
            )
            weakref.finalize(self, self._file.close)
        extent = self._room_for(len(data))
        try:
            written = os.pwrite(self._file.fileno(), data, extent.offset)
        except OSError:
            self.drop(extent)
            raise
        if written != len(data):
            self.drop(extent)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._folder))
        return extent

    def get(self, extent: Extent) -> bytes:
        """Return them."""
        if self._file is None:
            raise ValueError("nothing was put into this vault")
        return os.pread(self._file.fileno(), extent.size, extent.offset)

    def drop(self, extent: Extent) -> None:
        """Forget them, and join the gap with those beside it."""
        at = bisect(self._gaps, extent)
        if at < len(self._gaps) and extent.offset + extent.size == self._gaps[at].offset:
            extent = Extent(extent.offset, extent.size + self._gaps.pop(at).size)
        if at and self._gaps[at - 1].offset + self._gaps[at - 1].size == extent.offset:
            at -= 1
            before = self._gaps.pop(at)
            extent = Extent(before.offset, before.size + extent.size)
        if extent.offset + extent.size == self._end and self._file is not None:
            self._end = extent.offset
            os.ftruncate(self._file.fileno(), self._end)
        else:
            self._gaps.insert(at, extent)

    def size_bytes(self) -> int:
        """Return how large the file is."""
        return self._end

    def _room_for(self, size: int) -> Extent:
        for number, gap in enumerate(self._gaps):
            if gap.size >= size:
                if gap.size == size:
                    del self._gaps[number]
                else:
                    self._gaps[number] = Extent(gap.offset + size, gap.size - size)
                return Extent(gap.offset, size)
        extent = Extent(self._end, size)
        self._end += size
        return extent
