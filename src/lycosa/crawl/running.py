"""A crawl of the real web by this process: builds the parts, runs them, ends cleanly.

    lock the directory → open log, segments and transport → take all partitions → crawl
    → stop (the end, a limit, a signal) → seal the segments

SIGINT or SIGTERM stops cleanly: nothing more is sent, what is under way is awaited and
committed. A second one stops at once; what was committed stays, as after a kill.
"""

from __future__ import annotations

import asyncio
import ctypes
import errno
import gc
import logging
import os
import shutil
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, NamedTuple

from lycosa import __version__
from lycosa.clock import RealClock
from lycosa.config import Job
from lycosa.crawl.budget import Budget
from lycosa.crawl.directory import CrawlDirectory
from lycosa.crawl.ending import Ending
from lycosa.crawl.opening import check_partitioner
from lycosa.crawl.parts import Parts
from lycosa.crawl.progress import Progress, outcomes_of, phases_of, refusals_of, seconds_left
from lycosa.crawl.scoping import JobScope
from lycosa.crawl.seeding import Planted, plant
from lycosa.crawl.stopping import Stop
from lycosa.crawl.worker import EXHAUSTED, Worker
from lycosa.errors import ConfigError, LycosaError, StoreError
from lycosa.failpoints import arm_from_environment
from lycosa.fetch.client import CurlTransport
from lycosa.frontier.state import PartitionState, counted_by
from lycosa.log.protocol import Log
from lycosa.plugins.hooks import Hooks
from lycosa.plugins.loading import load_hooks
from lycosa.plugins.orders import partitioner_of
from lycosa.plugins.plugin import Plugin
from lycosa.records import Request
from lycosa.store.archive import ArchiveStore

log_messages = logging.getLogger(__name__)


class Ended(NamedTuple):
    """How a run ended."""

    reason: str
    progress: Progress
    is_complete: bool
    """Nothing is pending: resuming would find nothing to do."""


def run_crawl(
    directory: CrawlDirectory,
    *,
    seeds: Iterable[str] = (),
    on_progress: Callable[[Progress], None] | None = None,
    progress_seconds: float = 1.0,
    on_refused_seed: Callable[[str, str], None] | None = None,
    plugins: Sequence[Plugin] = (),
    stop: Stop | None = None,
) -> Ended:
    """Crawl, or go on crawling, until the end, a limit, a signal, or `stop` from another thread.

    `plugins` are those that are functions of this process; the job names them as all others.
    """
    job = directory.job()
    require_contact(job)
    hooks = load_hooks(job, plugins)
    give_large_blocks_back()
    arm_from_environment()
    with _full_disk_told(directory), directory.locked(), collecting_seldom():
        run = _Run(directory, job, on_progress, progress_seconds, hooks, stop or Stop())
        try:
            planted = run.plant([*job.seeds, *seeds])
            for seed, reason in planted.refused.items():
                if on_refused_seed is not None:
                    on_refused_seed(seed, reason)
            return run.crawl()
        finally:
            run.close()


@contextmanager
def _full_disk_told(directory: CrawlDirectory) -> Iterator[None]:
    """Say what a full disk means, wherever it was noticed."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise StoreError(
            f"{error.filename or directory.path}: the disk is full\n"
            f"  make room, then go on: lycosa resume {directory.path}"
        ) from error


def give_large_blocks_back() -> None:
    """Tell the C library to return the memory of large bodies to the system at once.

    Left alone it learns from the first large body to keep such blocks, and a crawl that meets
    a few bombs and endless pages at once grows to 230-250 MB; with this it stays below 200.
    """
    threshold_option, threshold_bytes = -3, 1 << 20  # M_MMAP_THRESHOLD of glibc
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(threshold_option, threshold_bytes)


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Look for cycles less often: what a crawl makes has next to none, and lives long or briefly.

    With the interpreter's own thresholds the collector takes 3-4 % of a crawl's time.
    """
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    try:
        yield
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)


def require_contact(job: Job) -> None:
    """Refuse to visit strangers anonymously."""
    if not job.fetch.contact and not job.fetch.allow_private:
        raise ConfigError(
            "nobody can reach you: a crawl of the public web needs a contact in its user agent\n"
            "  add --contact https://example.org/about-my-crawl or --contact mail@example.org"
            " (crawl.toml: [fetch] contact)"
        )


