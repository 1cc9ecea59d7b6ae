"""Where sealed URLs wait: bytes go in, and come out by their place.

What is in a vault can be made again from the snapshot and the log, and is: a table that is
restored begins with an empty one. So nothing here is synced, and nothing outlives its process.
"""

from __future__ import annotations

import errno
import os
import weakref
from bisect import bisect
from pathlib import Path
from typing import IO, NamedTuple, Protocol


class Place(NamedTuple):
    """Where something lies in a vault."""

    offset: int
    size: int


class Vault(Protocol):
    """Keeps what a table puts away."""

    def put(self, data: bytes) -> Place:
        """Keep bytes."""

    def get(self, place: Place) -> bytes:
        """Return them."""

    def drop(self, place: Place) -> None:
        """Forget them."""


class MemoryVault:
    """A vault for tests and simulations."""

    def __init__(self) -> None:
        self._kept: dict[int, bytes] = {}
        self._next = 0

    def put(self, data: bytes) -> Place:
        """Keep bytes."""
        place = Place(self._next, len(data))
        self._kept[place.offset] = data
        self._next += 1
        return place

    def get(self, place: Place) -> bytes:
        """Return them."""
        return self._kept[place.offset]

    def drop(self, place: Place) -> None:
        """Forget them."""
        del self._kept[place.offset]


class FileVault:
    """A file without a name in a folder; what is dropped is filled again, first fit.

    The file is made when something is put away for the first time. As it has no name, it is
    gone with the process, however that ends.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: IO[bytes] | None = None
        self._end = 0
        self._gaps: list[Place] = []
        """By their offset; no two touch, and none touches the end."""

    def put(self, data: bytes) -> Place:
        """Keep bytes."""
        if self._file is None:
            import tempfile  # most crawls have memory enough

            self._folder.mkdir(parents=True, exist_ok=True)
            self._file = tempfile.TemporaryFile(  # noqa: SIM115
                dir=self._folder, prefix="sealed-", suffix=".urls", buffering=0
            )
            weakref.finalize(self, self._file.close)
        place = self._room_for(len(data))
        try:
            written = os.pwrite(self._file.fileno(), data, place.offset)
        except OSError:
            self.drop(place)
            raise
        if written != len(data):
            self.drop(place)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._folder))
        return place

    def get(self, place: Place) -> bytes:
        """Return them."""
        if self._file is None:
            raise ValueError("nothing was put into this vault")
        return os.pread(self._file.fileno(), place.size, place.offset)

    def drop(self, place: Place) -> None:
        """Forget them, and join the gap with those beside it."""
        at = bisect(self._gaps, place)
        if at < len(self._gaps) and place.offset + place.size == self._gaps[at].offset:
            place = Place(place.offset, place.size + self._gaps.pop(at).size)
        if at and self._gaps[at - 1].offset + self._gaps[at - 1].size == place.offset:
            at -= 1
            before = self._gaps.pop(at)
            place = Place(before.offset, before.size + place.size)
        if place.offset + place.size == self._end and self._file is not None:
            self._end = place.offset
            os.ftruncate(self._file.fileno(), self._end)
        else:
            self._gaps.insert(at, place)

    def size_bytes(self) -> int:
        """Return how large the file is."""
        return self._end

    def _room_for(self, size: int) -> Place:
        for number, gap in enumerate(self._gaps):
            if gap.size >= size:
                if gap.size == size:
                    del self._gaps[number]
                else:
                    self._gaps[number] = Place(gap.offset + size, gap.size - size)
                return Place(gap.offset, size)
        place = Place(self._end, size)
        self._end += size
        return place
