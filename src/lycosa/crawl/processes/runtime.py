"""A worker in its real surroundings: loop, clock, log, segments, transport.

The same whether the worker runs in the process of its user or in one of its own; what differs
is handed in: the job's limits (`budget`) and who watches for the end (`ending`).

Segments are sealed while the crawl runs: those that are full, and every `seal_seconds` the
open one, in a thread of its own. A segment is sealed when everything that was decided before
it was complete is durable.
"""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from lycosa import __version__
from lycosa.clock import RealClock
from lycosa.config import Job
from lycosa.crawl.directory import CrawlDirectory
from lycosa.crawl.ports import EndWatch, Parts, Reservations
from lycosa.crawl.processes.protocol import Post
from lycosa.crawl.recovery.lost_records import look_at_sealed, mend_open, say_sealed
from lycosa.crawl.scope import JobScope
from lycosa.crawl.status.progress import (
    Progress,
    mined_of,
    outcomes_of,
    phases_of,
    refusals_of,
    seconds_left,
    structured_of,
)
from lycosa.crawl.status.unreachable import MOST_NAMED, given_up_of
from lycosa.crawl.takeover import check_partitioner
from lycosa.crawl.worker.worker import Worker
from lycosa.fetch.client import HttpTransport
from lycosa.frontier.fold.state import PartitionState, counted_by
from lycosa.frontier.readiness.slots import AddressSlots
from lycosa.log.sqlite import SqliteLog
from lycosa.loop import EventLoop, Loop
from lycosa.plugins.scheduling import partitioner_of
from lycosa.records import Request
from lycosa.store.archive import ArchiveStore
from lycosa.store.sealing import Sealed, seal_dead

if TYPE_CHECKING:
    from lycosa.plugins.hooks import Hooks

SEAL_LOOK_SECONDS = 1.0


