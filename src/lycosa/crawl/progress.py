"""How a crawl is getting on, in numbers: for displays, logs and summaries.

The estimate of the end accounts for pauses: a host with n URLs pending needs at least n
pauses, and an address as many of its own, however fast the machine is. It is a lower
bound that assumes that nothing new is found; a display must say so.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from lycosa.config import Job
from lycosa.crawl.pauses import due_pause
from lycosa.frontier.partition import Partition
from lycosa.frontier.state import PartitionState
from lycosa.records import Outcome, RobotsState

BLOCKED_STATES = (RobotsState.UNREACHABLE, RobotsState.ELSEWHERE)


class Progress(NamedTuple):
    """A crawl at one moment."""

    seconds: float
    """How long this run has taken so far."""
    pages: int
    bytes: int
    requests: int
    """Of this run alone."""
    pages_per_second: float
    pending: int
    in_flight: int
    hosts: dict[str, int]
    """How many hosts are idle, waiting, resolving, queued, awake and taken."""
    outcomes: dict[str, int]
    refusals: dict[str, int]
    seconds_left: float
    """At least so long for what is pending now, by the pauses alone."""


def outcomes_of(states: Iterable[PartitionState]) -> dict[str, int]:
    """Return how fetches ended, and what closing a host ended, by name."""
    counts: Counter[int] = Counter()
    for state in states:
        counts.update(state.outcomes)
        counts.update(state.ended_by_closing())
    return {Outcome(outcome).name.lower(): count for outcome, count in counts.most_common()}


def refusals_of(states: Iterable[PartitionState]) -> dict[str, int]:
    """Return how many URLs were refused, by reason."""
    counts: Counter[str] = Counter()
    for state in states:
        counts.update(state.refusals)
    return dict(counts.most_common())


def phases_of(partitions: Iterable[Partition]) -> dict[str, int]:
    """Return how many hosts are in each phase."""
    counts: Counter[str] = Counter()
    for partition in partitions:
        counts.update(partition.readiness.counts())
    return dict(counts)


def seconds_left(states: Iterable[PartitionState], job: Job, now: float | None = None) -> float:
    """Return how long what is pending takes at least, by the pauses alone.

    A host must first be due, or its robots file be tried again; then come as many pauses as
    it has URLs pending.
    """
    now = time.time() if now is None else now
    longest = 0.0
    for state in states:
        sites = state.sites
        for host, due in enumerate(state.hosts.due):
            pending, opens = 0, float("inf")
            for site in state.sites_of(host):
                if sites.closed[site] or not sites.pending[site]:
                    continue
                pending += sites.pending[site]
                is_blocked = sites.robots[site] in BLOCKED_STATES
                opens = min(opens, sites.robots_expires[site] if is_blocked else 0.0)
            if pending:
                wait = max(due, opens, now) - now
                longest = max(longest, wait + (pending - 1) * due_pause(job, state, host))
    return longest
