"""Actions that are due at a moment, for all partitions of a worker, in one heap.

The worker runs what is due before it chooses, and asks for the next moment to know how
long it may sleep. Entries are never removed: the action itself checks whether it still
applies.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count


class Agenda:
    """Actions by moment; those of one moment run in the order in which they were noted."""

    def __init__(self) -> None:
        self._entries: list[tuple[float, int, Callable[[int, float], None], int]] = []
        self._order = count()

    def note(self, moment: float, action: Callable[[int, float], None], subject: int) -> None:
        """Do `action(subject, now)` once `moment` has come."""
        heappush(self._entries, (moment, next(self._order), action, subject))

    def run(self, now: float) -> None:
        """Do everything that is due."""
        entries = self._entries
        while entries and entries[0][0] <= now:
            _, _, action, subject = heappop(entries)
            action(subject, now)

    def sample(self, most: int) -> list[tuple[float, object, int]]:
        """Return some entries with who noted them, the next one first: moment, owner, subject.

        The beginning of a heap holds early entries, not the earliest; it is enough for a display.
        """
        return [
            (moment, getattr(action, "__self__", None), subject)
            for moment, _, action, subject in sorted(self._entries[:most])
        ]

    def next_moment(self) -> float | None:
        """Return when the next entry is due."""
        return self._entries[0][0] if self._entries else None

    def __len__(self) -> int:
        return len(self._entries)
