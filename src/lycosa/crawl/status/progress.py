"""Counts, speed and least remaining time of a crawl.

The estimate of the time left is a lower bound: a host with n pending URLs needs at least n pauses,
and an address as many of its own, however fast the machine is. It assumes that no new URL is found,
and a display must say so. A limit of the job may end the crawl sooner: then the pauses up to the
limit count.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from lycosa._support.tuples import NamedTuple
from lycosa.crawl.pauses.due import due_pause, longest_burst
from lycosa.crawl.status.figures import OF_THIS_RUN, TOGETHER
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.model.job import Job
from lycosa.model.records import RobotsState

BLOCKED_STATES = (RobotsState.UNREACHABLE, RobotsState.ELSEWHERE)


class Progress(NamedTuple):
    """A crawl at one moment."""

    seconds: float
    """Duration of this run so far."""
    pages: int
    bytes: int
    requests: int
    """Of this run alone."""
    pages_per_second: float
    pending: int
    in_flight: int
    hosts: dict[str, int]
    """Numbers of hosts that are idle, waiting, resolving, queued, awake and taken."""
    outcomes: dict[str, int]
    refusals: dict[str, int]
    seconds_left: float
    """A lower bound: the sum of the pauses of the pending URLs, or of those up to a limit."""
    workers: int = 1
    commits: int = 0
    """Commits of this run; the times below are of this run too, summed over all workers."""
    commit_queue_seconds: float = 0.0
    """Time that commits waited for their turn within their worker."""
    commit_lock_seconds: float = 0.0
    """Time that commits waited while another worker was writing to the log."""
    commit_write_seconds: float = 0.0
    """Time that commits took to write."""
    mined: dict[str, list[int]] = {}  # noqa: RUF012  it is never changed
    """By rule, how many URLs were guessed, and how many of those were pages."""
    waits: list[list[Any]] = []  # noqa: RUF012
    """Some hosts or origins that the crawl waits for: name, reason, until when (moment or 0)."""
    waits_count: int = 0
    """Number of hosts that the crawl waits for."""
    patience_left: float | None = None
    """Seconds until unreachable origins are given up; None while there is other work."""
    given_up: list[list[Any]] = []  # noqa: RUF012
    """Origins that could not be reached and were given up, each with the number of its URLs and the
    reason; those with most URLs, up to `MOST_NAMED`."""
    given_up_origins: int = 0
    """Number of all given-up origins."""
    structured: dict[str, int] = {}  # noqa: RUF012
    """Triples, pages with triples, and items left out of structured data, by reason."""
    put_off: int = 0
    """URLs that wait for a later cycle, or do not promise a wanted topic."""
    topics: dict[str, list[int]] = {}  # noqa: RUF012
    """By topic, the number of its pages, and of waiting URLs that may be about it."""
    budgets: dict[str, int] = {}  # noqa: RUF012
    """By entry of `[topics] budgets`, the pages taken from the queues of its topics."""
    unsent_bytes: int = 0
    """Bytes that are not in the store yet, if the job has a store."""
    unsent_seconds: float = 0.0
    """Age of the oldest of those bytes."""
    unsent_problem: str = ""
    """Reason why they are not in the store, if more time alone does not help."""
    is_paused: bool = False
    """Whether the operator has paused it."""
    durations: list[int] = []  # noqa: RUF012
    """Histogram of the durations of this run's requests (`durations.BOUNDS`)."""
    durations_seconds: float = 0.0
    """Sum of these durations."""
    last_commit: float = 0.0
    """Time of the last commit of this run; 0 before the first."""
    free_disk_bytes: int = 0
    """Free bytes on the disk that holds the crawl."""
    urls: int = 0
    """Number of known URLs."""
    cycle: int = 0
    """The present cycle, or the last one; 0 in a crawl without cycles."""
    blocked: list[str] = []  # noqa: RUF012
    """Hosts that the operator has blocked."""
    waited_seconds: float = 0.0
    """Used part of `[limits] patience_seconds`."""
    links_owed: int = 0
    """Pages whose distance fell, and whose links lie on another machine."""
    links_given_up: int = 0
    """Such pages whose links were given up."""
    ran_seconds: float = 0.0
    """Seconds that the crawl has run, over all runs; pauses by the operator do not count."""
    limited_by: str = ""
    """The limit that ends the crawl before its queue is empty: `pages`, `bytes` or `seconds`."""
    left_out: dict[str, int] = {}  # noqa: RUF012
    """URLs that the limits of the job have left out, by limit (`status.left_out`)."""
    reading_again: list[int] = []  # noqa: RUF012
    """Number of pages that were looked at for links to be read again, and of all such pages."""
    rendered: dict[str, int] = {}  # noqa: RUF012
    """Pages that a browser has rendered, by ending; `waiting` for pages still to be rendered, and
    `shell` for pages that seem empty without a browser."""
    parts_refused: dict[str, int] = {}  # noqa: RUF012
    """Parts that rendered pages did not get, by reason: an outcome, or why the URL was refused."""


