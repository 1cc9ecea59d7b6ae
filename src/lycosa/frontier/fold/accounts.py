"""Which stored records count: those that an event in the log of a partition names."""

from __future__ import annotations

from collections.abc import Iterable

from lycosa.frontier.fold.state import PartitionState
from lycosa.records import Place


class Accounts:
    """Tells which stored records count: those that an event in a partition's log names."""

    def __init__(self) -> None:
        self.ends: dict[int, int] = {}
        """Where the last record ends that the log names, by segment."""
        self.lost: dict[int, set[int]] = {}
        """Where records begin that the log has given up, by segment."""

    def add(self, state: PartitionState) -> None:
        """Add the records of one partition."""
        for segment, end in state.segment_ends.items():
            self.ends[segment] = max(end, self.ends.get(segment, 0))
        for segment, offsets in state.lost.items():
            self.lost.setdefault(segment, set()).update(offsets)

    def __call__(self, place: Place) -> bool:
        """Return whether a record counts."""
        is_named = place.offset < self.ends.get(place.segment, 0)
        return is_named and place.offset not in self.lost.get(place.segment, ())


def counted_by(states: Iterable[PartitionState]) -> Accounts:
    """Return the function that tells whether a record counts in one of the partitions."""
    accounts = Accounts()
    for state in states:
        accounts.add(state)
    return accounts
