"""The end of a crawl as a worker of a cluster sees it.

The worker reports idle partitions here, as in a crawl on one machine. The reports go to the board.
The owner of partition 0 compares them with the log (`chair`), and its findings come back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lycosa.cluster.idle import IdleReport
from lycosa.crawl.ending import Report
from lycosa.log.protocol import Head


class SharedEnd:
    """Receives reports of idle partitions; one object for each life."""

    def __init__(self) -> None:
        self._reports: dict[int, Report] = {}
        self.is_over = False
        self.is_between = False
        self.found_stuck = False
        self.has_answers = False
        self.patience_known = 0
        """Number of ends of patience in this run, as far as this member knows."""
        self._patience_before: int | None = None
        self.wants_to_give_up = False
        """The leader's worker reports that patience has ended."""

    def report(self, partition: int, report: Report | None) -> None:
        """Note that a partition is idle or stuck, or (None) that it is not."""
        if report is None:
            self._reports.pop(partition, None)
        else:
            self._reports[partition] = report

    def reports(self, partitions: Sequence[int]) -> list[IdleReport]:
        """Return the reports for the other members: an empty list while a partition is busy."""
        if any(number not in self._reports for number in partitions):
            return []
        return [IdleReport(number, *self._reports[number]) for number in partitions]

    def is_possible(self) -> bool:
        """Return False: the leader (`chair`) compares the reports with the log."""
        return False

    def look(self, heads: Sequence[Head]) -> bool:
        """Return whether the end is known."""
        return self.is_over

    def may_be_stuck(self) -> bool:
        """Return whether the leader has found all partitions idle or stuck."""
        return self.found_stuck

    def is_stuck(self, read_heads: Callable[[], Sequence[Head]]) -> bool:
        """Return whether the leader has found all partitions idle or stuck."""
        return self.found_stuck

    def patience_noted(self, number: int) -> None:
        """Learn how often patience has ended; ends before this life began are not counted."""
        if self._patience_before is None:
            self._patience_before = number
        self.patience_known = max(self.patience_known, number)

    @property
    def patience_ended(self) -> int:
        """Number of ends of patience since this life began."""
        return self.patience_known - (self._patience_before or 0)

    def end_patience(self) -> None:
        """Let all members give up the URLs out of reach."""
        self.wants_to_give_up = True
