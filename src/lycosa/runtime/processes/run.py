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
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from lycosa._support.failpoints import arm_from_environment
from lycosa._support.tuples import NamedTuple
from lycosa.crawl.access import access_of
from lycosa.crawl.scope import JobScope, require_linear
from lycosa.crawl.status.progress import FRAME_SECONDS, Listener, Pace, Progress, limited
from lycosa.crawl.status.unreachable import NO_SEED, UNREACHABLE, what_was_missed
from lycosa.crawl.suspects import marks
from lycosa.crawl.suspects.deaths import tell_deaths
from lycosa.crawl.takeover import check_partitioner
from lycosa.crawl.worker.worker import EXHAUSTED
from lycosa.errors import ConfigError
from lycosa.features.plugins.loader import load_hooks
from lycosa.features.plugins.scheduling import partitioner_of
from lycosa.fetch.client import require_proxy
from lycosa.model.job import Job, SeedList, anchored
from lycosa.model.url import key_of
from lycosa.runtime.directory import CrawlDirectory, OpenCrawl, named
from lycosa.runtime.lock import DirectoryLock
from lycosa.runtime.orders.live import Frame, write_frame
from lycosa.runtime.orders.watch import Standing
from lycosa.runtime.processes.assignments import Assignment, assignments_of
from lycosa.runtime.processes.machine import (
    collecting_seldom,
    core_count,
    full_disk_explained,
    give_large_blocks_back,
    require_files,
)
from lycosa.runtime.processes.main_loop import MainLoop
from lycosa.runtime.processes.presence import Presence
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
    from lycosa.crawl.status.statistics import StatisticsFile
    from lycosa.features.plugins.hooks import Hooks
    from lycosa.features.plugins.plugin import Plugin
    from lycosa.runtime.members.process import MemberProcess
    from lycosa.runtime.notifying import Notifier
    from lycosa.runtime.uploads.uploads import Uploads
    from lycosa.runtime.workers.supervisor import Supervisor

PLANTING_SECONDS = 1.0
CONNECTIONS_EACH = 8
"""Connections for each worker, if the job leaves the number of workers to Lycosa."""

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
        log = caught_up(directory, job, directory.log(job, joins=True), listener.waiting)
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
                return _crawl(crawl, (1, 0.0), lock, listener, stop, uploads, presence)
            ahead = _clock_ahead(log, listener)
            workers = worker_count(job, scope.hosts, hooks)
            return _crawl(crawl, (workers, ahead), lock, listener, stop, uploads, presence)


def _with_shared_limits(directory: CrawlDirectory, job: Job, log: Log) -> Job:
    """Return the job with limits that were changed on another machine; the directory keeps them."""
    from lycosa.runtime.shared_log.joining import with_shared_limits

    shared = with_shared_limits(log, directory, job)
    if shared != job:
        directory.write_job(shared)
    return shared


