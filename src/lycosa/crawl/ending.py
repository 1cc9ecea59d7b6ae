"""When all is done.

The end of a crawl: every partition idle, every inbox read to its last sequence, seen
twice with nothing changed in between. A partition is idle when nothing is pending, in
flight or uncommitted; its owner says so together with how far its log and inbox went
when it was. The claim holds as long as the log's own heads still say the same. A cycle
ends in the same way; then the report of one partition says that another follows.

A partition that has nothing left but origins out of reach is *stuck*. When all are idle or stuck,
the crawl waits as long as it has patience (`patience`), and then gives those origins up.

Why it cannot come too early: a link on its way is posted no later than the event that
says it was found. So either its source still has something uncommitted, and is not
idle; or the link is in an inbox, whose head is then beyond what its owner has read.
Why twice: the heads of many partitions may not be readable at one moment, and a link
can pass from one that was not yet looked at to one that already was; but then some
head has moved at the second look.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lycosa.log.protocol import Head


class Report(NamedTuple):
    """What an owner says of an idle partition."""

    log: int
    inbox: int
    goes_on: bool = False
    """Whether another cycle follows when all is done."""
    is_stuck: bool = False
    """It is not idle: what it has pending is out of reach."""
    has_answers: bool = False
    """Whether any server has ever answered it."""


class Ending:
    """Collects the reports of all owners; one for all workers of a crawl."""

    def __init__(self, partitions: int) -> None:
        self._reports: list[Report | None] = [None] * partitions
        self._seen: list[Report] | None = None
        self.is_over = False
        self.is_between = False
        """Whether a cycle is over and another follows."""
        self.patience_ended = 0
        """How often what is out of reach was to be given up."""

    def report(self, partition: int, report: Report | None) -> None:
        """Note that a partition is idle, or (None) that it is not."""
        self._reports[partition] = report

    def is_possible(self) -> bool:
        """Return whether every partition is said to be idle, so that a look is worth its cost."""
        return all(report is not None and not report.is_stuck for report in self._reports)

    def may_be_stuck(self) -> bool:
        """Return whether every partition is said to be idle or stuck, and one of them stuck."""
        reports = self._reports
        return None not in reports and any(report and report.is_stuck for report in reports)

    def is_stuck(self, heads: Sequence[Head]) -> bool:
        """Return whether that is so and nothing is on its way between partitions."""
        return self.may_be_stuck() and all(
            report is not None and report.inbox == head.inbox
            for report, head in zip(self._reports, heads, strict=True)
        )

    @property
    def has_answers(self) -> bool:
        """Whether any server has ever answered, as far as was reported."""
        return any(report is not None and report.has_answers for report in self._reports)

    def end_patience(self) -> None:
        """Let all workers give up what is out of reach."""
        self.patience_ended += 1

    def look(self, heads: Sequence[Head]) -> bool:
        """Return whether this is the second look in a row at the same idle whole, and the last."""
        now = [report for report in self._reports if report is not None]
        is_idle = len(now) == len(self._reports) and all(
            report.log == head.log and report.inbox == head.inbox and not report.is_stuck
            for report, head in zip(now, heads, strict=True)
        )
        is_done, goes_on = is_idle and now == self._seen, any(report.goes_on for report in now)
        self.is_over = self.is_over or (is_done and not goes_on)
        self.is_between = is_done and goes_on
        self._seen = now if is_idle else None
        return self.is_over
