"""Count what a crawl has done, how fast it is, and how long it needs at least.

The estimate of the time left is a lower bound: a host with n pending URLs needs at least n pauses,
and an address as many of its own, however fast the machine is. It assumes that no new URL is
found, and a display must say so.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from itertools import zip_longest
from typing import Any, NamedTuple

from lycosa.config import Job
from lycosa.crawl.pauses import due_pause
from lycosa.crawl.status.unreachable import MOST_NAMED
from lycosa.crawl.status.waiting import MOST_NAMED as MOST_WAITS
from lycosa.frontier.fold.facts.columns import PUT_OFF
from lycosa.frontier.fold.facts.guesses import rule_name
from lycosa.frontier.fold.facts.rendering import SHELL
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.records import TRAPS, Outcome, RobotsState
from lycosa.url import host_of

BLOCKED = int(Outcome.BLOCKED)
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
    """A lower bound: what the pauses of the pending URLs add up to."""
    workers: int = 1
    commits: int = 0
    """Of this run alone, as are the times below; all workers together."""
    commit_queue_seconds: float = 0.0
    """How long commits waited for their turn within their worker."""
    commit_lock_seconds: float = 0.0
    """How long they waited while another worker was writing to the log."""
    commit_write_seconds: float = 0.0
    """How long they took to write."""
    mined: dict[str, list[int]] = {}  # noqa: RUF012  it is never changed
    """By rule: how many URLs were guessed, and how many of them were pages."""
    waits: list[list[Any]] = []  # noqa: RUF012
    """Some hosts or origins that the crawl waits for: name, reason, until when (moment or 0)."""
    waits_count: int = 0
    """How many hosts the crawl waits for."""
    patience_left: float | None = None
    """Seconds until unreachable origins are given up; None while there is other work."""
    given_up: list[list[Any]] = []  # noqa: RUF012
    """Origins that could not be reached and were given up, how many URLs each had, and why; those
    with most URLs, as many as can be named."""
    given_up_origins: int = 0
    """How many there are."""
    structured: dict[str, int] = {}  # noqa: RUF012
    """Triples, pages that have some, and what was left out of structured data, by reason."""
    put_off: int = 0
    """URLs that wait for a later cycle, or promise nothing of what is wanted."""
    topics: dict[str, list[int]] = {}  # noqa: RUF012
    """By topic: how many pages are about it, and how many URLs wait that may be."""
    budgets: dict[str, int] = {}  # noqa: RUF012
    """By entry of `[topics] budgets`: how many pages were taken from the queues of its topics."""
    unsent_bytes: int = 0
    """Content that is not in the store, if the job has one."""
    unsent_seconds: float = 0.0
    """How long the oldest of it has been here."""
    unsent_problem: str = ""
    """Why it is not in the store, if that is no matter of time."""
    is_paused: bool = False
    """Whether the operator has paused it."""
    durations: list[int] = []  # noqa: RUF012
    """How many requests of this run took how long (`durations.BOUNDS`)."""
    durations_seconds: float = 0.0
    """How long all of them took."""
    last_commit: float = 0.0
    """When something was last made durable; 0 if nothing was in this run."""
    free_disk_bytes: int = 0
    """On the disk that holds the crawl."""
    urls: int = 0
    """How many URLs are known."""
    cycle: int = 0
    """The cycle under way, or the last one; 0 in a crawl without cycles."""
    blocked: list[str] = []  # noqa: RUF012
    """The hosts that the operator blocked."""
    waited_seconds: float = 0.0
    """How much of `[limits] patience_seconds` was used."""
    links_owed: int = 0
    """Pages that came nearer, whose links lie on another machine."""
    links_given_up: int = 0
    """Such pages that stay as they are."""
    rendered: dict[str, int] = {}  # noqa: RUF012
    """Pages that a browser has rendered, by ending; `waiting` for those that it has not yet, and
    `shell` for pages that seem empty without one."""


FRAME_SECONDS = 1.0
"""How often progress is added up for `live.json` and the statistics file."""


def _ignore(*_: object) -> None:
    pass


class Listener(NamedTuple):
    """Callbacks for a program that wants to follow a run."""

    progress: Callable[[Progress], None] = _ignore
    progress_seconds: float = 1.0
    refused_seed: Callable[[str, str], None] = _ignore
    """A seed and why it was refused."""
    seed_failed: Callable[[str, str], None] = _ignore
    """A seed and why it cannot be reached, as soon as that is known."""
    stopping: Callable[[], None] = _ignore
    """The first stop request arrived."""
    waiting: Callable[[str], None] = _ignore
    """Why the crawl does not begin yet."""
    planting: Callable[[int, int], None] = _ignore
    """How many seeds of a long list are planted, and how long the list is."""
    refused_more: Callable[[dict[str, int]], None] = _ignore
    """How many more seeds were refused, by reason, when they are too many to name."""
    noticed: Callable[[str], None] = _ignore
    """A warning about this run."""
    uploading: Callable[[int, int, str], None] = _ignore
    """Segments and bytes that the end of the run waits for, and why they are not in the store."""

    def seconds_to_next(self, took: float) -> float:
        """Return when progress is added up again, if it took so long now.

        `live.json` and the statistics file want it every second, whatever this listener wants. In
        a crawl of many hosts, whose figures take long, that may not cost more than a hundredth.
        """
        often = min(self.progress_seconds, FRAME_SECONDS)
        return max(often, min(100 * took, self.progress_seconds), 30 * took)


_OF_THIS_RUN = (
    "requests",
    "commits",
    "commit_queue_seconds",
    "commit_lock_seconds",
    "commit_write_seconds",
    "durations_seconds",
)


def add_up(parts: Iterable[Progress], gone: Iterable[Progress] = ()) -> Progress:
    """Return the progress of all workers together.

    `gone` is the last progress of workers that died: their requests and commits of this run count;
    pages and hosts are counted by their successors. Time and speed are left to `Pace`.
    """
    hosts: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    refusals: Counter[str] = Counter()
    mined: dict[str, list[int]] = {}
    topics: dict[str, list[int]] = {}
    structured: Counter[str] = Counter()
    budgets: Counter[str] = Counter()
    rendered: Counter[str] = Counter()
    given_up: list[list[Any]] = []
    waits: list[list[Any]] = []
    parts, gone = list(parts), list(gone)
    for part in parts:
        add_numbers(mined, part.mined)
        add_numbers(topics, part.topics)
        hosts.update(part.hosts)
        outcomes.update(part.outcomes)
        refusals.update(part.refusals)
        structured.update(part.structured)
        budgets.update(part.budgets)
        rendered.update(part.rendered)
        given_up += part.given_up
        waits += part.waits
    durations = [part.durations for part in (*parts, *gone)]
    patience = [part.patience_left for part in parts]
    run = {name: sum(getattr(part, name) for part in [*parts, *gone]) for name in _OF_THIS_RUN}
    return Progress(
        seconds=0.0,
        pages=sum(part.pages for part in parts),
        bytes=sum(part.bytes for part in parts),
        pages_per_second=0.0,
        pending=sum(part.pending for part in parts),
        in_flight=sum(part.in_flight for part in parts),
        hosts=dict(hosts),
        outcomes=dict(outcomes.most_common()),
        refusals=dict(refusals.most_common()),
        seconds_left=max((part.seconds_left for part in parts), default=0.0),
        workers=len(parts),
        mined=mined,
        waits=sorted(waits, key=lambda wait: wait[2])[:MOST_WAITS],
        waits_count=sum(part.waits_count for part in parts),
        patience_left=min((left for left in patience if left is not None), default=None),
        given_up=sorted(given_up, key=lambda one: -one[1])[:MOST_NAMED],
        given_up_origins=sum(part.given_up_origins for part in parts),
        structured=dict(structured.most_common()),
        put_off=sum(part.put_off for part in parts),
        topics=topics,
        budgets=dict(budgets),
        is_paused=any(part.is_paused for part in parts),
        durations=[sum(column) for column in zip_longest(*durations, fillvalue=0)],
        last_commit=max((part.last_commit for part in parts), default=0.0),
        urls=sum(part.urls for part in parts),
        cycle=max((part.cycle for part in parts), default=0),
        blocked=sorted({host for part in parts for host in part.blocked}),
        waited_seconds=max((part.waited_seconds for part in parts), default=0.0),
        links_owed=sum(part.links_owed for part in parts),
        links_given_up=sum(part.links_given_up for part in parts),
        rendered=dict(rendered),
        **run,
    )


class Pace:
    """Measures how long a run has taken, and how fast it was lately."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._recent: deque[tuple[float, int]] = deque(maxlen=15)

    def of(self, progress: Progress) -> Progress:
        """Return the progress with its time and speed."""
        now = time.monotonic()
        self._recent.append((now, progress.pages))
        then, before = self._recent[0]
        speed = (progress.pages - before) / (now - then) if now > then else 0.0
        return progress._replace(seconds=now - self._began, pages_per_second=max(speed, 0.0))


