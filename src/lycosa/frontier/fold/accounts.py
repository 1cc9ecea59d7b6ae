"""Which stored records count: those that an event in the log of a partition names.

The log names every record that counts, but a state remembers no more than where the last one ends
in each segment. That is enough, because within one partition and one segment the records that
count are the first ones:

  * one process writes a segment, and appends a partition's records in the order of its decisions;
  * it commits these in the same order, each batch on condition that the one before is there. So
    whatever is killed or refused, the log has a beginning of them;
  * a process that loses a partition begins another segment (`ArchiveStore.lose`). If it gets the
    partition back, nothing of that can make records count that it had dropped before.

Between partitions there is no such order: one may be lost while the others of its process go on.
So the last record of *its own* partition decides on a page. Robots files and failures always count.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping

from lycosa.frontier.fold.state import PartitionState
from lycosa.model.records import Place


class Accounts:
    """Tells which stored records count, of the partitions that were added."""

    def __init__(
        self,
        partition_of: Callable[[str], int] | None = None,
        segments: Container[int] | None = None,
    ) -> None:
        """Prepare to account for these segments, or for all.

        `partition_of` divides keys as the log does. Without it a record counts if it lies before
        the last one of any partition: right only for a process that lost no partition.
        """
        self.ends: dict[int, int] = {}
        """Where the last record ends that the log names, by segment."""
        self.lost: dict[int, set[int]] = {}
        """Where records begin that the log has given up, by segment."""
        self._partition_of = partition_of
        self._segments = segments
        self._ends_of: dict[int, Mapping[int, int]] = {}
        self._lost_of: dict[int, Container[int]] = {}
        """Segments of which each partition has given up records."""

    def add(self, number: int, state: PartitionState) -> None:
        """Add the records of one partition."""
        ends, wanted = state.segment_ends, self._segments
        if wanted is not None:
            ends = {segment: end for segment, end in ends.items() if segment in wanted}
        self._ends_of[number] = ends
        self._lost_of[number] = state.lost.keys()
        for segment, end in ends.items():
            self.ends[segment] = max(end, self.ends.get(segment, 0))
        for segment, offsets in state.lost.items():
            self.lost.setdefault(segment, set()).update(offsets)

    def is_given_up(self, segment: int) -> bool:
        """Return whether every partition with records in a segment has given up some of them.

        If the file of such a segment is missing, sealing has removed it: nothing in it counted.
        """
        return all(
            segment in self._lost_of[number]
            for number, ends in self._ends_of.items()
            if segment in ends
        )

    def __call__(self, place: Place, key: str = "") -> bool:
        """Return whether a record counts: a page's by its key, a robots file without."""
        if key and self._partition_of is not None:
            end = self._ends_of.get(self._partition_of(key), {}).get(place.segment, 0)
        else:
            end = self.ends.get(place.segment, 0)
        return place.offset < end and place.offset not in self.lost.get(place.segment, ())


def counted_by(
    states: Mapping[int, PartitionState], partition_of: Callable[[str], int] | None = None
) -> Accounts:
    """Return the function that tells whether a record counts in one of the partitions."""
    accounts = Accounts(partition_of)
    for number, state in states.items():
        accounts.add(number, state)
    return accounts
