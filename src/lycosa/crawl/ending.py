"""Find the end of a crawl, or of one of its cycles.

A crawl has ended when every partition is idle and every inbox is read to its last sequence, seen
twice with no change in between. A partition is idle when no URL of it is pending, in flight or
uncommitted. Its owner reports this together with the sequences of its log and inbox; the report
holds as long as the log's own heads have not moved. A cycle ends in the same way, with a report
that another cycle follows.

A partition is *stuck* when it has only unreachable origins left. When all partitions are idle or
stuck, the crawl waits for its patience to end (`worker.patience`), then gives those origins up.

The end is never found too early, because a link is posted no later than the event that records its
discovery. Either its source still has something uncommitted and is not idle, or the link is in an
inbox whose head is beyond the owner's position. Two looks are needed because the heads of many
partitions cannot be read at one moment. A link may pass from a partition not yet looked at to one
already looked at; then the second look sees a head move.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lycosa.log.protocol import Head
from lycosa.tuples import NamedTuple


class Report(NamedTuple):
    """Report of a partition's owner when the partition is idle or stuck."""

    log: int
    inbox: int
    goes_on: bool = False
    """Whether another cycle follows when all partitions are done."""
    is_stuck: bool = False
    """Whether it is not idle, but only unreachable origins are pending."""
    has_answers: bool = False
    """Whether any server has ever answered a request of the partition."""


class Ending:
    """Collects the reports of all partitions; a crawl has one for all its workers."""

    def __init__(self, partitions: int) -> None:
        self._reports: list[Report | None] = [None] * partitions
        self._seen: list[Report] | None = None
        self.is_over = False
        self.is_between = False
        """Whether a cycle is over and another follows."""
        self.patience_ended = 0
        """Number of times that the crawl has given unreachable origins up."""

    def report(self, partition: int, report: Report | None) -> None:
        """Note that a partition is idle, or (None) that it is not."""
        self._reports[partition] = report

    def is_possible(self) -> bool:
        """Return whether every partition is reported idle, so that reading the heads is
        worthwhile."""
        return all(report is not None and not report.is_stuck for report in self._reports)

    def may_be_stuck(self) -> bool:
        """Return whether every partition is reported idle or stuck, and one of them stuck."""
        reports = self._reports
        return None not in reports and any(report and report.is_stuck for report in reports)

    def is_stuck(self, read_heads: Callable[[], Sequence[Head]]) -> bool:
        """Return whether `may_be_stuck`, with no link in transit between partitions."""
        return self.may_be_stuck() and all(
            report is not None and report.inbox == head.inbox
            for report, head in zip(self._reports, read_heads(), strict=True)
        )

    @property
    def has_answers(self) -> bool:
        """Whether any partition has reported an answer from a server."""
        return any(report is not None and report.has_answers for report in self._reports)

    def end_patience(self) -> None:
        """Let all workers give up the unreachable origins."""
        self.patience_ended += 1

    def look(self, heads: Sequence[Head]) -> bool:
        """Compare the reports with the log's heads; return whether the crawl has ended."""
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