class Station:
    """One worker and everything it works with."""

    def __init__(
        self,
        directory: CrawlDirectory,
        job: Job,
        log: SqliteLog,
        post: Post,
        budget: Callable[[Station], Reservations],
        ending: EndWatch,
        on_end: Callable[[str], None],
        hooks: Hooks | None,
        seed_failed: Callable[[str, str], None],
    ) -> None:
        self.job = job
        self.log = log
        """Whoever has opened it closes it, behind us."""
        self._hooks = hooks
        self.directory = directory
        self._post = post
        self._failure: BaseException | None = None
        self.damage: list[str] = []
        """What is wrong with the crawl's files, said when the partitions are opened."""
        self._is_sealing = False
        self._rolled_at = time.monotonic()
        self._sealer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="lycosa-sealing")
        self.loop = Loop()
        self.loop.set_exception_handler(self._on_failure)
        self.clock = RealClock(self.loop, post.clock_offset)
        with ExitStack() as opened:
            opened.callback(self.loop.close)
            opened.callback(self.clock.close)
            self._slots = AddressSlots()
            opened.callback(self._slots.close)
            partitioner = partitioner_of(job, hooks)
            check_partitioner(self.log, partitioner)
            self._store = ArchiveStore(
                directory.path,
                worker=post.number,
                durability=job.log.durability,
                roll_bytes=job.log.segment_bytes,
                info={
                    "software": f"Lycosa {__version__}",
                    "http-header-user-agent": job.fetch.user_agent,
                },
                extra_columns=hooks.extra_columns if hooks is not None else None,
                clock_ahead=post.clock_ahead,
            )
            opened.callback(self._store.abandon)
            fetch = dataclasses.replace(
                job.fetch,
                connections=post.connections,
                bytes_per_second=post.bytes_per_second,
            )
            self._transport = HttpTransport(
                self.loop, self.clock, fetch, may_send=self._is_still_ours
            )
            opened.pop_all()
        self.parts = Parts(
            job=job,
            scope=JobScope(job, self.log, hooks=hooks),
            clock=self.clock,
            log=self.log,
            snapshots=directory.snapshots(),
            store=self._store,
            transport=self._transport,
            partitioner=partitioner,
            budget=budget(self),
            ending=ending,
            owner=f"{os.uname().nodename} {os.getpid()} {time.time():.3f}",
            slots=self._slots,
            connections=post.connections,
            job_digest=post.job_digest,
            sealed_folder=directory.log_folder,
            clock_ahead=post.clock_ahead,
            seed_failed=seed_failed,
            hooks=hooks,
        )
        self.worker = Worker(self.parts, on_end)

    def open(self, on_partition: Callable[[], None] = lambda: None) -> list[PartitionState]:
        """Take the partitions; `on_partition` is called before each of them, and at the start."""
        self._on_partition = on_partition

        def numbers() -> Iterator[int]:
            for number in self._post.partitions:
                on_partition()
                yield number

        self.worker.open(numbers())
        states = self.worker.states()
        if self._post.is_alone:
            self._mend(states)
        return list(states.values())

    def _mend(self, states: dict[int, PartitionState]) -> None:
        """Give up what was lost of open segments, seal them, and look at the sealed ones."""
        path = self.directory.path
        mended = mend_open(path, self.log, states, self.parts.partitioner)
        if any(mended):
            self.damage.append(str(mended))
        accounts = counted_by(states.values())
        seal_dead(path, accounts)
        if problems := look_at_sealed(path, accounts):
            self.damage.append(say_sealed(path, problems))

    def begin(self) -> None:
        """Start crawling as soon as the loop runs."""
        self.loop.call_soon(self.worker.begin, self._on_partition)
        self.loop.call_later(SEAL_LOOK_SECONDS, self._look_for_sealing)

    def run(self) -> None:
        """Run the loop until it is stopped; raises what has stopped it, if it was a failure."""
        self.loop.run_forever()
        failure = self.clock.failure or self._failure
        if failure is not None:
            raise failure

    def free_disk(self) -> int:
        """Return how much room the disk has."""
        disk = os.statvfs(self.directory.path)
        return disk.f_bavail * disk.f_frsize

    def progress(self) -> Progress:
        """Return how the worker is getting on, without time and speed."""
        worker = self.worker
        # A partition without hosts has asked for nothing and counted nothing; most are so at first.
        states = [state for state in worker.states().values() if state.host_names]
        times, lock_seconds = self.worker.commit_times, self.log.lock_seconds
        hosts = phases_of(worker.partitions().values())
        waiting = sum(hosts.get(phase, 0) for phase in ("waiting", "resolving", "queued"))
        given_up, waits = given_up_of(states), worker.waits(waiting)
        return Progress(
            seconds=0.0,
            pages=sum(state.kept_pages for state in states),
            bytes=sum(state.kept_bytes for state in states),
            requests=self.worker.requests,
            pages_per_second=0.0,
            pending=sum(state.pending for state in states),
            in_flight=self.worker.in_flight,
            hosts=hosts,
            outcomes=outcomes_of(states),
            refusals=refusals_of(states),
            mined=mined_of(states),
            structured=structured_of(states),
            seconds_left=seconds_left(states, self.job, self.clock.now()),
            waits=[list(wait.by_clock_behind(self.parts.clock_ahead)[:3]) for wait in waits.first],
            waits_count=waits.total,
            patience_left=worker.patience_left(),
            given_up=[list(one) for one in given_up[:MOST_NAMED]],
            given_up_origins=len(given_up),
            commits=times.commits,
            commit_queue_seconds=times.queued_seconds,
            commit_lock_seconds=lock_seconds,
            commit_write_seconds=max(0.0, times.writing_seconds - lock_seconds),
        )

    def seal_all(self, on_done: Callable[[], None]) -> None:
        """Seal everything after the last commit, beside the loop."""
        if self._hooks is not None:
            self._hooks.tell()

        def seal() -> list[Sealed]:
            self._store.flush()
            return self._store.seal(_everything, with_dead=False)

        self._seal_aside(seal, on_done)

    def close(self) -> None:
        """Let go of everything; nothing is lost by it.

        What was not flushed has no event, and what failed once would only fail again.
        """
        with ExitStack() as rest:
            rest.callback(self.loop.close)
            rest.callback(self._slots.close)
            rest.callback(self._store.abandon)
            rest.callback(self._sealer.shutdown)
            rest.callback(self.clock.close)
            rest.callback(self._transport.close)

    # -- inside ---------------------------------------------------------------------------

    def _look_for_sealing(self) -> None:
        self.loop.call_later(SEAL_LOOK_SECONDS, self._look_for_sealing)
        if self._is_sealing or self.worker.is_over:
            return
        every = self.job.log.seal_seconds
        if every and time.monotonic() >= self._rolled_at + every:
            self._rolled_at = time.monotonic()
            self._store.roll()
        if self._store.has_rolled:
            self._is_sealing = True
            decided = self._store.segment
            self.worker.when_durable(
                lambda: self._seal_aside(
                    lambda: self._store.seal(_everything, decided, with_dead=False), self._sealed
                )
            )

    def _sealed(self) -> None:
        self._is_sealing = False

    def _seal_aside(self, seal: Callable[[], list[Sealed]], on_done: Callable[[], None]) -> None:
        def finish(future: Future[list[Sealed]]) -> None:
            problem = future.exception()
            if problem is None:
                self.loop.call_soon_threadsafe(on_done)
            else:
                self.loop.call_soon_threadsafe(self._fail, problem)

        self._sealer.submit(seal).add_done_callback(finish)

    def _on_failure(self, loop: EventLoop, context: dict[str, Any]) -> None:
        """Stop when a callback fails: it cannot write, or nobody knows what it has left undone."""
        problem = context.get("exception")
        if problem is None:
            loop.default_exception_handler(context)
        else:
            self._fail(problem)

    def _fail(self, problem: BaseException) -> None:
        self._failure = self._failure or problem
        self.loop.stop()

    def _is_still_ours(self, request: Request) -> bool:
        """Ask, just before a request leaves, whether its partition is still ours."""
        return self.parts.log.owner(request.partition) == self.parts.owner


def _everything(place: object) -> bool:
    """Count every record of a segment of ours: all that was decided in it is committed."""
    return True
