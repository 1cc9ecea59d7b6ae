"""A crawl of the real web: by this process alone, or by workers under it.

    lock the directory → open the log → plant the seeds → crawl
    → stop (the end, a limit, a signal) → seal the segments

With one worker this process does the work itself; with more it is their supervisor
(`supervisor`) and each of them is a process of its own (`member`).

SIGINT or SIGTERM stops cleanly: nothing more is sent, what is under way is awaited for
`stop_seconds` and then cut, and what was answered is committed. So does every limit. A second
signal stops at once; what was committed stays, as after a kill.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from lycosa.config import Job, SeedList, anchored
from lycosa.crawl.budget import Budget
from lycosa.crawl.directory import CrawlDirectory, DirectoryLock
from lycosa.crawl.ending import Ending
from lycosa.crawl.processes.machine import (
    collecting_seldom,
    core_count,
    full_disk_told,
    give_large_blocks_back,
    require_files,
)
from lycosa.crawl.processes.protocol import Post
from lycosa.crawl.processes.runtime import Station
from lycosa.crawl.processes.signals import Stop
from lycosa.crawl.recovery.leftovers import mend_before
from lycosa.crawl.scope import EXPRESSIONS_NOTE, JobScope, require_linear
from lycosa.crawl.seeds import Planted, Planter
from lycosa.crawl.status.progress import Listener, Pace, Progress
from lycosa.crawl.status.unreachable import NO_SEED, UNREACHABLE, what_was_missed
from lycosa.crawl.steady_clock import SAID_SECONDS, behind_text, clock_ahead
from lycosa.crawl.takeover import check_partitioner
from lycosa.crawl.worker.worker import EXHAUSTED
from lycosa.errors import ConfigError
from lycosa.failpoints import arm_from_environment
from lycosa.log.protocol import Log
from lycosa.log.sqlite import SqliteLog
from lycosa.plugins.loader import load_hooks
from lycosa.plugins.scheduling import partitioner_of
from lycosa.url import key_of

if TYPE_CHECKING:
    from lycosa.plugins.hooks import Hooks
    from lycosa.plugins.plugin import Plugin

PLANTING_SECONDS = 1.0
CONNECTIONS_EACH = 8
"""How many connections a worker should have, where the job leaves their number to us."""

log_messages = logging.getLogger(__name__)


class Ended(NamedTuple):
    """How a run ended."""

    reason: str
    progress: Progress
    is_complete: bool
    """Nothing is pending or was given up: there is nothing left to do."""


def run_crawl(
    directory: CrawlDirectory,
    *,
    job: Job | None = None,
    seeds: Iterable[str] = (),
    listener: Listener | None = None,
    plugins: Sequence[Plugin] = (),
    stop: Stop | None = None,
) -> Ended:
    """Crawl, or go on crawling, until the end, a limit, a signal, or `stop` from another thread.

    `job` is that of the directory, from whoever has read or written it and need not read it again.
    `plugins` are those that are functions of this process; the job names them as all others.
    """
    listener, stop = listener or Listener(), stop or Stop()
    job = directory.job() if job is None else anchored(job, directory.path)
    require_contact(job)
    require_files(job.fetch.connections, job.crawl.workers)
    hooks = load_hooks(job, plugins)
    give_large_blocks_back()
    arm_from_environment()
    with (
        full_disk_told(directory.path),
        collecting_seldom(),
        directory.locked(listener.waiting) as lock,
    ):
        log = directory.log(job)
        directory.copy_job()
        try:
            scope = JobScope(job, log, hooks=hooks)
            planted = _plant(job, seeds, scope, log, hooks, listener)
            for seed, reason in planted.refused.items():
                listener.refused_seed(seed, reason)
            if planted.more_refused:
                listener.refused_more(planted.more_refused)
            ahead = _clock_ahead(log, listener)
            workers = worker_count(job, scope.hosts, hooks)
            if workers == 1:
                return _crawl_alone(directory, job, log, listener, hooks, stop, ahead)
            return _supervise(directory, job, workers, lock, log, listener, stop, ahead)
        finally:
            log.close()


def worker_count(job: Job, hosts: list[str] | None, hooks: Hooks | None = None) -> int:
    """Return how many workers there are: no more than there is work to share out.

    A crawl that stays on a few `hosts` has work in their partitions alone, and a worker that
    nobody asked for should have some connections. Functions of this process are reached by none.
    """
    if hooks is not None and hooks.local:
        return 1
    most = min(job.frontier.partitions, job.fetch.connections)
    if job.crawl.workers:
        return min(job.crawl.workers, most)
    if hosts is not None:
        partitioner, found = partitioner_of(job, hooks), set[int]()
        enough = min(most, core_count())
        for host in hosts:
            found.add(partitioner.partition_of(key_of(f"http://{host}/")))
            if len(found) >= enough:
                break
        most = min(most, len(found))
    return max(1, min(core_count(), most, job.fetch.connections // CONNECTIONS_EACH))


def require_contact(job: Job) -> None:
    """Refuse to visit strangers anonymously."""
    if not job.fetch.contact and not job.fetch.allow_private:
        raise ConfigError(
            "nobody can reach you: a crawl of the public web needs a contact in its user agent\n"
            "  add --contact https://example.org/about-my-crawl or --contact mail@example.org"
            " (crawl.toml: [fetch] contact)"
        )


def _plant(
    job: Job,
    more: Iterable[str],
    scope: JobScope,
    log: Log,
    hooks: Hooks | None,
    listener: Listener,
) -> Planted:
    """Post the seeds, if that has not been done."""
    partitioner = partitioner_of(job, hooks)
    check_partitioner(log, partitioner)
    if log.noted("planted") is not None:
        return Planted(0, {}, {})
    require_linear(job)
    log.note(EXPRESSIONS_NOTE, b"linear")
    told = _PlantingTold(listener, len(job.seeds)) if isinstance(job.seeds, SeedList) else _untold
    planted = Planter(scope, partitioner, log).plant(chain(job.seeds, more), time.time(), told)
    if not planted.accepted:
        raise ConfigError(
            "there is nothing to begin with: "
            + ("; ".join(f"{s}: {r}" for s, r in planted.refused.items()) or "no seeds given")
            + "\n  give at least one URL: lycosa crawl https://example.org/ -o DIR"
        )
    log.note("planted", b"")
    return planted


def _untold(count: int) -> None:
    """Say nothing of a list that is planted in no time."""


class _PlantingTold:
    """Tells a listener how far the planting of a long list is, about once a second."""

    def __init__(self, listener: Listener, total: int) -> None:
        self._listener = listener
        self._total = total
        self._next = time.monotonic() + PLANTING_SECONDS
        listener.planting(0, total)

    def __call__(self, count: int) -> None:
        """Tell of it if it is time, and when all is done."""
        if time.monotonic() >= self._next or count >= self._total:
            self._next = time.monotonic() + PLANTING_SECONDS
            self._listener.planting(count, self._total)


def _clock_ahead(log: Log, listener: Listener) -> float:
    """Return by how much the crawl's clock must be ahead of the machine's, and say so."""
    now = time.time()
    ahead = clock_ahead(log, now)
    if ahead > SAID_SECONDS:
        log_messages.warning(behind_text(ahead, now))
        listener.noticed(behind_text(ahead, now))
    return ahead


class _Telling:
    """Tells a listener of progress, as often as it wants."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._pace = Pace()
        self._next = time.monotonic() + listener.progress_seconds

    def look(self, progress: Progress) -> None:
        """Tell of progress if it is time."""
        progress = self.timed(progress)
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + self._listener.progress_seconds - 0.05
            self._listener.progress(progress)

    def timed(self, progress: Progress) -> Progress:
        """Return the progress with time and speed."""
        return self._pace.of(progress)