def worker_count(job: Job, hosts: list[str] | None, hooks: Hooks | None = None) -> int:
    """Return how many workers to start: the job's number, or the number that can share the work.

    A crawl that stays on a few `hosts` has work only in their partitions, and each worker should
    have some connections. Plugins that are functions of this process need one worker, in it. A
    focused crawl has one worker, which compares all waiting URLs. Several workers would each take
    the best of their own hosts, and use up the pages on URLs that one worker would leave for last.
    """
    if hooks is not None and hooks.local:
        return 1
    most = min(job.frontier.partitions, job.fetch.connections)
    if job.crawl.workers:
        return min(job.crawl.workers, most)
    if job.frontier.scheduler == "topics" and job.topics.policy == "focused":
        return 1
    partitioner = partitioner_of(job, hooks) if hosts is not None else None
    if hosts is not None and partitioner is not None and not partitioner.splits_hosts:
        enough, found = min(most, core_count()), set[int]()
        for host in hosts:
            found.add(partitioner.partition_of(key_of(f"http://{host}/")))
            if len(found) >= enough:
                break
        most = min(most, len(found))
    return max(1, min(core_count(), most, job.fetch.connections // CONNECTIONS_EACH))


ADD_CONTACT = (
    "add --contact https://example.org/about-my-crawl or --contact mail@example.org"
    " (crawl.toml: [fetch] contact)"
)


def require_contact(job: Job, remedy: str = ADD_CONTACT) -> None:
    """Refuse to crawl the public web without an address at which site owners reach the operator."""
    fetch = job.fetch
    if not fetch.contact and not fetch.allow_private and not fetch.loopback_origins:
        raise ConfigError(
            "site owners must be able to reach you: a crawl of the public web needs a contact in"
            f" its user agent\n  {remedy}"
        )


def require_disk(job: Job, path: Path) -> None:
    """Refuse a crawl on a disk that has less space than the job leaves free, before it begins."""
    folder = path.absolute().parent
    try:
        disk = os.statvfs(folder)
    except OSError:
        return  # the folders above are still to be made
    free = disk.f_bavail * disk.f_frsize
    if not disk.f_blocks:
        return  # not a disk, as /proc
    if free < job.limits.free_disk_bytes:
        raise ConfigError(
            f"{folder}: the disk has {free / 1e9:,.1f} GB free, and the crawl would end at once: it"
            f" leaves {job.limits.free_disk_bytes / 1e9:,.1f} GB free\n"
            "  choose a folder on another disk with -o, or allow less with --min-free-disk"
        )


def require_content(job: Job) -> None:
    """Refuse a proxy, languages, a browser or a model of topics that cannot work here."""
    require_proxy(job.fetch)
    if job.extract.languages:
        from lycosa.features import languages  # most crawls do not load it

        languages.require_languages(job)
    if job.render.mode != "off":
        from lycosa.features.rendering.browsers import (
            require_browser,  # few crawls render pages
        )

        require_browser(job)
    if job.topics.model or job.frontier.scheduler == "topics":
        from lycosa.features.topics.of_job import require_topics

        require_topics(job)


def _plant(crawl: OpenCrawl, more: Iterable[str], scope: JobScope, listener: Listener) -> Planted:
    """Post the seeds to their partitions, if no earlier run has done it."""
    job, log = crawl.job, crawl.log
    partitioner = partitioner_of(job, crawl.hooks)
    check_partitioner(log, partitioner)
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


class _ProgressReport:
    """Reports progress to a listener at the listener's interval."""

    def __init__(
        self,
        listener: Listener,
        statistics: StatisticsFile | None,
        unsent: Callable[[Progress], Progress],
        directory: CrawlDirectory,
        notifier: Notifier | None = None,
    ) -> None:
        self._listener = listener
        self._directory = directory
        self._next_frame = 0.0
        self.standing: Callable[[], Standing] | None = None
        """Returns the state of the crawl, once a crawl exists."""
        self.look_first: Callable[[], object] = int
        """Called before each report."""
        self._unsent = unsent
        self._statistics = statistics
        self._notifier = notifier
        self._pace = Pace()
        self._next = time.monotonic() + listener.progress_seconds

    def look(self, progress: Progress) -> None:
        """Report progress if the listener's interval has passed."""
        self.look_first()
        progress = self.timed(progress)
        if self._statistics is not None:
            self._statistics.look(progress)
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + self._listener.progress_seconds - 0.05
            self._listener.progress(progress)
        if time.monotonic() >= self._next_frame:
            self._next_frame = time.monotonic() + FRAME_SECONDS - 0.05
            progress = self._with_disk(progress)
            self._show(progress)
            if self._notifier is not None:
                self._notifier.look(progress)

    def end(self, progress: Progress, reason: str) -> None:
        """Note how the run ended."""
        if self._statistics is not None:
            self._statistics.write(progress)
        progress = self._with_disk(progress)
        self._show(progress, reason)
        if self._notifier is not None:
            self._notifier.end(progress, reason)

    def _with_disk(self, progress: Progress) -> Progress:
        try:
            return progress._replace(free_disk_bytes=self._directory.free_disk())
        except OSError:
            return progress

    def _show(self, progress: Progress, reason: str = "") -> None:
        """Write the present state to `live.json`; a full disk does not stop the crawl."""
        if self.standing is None:
            return
        state, in_force, job, applied = self.standing()
        limits = job.limits
        frame = Frame(
            marks.leading_pid(),
            time.time(),
            "ended" if reason else state,
            progress._asdict(),
            reason,
            {"pages": limits.pages, "bytes": limits.bytes, "seconds": limits.seconds},
            in_force.values,
            in_force.rules,
            applied,
        )
        with suppress(OSError):
            write_frame(self._directory.path, frame)

    def timed(self, progress: Progress) -> Progress:
        """Return the progress with the time and speed of this run."""
        progress = self._unsent(self._pace.of(progress))
        return progress if self.standing is None else limited(progress, self.standing()[2])


def _crawl(
    crawl: OpenCrawl,
    crew: tuple[int, float],
    lock: DirectoryLock,
    listener: Listener,
    stop: Stop,
    uploads: Uploads | None,
    presence: Presence,
) -> Ended:
    """Crawl with `workers` workers, whose clock is ahead by `ahead` seconds."""
    workers, clock_ahead = crew
    unsent = uploads.told if uploads is not None else _as_it_is
    notifier = _notifier_of(crawl)
    report = _ProgressReport(listener, _statistics_of(crawl.job), unsent, crawl.directory, notifier)
    report.look_first = presence.look
    assignments = assignments_of(crawl.job, workers, clock_ahead)
    with (
        MainLoop(assignments[0].clock_offset) as main,
        closing(_crawler(main, crawl, assignments, lock, listener, unsent)) as crawler,
    ):
        report.standing = crawler.standing
        reason = crawler.run(stop, report.look)
        progress = report.timed(crawler.progress())._replace(workers=workers)
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


def _statistics_of(job: Job) -> StatisticsFile | None:
    if not job.statistics.file:
        return None
    from lycosa.crawl.status.statistics import StatisticsFile

    return StatisticsFile(job.statistics)


def _notifier_of(crawl: OpenCrawl) -> Notifier | None:
    notify = crawl.job.notify
    if not notify.command and not notify.webhook:
        return None
    from lycosa.crawl.access import notify_of
    from lycosa.runtime.notifying import Notifier

    return Notifier(notify_of(crawl.job), str(crawl.directory.path))


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