def messages_of(states: Iterable[PartitionState], job: Job) -> int | None:
    """Return how many batches of messages partitions have read from their inboxes.

    None where the log is in a server: the numbers of its inboxes may have gaps.
    """
    return None if job.log.server else sum(state.inbox_read for state in states)


def outcomes_of(states: Iterable[PartitionState]) -> dict[str, int]:
    """Return how many URLs ended in each outcome, including those of closed hosts."""
    counts: Counter[int] = Counter()
    for state in states:
        counts.update(state.outcomes)
        counts.update(state.ended_by_closing())
    return {Outcome(outcome).name.lower(): count for outcome, count in counts.most_common()}


def blocked_of(states: Iterable[PartitionState]) -> list[str]:
    """Return the hosts that the operator blocked, in the order of their names."""
    return sorted(
        {
            host_of(f"{state.host_names[host]}:/")
            for state in states
            if BLOCKED in state.hosts.closed
            for host, closed in enumerate(state.hosts.closed)
            if closed == BLOCKED
        }
    )


def put_off_of(states: Iterable[PartitionState]) -> int:
    """Return how many URLs wait for a later cycle, or promise nothing of what is wanted."""
    some = (state for state in states if state.history.cycle or state.topics.topic)
    return sum(state.pages.status.tobytes().count(PUT_OFF) for state in some)


