"""Start or resume a crawl directory, with one worker or several.

    lock the directory → open the log → plant the seeds → crawl
    → stop (the end, a limit, a signal) → seal the segments

One worker runs in this process (`single_process`). Several run in processes of their own, and
this process supervises them (`supervisor`).

SIGINT, SIGTERM and every limit stop a crawl cleanly: it sends no more requests, waits up to
`stop_seconds` for the answers in flight, cuts off the others, and commits. A second signal stops it
at once, as a kill does: committed work stays.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import chain
from typing import TYPE_CHECKING

from lycosa._support.failpoints import arm_from_environment
from lycosa._support.tuples import NamedTuple
from lycosa.crawl.access import access_of
from lycosa.crawl.scope import JobScope, require_linear
from lycosa.crawl.status.progress import Listener, Progress
from lycosa.crawl.status.unreachable import NO_SEED, UNREACHABLE, what_was_missed
from lycosa.crawl.suspects import marks
from lycosa.crawl.suspects.deaths import tell_deaths
from lycosa.crawl.worker.worker import EXHAUSTED
from lycosa.features.plugins.loader import load_hooks
from lycosa.features.plugins.scheduling import settled_partitioner
from lycosa.model.job import Job, SeedList, anchored
from lycosa.runtime.directory import CrawlDirectory, OpenCrawl, named
from lycosa.runtime.lock import DirectoryLock
from lycosa.runtime.processes.assignments import Assignment, assignments_of, worker_count
from lycosa.runtime.processes.machine import (
    collecting_seldom,
    full_disk_explained,
    give_large_blocks_back,
    require_files,
)
from lycosa.runtime.processes.main_loop import MainLoop
from lycosa.runtime.processes.presence import Presence
from lycosa.runtime.processes.progress_report import ProgressReport
from lycosa.runtime.processes.requirements import require_contact, require_content
from lycosa.runtime.processes.signals import Stop
from lycosa.runtime.processes.single_process import SingleProcess
from lycosa.runtime.recovery.catching_up import caught_up
from lycosa.runtime.seeds import Planted, Planter, no_seed, topics_of
from lycosa.runtime.shared_log.notes import (
    directory_number,
    note_job,
    refuse_moved,
)
from lycosa.runtime.steady_clock import SAID_SECONDS, behind_text, clock_ahead
from lycosa.runtime.trust.settings import operator_settings
from lycosa.storage.log.protocol import Log

if TYPE_CHECKING:
    from lycosa.features.plugins.plugin import Plugin
    from lycosa.runtime.members.process import MemberProcess
    from lycosa.runtime.uploads.uploads import Uploads
    from lycosa.runtime.workers.supervisor import Supervisor

PLANTING_SECONDS = 1.0

log_messages = logging.getLogger(__name__)


class Ended(NamedTuple):
    """Result of a run."""

    reason: str
    progress: Progress
    is_complete: bool
    """Whether no work is left: no URL is pending, and none was given up."""
    job: Job | None = None
    """The job with the changes by orders of the operator."""


def run_crawl(
    directory: CrawlDirectory,
    *,
    job: Job | None = None,
    seeds: Iterable[str] = (),
    listener: Listener | None = None,
    plugins: Sequence[Plugin] = (),
    stop: Stop | None = None,
) -> Ended:
    """Crawl until the end, a limit, a signal, or `stop` from another thread.

    `job` is the directory's job for callers that have read or written it already; all its settings
    then count. `plugins` are functions of this process that serve as plugins; the job names them
    like all others.
    """
    listener, stop = listener or Listener(), stop or Stop()
    if job is None:
        job = directory.whole_job()
    else:
        if operator_settings(job):  # worker processes read the directory's own job
            directory.accept_here()
        job = anchored(job, directory.path)
    require_contact(job)
    require_content(job)
    access_of(job)
    require_files(job.fetch, job.crawl.workers)
    hooks = load_hooks(job, plugins)
    give_large_blocks_back()
    arm_from_environment()
    presence = Presence(directory)
    with (
        presence.explained(),
        full_disk_explained(directory.path),
        collecting_seldom(),
        directory.locked(listener.waiting) as lock,
    ):
        if job.store.place and not job.log.name:
            job = named(job)
            directory.write_job(job)
        log = caught_up(directory, job, _opened_log(directory, job, listener), listener.waiting)
        if job.log.server:
            job = _with_shared_limits(directory, job, log)
        presence.begin()
        directory.copy_job()
        with closing(log), _uploads(directory, job) as uploads:
            refuse_moved(log, directory)
            tell_deaths(log, marks.files(str(directory.log_folder)))
            crawl = OpenCrawl(directory, job, log, hooks)
            scope = JobScope(job, log, hooks=hooks)
            planted = _plant(crawl, seeds, scope, listener)
            for seed, reason in planted.refused.items():
                listener.refused_seed(seed, reason)
            if planted.more_refused:
                listener.refused_more(planted.more_refused)
            if job.log.server:
                note_job(log, job, is_first=directory_number(log, directory) == 1)
                from lycosa.runtime.shared_log.joining import tell_differences

                tell_differences(log, job, listener.noticed)
                assignments = assignments_of(job, 1)
            else:
                workers = worker_count(job, scope.hosts, hooks)
                assignments = assignments_of(job, workers, _clock_ahead(log, listener))
            return _crawl(crawl, assignments, lock, listener, stop, uploads, presence)


def _opened_log(directory: CrawlDirectory, job: Job, listener: Listener) -> Log:
    if not job.log.server:
        return directory.log(job, joins=True)
    from lycosa.runtime.recovery.epochs import opened  # a log in a file has no epochs

    return opened(directory, job, listener.waiting)


def _with_shared_limits(directory: CrawlDirectory, job: Job, log: Log) -> Job:
    """Return the job with limits that were changed on another machine; the directory keeps them."""
    from lycosa.runtime.shared_log.joining import with_shared_limits

    shared = with_shared_limits(log, directory, job)
    if shared != job:
        directory.write_job(shared)
    return shared


def _plant(crawl: OpenCrawl, more: Iterable[str], scope: JobScope, listener: Listener) -> Planted:
    """Post the seeds to their partitions, if no earlier run has done it."""
    job, log = crawl.job, crawl.log
    partitioner = settled_partitioner(job, log, crawl.hooks)
    if log.noted("planted") is not None:
        return Planted(0, {}, {})
    require_linear(job)
    is_long = isinstance(job.seeds, SeedList)
    on_count = _PlantingReport(listener, len(job.seeds)) if is_long else _ignore_count
    planter = Planter(scope, partitioner, log, topics_of(job))
    planted = planter.plant(chain(job.seeds, more), time.time(), on_count)
    if not planted.accepted:
        raise no_seed(planted.refused)
    log.note("planted", b"")
    return planted


def _ignore_count(count: int) -> None:
    """Report nothing: a short list is planted within a second."""


class _PlantingReport:
    """Reports to a listener, about once a second, how many seeds of a long list are planted."""

    def __init__(self, listener: Listener, total: int) -> None:
        self._listener = listener
        self._total = total
        self._next = time.monotonic() + PLANTING_SECONDS
        listener.planting(0, total)

    def __call__(self, count: int) -> None:
        """Report if a second has passed, and at the end."""
        if time.monotonic() >= self._next or count >= self._total:
            self._next = time.monotonic() + PLANTING_SECONDS
            self._listener.planting(count, self._total)


def _clock_ahead(log: Log, listener: Listener) -> float:
    """Return how far the crawl's clock must be ahead of the machine's, and warn of it."""
    now = time.time()
    ahead = clock_ahead(log, now)
    if ahead > SAID_SECONDS:
        log_messages.warning(behind_text(ahead, now))
        listener.noticed(behind_text(ahead, now))
    return ahead


def _crawl(
    crawl: OpenCrawl,
    assignments: list[Assignment],
    lock: DirectoryLock,
    listener: Listener,
    stop: Stop,
    uploads: Uploads | None,
    presence: Presence,
) -> Ended:
    """Crawl with a worker for each assignment, in this process or in several."""
    unsent = uploads.told if uploads is not None else _as_it_is
    report = ProgressReport(listener, crawl, unsent, presence.look)
    with (
        MainLoop(assignments[0].clock_offset) as main,
        closing(_crawler(main, crawl, assignments, lock, listener, unsent)) as crawler,
    ):
        report.standing = crawler.standing
        reason = crawler.run(stop, report.look)
        progress = report.timed(crawler.progress())._replace(workers=len(assignments))
        if uploads is not None:
            uploads.wait(main, stop, listener.uploading)
            progress = uploads.told(progress)
        job = crawler.standing().in_force.job(crawl.job)
    reason = reason_of(reason, progress)
    report.end(progress, reason)
    log_messages.info("ended: %s", reason)
    return Ended(reason, progress, _is_complete(reason, progress, crawl.job), job)


def _as_it_is(progress: Progress) -> Progress:
    """Return the progress unchanged: the job has no store."""
    return progress


@contextmanager
def _uploads(directory: CrawlDirectory, job: Job) -> Iterator[Uploads | None]:
    """Begin the uploads to the job's store, if it has one."""
    if not job.store.place:
        yield None
        return
    from lycosa.runtime.uploads.uploads import Uploads  # a crawl without a store does not need it

    with closing(Uploads(directory, job)) as uploads:
        yield uploads


