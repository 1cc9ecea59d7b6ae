"""Whose turn it is: the next partition that has something to ask for.

Partitions with work take turns, in the order in which they came to have some. With windows over
hosts a turn lasts until the window is served. A crawl by topic has turns of its own
(`lycosa.crawl.topics.allocator`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lycosa.frontier.partition import Partition
from lycosa.frontier.schedulers import KeepsTurn


class PartitionTurns:
    """The partitions of a worker that have work."""

    def __init__(self, partitions: Mapping[int, Partition], with_work: dict[int, None]) -> None:
        """`with_work` has the numbers of partitions that may have work, as they say so."""
        self._partitions = partitions
        self._with_work = with_work

    def settle(self, changed: Iterable[int]) -> None:
        """Do what is to be done for changed partitions before a commit: here nothing."""

    def next(self) -> Partition | None:
        """Return the partition in turn, which goes to the end of the line."""
        turns = self._with_work
        while turns:
            number = next(iter(turns))
            del turns[number]
            partition = self._partitions[number]
            if is_asking(partition) and partition.has_work():
                turns[number] = None
                return partition
        return None


class WindowTurns(PartitionTurns):
    """The same, but a partition keeps its turn as long as its scheduler says so."""

    _last: Partition | None = None

    def next(self) -> Partition | None:
        """Return the partition that is in the middle of its window, or the next in turn."""
        last = self._last
        if (
            last is not None
            and self._partitions.get(last.number) is last  # it may have been handed over
            and isinstance(last.scheduler, KeepsTurn)
            and last.scheduler.keeps_turn()
            and is_asking(last)
            and last.has_work()
        ):
            return last
        self._last = super().next()
        return self._last


def make_turns(
    scheduler: str, partitions: Mapping[int, Partition], with_work: dict[int, None]
) -> PartitionTurns:
    """Return the turns that suit a scheduler."""
    return (WindowTurns if scheduler == "top-window" else PartitionTurns)(partitions, with_work)


def is_asking(partition: Partition) -> bool:
    """Return whether a partition may ask for anything now."""
    return not partition.is_leaving and not partition.is_held_back