class _Run:
    """One process's part in a crawl."""

    def __init__(
        self,
        directory: CrawlDirectory,
        job: Job,
        on_progress: Callable[[Progress], None] | None,
        progress_seconds: float,
        hooks: Hooks | None,
        stop: Stop,
    ) -> None:
        self._job = job
        self._hooks = hooks
        self._stop = stop
        self._on_progress = on_progress
        self._progress_seconds = progress_seconds
        self._began = time.monotonic()
        self._recent: deque[tuple[float, int]] = deque(maxlen=15)
        self._reason = ""
        self._signals = 0
        self._failure: BaseException | None = None
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(self._on_failure)
        self._clock = RealClock(self._loop)
        self._log: Log = directory.log(job)
        self._store = ArchiveStore(
            directory.path,
            durability=job.log.durability,
            info={
                "software": f"Lycosa {__version__}",
                "http-header-user-agent": job.fetch.user_agent,
            },
            extra_columns=hooks.extra_columns if hooks is not None else None,
        )
        self._transport = CurlTransport(
            self._loop, self._clock, job.fetch, may_send=self._is_still_ours
        )
        self._budget = Budget(job, lambda: shutil.disk_usage(directory.path).free)
        partitioner = partitioner_of(job, hooks)
        check_partitioner(self._log, partitioner)
        self._parts = Parts(
            job=job,
            scope=JobScope(job, self._log, hooks=hooks),
            clock=self._clock,
            log=self._log,
            snapshots=directory.snapshots(),
            store=self._store,
            transport=self._transport,
            partitioner=partitioner,
            budget=self._budget,
            ending=Ending(job.frontier.partitions),
            owner=f"{os.uname().nodename} {os.getpid()} {time.time():.3f}",
            hooks=hooks,
        )
        self._worker = Worker(self._parts, self._end)

    def plant(self, seeds: list[str]) -> Planted:
        """Post the seeds, if that has not been done."""
        if self._log.noted("planted") is not None:
            return Planted([], {})
        parts = self._parts
        planted = plant(seeds, parts.scope, parts.partitioner, self._log, self._clock.now())
        if not planted.accepted:
            raise ConfigError(
                "there is nothing to begin with: "
                + ("; ".join(f"{s}: {r}" for s, r in planted.refused.items()) or "no seeds given")
                + "\n  give at least one URL: lycosa crawl https://example.org/ -o DIR"
            )
        self._log.note("planted", b"")
        return planted

    def crawl(self) -> Ended:
        """Run the loop until the worker ends."""
        worker = self._worker
        worker.open(range(self._job.frontier.partitions))
        states = list(worker.states().values())
        self._store.seal(counted_by(states))
        self._budget.resume(
            sum(state.kept_pages for state in states),
            sum(state.kept_bytes for state in states),
            max(state.seconds_run() for state in states),
            self._clock.now(),
        )
        self._recent.append((time.monotonic(), sum(state.kept_pages for state in states)))
        self._loop.call_soon(worker.begin)
        self._loop.call_later(self._progress_seconds, self._report)
        with self._stop.heard_by(self._loop, self._on_signal):
            return self._run(states)

    def _run(self, states: list[PartitionState]) -> Ended:
        self._loop.run_forever()
        failure = self._clock.failure or self._failure
        if failure is not None:
            raise failure
        if self._signals > 1:
            self._store.abandon()
            raise KeyboardInterrupt
        pending = sum(state.pending for state in states)
        self._store.flush()
        self._store.seal(lambda place: True)
        return Ended(self._reason, self.progress(), self._reason == EXHAUSTED or not pending)

    def progress(self) -> Progress:
        """Return how the crawl is getting on."""
        states = list(self._worker.states().values())
        now, pages = time.monotonic(), sum(state.kept_pages for state in states)
        self._recent.append((now, pages))
        (then, before) = self._recent[0]
        return Progress(
            seconds=now - self._began,
            pages=pages,
            bytes=sum(state.kept_bytes for state in states),
            requests=self._worker.requests,
            pages_per_second=(pages - before) / (now - then) if now > then else 0.0,
            pending=sum(state.pending for state in states),
            in_flight=self._worker.in_flight,
            hosts=phases_of(self._worker.partitions().values()),
            outcomes=outcomes_of(states),
            refusals=refusals_of(states),
            seconds_left=seconds_left(states, self._job),
        )

    def close(self) -> None:
        """Let go of everything; nothing is lost by it.

        What was not flushed has no event, and what failed once would only fail again.
        """
        with ExitStack() as rest:
            rest.callback(self._loop.close)
            rest.callback(self._log.close)
            rest.callback(self._store.abandon)
            rest.callback(self._clock.close)
            rest.callback(self._transport.close)

    def _report(self) -> None:
        if self._on_progress is not None:
            self._on_progress(self.progress())
        self._loop.call_later(self._progress_seconds, self._report)

    def _end(self, reason: str) -> None:
        self._reason = reason
        log_messages.info("ended: %s", reason)
        if self._hooks is not None:
            self._hooks.tell()
        self._loop.stop()

    def _on_failure(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Stop when a callback cannot write: going on would be to crawl for nothing."""
        problem = context.get("exception")
        if isinstance(problem, LycosaError | OSError):
            self._failure = self._failure or problem
            loop.stop()
        else:
            loop.default_exception_handler(context)

    def _on_signal(self) -> None:
        self._signals += 1
        if self._signals == 1:
            log_messages.info("stopping cleanly")
            self._worker.stop()
        else:
            self._loop.stop()

    def _is_still_ours(self, request: Request) -> bool:
        """Ask, just before a request leaves, whether its partition is still ours."""
        return self._parts.log.owner(request.partition) == self._parts.owner
