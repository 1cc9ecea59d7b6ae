"""Times for which other members' records have not changed, on the observer's own clock.

A record counts as changed only if its revision is higher than every one seen before, because a
stale read shows an older one. Timers begin when a revision is first *seen*, which is later than it
was written.

An observer that lost its own lease (tenure) has not seen the changes since then, so all its timers
begin again. Otherwise the first machine back after a failure of the board would end all others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lycosa.runtime.membership.tenure import SILENCE_SECONDS


class Silences:
    """The timers of one observer."""

    def __init__(self) -> None:
        self._seen: dict[int, tuple[int, float]] = {}
        """By number of the life, its highest revision, and when that was first seen."""

    def look(self, revisions: Mapping[int, int], now: float) -> None:
        """Process a list of the members."""
        for number, revision in revisions.items():
            known = self._seen.get(number)
            if known is None or revision > known[0]:
                self._seen[number] = (revision, now)
        for number in self._seen.keys() - revisions.keys():
            del self._seen[number]

    def restart(self, now: float) -> None:
        """Restart all timers."""
        self._seen = {number: (revision, now) for number, (revision, _) in self._seen.items()}

    def forget(self, number: int) -> None:
        """Restart one timer when its life is next seen."""
        self._seen.pop(number, None)

    def silent(self, now: float) -> Iterator[tuple[int, int]]:
        """Yield the lives that were silent for too long, with the revision that did not change."""
        for number, (revision, since) in self._seen.items():
            if now - since >= SILENCE_SECONDS:
                yield number, revision
