"""Find the moment, for the supervisor, when all workers together are done.

Workers report idle partitions, and `Ending` compares the reports with the log. This module sends
the result to all workers: the crawl is done, the cycle is over, or only unreachable origins are
left. While the result may still change, it looks again after every commit interval.
"""

from __future__ import annotations

from collections.abc import Callable

from lycosa.config import Job
from lycosa.crawl.ending import Ending, Report
from lycosa.crawl.processes.workers.protocol import AllDone, Command, CycleOver, Idle, Stuck
from lycosa.log.protocol import Log
from lycosa.loop import EventLoop


class EndSearch:
    """Collects the workers' reports and sends the result to all of them."""

    def __init__(
        self, loop: EventLoop, job: Job, log: Log, send_to_all: Callable[[Command], None]
    ) -> None:
        self._loop = loop
        self._log = log
        self._look_seconds = job.log.commit_seconds
        self._send_to_all = send_to_all
        self._ending = Ending(job.frontier.partitions)
        self._will_look_again = False
        self.stuck = Stuck(False, False)
        """The last message; a worker that starts later must get it too."""

    @property
    def is_over(self) -> bool:
        """Whether the crawl is done."""
        return self._ending.is_over

    def reported(self, idle: Idle) -> None:
        """Note a worker's report, and check whether it was the last one."""
        for partition, report in idle.reports.items():
            self._ending.report(partition, Report(*report) if report else None)
        self._look()

    def died(self, partitions: list[int]) -> None:
        """Count the partitions of a dead worker as busy."""
        for partition in partitions:
            self._ending.report(partition, None)

    def _look(self) -> None:
        if self._will_look_again or self._ending.is_over:
            return
        self._look_for_stuck()
        if not self._ending.is_possible():
            return
        if self._ending.look(self._log.heads()):
            self._send_to_all(AllDone())
        elif self._ending.is_between:
            self._send_to_all(CycleOver())
        else:
            self._look_later()

    def _look_for_stuck(self) -> None:
        """Tell the workers when only unreachable origins are left, and when that changes."""
        may_be_stuck = self._ending.may_be_stuck()
        found = Stuck(
            may_be_stuck and self._ending.is_stuck(self._log.heads), self._ending.has_answers
        )
        if found != self.stuck:
            self.stuck = found
            self._send_to_all(found)
        if may_be_stuck:
            self._look_later()

    def _look_later(self) -> None:
        self._will_look_again = True
        self._loop.call_later(self._look_seconds, self._look_again)

    def _look_again(self) -> None:
        self._will_look_again = False
        self._look()
