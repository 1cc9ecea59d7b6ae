"""A worker with the real network, disk and clock around it.

The runtime is the same in a single-process crawl, in a worker process and in a member of a cluster.
Only the loop and the worker's `Duties` differ; they are passed in.

It also seals segments in a thread while the crawl runs: full segments, and every `seal_seconds` the
open one. It seals a segment once everything decided before the segment was complete is durable. It
seals a segment in which a partition was lost once the log decides which records count
(`recovery.counting`).
"""

from __future__ import annotations

import dataclasses
import logging
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from functools import partial
from typing import TYPE_CHECKING

from lycosa import __version__
from lycosa._support.tuples import NamedTuple
from lycosa.crawl.access import access_of, fetch_of
from lycosa.crawl.ports import EndWatch, Ports, RenderingPorts, Reservations
from lycosa.crawl.scope import JobScope
from lycosa.crawl.status.figures import figures_of
from lycosa.crawl.status.progress import (
    Progress,
    phases_of,
    seconds_left,
)
from lycosa.crawl.status.unreachable import MOST_NAMED, given_up_of
from lycosa.crawl.suspects.marks import Mark
from lycosa.crawl.worker.worker import Worker
from lycosa.errors import LogUnavailable, StoreError
from lycosa.features.of_job import features_of
from lycosa.features.plugins.scheduling import scheduler_of, settled_partitioner
from lycosa.fetch.client import HttpTransport
from lycosa.frontier.fold.accounts import counted_by
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.readiness.slots import AddressSlots
from lycosa.model.job import Job
from lycosa.model.records import Request
from lycosa.runtime.directory import OpenCrawl
from lycosa.runtime.isolation.helper import Helper
from lycosa.runtime.processes.assignments import Assignment, share_of
from lycosa.runtime.processes.main_loop import MainLoop
from lycosa.runtime.recovery.counting import SealingRules
from lycosa.runtime.recovery.lost_records import look_at_sealed, mend_open, say_sealed
from lycosa.runtime.shared_log.notes import is_elsewhere
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.segments.digests import durable_positions
from lycosa.storage.segments.sealing import NOWHERE, Sealed, everything, seal_dead, unsealed
from lycosa.storage.segments.survey import Counted

if TYPE_CHECKING:
    import pyarrow as pa

    from lycosa.features.plugins.hooks import Hooks
    from lycosa.runtime.processes.distant import DistantRecords

SEAL_LOOK_SECONDS = 1.0
DEAD_LOOK_SECONDS = 30.0
"""Seconds between a cluster member's searches for segments of dead processes in its directory."""

log_messages = logging.getLogger(__name__)


def seal_seconds(job: Job) -> float:
    """Return the interval of sealing; a store only gets sealed segments. 0 means when full."""
    own = job.log.seal_seconds
    return min(own or job.store.seal_seconds, job.store.seal_seconds) if job.store.place else own


def _extra_columns(job: Job, hooks: Hooks | None) -> pa.Schema | None:
    """Return the columns of `pages` that plugins and topics add."""
    of_plugins = hooks.extra_columns if hooks is not None else None
    if not job.topics.model:
        return of_plugins
    from lycosa.features.topics.classifier import all_columns  # few crawls have a model

    return all_columns(of_plugins)


class Duties(NamedTuple):
    """The duties of a worker: its limits, its part in finding the end, its listeners."""

    budget: Reservations
    ending: EndWatch
    on_end: Callable[[str], None]
    seed_failed: Callable[[str, str], None]
    noticed: Callable[[str], None]
    owner: str = ""
    """Name under which it owns partitions; "" makes one."""
    may_begin: Callable[[], bool] | None = None
    """As in `Ports`."""
    is_shared: bool = False
    """Whether other machines crawl too."""
    on_notes: Callable[[Mapping[str, bytes]], None] = lambda notes: None
    machines_at: Callable[[str], int] | None = None
    """Returns the number of machines that ask an address."""
    directory: int = 0
    """Number of the crawl directory in a cluster; 0 on one machine."""


