"""A number that changes whenever a partition changes hands: so that asking who owns it is cheap.

Before every request a worker asks whether the partition is still its own. SQLite answers in
15 µs; this number, in a file that all processes of a crawl map into their memory, in a tenth
of one: as long as it has not changed, what was answered before still holds.

The number is odd while somebody is taking a partition, and even otherwise; it is changed
before the taking is committed and again behind it. So an answer may be kept only if the number
was even when it was asked for, and for as long as the number stays. Whoever dies in between
leaves it odd: then nothing is kept until the next taking has gone well.
"""

from __future__ import annotations

import fcntl
import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_BYTES = 8


class Takes:
    """The number of a log, for one process."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
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
        """Let go of the file."""
        self._number.release()
        self._map.close()
        os.close(self._file)
