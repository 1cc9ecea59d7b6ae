"""Finds out whether a worker's part of the crawl is done, and reports it.

A partition is idle when nothing of it is pending and no site is left to look for guesses on. Idle
partitions are reported (`crawl.ending`); when all of them are idle and nothing travels between
them, the crawl or its cycle is over. Partitions in which only unreachable origins are left are
reported as stuck, and `patience` says how long that may last.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from lycosa.crawl.ending import Report
from lycosa.crawl.messages.cycles import Cycles
from lycosa.crawl.points import Points, Spine
from lycosa.crawl.worker._pump import Alarm
from lycosa.crawl.worker.patience import Patience
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.readiness.agenda import NEVER


class Verdict(Enum):
    """The result of one look."""

    GOES_ON = 1
    CYCLE_OVER = 2
    OVER = 3


class EndSearch:
    """Looks for the end; one per worker."""

    def __init__(
        self,
        spine: Spine,
        points: Points,
        cycles: Cycles,
        tick: Alarm,
        on_lost: Callable[[int], None],
    ) -> None:
        ports, partitions = spine.ports, spine.partitions
        self._clock = ports.clock
        self._ending = ports.ending
        self._log = ports.log
        self._commit_seconds = ports.job.log.commit_seconds
        self._partitions = partitions
        self._points = points
        self._cycles = cycles
        self._tick = tick
        self._owner = ports.owner
        self._on_lost = on_lost
        self._patience = Patience(ports, partitions)
        self._has_reported = False

    def look(self, requests: int) -> Verdict:
        """Look, after a commit and with nothing left to commit; `requests` were sent so far."""
        if any(is_busy() for is_busy in self._points.busy):
            return Verdict.GOES_ON
        for partition in self._partitions.values():
            state = partition.state
            has_links = state.links_owed or state.limits.end_page
            if state.pending or state.errands or has_links or state.rendering.is_at_work:
                self._look_at_patience()
                return Verdict.GOES_ON
        if not self._cycles.is_ready(requests):
            return Verdict.GOES_ON
        for number in [n for n in self._partitions if self._log.owner(n) != self._owner]:
            self._on_lost(number)  # an idle worker sends and commits nothing, and learns it here
        self._report()
        found = self._ending.look(self._log.heads)
        self._patience.count(self._clock.now(), found.is_stuck)
        if found.is_over:
            return Verdict.OVER
        if found.is_between:
            return Verdict.CYCLE_OVER
        if found.is_near and not found.is_stuck:
            self._tick.set_within(self._commit_seconds)
        return Verdict.GOES_ON

    def give_up_if_told(self) -> None:
        """Close what is out of reach, once each time that patience has ended."""
        self._patience.give_up_if_told(self._clock.now())

    def patience_left(self) -> float | None:
        """Return after how many seconds what is out of reach is given up, if all else is done."""
        return self._patience.seconds_left() if self._ending.finding.is_stuck else None

    def _report(self, *, is_stuck: bool = False) -> None:
        """Say that the partitions are idle, or that those that are not are stuck."""
        for number, partition in self._partitions.items():
            state = partition.state
            report = Report(
                state.sequence,
                state.inbox_read,
                self._cycles.goes_on(partition),
                is_stuck and _is_at_work(state),
                bool(state.segment_ends),
            )
            self._ending.report(number, report)
        self._has_reported = True

    def _look_at_patience(self) -> None:
        """Say that nothing is left but what is out of reach, or that something is."""
        now, patience = self._clock.now(), self._patience
        if patience.is_stuck(now):
            self._report(is_stuck=True)
            patience.count(now, self._ending.look(self._log.heads).is_stuck)
        else:
            for number in self._partitions if self._has_reported else ():
                self._ending.report(number, None)
            self._has_reported = False
            patience.count(now, False)
        if patience.look_again_at < NEVER:
            self._tick.set_before(max(patience.look_again_at, now))


def _is_at_work(state: PartitionState) -> bool:
    """Return whether URLs are pending, or links or pages still to be read."""
    has_links = state.links_owed or state.limits.end_page
    return bool(state.pending or has_links or state.rendering.is_at_work)