class Runtime:
    """A worker and its surroundings."""

    def __init__(self, main: MainLoop, crawl: OpenCrawl, assignment: Assignment) -> None:
        directory, job, log, hooks = crawl
        self._main = main
        self._job = job
        self._log = log
        self._hooks = hooks
        self._directory = directory
        self._assignment = assignment
        self.damage: list[str] = []
        """Damage to the crawl's files, found when the partitions were opened."""
        self._directory_number = 0
        self._is_sealing = False
        self._rolled_at = time.monotonic()
        self._look_for_dead_at = 0.0
        self._sealer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="lycosa-sealing")
        self._distant: DistantRecords | None = None
        if job.store.place and job.log.server:
            from lycosa.runtime.processes.distant import DistantRecords  # few crawls need it

            self._distant = DistantRecords(main, job)
        self.partitioner = settled_partitioner(job, log, hooks)
        self._scope = JobScope(job, log, hooks=hooks)
        with ExitStack() as opened:
            self._slots = AddressSlots()
            opened.callback(self._slots.close)
            self._store = ArchiveStore(
                directory.path,
                worker=assignment.number,
                durability=job.log.durability,
                roll_bytes=job.log.segment_bytes,
                info={
                    "software": f"Lycosa {__version__}",
                    "http-header-user-agent": job.fetch.user_agent,
                },
                extra_columns=_extra_columns(job, hooks),
                clock_ahead=assignment.clock_ahead,
            )
            opened.callback(self._store.abandon)
            if job.store.durable == "cluster":
                from lycosa.runtime.uploads.open_parts import OpenParts  # rarely used
                from lycosa.storage.objects.opening import open_objects

                objects = open_objects(job.store.place, job.log.name)
                self._store.after_flush = OpenParts(directory.path, objects).send
            fetch = dataclasses.replace(
                fetch_of(job),
                connections=assignment.connections,
                kept_connections=share_of(
                    job.fetch.kept_connections, assignment.number, assignment.workers
                ),
                bytes_per_second=assignment.bytes_per_second,
            )
            self.transport = HttpTransport(
                main.loop, main.clock, fetch, may_send=self._is_still_ours
            )
            self.transport.carry(access_of(job))
            opened.pop_all()
        crawling = job.crawl
        self._mark = Mark(
            str(directory.log_folder),
            assignment.number,
            crawling.reading_seconds,
            crawling.reading_memory_bytes,
        )
        self._apart = Helper(main.loop, job, has_plugins=hooks is not None)
        self._rendering: RenderingPorts | None = None
        if job.render.mode != "off":
            from lycosa.features.rendering.browsers import (
                browsers_of,  # few crawls render pages
            )

            self._rendering = browsers_of(job, main.loop, self._store.read)
        self._rules = SealingRules(
            directory.path, job, lambda: directory.log(job), directory.snapshots(), self.partitioner
        )

    def employ(self, duties: Duties) -> Worker:
        """Make a worker; on a cluster, each life gets one."""
        directory, job, assignment = self._directory, self._job, self._assignment
        self._is_sealing = False  # after a life's end no commit makes its sealing durable
        self._directory_number = duties.directory
        if duties.directory:
            self._store.begin_life(duties.owner, duties.directory)
        self.ports = Ports(
            job=job,
            scope=self._scope,
            clock=self._main.clock,
            log=self._log,
            snapshots=directory.snapshots(),
            store=self._store,
            transport=self.transport,
            partitioner=self.partitioner,
            budget=duties.budget,
            ending=duties.ending,
            owner=duties.owner or f"{os.uname().nodename} {os.getpid()} {time.time():.3f}",
            may_begin=duties.may_begin,
            is_shared=duties.is_shared,
            on_notes=duties.on_notes,
            machines_at=duties.machines_at,
            slots=self._slots,
            connections=assignment.connections,
            job_digest=assignment.job_digest,
            sealed_folder=directory.log_folder,
            clock_ahead=assignment.clock_ahead,
            seed_failed=duties.seed_failed,
            noticed=duties.noticed,
            scheduler=scheduler_of(job, self._hooks, self._main.clock.now),
            rendering=self._rendering,
            distant=self._distant,
            mark=self._mark.words,
            apart=self._apart,
        )
        features = partial(features_of, hooks=self._hooks)
        self.worker = Worker(self.ports, duties.on_end, features)
        return self.worker

    def open(self, on_partition: Callable[[], None] = lambda: None) -> list[PartitionState]:
        """Take the partitions; call `on_partition` before each, here and again when it begins."""
        self._on_partition = on_partition

        def numbers() -> Iterator[int]:
            for number in self._assignment.partitions:
                on_partition()
                yield number

        self.worker.open(numbers())
        states = self.worker.states()
        if self._assignment.is_alone:
            self._mend(states)
        return list(states.values())

    def _mend(self, states: dict[int, PartitionState]) -> None:
        """Give up lost records of open segments, seal these segments, and check the sealed ones."""
        path = self._directory.path
        mended = mend_open(path, self._log, states, self.partitioner)
        if any(mended):
            self.damage.append(str(mended))
        accounts = counted_by(states, self.partitioner.partition_of)
        if seal_dead(path, accounts, positions=durable_positions(self._log)):
            self._note_sealed()
        elsewhere = partial(is_elsewhere, self._log, self._directory)
        if problems := look_at_sealed(path, accounts, elsewhere):
            self.damage.append(say_sealed(path, problems))

    def begin(self) -> None:
        """Start crawling as soon as the loop runs."""
        self._main.loop.call_soon(self.worker.begin, self._on_partition)
        self.seal_now_and_then()

    def seal_now_and_then(self) -> None:
        """Seal segments that are complete, while the loop runs."""
        self._main.loop.call_later(SEAL_LOOK_SECONDS, self._look_for_sealing)

    def progress(self, of: Iterable[PartitionState] | None = None) -> Progress:
        """Return the worker's progress, without time and speed; or the figures of these states."""
        worker = self.worker
        # A partition without hosts has no figures, and most partitions have no hosts at first.
        given = worker.states().values() if of is None else of
        states = [state for state in given if state.host_names]
        times, lock_seconds = self.worker.commit_times, self._log.lock_seconds
        hosts = phases_of(worker.partitions().values())
        waiting = sum(hosts.get(phase, 0) for phase in ("waiting", "resolving", "queued"))
        given_up, waits = given_up_of(states), worker.waits(waiting)
        return Progress(
            seconds=0.0,
            requests=self.worker.requests,
            pages_per_second=0.0,
            in_flight=self.worker.in_flight,
            hosts=hosts,
            seconds_left=seconds_left(states, self._job, self._main.clock.now()),
            waits=[list(wait.by_clock_behind(self.ports.clock_ahead)[:3]) for wait in waits.first],
            waits_count=waits.total,
            patience_left=worker.patience_left(),
            given_up=[list(one) for one in given_up[:MOST_NAMED]],
            given_up_origins=len(given_up),
            topics=self._topics(),
            budgets=self._budgets(states),
            commits=times.commits,
            commit_queue_seconds=times.queued_seconds,
            commit_lock_seconds=lock_seconds,
            commit_write_seconds=max(0.0, times.writing_seconds - lock_seconds),
            durations=list(self.ports.durations.counts),
            durations_seconds=self.ports.durations.seconds,
            last_commit=times.last_moment,
            is_paused=any(state.paused_from for state in given),
            waited_seconds=max((state.waited_seconds for state in given), default=0.0),
            **figures_of(states),
        )

    def _topics(self) -> dict[str, list[int]]:
        """Return pages and waiting URLs by topic, in a crawl with a model."""
        if not self._job.topics.model:
            return {}
        from lycosa.crawl.status.topics import topics_at_work  # few crawls have a model

        return topics_at_work(self.worker.partitions().values(), self.worker.topic_names)

    def _budgets(self, states: Iterable[PartitionState]) -> dict[str, int]:
        if self._job.topics.policy != "budget" or not self.worker.topic_names:
            return {}
        from lycosa.features.topics.budgets import TopicBudgets  # few crawls have budgets

        return TopicBudgets(self._job, self.worker.topic_names).taken(states)

    def seal_all(self, on_done: Callable[[], None]) -> None:
        """Seal all segments after the last commit, in a thread; then call `on_done`."""
        if self._hooks is not None:
            self._hooks.tell()
        # All requests have ended. Sealing is the peak of memory, and each connection takes 20 kB.
        self.transport.abort_all()

        def seal() -> list[Sealed]:
            self._store.flush()
            self._fence_own_dead()
            settle = partial(self._rules.settle, is_last=True)
            sealed = self._seal_own(None, settle)
            return sealed + self._seal_dead() if self.ports.is_shared else sealed

        self._seal_aside(seal, on_done)

    def close(self) -> None:
        """Close everything that the constructor opened, without a last flush.

        No committed work is lost: bytes that were not flushed have no event in the log. The clock
        is closed here too, because a commit may still be writing to the store in its thread.
        """
        with ExitStack() as rest:
            rest.callback(self._mark.close)
            rest.callback(self._slots.close)
            rest.callback(self._apart.close)
            for browser in self._rendering.browsers if self._rendering is not None else ():
                rest.callback(browser.close)
            rest.callback(self._store.abandon)
            rest.callback(self._store.finish_index)
            if self._distant is not None:
                rest.callback(self._distant.close)
            rest.callback(self._rules.close)  # after the thread that uses it
            rest.callback(self._sealer.shutdown)
            rest.callback(self._main.clock.close)
            rest.callback(self.transport.close)

    # -- inside ---------------------------------------------------------------------------

    def _look_for_sealing(self) -> None:
        self._main.loop.call_later(SEAL_LOOK_SECONDS, self._look_for_sealing)
        if self._is_sealing or self.worker.is_over:
            return
        if self.ports.is_shared and time.monotonic() >= self._look_for_dead_at:
            self._look_for_dead_at = time.monotonic() + DEAD_LOOK_SECONDS
            self._seal_aside(self._seal_dead, lambda: None)
        every = seal_seconds(self._job)
        if every and time.monotonic() >= self._rolled_at + every:
            self._rolled_at = time.monotonic()
            self._store.roll()
        if self._store.has_rolled:
            self._is_sealing = True
            decided = self._store.segment
            self.worker.when_durable(
                lambda: self._seal_aside(
                    lambda: self._seal_own(decided, self._rules.settle), self._sealed
                )
            )

    def _seal_own(
        self, decided: int | None, settle: Callable[[Mapping[int, int]], Counted | None]
    ) -> list[Sealed]:
        """Seal segments of this process, after the log that names their records is on disk."""
        sealed = self._store.seal(
            everything,
            decided,
            with_dead=False,
            settle=settle,
            positions=self._rules.positions() if self._store.has_unsealed else NOWHERE,
        )
        if sealed:
            self._note_sealed()
        return sealed

    def _note_sealed(self) -> None:
        from lycosa.storage.log.told_segments import note_sealed  # a crawl begins without it

        note_sealed(self._directory.path)

    def _fence_own_dead(self) -> None:
        """Take over the partitions of this directory's dead lives before other members can.

        This process holds the directory's lock, so all lives but the present one are dead.
        """
        if not self._directory_number or not unsealed(self._directory.path):
            return
        with suppress(LogUnavailable), closing(self._directory.log(self._job)) as log:
            from lycosa.runtime.recovery.fencing import fence  # only a member has dead lives

            owner = self.ports.owner
            fence(log, (self._directory_number,), f"after {owner}", present=owner)

    def _seal_dead(self) -> list[Sealed]:
        """Seal segments that dead processes left in this directory, if the log has decided on
        them."""
        try:
            return self._rules.seal_dead()
        except StoreError as problem:  # the segment is not ours, so its damage can wait
            self._look_for_dead_at = float("inf")
            log_messages.warning("%s", problem)
            return []

    def _sealed(self) -> None:
        self._is_sealing = False

    def _seal_aside(self, seal: Callable[[], list[Sealed]], on_done: Callable[[], None]) -> None:
        def finish(future: Future[list[Sealed]]) -> None:
            problem = future.exception()
            if problem is None:
                self._main.loop.call_soon_threadsafe(on_done)
            else:
                self._main.loop.call_soon_threadsafe(self._main.fail, problem)

        self._sealer.submit(seal).add_done_callback(finish)

    def _is_still_ours(self, request: Request) -> bool:
        """Ask the log, just before a request leaves, whether this worker still owns its
        partition."""
        ports = self.ports
        if ports.may_begin is not None and not ports.may_begin():
            return False
        return ports.log.owner(request.partition) == ports.owner
