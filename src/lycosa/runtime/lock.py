"""The lock file of a crawl directory, which names its processes even after one was killed."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable
from pathlib import Path

from lycosa._support.tuples import NamedTuple


class Holder(NamedTuple):
    """The process that holds a crawl's lock."""

    pid: int
    workers: list[int]
    """Process ids of its workers; empty for a single-process crawl."""
    holds: int = 0
    """The process that took the lock on behalf of `pid`, which watches it; 0 if it is `pid`."""


class DirectoryLock:
    """The lock file of a crawl directory, with the ids of the processes that hold it."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def take(self) -> bool:
        """Take the lock; return False if another process has it."""
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def holder(self) -> Holder | None:
        """Return the holder that the file names."""
        return parse_holder(os.pread(self.descriptor, 16_384, 0))

    def write(self, pid: int, workers: Iterable[int] = ()) -> None:
        """Write the holder into the file."""
        words = " ".join(map(str, workers))
        holds = f"{os.getpid()}\n" if pid != os.getpid() else ""
        os.ftruncate(self.descriptor, 0)
        os.pwrite(self.descriptor, f"{pid}\n{words}\n{holds}".encode(), 0)


def parse_holder(content: bytes) -> Holder | None:
    """Return the holder that the content of a lock file names; None if it names none."""
    lines = content.decode(errors="replace").splitlines()
    try:
        workers = [int(word) for word in lines[1].split()]
        return Holder(int(lines[0]), workers, int(lines[2]) if len(lines) > 2 else 0)
    except (IndexError, ValueError):
        return None


def is_alive(pid: int) -> bool:
    """Return whether a process exists and has not ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return False
    return fields[0] not in (b"Z", b"X")
