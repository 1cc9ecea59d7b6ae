"""Gives turns: the next partition that has something to ask for.

Partitions with work take turns, in the order in which they came to have some. With windows over
hosts a turn lasts until the window is served. A crawl by topic has turns of its own
(`lycosa.features.topics.allocator`). The plain turns are compiled (`_pump`).
"""

from __future__ import annotations

from collections.abc import Mapping

from lycosa.crawl.worker._pump import PartitionTurns
from lycosa.frontier.partition import Partition
from lycosa.frontier.schedulers import KeepsTurn

__all__ = ["PartitionTurns", "WindowTurns", "is_asking", "make_turns"]


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
