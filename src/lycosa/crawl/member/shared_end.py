"""The end of a crawl as a worker of a cluster sees it.

The worker reports idle partitions here, as in a crawl of one machine. The reports go to the board;
the owner of partition 0 compares them with the log (`chair`), and what it finds comes back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lycosa.cluster.idle import IdleReport
from lycosa.crawl.ending import Report
from lycosa.log.protocol import Head


class SharedEnd:
    """Who is told of idle partitions; one per life."""

    def __init__(self) -> None:
        self._reports: dict[int, Report] = {}
        self.is_over = False
        self.is_between = False
        self.found_stuck = False
        self.has_answers = False
        self.patience_known = 0
        """How often patience has ended in this run, as far as we know."""
        self._patience_before: int | None = None
        self.wants_to_give_up = False
        """The worker of the chair says that patience has ended."""

    def report(self, partition: int, report: Report | None) -> None:
        """Note that a partition is idle or stuck, or (None) that it is not."""
        if report is None:
            self._reports.pop(partition, None)
        else:
            self._reports[partition] = report

    def reports(self, partitions: Sequence[int]) -> list[IdleReport]:
        """Return what is to be told to others: nothing while one of these partitions is busy."""
        if any(number not in self._reports for number in partitions):
            return []
        return [IdleReport(number, *self._reports[number]) for number in partitions]

    def is_possible(self) -> bool:
        """Return False: the chair compares the reports with the log."""
        return False

    def look(self, heads: Sequence[Head]) -> bool:
        """Return whether the end was found."""
        return self.is_over

    def may_be_stuck(self) -> bool:
        """Return whether the chair has found all partitions idle or stuck."""
        return self.found_stuck

    def is_stuck(self, read_heads: Callable[[], Sequence[Head]]) -> bool:
        """Return whether the chair has found all partitions idle or stuck."""
        return self.found_stuck

    def patience_noted(self, number: int) -> None:
        """Learn how often patience has ended; what was before this life is none of its business."""
        if self._patience_before is None:
            self._patience_before = number
        self.patience_known = max(self.patience_known, number)

    @property
    def patience_ended(self) -> int:
        """How often it has ended since this life began."""
        return self.patience_known - (self._patience_before or 0)

    def end_patience(self) -> None:
        """Let all members give up what is out of reach."""
        self.wants_to_give_up = True
