"""Gives up unreachable origins when the crawl has waited long enough for nothing else.

Links that are owed (`LinksOwed`) are given up with them: nobody who could read them has come.

An origin (scheme, host, port) is *out of reach* while its host has no address, no connection to
it could be made, or its robots file cannot be had (`Holdings.is_out_of_reach`). Times that a server
has announced, by Retry-After or by refusing, do not count: the crawl waits for them.

    look         each worker reports whether its partitions have anything else left
    count        the owner of partition 0 adds up, in the log, how long no partition had
    give_up      after `[limits] patience_seconds` every worker closes those origins

Always true:
  * the wait is counted over all runs, by the second: a kill forgets at most one; time that the
    operator pauses the crawl is not counted;
  * an origin is closed only while it is out of reach, and never while a request to it is under
    way: a link that is still on its way to another origin is not touched by it;
  * after giving up, patience is whole again as soon as something is in reach.

Cost: while something is in reach, one look at one site per commit.
Not here: whether the whole crawl is over (ending), how often an origin is tried
(pauses.host_pauses).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from lycosa.crawl.ports import Ports
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.model.records import LinksOwed, Outcome, SiteChanged, Waited

CHAIR = 0
"""The partition whose log says how long was waited."""

NOTED_SECONDS = 1.0
"""How much waiting a kill may make us forget."""

MOST_AT_ONCE_SECONDS = 10.0
"""A longer time between two looks was not waited: the process or the machine slept."""

AT_FIRST_SECONDS = 90.0
"""Patience while nothing has ever answered: enough for a second try. A seed that was mistyped, or
a server that was not started, need not cost ten minutes."""

SITES_A_SECOND = 200_000
"""How many sites may be looked through, so that a large crawl is not kept busy by looking."""


class Patience:
    """The part of one worker in waiting for unreachable origins."""

    def __init__(self, ports: Ports, partitions: Mapping[int, Partition]) -> None:
        self._ending = ports.ending
        self._limit = ports.job.limits.patience_seconds
        self._partitions = partitions
        self._in_reach: tuple[int, int] | None = None
        """A site that was in reach when we last looked, with its partition."""
        self._next_look = 0.0
        self._was_stuck = False
        self._rounds = 0
        self._since: float | None = None
        self.look_again_at = float("inf")
        """When a look is worth its cost, if nothing happens before."""

    def is_stuck(self, now: float) -> bool:
        """Return whether everything that is pending here is out of reach."""
        self.look_again_at = float("inf")
        if not self._limit:
            return False
        if not self._is_still_in_reach(now):
            if now < self._next_look:
                self.look_again_at = self._next_look
                return self._was_stuck
            self._was_stuck = not self._look_for_one(now)
            sites = sum(len(partition.state.site_names) for partition in self._partitions.values())
            self._next_look = now + sites / SITES_A_SECOND
            if self._was_stuck:
                self.look_again_at = now + NOTED_SECONDS
                return True
        self.look_again_at = self._end_of_announced_pause(now)
        return False

    def count(self, now: float, is_stuck_everywhere: bool) -> None:
        """Add up what was waited, if partition 0 is ours; say when it was long enough."""
        chair = self._partitions.get(CHAIR)
        if chair is None or not self._limit:
            return
        state = chair.state
        if state.paused_from:
            self._since = None  # time that is paused is not waited
            return
        if not is_stuck_everywhere:
            self._since = None
            if state.waited_seconds >= self._limit and self._in_reach is not None:
                chair.record(Waited(now, 0.0))
            return
        since, self._since = self._since, self._since or now
        if since is not None and now - since >= NOTED_SECONDS:
            self._since = now
            waited = state.waited_seconds + min(now - since, MOST_AT_ONCE_SECONDS)
            chair.record(Waited(now, waited))
        if state.waited_seconds >= self._most():
            self._ending.end_patience()

    def seconds_left(self) -> float | None:
        """Return how much patience is left, if partition 0 is ours."""
        chair = self._partitions.get(CHAIR)
        if chair is None or not self._limit:
            return None
        return max(0.0, self._most() - chair.state.waited_seconds)

    def _most(self) -> float:
        return (
            self._limit if self._ending.finding.has_answers else min(self._limit, AT_FIRST_SECONDS)
        )

    def give_up_if_told(self, now: float) -> None:
        """Close what is out of reach, once each time that patience has ended."""
        if self._rounds == self._ending.patience_ended:
            return
        self._rounds = self._ending.patience_ended
        for partition in self._partitions.values():
            state = partition.state
            if state.links_owed:
                partition.record(LinksOwed(now, given_up=sorted(state.links_owed)))
            for site, pending in enumerate(state.sites.pending):
                is_open = pending and not state.sites.closed[site]
                if is_open and state.is_out_of_reach(site, now):
                    _give_up(partition, site, now)

    def _is_still_in_reach(self, now: float) -> bool:
        """Look again at the site that was in reach the last time."""
        if self._in_reach is not None:
            number, site = self._in_reach
            partition = self._partitions.get(number)
            if partition is not None and _is_in_reach(partition.state, site, now):
                return True
            self._in_reach = None
        return False

    def _look_for_one(self, now: float) -> bool:
        """Return whether a site is in reach, or an errand to be done."""
        for number, partition in self._partitions.items():
            state = partition.state
            if state.errands or state.rendering.is_ready(partial(_is_awaited, state)):
                return True
            if state.limits.is_reading(state.links_owed):
                return True  # links are read again, which takes no waiting
            for site in range(len(state.site_names)) if state.pending else ():
                if _is_in_reach(state, site, now):
                    self._in_reach = number, site
                    return True
        return False

    def _end_of_announced_pause(self, now: float) -> float:
        """Return when the site that is in reach will be out of it, if nothing happens before."""
        if self._in_reach is not None:
            number, site = self._in_reach
            state = self._partitions[number].state
            due = state.hosts.due[state.sites.host[site]]
            if due > now and state.is_out_of_reach(site, due):
                return due
        return float("inf")


def _is_awaited(state: PartitionState, key: str) -> bool:
    """Return whether a part of a page is still to come; one that is unknown here is elsewhere."""
    page = state.table.find(key)
    if page is None or state.is_pending(page):
        return True
    return state.pages.outcome[page] == Outcome.REDIRECTED  # its target may be still to come


def _is_in_reach(state: PartitionState, site: int, now: float) -> bool:
    """Return whether a site has something pending, and is not out of reach."""
    sites = state.sites
    is_open = sites.pending[site] and not sites.closed[site]
    return bool(is_open) and not state.is_out_of_reach(site, now)


def _give_up(partition: Partition, site: int, now: float) -> None:
    state = partition.state
    sites, host = state.sites, state.sites.host[site]
    if partition.readiness.is_taken(host):
        return  # the answer that is on its way decides; if it is none, the next round does
    closed = Outcome.ROBOTS_UNREACHABLE
    if state.hosts.missing[host]:
        closed = Outcome.NO_SUCH_HOST  # the check of it would have come later
    elif state.has_no_address(host) or sites.strikes[site]:
        closed = Outcome.UNREACHABLE
    partition.change_site(SiteChanged(now, site, sites.due[site], sites.strikes[site], closed))
