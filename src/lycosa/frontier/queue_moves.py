"""Moves of waiting URLs between the queues of topics, and which of them the log hears of.

A move takes effect at once in the scheduler. It is recorded with the next commit if the URL has
come to another queue, or far enough within its own for a resume to miss it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet

from lycosa.frontier.facts.columns import PENDING, PUT_OFF
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.schedulers import MovesBetweenQueues
from lycosa.frontier.schedulers.queues import has_failed
from lycosa.model.records import Predicted

NOTED_STEP = 16
"""A URL that moves by less within its queue is not worth an entry in the log."""


class QueueMoves:
    """The moves of a partition since its last commit."""

    def __init__(self, state: PartitionState) -> None:
        self._state = state
        self._moved: dict[int, tuple[int, int]] = {}
        self.last_wanted = -1
        """The last position that is worth a fetch: a URL that was put off, and comes as far as
        this, is put up again. Below 0 nothing is put off for its position."""
        self.used_up: AbstractSet[int] = frozenset()
        """Topics without any budget left: a URL that comes to one of them is put off."""

    def move(
        self,
        places: Iterable[tuple[int, int, int]],
        scheduler: MovesBetweenQueues,
        site_if_offered: Callable[[int], int | None],
    ) -> bool:
        """Move URLs, each to a queue and a position; returns whether there is something to record.

        `site_if_offered` returns the site of a URL that the scheduler has.
        """
        state, moved = self._state, self._moved
        topics, status, last_wanted = state.topics, state.pages.status, self.last_wanted
        used_up = self.used_up
        for page, queue, position in places:
            site = site_if_offered(page)
            if site is not None and not has_failed(state.pages, page):
                scheduler.move_to(page, site, queue, position)
            is_far = abs(position - topics.grade_of(page)) >= NOTED_STEP
            is_wanted = status[page] == PUT_OFF and position <= last_wanted and queue not in used_up
            if is_far or is_wanted or queue != topics.of(page):
                moved[page] = (queue, position)
        return bool(moved)

    def take(self, offered: Sequence[int]) -> Predicted | None:
        """Return where URLs that still wait have come to; None if there is nothing to record.

        `offered` says by URL whether the scheduler has it.
        """
        if not self._moved:
            return None
        status = self._state.pages.status
        # URLs that were asked for meanwhile keep the position that they were chosen by.
        moved = {
            page: place
            for page, place in self._moved.items()
            if status[page] == PENDING or status[page] == PUT_OFF
        }
        self._moved = {}
        if not moved:
            return None
        queues = bytes(queue for queue, _ in moved.values())
        positions = bytes(position for _, position in moved.values())
        used_up = self.used_up
        put_up = [
            page
            for page, (queue, position) in moved.items()
            if status[page] == PUT_OFF and position <= self.last_wanted and queue not in used_up
        ]
        put_off = [page for page, (queue, _) in moved.items() if queue in used_up and offered[page]]
        return Predicted(list(moved), queues, positions, put_up, put_off)
