"""How long the records of other members have not moved, on the observer's own clock.

Only a revision higher than every one seen before counts as movement: a stale read shows an older
one. Timers begin when a revision is first *seen*, which is later than it was written.

An observer that lost its own tenure did not see what happened meanwhile: all its timers begin
anew. Otherwise the first machine back after a failure of the board would end all others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lycosa.cluster.membership.tenure import SILENCE_SECONDS


class Silences:
    """The timers of one observer."""

    def __init__(self) -> None:
        self._seen: dict[int, tuple[int, float]] = {}
        """By number of the life: its highest revision, and when that was first seen."""

    def look(self, revisions: Mapping[int, int], now: float) -> None:
        """Take in what a list of the members showed."""
        for number, revision in revisions.items():
            known = self._seen.get(number)
            if known is None or revision > known[0]:
                self._seen[number] = (revision, now)
        for number in self._seen.keys() - revisions.keys():
            del self._seen[number]

    def restart(self, now: float) -> None:
        """Begin all timers anew."""
        self._seen = {number: (revision, now) for number, (revision, _) in self._seen.items()}

    def forget(self, number: int) -> None:
        """Begin one timer anew, when its life is next seen."""
        self._seen.pop(number, None)

    def silent(self, now: float) -> Iterator[tuple[int, int]]:
        """Yield the lives that were silent for too long, with the revision that did not move."""
        for number, (revision, since) in self._seen.items():
            if now - since >= SILENCE_SECONDS:
                yield number, revision