def _supervise(
    directory: CrawlDirectory,
    job: Job,
    workers: int,
    lock: DirectoryLock,
    log: Log,
    listener: Listener,
    stop: Stop,
    ahead: float,
) -> Ended:
    from lycosa.crawl.processes.supervisor import Supervisor

    for damage in mend_before(directory, job, log):
        listener.waiting(damage)
    telling = _Telling(listener)
    supervisor = Supervisor(directory, job, workers, lock, log, listener.seed_failed, ahead)
    try:
        supervisor.start()
        reason = supervisor.run(listener.stopping, telling.look, stop)
    finally:
        supervisor.close()
    progress = telling.timed(supervisor.progress())._replace(workers=workers)
    reason = reason_of(reason, progress)
    log_messages.info("ended: %s", reason)
    return Ended(reason, progress, _is_complete(reason, progress, job))


def reason_of(reason: str, progress: Progress) -> str:
    """Return what ended a run, told apart by what could not be reached."""
    if reason != EXHAUSTED:
        return reason
    return what_was_missed(progress.outcomes, progress.given_up_origins) or reason


def _is_complete(reason: str, progress: Progress, job: Job) -> bool:
    """Return whether there is nothing left to do; a cycle may follow one that was stopped."""
    if reason in (NO_SEED, UNREACHABLE):
        return False
    return reason == EXHAUSTED or (not progress.pending and job.revisit.policy == "off")


