"""A counter in shared memory that changes whenever a partition changes its owner.

Before every request a worker checks that it still owns the partition. SQLite answers in 15 µs. This
counter is in a file that all processes of a crawl map into memory. Reading it takes a tenth of a
microsecond, and while it has not changed the previous answer is still valid.

The counter is odd while a process is taking a partition, and even otherwise: it is incremented
before the take is committed and again after it. An answer may be cached only if the counter was
even when SQLite was asked, and only until the counter changes. A process that dies in between
leaves it odd; then no answer is cached until the next take succeeds.
"""

from __future__ import annotations

import fcntl
import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lycosa._support import beneath

_BYTES = 8


class Takes:
    """The counter of a log, for one process."""

    def __init__(self, path: Path) -> None:
        self._file = beneath.descriptor(path, os.O_RDWR | os.O_CREAT)
        try:
            if os.fstat(self._file).st_size < _BYTES:
                # Allocate the space now: a hole could not be filled on a full disk.
                os.posix_fallocate(self._file, 0, _BYTES)
            self._map = mmap.mmap(self._file, _BYTES)
        except OSError:
            os.close(self._file)
            raise
        self.word = memoryview(self._map).cast("Q")
        """Holds the counter; read in place, because every request reads it twice."""

    def number(self) -> int:
        """Return the counter; answers may be cached while it is even and unchanged."""
        return self.word[0]

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Hold the counter odd while a partition is taken, by one process at a time."""
        fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            before = self.word[0]
            self.word[0] = before + 1 + before % 2
            try:
                yield
            finally:
                self.word[0] += 1
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the file."""
        self.word.release()
        self._map.close()
        os.close(self._file)
