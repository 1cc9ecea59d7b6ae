"""Where sealed URLs wait: bytes go in, and come out by their place.

What is in a vault can be made again from the snapshot and the log, and is: a table that is
restored begins with an empty one. So nothing here is synced, and a file that is left over from
a process that was killed is emptied when it is opened.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple, Protocol

from lycosa.errors import LogError


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
    """One file; what is dropped is filled again, first fit.

    The file is made when something is put away for the first time.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = -1
        self._end = 0
        self._free: list[Place] = []
        """Gaps, by their offset; no two touch, and none touches the end."""
        path.unlink(missing_ok=True)

    def put(self, data: bytes) -> Place:
        """Keep bytes."""
        place = self._room_for(len(data))
        try:
            if self._file < 0:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC)
            if os.pwrite(self._file, data, place.offset) != len(data):
                raise OSError(28, "No space left on device")
        except OSError:
            self.drop(place)
            raise
        return place

    def get(self, place: Place) -> bytes:
        """Return them."""
        data = os.pread(self._file, place.size, place.offset)
        if len(data) != place.size:
            raise LogError(
                f"{self._path}: was cut short while the crawl was running\n"
                "  resume the crawl: the file is made again from the log"
            )
        return data

    def drop(self, place: Place) -> None:
        """Forget them, and join the gap with those beside it."""
        free = sorted([*self._free, place])
        joined: list[Place] = []
        for gap in free:
            if joined and joined[-1].offset + joined[-1].size == gap.offset:
                joined[-1] = Place(joined[-1].offset, joined[-1].size + gap.size)
            else:
                joined.append(gap)
        if joined[-1].offset + joined[-1].size == self._end:
            self._end = joined.pop().offset
            if self._file >= 0:
                os.ftruncate(self._file, self._end)
        self._free = joined

    def close(self) -> None:
        """Remove the file: it is of no use to anybody else."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
            self._path.unlink(missing_ok=True)

    def _room_for(self, size: int) -> Place:
        for number, gap in enumerate(self._free):
            if gap.size >= size:
                if gap.size == size:
                    del self._free[number]
                else:
                    self._free[number] = Place(gap.offset + size, gap.size - size)
                return Place(gap.offset, size)
        place = Place(self._end, size)
        self._end += size
        return place