FRAME_SECONDS = 1.0
"""Seconds between two sums of progress for `live.json` and the statistics file."""


def _ignore(*_: object) -> None:
    pass


class Listener(NamedTuple):
    """Callbacks for a program that wants to follow a run."""

    progress: Callable[[Progress], None] = _ignore
    progress_seconds: float = 1.0
    refused_seed: Callable[[str, str], None] = _ignore
    """Called with a seed and the reason why it was refused."""
    seed_failed: Callable[[str, str], None] = _ignore
    """Called with a seed and the reason why it cannot be reached, as soon as that is known."""
    stopping: Callable[[], None] = _ignore
    """Called when the first stop request arrives."""
    waiting: Callable[[str], None] = _ignore
    """Called with the reason why the crawl does not begin yet."""
    planting: Callable[[int, int], None] = _ignore
    """Called with the number of seeds planted so far from a long list, and the list's length."""
    refused_more: Callable[[dict[str, int]], None] = _ignore
    """Called with the numbers of further refused seeds by reason, if they are too many to name."""
    noticed: Callable[[str], None] = _ignore
    """Called with a warning about this run."""
    uploading: Callable[[int, int, str], None] = _ignore
    """Called with the segments and bytes that the end of the run waits for, and the reason."""

    def seconds_to_next(self, took: float) -> float:
        """Return the seconds until progress is added up again, if it `took` this long now.

        `live.json` and the statistics file need it every second, whatever this listener wants. In
        a crawl of many hosts, where the figures take long, that must not cost more than a
        hundredth.
        """
        often = min(self.progress_seconds, FRAME_SECONDS)
        return max(often, min(100 * took, self.progress_seconds), 30 * took)


def add_up(parts: Iterable[Progress], gone: Iterable[Progress] = ()) -> Progress:
    """Return the progress of all workers together.

    `gone` is the last progress of workers that died. Their requests and commits of this run count;
    their successors count the pages and hosts. Time and speed are left to `Pace`.
    """
    parts, gone = list(parts), list(gone)
    total: dict[str, Any] = {"seconds": 0.0, "pages_per_second": 0.0, "workers": len(parts)}
    for rules, some in ((TOGETHER, parts), (OF_THIS_RUN, [*parts, *gone])):
        for name, together in rules.items():
            total[name] = together([getattr(part, name) for part in some])
    return Progress(**total)


class Pace:
    """Measures the duration of a run, and its recent speed."""

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


def phases_of(partitions: Iterable[Partition]) -> dict[str, int]:
    """Return how many hosts are in each phase."""
    counts: dict[str, int] = {}
    for partition in partitions:
        if partition.state.host_names or not counts:
            for phase, count in partition.readiness.counts().items():
                counts[phase] = counts.get(phase, 0) + count
    return counts


def seconds_left(states: Iterable[PartitionState], job: Job, now: float | None = None) -> float:
    """Return the least time that the pending URLs take, by the pauses alone.

    A host must first be due, or its robots file be tried again. Then follow as many pauses as it
    has pending URLs, or fewer if the last ones may go in a burst.
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
                pauses = max(0, pending - longest_burst(job))
                longest = max(longest, wait + pauses * due_pause(job, state, host))
    return longest


class Spent(NamedTuple):
    """The used parts of a crawl's limits, and how many hosts it may ask in parallel."""

    pages: int
    bytes: int
    hosts: int
    seconds: float


def within_limits(seconds: float, spent: Spent, job: Job) -> tuple[float, str]:
    """Return the time left if a limit ends it sooner than the queue, and the name of the limit.

    The rest of a limit on pages or bytes is shared evenly by all hosts with work, each with the
    shortest pause of the job: no order of requests is quicker.
    """
    limits, politeness = job.limits, job.politeness
    pause = min(politeness.delay_seconds, politeness.large_site_delay_seconds)
    rests: dict[str, float] = {}
    if limits.pages:
        rests["pages"] = limits.pages - spent.pages
    if limits.bytes and spent.pages and spent.bytes:
        rests["bytes"] = (limits.bytes - spent.bytes) / (spent.bytes / spent.pages)
    bounds = {
        name: max(0.0, rest / max(spent.hosts, 1) - longest_burst(job)) * pause
        for name, rest in rests.items()
    }
    if limits.seconds:
        bounds["seconds"] = max(0.0, limits.seconds - spent.seconds)
    first = min(bounds, key=bounds.__getitem__, default="")
    return (bounds[first], first) if first and bounds[first] < seconds else (seconds, "")


WITH_WORK = ("waiting", "resolving", "queued", "awake", "taken")
"""Phases of hosts that have URLs to ask for."""


def limited(progress: Progress, job: Job) -> Progress:
    """Return the progress with the time left that the limits of the job allow."""
    hosts = sum(progress.hosts.get(phase, 0) for phase in WITH_WORK)
    spent = Spent(progress.pages, progress.bytes, hosts, progress.ran_seconds)
    left, limited_by = within_limits(progress.seconds_left, spent, job)
    return progress._replace(seconds_left=left, limited_by=limited_by)