def _crawler(
    main: MainLoop,
    crawl: OpenCrawl,
    assignments: list[Assignment],
    lock: DirectoryLock,
    listener: Listener,
    unsent: Callable[[Progress], Progress],
) -> SingleProcess | Supervisor | MemberProcess:
    if crawl.job.log.server:
        from lycosa.runtime.members.notes import begin_run
        from lycosa.runtime.members.process import MemberProcess

        return MemberProcess(main, crawl, assignments[0], listener, begin_run(crawl.log), unsent)
    if len(assignments) == 1:
        return SingleProcess(main, crawl, assignments[0], listener)
    from lycosa.runtime.recovery.leftovers import mend_before
    from lycosa.runtime.workers.supervisor import Supervisor

    for damage in mend_before(crawl.directory, crawl.job, crawl.log):
        listener.waiting(damage)
    return Supervisor(main, crawl, assignments, lock, listener)


def reason_of(reason: str, progress: Progress) -> str:
    """Return the reason of a run's end; an exhausted run may have missed origins or all seeds."""
    if reason != EXHAUSTED:
        return reason
    return what_was_missed(progress.outcomes, progress.given_up_origins) or reason


def _is_complete(reason: str, progress: Progress, job: Job) -> bool:
    """Return whether no work is left; a stopped crawl with cycles still has the next cycle."""
    if reason in (NO_SEED, UNREACHABLE):
        return False
    if progress.put_off:
        return False
    return reason == EXHAUSTED or (not progress.pending and job.revisit.policy == "off")