def refusals_of(states: Iterable[PartitionState]) -> dict[str, int]:
    """Return how many URLs were refused or put aside, by reason."""
    counts: Counter[str] = Counter()
    for state in states:
        counts.update(state.refusals)
        closed = state.ended_by_closing()
        for outcome, reason in TRAPS.items():
            if put_aside := state.traps.put_aside[outcome] + closed[outcome]:
                counts[reason] += put_aside
    return dict(counts.most_common())


def mined_of(states: Iterable[PartitionState]) -> dict[str, list[int]]:
    """Return by rule how many URLs were guessed, and how many of them were pages."""
    counts: dict[str, list[int]] = {}
    for state in states:
        found = {rule_name(rule): [y.guessed, y.pages] for rule, y in state.guesses.by_rule()}
        add_numbers(counts, found)
    return counts


def add_numbers(total: dict[str, list[int]], more: dict[str, list[int]]) -> None:
    """Add pairs of numbers to those of the same name."""
    for name, numbers in more.items():
        known = total.get(name, [0, 0])
        total[name] = [a + b for a, b in zip(known, numbers, strict=True)]


def structured_of(states: Iterable[PartitionState]) -> dict[str, int]:
    """Return how many triples and pages with some there are, and what was left out."""
    counts: Counter[str] = Counter()
    for state in states:
        counts.update(state.structured)
    return dict(counts.most_common())


def rendered_of(states: Iterable[PartitionState]) -> dict[str, int]:
    """Return how many pages were rendered, by ending, wait for that, or seem empty without it."""
    counts: Counter[str] = Counter()
    for state in states:
        known = state.rendering
        counts.update(known.endings)
        if known.waiting:
            counts["waiting"] += len(known.waiting)
        counts[SHELL] += len(known.shells) - known.endings[SHELL]
    return {name: count for name, count in counts.items() if count}


def phases_of(partitions: Iterable[Partition]) -> dict[str, int]:
    """Return how many hosts are in each phase."""
    counts: dict[str, int] = {}
    for partition in partitions:
        if partition.state.host_names or not counts:
            for phase, count in partition.readiness.counts().items():
                counts[phase] = counts.get(phase, 0) + count
    return counts


def seconds_left(states: Iterable[PartitionState], job: Job, now: float | None = None) -> float:
    """Return how long the pending URLs take at least, by the pauses alone.

    A host must first be due, or its robots file be tried again; then follow as many pauses as
    it has pending URLs, or fewer if the last ones may go in a burst.
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
                site_due = max(sites.robots_expires[site] if is_blocked else 0.0, sites.due[site])
                opens = min(opens, site_due)
            if pending:
                wait = max(due, opens, now) - now
                pauses = max(0, pending - job.politeness.burst_urls)
                longest = max(longest, wait + pauses * due_pause(job, state, host))
    return longest
