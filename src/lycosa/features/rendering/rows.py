"""Parts of a page that may be asked for in a row, and the log's note of it.

A part is asked for like any URL of its host: one, then a pause. With `[render] burst_parts` those
of one page may follow each other, and the pauses follow them (`lycosa.features.bursts`). When at
least two parts that a page lacks wait on a host, and nothing speaks against it, a `PartsInRow`
event is recorded. When that is on disk, the first of the parts is the next URL of its host, and
with its answer the burst goes on. The row is over when nothing more may follow.

Always true (docs/decisions/0131-parts-in-a-row.md):
  * a host has one row at a time, of parts of one page, and the log names it before its first
    request;
  * a row does not begin before its host has answered us, if an owner before has left one.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from lycosa.crawl.pauses.due import is_unhurried
from lycosa.crawl.points import Feature, Spine
from lycosa.fetch.robots.rules import Rules
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.frontier.schedulers import ChoosesFrom
from lycosa.model.records import PartsInRow, RobotsState

_FEWEST = 2
"""Parts that are worth a row: one alone is the next URL of its host anyway."""

_At = tuple[int, int]
"""A partition and a host."""


class PartRows(Feature):
    """The parts of pages that wait, by host, and the rows; one per worker."""

    def __init__(self, spine: Spine) -> None:
        self._clock = spine.ports.clock
        self._most = spine.ports.job.render.burst_parts
        self._partitions = spine.partitions
        self._when_on_disk = spine.when_on_disk
        self._waiting: dict[_At, list[list[int]]] = {}
        """The parts of each page, those of the page that came first in front."""
        self._to_look_at: dict[_At, None] = {}
        """Hosts at which a row may begin now."""
        self._declared: dict[_At, list[int]] = {}
        """Rows that begin when the disk has their events."""

    def begun(self, partition: Partition, now: float) -> None:
        """Find the parts for which pages wait."""
        known = partition.state.rendering
        for waits in known.waiting.values():
            self.want(partition, waits.missing)
        of: dict[int, list[str]] = {}
        for key, partitions in known.sought.items():
            of.setdefault(min(partitions), []).append(key)
        for keys in of.values():
            self.want(partition, keys)

    def lost(self, number: int) -> None:
        """Forget a partition that is no longer ours."""
        for found in (self._waiting, self._to_look_at, self._declared):
            for at in [at for at in found if at[0] == number]:
                del found[at]

    def want(self, partition: Partition, keys: Iterable[str]) -> None:
        """Note parts that one page lacks; those of other partitions are left to these."""
        state, of_host = partition.state, dict[int, list[int]]()
        for key in keys:
            page = state.table.find(key)
            if page is not None and state.is_pending(page):
                of_host.setdefault(state.sites.host[state.pages.site[page]], []).append(page)
        for host, pages in of_host.items():
            if len(pages) >= _FEWEST:
                self._waiting.setdefault((partition.number, host), []).append(pages)
                self._to_look_at[partition.number, host] = None

    def looked(self) -> None:
        """Let rows begin."""
        while self._to_look_at:
            number, host = at = next(iter(self._to_look_at))
            del self._to_look_at[at]
            partition = self._partitions.get(number)
            if partition is not None and not partition.is_leaving and at in self._waiting:
                self._look_at(partition, host)

    def _look_at(self, partition: Partition, host: int) -> None:
        state, waiting = partition.state, self._waiting[partition.number, host]
        while waiting:
            waiting[0] = [page for page in waiting[0] if state.is_pending(page)]
            if len(waiting[0]) >= _FEWEST:
                break
            del waiting[0]
        if not waiting:
            del self._waiting[partition.number, host]
            return
        if state.owed.rows.is_known(host) or not self._may_begin(partition, host):
            return
        parts = [page for page in waiting[0] if partition.is_offered(page)][: self._most]
        if len(parts) < _FEWEST:
            return
        # Another request may come between: one that is under way, or one that failed before.
        most = min(self._most, len(parts) + 1)
        partition.record(PartsInRow(self._clock.now(), host, parts, most))
        self._declared[partition.number, host] = parts
        self._when_on_disk(partial(self._begin, partition, host, parts))

    def _may_begin(self, partition: Partition, host: int) -> bool:
        state, now = partition.state, self._clock.now()
        return (
            isinstance(partition.scheduler, ChoosesFrom)
            and is_unhurried(state, host)
            and not state.hosts.closed[host]
            and all(_may_ask(state, site, now) for site in state.sites_of(host))
        )

    def _begin(self, partition: Partition, host: int, parts: list[int]) -> None:
        """Let parts follow each other: the log has it."""
        at = (partition.number, host)
        if self._declared.get(at) is not parts:
            return  # the host has answered meanwhile, in a way that speaks against it
        del self._declared[at]
        partition.rows[host] = parts
        page = partition.next_of_row(host)
        if page is not None:
            partition.ask_first(page, self._clock.now())

    def goes_on(self, partition: Partition, host: int, asked: int, *, is_well: bool) -> bool:
        """Return whether a part may follow an answer; else the row, if there is one, is over.

        `asked` is the number of requests in a row, and `is_well` says that nothing speaks against
        another one.
        """
        if is_well and (partition.number, host) in self._declared:
            return False  # it has not begun
        is_full = asked >= partition.state.owed.rows.most_owed(host)
        if is_well and not is_full and partition.next_of_row(host) is not None:
            return True
        self.end(partition, host)
        return False

    def end(self, partition: Partition, host: int) -> None:
        """End the row of a host, if there is one."""
        partition.rows.pop(host, None)
        self._declared.pop((partition.number, host), None)
        if partition.state.owed.rows.is_known(host):
            partition.record(PartsInRow(self._clock.now(), host))
        self._note(partition, host)

    def _note(self, partition: Partition, host: int) -> None:
        at = (partition.number, host)
        if at in self._waiting:
            self._to_look_at[at] = None


def _may_ask(state: PartitionState, site: int, now: float) -> bool:
    """Return whether nothing speaks against asking a site several times in a row."""
    sites = state.sites
    if Rules.from_bytes(state.rules.get(site, b"")).visit_hours:
        return False
    is_known = sites.robots[site] == RobotsState.KNOWN and sites.robots_expires[site] > now
    is_idle = bool(sites.closed[site]) or not sites.pending[site]
    return is_idle or (is_known and not sites.strikes[site])