def _crawl_alone(
    directory: CrawlDirectory,
    job: Job,
    log: SqliteLog,
    listener: Listener,
    hooks: Hooks | None,
    stop: Stop,
    ahead: float,
) -> Ended:
    alone = _Alone(directory, job, log, listener, hooks, ahead)
    try:
        return alone.crawl(stop)
    finally:
        alone.close()


class _Alone:
    """The crawl of one worker, in this process."""

    def __init__(
        self,
        directory: CrawlDirectory,
        job: Job,
        log: SqliteLog,
        listener: Listener,
        hooks: Hooks | None,
        ahead: float,
    ) -> None:
        self._listener = listener
        self._telling = _Telling(listener)
        self._reason = ""
        self._signals = 0
        numbers = list(range(job.frontier.partitions))
        fetch = job.fetch
        post = Post(
            0,
            numbers,
            fetch.connections,
            fetch.bytes_per_second,
            is_alone=True,
            clock_offset=time.time() + ahead - time.monotonic(),
            clock_ahead=ahead,
        )
        ending = Ending(job.frontier.partitions)
        self._station = Station(
            directory,
            job,
            log,
            post,
            self._make_budget,
            ending,
            self._end,
            hooks,
            listener.seed_failed,
        )
        self._loop = self._station.loop

    def crawl(self, stop: Stop) -> Ended:
        """Run the loop until the worker ends."""
        station = self._station
        states = station.open()
        for damage in station.damage:
            self._listener.waiting(damage)
        self._budget.resume(
            sum(state.kept_pages for state in states),
            sum(state.kept_bytes for state in states),
            max(state.seconds_run() for state in states),
            station.clock.now(),
        )
        station.begin()
        self._loop.call_soon(self._report)
        with stop.heard_by(self._loop, self._on_signal):
            station.run()
        if self._signals > 1:
            raise KeyboardInterrupt
        progress = self._telling.timed(station.progress())
        reason = reason_of(self._reason, progress)
        return Ended(reason, progress, _is_complete(reason, progress, station.job))

    def close(self) -> None:
        """Let go of everything; nothing is lost by it."""
        self._station.close()

    def _make_budget(self, station: Station) -> Budget:
        self._budget = Budget(station.job, station.free_disk)
        return self._budget

    def _report(self) -> None:
        """Tell of progress. Figures of many hosts take long: then it is done less often."""
        began = time.monotonic()
        self._telling.look(self._station.progress())
        took = time.monotonic() - began
        self._loop.call_later(max(self._listener.progress_seconds, 30 * took), self._report)

    def _end(self, reason: str) -> None:
        self._reason = reason
        log_messages.info("ended: %s", reason)
        self._station.seal_all(self._loop.stop)

    def _on_signal(self) -> None:
        self._signals += 1
        if self._signals == 1:
            log_messages.info("stopping cleanly")
            self._listener.stopping()
            self._station.worker.stop()
        else:
            self._loop.stop()
