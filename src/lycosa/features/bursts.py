"""Bursts: asks a host for several URLs in a row, then leaves it alone for as many pauses.

With `burst_urls` above 1, a host that has answered a page may be asked for its next one without
its pause, up to that number; n URLs are then followed by n pauses (KSpider, 3.1). So a host is
asked no more often than without bursts, only less evenly, and connections are used again that
would have been closed by then. All else stays: one request at a time, robots rules, the pause of
the address.

With `[render] burst_parts` above 1, the missing parts of a page may follow in the same way
(`features.rendering.rows`), also where `burst_urls` is 1.

A burst goes on only while nothing speaks against it. A Crawl-delay of any site of the host,
an answer that failed, was slow or refused, and strikes that are not forgotten end it, and so does
a robots file: the host is then owed all its pauses, and the longer one for the last answer.

Always true:
  * what is owed is in the log with every answer: a host's due moment is the end of all its
    pauses, also while a burst goes on;
  * what a kill makes us forget is paid for: after a resume every host has as many pauses as a
    whole burst of `burst_urls` costs, and a host with a row of parts as many as that may cost
    (`pauses.due`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lycosa.crawl.pauses.due import is_unhurried, usual_pause
from lycosa.crawl.points import Feature
from lycosa.frontier.partition import Partition
from lycosa.model.job import Job
from lycosa.model.records import Outcome

if TYPE_CHECKING:
    from lycosa.features.rendering.rows import PartRows

_GOES_ON = frozenset(
    (
        Outcome.KEPT,
        Outcome.NOT_MODIFIED,
        Outcome.REDIRECTED,
        Outcome.NOT_FOUND,
        Outcome.SOFT_404,
        Outcome.WRONG_TYPE,
    )
)
"""After these a burst may go on: the host is well."""


class Bursts(Feature):
    """The bursts under way; one per worker."""

    def __init__(self, job: Job, rows: PartRows | None = None) -> None:
        """`rows` knows the parts of pages that may be asked for in a row."""
        self._job = job
        self._most = job.politeness.burst_urls
        self._rows = rows
        self._asked: dict[tuple[int, int], int] = {}
        """(partition, host) → how often it was asked in the burst that goes on."""

    def lost(self, number: int) -> None:
        """Forget the hosts of a partition that is no longer ours."""
        for asked in [asked for asked in self._asked if asked[0] == number]:
            del self._asked[asked]

    def owed(self, partition: Partition, host: int, outcome: Outcome, pause: float) -> float:
        """Return what is owed to a host after a page, and let its burst go on if it may."""
        asked = self._asked.get((partition.number, host), 0) + 1
        is_well = outcome in _GOES_ON and self._is_free(partition, host, pause)
        goes_on = self._rows is not None and self._rows.goes_on(
            partition, host, asked, is_well=is_well
        )
        owed = self._owed(partition, host, pause)
        if goes_on or (is_well and asked < self._most):
            self._asked[partition.number, host] = asked
            partition.readiness.let_go_on(host)
        return owed

    def owed_at_end(self, partition: Partition, host: int, pause: float) -> float:
        """Return what is owed to a host after an answer that ends its burst."""
        if self._rows is not None:
            self._rows.end(partition, host)
        return self._owed(partition, host, pause)

    def _owed(self, partition: Partition, host: int, pause: float) -> float:
        before = self._asked.pop((partition.number, host), 0)
        return before * self._usual(partition, host) + pause

    def _is_free(self, partition: Partition, host: int, pause: float) -> bool:
        """Return whether the host is owed nothing but the job's own pause."""
        return pause <= self._usual(partition, host) and is_unhurried(partition.state, host)

    def _usual(self, partition: Partition, host: int) -> float:
        return usual_pause(self._job, partition.state.hosts.kept[host])
