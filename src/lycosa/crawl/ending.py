"""Find the end of a crawl, or of one of its cycles: one search, for any number of processes.

A crawl has ended when every partition is idle and every inbox is read to its last sequence, seen
twice with no change in between. A partition is idle when no URL of it is pending, in flight or
uncommitted. Its owner reports this together with the sequences of its log and inbox; the report
holds as long as the log's own heads have not moved. A cycle ends in the same way, with a report
that another cycle follows.

A partition is *stuck* when it has only unreachable origins left. When all partitions are idle or
stuck, the crawl waits for its patience to end (`worker.patience`), then gives those origins up.

    compare        the reports of all partitions with the log's heads: pure
    Ending         collects the reports in one process, and looks twice
    EndingElsewhere  brings them to the process that looks, and its findings back: to a supervisor
                   over a socket, to the owner of partition 0 in a cluster over the board

The end is never found too early, because a link is posted no later than the event that records its
discovery. Either its source still has something uncommitted and is not idle, or the link is in an
inbox whose head is beyond the owner's position. Two looks are needed because the heads of many
partitions cannot be read at one moment. A link may pass from a partition not yet looked at to one
already looked at; then the second look sees a head move. In a cluster a note that the log accepts
only if no head has moved takes the place of the second look (`member.chair`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from lycosa._support.tuples import NamedTuple
from lycosa.storage.log.protocol import Head


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


class Finding(NamedTuple):
    """Result of a look at all partitions."""

    is_over: bool = False
    """Whether the crawl has ended."""
    is_between: bool = False
    """Whether a cycle is over and another follows."""
    is_stuck: bool = False
    """Whether only unreachable origins are left, and no link is in transit between partitions."""
    has_answers: bool = False
    """Whether any server has ever answered a request."""
    is_near: bool = False
    """Whether every partition has reported, so that another look may soon find more."""


def compare(reports: Collection[Report], heads: Iterable[Head]) -> tuple[bool, bool]:
    """Return whether all partitions are idle, and whether they are idle or stuck and one is stuck.

    `reports` has a report for each head.
    """
    pairs = list(zip(reports, heads, strict=True))
    has_stuck = any(report.is_stuck for report in reports)
    is_read = all(report.inbox == head.inbox for report, head in pairs)
    is_idle = is_read and not has_stuck and all(report.log == head.log for report, head in pairs)
    return is_idle, is_read and has_stuck


class Ending:
    """Collects the reports of all partitions; a crawl has one for all its workers."""

    def __init__(self, partitions: int) -> None:
        self._reports: list[Report | None] = [None] * partitions
        self._seen: list[Report] | None = None
        self.finding = Finding()
        """The result of the last look."""
        self.patience_ended = 0
        """Number of times that the crawl has given unreachable origins up."""

    def report(self, partition: int, report: Report | None) -> None:
        """Note that a partition is idle or stuck, or (None) that it is not."""
        self._reports[partition] = report
        if report is None and self.finding.is_stuck:
            self.finding = self.finding._replace(is_stuck=False)

    def end_patience(self) -> None:
        """Let all workers give up the unreachable origins."""
        self.patience_ended += 1

    def look(self, read_heads: Callable[[], Sequence[Head]]) -> Finding:
        """Compare the reports with the log's heads, if there is a report of every partition."""
        now = [report for report in self._reports if report is not None]
        has_answers, is_over = any(one.has_answers for one in now), self.finding.is_over
        if len(now) < len(self._reports):
            self._seen = None
            self.finding = Finding(is_over, has_answers=has_answers)
            return self.finding
        is_idle, is_stuck = compare(now, read_heads())
        # The heads are read one after the other: only the second look proves that none has moved.
        is_done, goes_on = is_idle and now == self._seen, any(report.goes_on for report in now)
        self._seen = now if is_idle else None
        is_over = is_over or (is_done and not goes_on)
        self.finding = Finding(is_over, is_done and goes_on, is_stuck, has_answers, True)
        return self.finding


class EndingElsewhere:
    """Keeps a worker's reports for the process that looks for the end, and learns its findings."""

    def __init__(self, on_news: Callable[[], object] = lambda: None) -> None:
        """Call `on_news` when there are news for it, which `news` returns."""
        self._on_news = on_news
        self._news: dict[int, Report | None] = {}
        self.reports: dict[int, Report] = {}
        """The present reports of this worker's partitions."""
        self.finding = Finding()
        self.wants_to_give_up = False
        """Whether patience has ended, and nobody was told yet."""
        self.patience_known = 0
        """Number of times that patience has ended, as far as this worker knows."""
        self._patience_before: int | None = None

    def report(self, partition: int, report: Report | None) -> None:
        """Keep a report, and tell of it if it has changed."""
        if self.reports.get(partition) == report:
            return
        if report is None:
            del self.reports[partition]
        else:
            self.reports[partition] = report
        if not self._news:
            self._on_news()
        self._news[partition] = report

    def news(self) -> dict[int, Report | None]:
        """Return the reports that have changed since the last call."""
        news, self._news = self._news, {}
        return news

    def look(self, read_heads: Callable[[], Sequence[Head]]) -> Finding:
        """Return what was found elsewhere."""
        return self.finding

    def learn(self, finding: Finding) -> None:
        """Learn what was found; an end is never taken back.

        The end of a cycle is told to the worker once, by `Worker.cycle_over`: a later look would
        take it for the end of the next cycle.
        """
        is_over = finding.is_over or self.finding.is_over
        self.finding = finding._replace(is_over=is_over, is_between=False)

    def end_patience(self) -> None:
        """Have all workers told to give up the unreachable origins."""
        if not self.wants_to_give_up:
            self.wants_to_give_up = True
            self._on_news()

    def patience_noted(self, number: int) -> None:
        """Learn how often patience has ended; ends before this worker began are not counted."""
        if self._patience_before is None:
            self._patience_before = number
        self.patience_known = max(self.patience_known, number)

    @property
    def patience_ended(self) -> int:
        """Number of ends of patience since this worker began."""
        return self.patience_known - (self._patience_before or 0)
