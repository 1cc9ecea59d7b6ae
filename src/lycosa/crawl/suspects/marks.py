"""Names the page that a process is about to read, in a mapped file that survives the process.

A process that crawls maps the file `reading-N` of its crawl's folder `log`, and stores two words
before it reads an answer and one afterwards. No system call is needed for that: the kernel has the
words, so they outlive any death of the process but that of the machine. The process that starts it
again learns from the file which page it read last (`lycosa.crawl.suspects.deaths`), and its watcher
sees how long it has been reading one page (`Overseer`).

    words   the page: its partition and its number; `NO_PAGE` for a robots file and the like
            a number that is odd while an answer is read, another one for each that follows
            the process while it crawls; 0 once it has ended in order
            the limits of reading one page: milliseconds, and bytes of memory; 0 is none

Always true: the page is never cleared, so the file of a dead process names the page that it read
last, which may be innocent. A page is one word, so it is stored whole or not at all.

Cost: 0.3 µs before a page, 0.1 µs after it, on a busy machine; the watcher reads 64 bytes four
times a second.
This module is loaded before all others by a process that watches, and imports nothing large.
"""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False  # as checkers take it: `typing` would be most of what this import costs

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORDS_BYTES = 48
_SIZE = 64
_MAGIC = b"LYCOSA-READING-1"
_NAME = "reading-"
PAGE_BITS = 40
"""The page's number is below, the partition's above."""
NO_PAGE = (1 << 64) - 1
PAGE, COUNT, PROCESS, MILLISECONDS, MEMORY = range(5)
"""The positions of the words."""
LOOK_SECONDS = 0.25
"""Seconds between two looks of a watcher."""
_MOST_STEP_SECONDS = 4 * LOOK_SECONDS
"""A look that comes later means that the watcher was suspended, and the other process with it."""

_leader = 0


def leading_pid() -> int:
    """Return the process that the user has started: this one, or the one that watches it."""
    return _leader or os.getpid()


def led_by(pid: int) -> None:
    """Note that a process has forked this one and watches it: signals reach that one."""
    global _leader
    _leader = pid


def is_watched() -> bool:
    """Return whether a process that was forked before this one watches it."""
    return _leader != 0


class Mark:
    """The words of this process; `words` is written to directly, because a call costs more."""

    def __init__(self, folder: str, number: int, seconds: float, memory_bytes: int) -> None:
        import mmap  # a watcher does not need `mmap`

        path = path_of(folder, number)
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open(path, flags, 0o600)
        try:
            if not stat.S_ISREG(os.fstat(file).st_mode):
                raise OSError(f"{path}: is not a regular file")
            os.ftruncate(file, _SIZE)
            self._map = mmap.mmap(file, _SIZE)
        finally:
            os.close(file)
        self._map[_WORDS_BYTES:_SIZE] = _MAGIC
        self.words = memoryview(self._map)[:_WORDS_BYTES].cast("Q")
        self.words[PAGE], self.words[COUNT] = NO_PAGE, 0
        self.words[MILLISECONDS], self.words[MEMORY] = int(seconds * 1000), memory_bytes
        self.words[PROCESS] = os.getpid()

    def close(self) -> None:
        """Mark an orderly end, unless an answer is being read: the file then stays as after a
        death.
        """
        if not self.words[COUNT] & 1:
            self.words[PROCESS] = 0
        self.words.release()
        self._map.close()


class Words:
    """The content of another process's file."""

    def __init__(self, words: tuple[int, ...]) -> None:
        self.page, self.count, self.process, self.milliseconds, self.memory_bytes, _ = words

    @property
    def is_reading(self) -> bool:
        """Whether the process reads an answer, or died while it did."""
        return bool(self.count & 1)

    @property
    def place(self) -> tuple[int, int] | None:
        """Partition and number of the page that was read last; None if it was not a page."""
        if self.page == NO_PAGE:
            return None
        return self.page >> PAGE_BITS, self.page & (1 << PAGE_BITS) - 1


def path_of(folder: str, number: int) -> str:
    """Return the path of a process's file."""
    return f"{folder}/{_NAME}{number}"


def read(path: str) -> Words | None:
    """Return the words of a file; None if it does not exist or has another format."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return None
        content = os.read(file, _SIZE)
    finally:
        os.close(file)
    if len(content) != _SIZE or content[_WORDS_BYTES:] != _MAGIC:
        return None
    return Words(tuple(memoryview(content)[:_WORDS_BYTES].cast("Q")))


def files(folder: str) -> Iterator[str]:
    """Yield the paths of all such files in a folder."""
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208  pathlib is slow to load
    except OSError:
        return
    for name in names:
        if name.startswith(_NAME) and name[len(_NAME) :].isdecimal():
            yield f"{folder}/{name}"


class Overseer:
    """Watches how one process reads; asked about four times a second."""

    def __init__(self, path: str, pid: int) -> None:
        self._path = path
        self._pid = pid
        self._read = (NO_PAGE, 0)
        self._seconds = 0.0
        self._looked_at = 0.0
        self._memory_before = self._memory = 0

    def look(self, now: float, most_seconds: float = 0.0) -> str:
        """Return why the process must be killed, or "".

        `most_seconds` is the time that one answer may take if that is less than the file says.
        """
        step, self._looked_at = min(now - self._looked_at, _MOST_STEP_SECONDS), now
        words = read(self._path)
        if words is None or words.process != self._pid:
            return ""
        before, self._memory = self._memory, _memory_of(self._pid)
        # Another page, or the same one again: time and memory are counted from here.
        if (words.page, words.count) != self._read or not words.is_reading:
            self._read = words.page, words.count
            self._seconds, self._memory_before = 0.0, before
        else:
            self._seconds += step
        if not words.is_reading or _is_stopped(self._pid):
            return ""
        limits = [words.milliseconds / 1000, most_seconds]
        most = min((limit for limit in limits if limit), default=0.0)
        if most and self._seconds > most:
            return f"one page has been read for {self._seconds:.0f} s"
        grown = self._memory - self._memory_before
        # Without an earlier look the growth is that of the whole process, not of the page.
        if words.memory_bytes and before and grown > words.memory_bytes:
            return f"reading one page took {grown >> 20} MiB of memory"
        return ""


def _memory_of(pid: int) -> int:
    """Return the bytes that a process has in memory; 0 if it is gone."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:  # noqa: PTH123  pathlib is slow to load
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, IndexError):
        return 0


def _is_stopped(pid: int) -> bool:
    """Return whether a process is stopped by a signal or a debugger."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
            return file.read().rpartition(b")")[2].split()[0] in (b"T", b"t")
    except (OSError, IndexError):
        return False
