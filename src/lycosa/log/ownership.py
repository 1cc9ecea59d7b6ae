"""A counter in shared memory that changes whenever a partition changes its owner.

Before every request a worker checks that it still owns the partition. SQLite answers in
15 µs. This counter, in a file that all processes of a crawl map into memory, is read in a tenth
of a microsecond, and while it has not changed the previous answer still holds.

The counter is odd while a process is taking a partition, and even otherwise: it is incremented
before the taking is committed and again after it. An answer may be cached only if the counter
was even when SQLite was asked, and only until the counter changes. A process that dies in between
leaves it odd; then nothing is cached until the next taking succeeds.
"""

from __future__ import annotations

import fcntl
import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lycosa import beneath

_BYTES = 8


class Takes:
    """The number of a log, for one process."""

    def __init__(self, path: Path) -> None:
        self._file = beneath.descriptor(path, os.O_RDWR | os.O_CREAT)
        try:
            if os.fstat(self._file).st_size < _BYTES:
                # Room is asked for: a hole could not be filled on a full disk.
                os.posix_fallocate(self._file, 0, _BYTES)
            self._map = mmap.mmap(self._file, _BYTES)
        except OSError:
            os.close(self._file)
            raise
        self._number = memoryview(self._map).cast("Q")

    def number(self) -> int:
        """Return the number; answers may be kept while it is even and the same."""
        return self._number[0]

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Hold the number odd while a partition is taken; one process at a time can."""
        fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            before = self._number[0]
            self._number[0] = before + 1 + before % 2
            try:
                yield
            finally:
                self._number[0] += 1
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the file."""
        self._number.release()
        self._map.close()
        os.close(self._file)
