"""List the URLs that a crawl has still to fetch, each with the reason for its wait.

A URL waits for its turn, for its host's pause, for a robots file, for a retry, or, in a crawl with
cycles, for a cycle that chooses it. The reasons are those of `lycosa.crawl.status.waiting`. The
list is ordered by when a URL is due; among those that are due now the scheduler decides.

Cost: some microseconds for each URL in the queue; only the URLs that are shown are kept in memory.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lycosa.crawl.status.waiting import wait_of_page
from lycosa.frontier.distance import depth_of
from lycosa.frontier.facts.columns import PUT_OFF
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.job import Job
from lycosa.model.records import RobotsState
from lycosa.model.url import host_of, url_of

TURN = "its turn"
FIRST_ROBOTS = "the site's robots file, which has not been asked for yet"
NEXT_CYCLE = "a cycle that chooses it"


class Queued(NamedTuple):
    """One URL in the queue."""

    due: float
    """Earliest moment of the fetch; 0 if that is now, or does not depend on the clock."""
    depth: int
    url: str
    host: str
    waits_for: str


class Queue(NamedTuple):
    """The queue of a crawl, or the beginning of it."""

    total: int
    """Number of URLs in the queue, or of those of the wanted host."""
    put_off: int
    """Number of them that wait for a later cycle."""
    first: list[Queued]
    """The URLs that are due first."""


def queue_of(
    states: Iterable[PartitionState], job: Job, now: float, *, most: int = 0, host: str = ""
) -> Queue:
    """Return the URLs that are due first, at most `most` unless it is 0."""
    counts = [0, 0]

    def counted() -> Iterator[Queued]:
        for state in states:
            for one in _queued(state, job, now, host):
                counts[0] += 1
                counts[1] += one.waits_for == NEXT_CYCLE
                yield one

    first = heapq.nsmallest(most, counted()) if most else sorted(counted())
    return Queue(counts[0], counts[1], first)


def _queued(state: PartitionState, job: Job, now: float, host: str) -> Iterator[Queued]:
    sites = state.sites
    names = [host_of(f"{name}:/") for name in state.host_names]
    for page, status in enumerate(state.pages.status):
        site = state.pages.site[page]
        is_put_off = status == PUT_OFF and not sites.closed[site]
        if not is_put_off and not state.is_pending(page):
            continue
        name = names[sites.host[site]]
        if host and name != host:
            continue
        why, due = NEXT_CYCLE, 0.0
        if not is_put_off:
            why, due = _reason(state, page, site, job, now)
        depth = depth_of(state.pages.distance[page])
        yield Queued(due, depth, url_of(state.table.key(page)), name, why)


def _reason(state: PartitionState, page: int, site: int, job: Job, now: float) -> tuple[str, float]:
    """Return the reason why a pending URL waits, and until when."""
    wait = wait_of_page(state, page, job, now)
    if wait is not None:
        return wait.why, wait.until
    if state.sites.robots[site] == RobotsState.UNKNOWN:
        return FIRST_ROBOTS, 0.0
    return TURN, 0.0
