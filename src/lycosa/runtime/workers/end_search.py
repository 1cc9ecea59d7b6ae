"""Bring the workers' idle reports to the search for the end, and its findings to all workers.

The supervisor looks when a report comes. While all partitions are idle or stuck, it looks again
after every commit interval.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from lycosa._support.loop import EventLoop
from lycosa.crawl.ending import Ending
from lycosa.model.job import Job
from lycosa.runtime.workers.protocol import Command, Found, Idle
from lycosa.storage.log.protocol import Log


class EndSearch:
    """Collects the workers' reports and sends the findings to all of them."""

    def __init__(
        self, loop: EventLoop, job: Job, log: Log, send_to_all: Callable[[Command], None]
    ) -> None:
        self._loop = loop
        self._log = log
        self._look_seconds = job.log.commit_seconds
        self._send_to_all = send_to_all
        self._ending = Ending(job.frontier.partitions)
        self._will_look_again = False
        self.told = self._news()
        """The last message; a worker that starts later must get it too."""

    @property
    def is_over(self) -> bool:
        """Whether the crawl is done."""
        return self._ending.finding.is_over

    def reported(self, idle: Idle) -> None:
        """Note a worker's reports, and check whether the last one has come."""
        for partition, report in idle.reports.items():
            self._ending.report(partition, report)
        if idle.is_patience_over:
            self._ending.end_patience()
            self._tell()
        if not self._will_look_again:
            self._look()

    def died(self, partitions: list[int]) -> None:
        """Count the partitions of a dead worker as busy."""
        for partition in partitions:
            self._ending.report(partition, None)

    def _look(self) -> None:
        self._will_look_again = False
        if self.is_over:
            return
        found = self._ending.look(self._log.heads)
        self._tell()
        if found.is_near and not found.is_over and not found.is_between:
            self._will_look_again = True
            self._loop.call_later(self._look_seconds, self._look)

    def _tell(self) -> None:
        told, self.told = self.told, self._news()
        is_between = self._ending.finding.is_between
        if self.told != told or is_between:
            self._send_to_all(msgspec.structs.replace(self.told, is_between=is_between))

    def _news(self) -> Found:
        finding = self._ending.finding._replace(is_between=False, is_near=False)
        return Found(finding, self._ending.patience_ended)
