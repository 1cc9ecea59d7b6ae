"""Watches reading processes, for the supervisor that has started them.

A process that reads one page for too long, or uses too much memory for it, no longer answers, so
the supervisor kills it. For a process that died, the supervisor learns whether a page is to blame
that was not suspected before: if so, a successor will make progress.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from lycosa.crawl.suspects.marks import LOOK_SECONDS, Overseer, path_of, read

STOP_GRACE_SECONDS = 1.0
"""Time after `stop_seconds` for a worker to end its requests; a reading worker cannot."""


class Watching:
    """The processes of one supervisor, by their numbers."""

    def __init__(self) -> None:
        self._overseers: dict[int, tuple[Overseer, str, int]] = {}
        self._suspects: set[int] = set()
        self._must_end_at = float("inf")

    def started(self, number: int, log_folder: Path, pid: int, *, mark: int = 0) -> None:
        """Watch a process that was started; `mark` is the number of its file."""
        path = path_of(str(log_folder), mark)
        self._overseers[number] = Overseer(path, pid), path, pid

    def stopping(self, stop_seconds: float) -> None:
        """Kill processes that are still reading when the time for a stop is over."""
        self._must_end_at = time.monotonic() + stop_seconds + STOP_GRACE_SECONDS

    def look(self) -> Iterator[tuple[int, str]]:
        """Yield the processes that must be killed, each with the reason."""
        now = time.monotonic()
        most = LOOK_SECONDS if now >= self._must_end_at else 0.0
        for number, (overseer, _, _) in list(self._overseers.items()):
            if why := overseer.look(now, most):
                yield number, why

    def died(self, number: int) -> str | None:
        """Return the file of a process that died of a page not suspected before; None otherwise."""
        _, path, pid = self._overseers.pop(number)
        words = read(path)
        if words is None or words.process != pid:
            return None
        if words.place is None or words.page in self._suspects:
            return None
        self._suspects.add(words.page)
        return path
