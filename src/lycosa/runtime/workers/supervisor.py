"""Start, watch and replace the worker processes of a crawl, and add up their progress.

The supervisor is the process that the user has started. It fetches nothing itself. It keeps the
worker processes (`child.Brood`), divides the job's limits (`grants`), looks for the end
(`end_search`), handles signals and orders of the operator (`runtime.orders`), and reports progress.
The workers (`worker_process`) share only the log and the address slots.

Always true:
  * a partition belongs to at most one living process: the supervisor waits for the exit of a worker
    that died, or that it killed for its silence, before it starts the successor;
  * a worker that dies is replaced, unless the crawl is ending anyway;
  * the crawl's lock is held until the last of its processes is gone.

The supervisor also seals the segments that dead workers have left (`recovery.leftovers`).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import partial

import msgspec

from lycosa import errors
from lycosa.crawl.budget import Limit
from lycosa.crawl.status.progress import Listener, Progress, add_up
from lycosa.crawl.suspects import marks
from lycosa.crawl.suspects.deaths import tell_deaths
from lycosa.crawl.worker.worker import EXHAUSTED
from lycosa.errors import LycosaError
from lycosa.runtime.directory import OpenCrawl
from lycosa.runtime.lock import DirectoryLock
from lycosa.runtime.orders.live import State
from lycosa.runtime.orders.watch import LOOK_SECONDS, Standing, Watch, wants_stop
from lycosa.runtime.processes.assignments import Assignment
from lycosa.runtime.processes.main_loop import MainLoop
from lycosa.runtime.processes.signals import Stop
from lycosa.runtime.recovery.leftovers import seal_leftovers
from lycosa.runtime.workers.child import Brood, Child, Program
from lycosa.runtime.workers.end_search import EndSearch
from lycosa.runtime.workers.grants import Grants
from lycosa.runtime.workers.protocol import (
    Account,
    Adopt,
    Begin,
    Committed,
    Failed,
    Finished,
    Granted,
    GrantWanted,
    Heartbeat,
    Idle,
    LimitReached,
    LogLine,
    Noticed,
    OrdersApplied,
    PartitionsOpened,
    Recall,
    Relimited,
    Reply,
    SeedFailed,
    StopCleanly,
)
from lycosa.storage.segments.sealing import Sealed

WATCH_SECONDS = 1.0
MOST_DEATHS = 4
"""Deaths in a row before a first commit after which the crawl ends."""

log_messages = logging.getLogger(__name__)


class Supervisor:
    """The workers of one crawl."""

    def __init__(
        self,
        main: MainLoop,
        crawl: OpenCrawl,
        assignments: list[Assignment],
        lock: DirectoryLock,
        listener: Listener,
    ) -> None:
        self._main = main
        self._loop = main.loop
        self._directory = crawl.directory
        self._job = crawl.job
        self._watch_orders = Watch(crawl.log)
        self._live_job = crawl.job
        self._applied = [0] * len(assignments)
        self._applied_by_all = 0
        self._paused_at: float | None = None
        self._paused_seconds = 0.0
        self._assignments = assignments
        self._lock = lock
        self._listener = listener
        pids_changed = partial(lock.write, marks.leading_pid())
        self._brood = Brood[Reply](main.loop, self, "worker", pids_changed)
        self._open: set[int] = set()
        """Workers that have opened their partitions."""
        self._finished: set[int] = set()
        self._grants = Grants(crawl.job, len(assignments))
        self._end_search = EndSearch(main.loop, crawl.job, crawl.log, self._brood.send_to_all)
        self._progress: dict[int, Progress] = {}
        self._gone: list[Progress] = []
        self._deaths = [0] * len(assignments)
        self._run_before = 0.0
        self._began_at: float | None = None
        self._limit: Limit | None = None
        self._is_stopping = False
        self._is_sealing = False
        self._must_seal = True
        self._log = crawl.log

    # -- the course of a crawl ------------------------------------------------------------

    def run(self, stop: Stop, on_progress: Callable[[Progress], None]) -> str:
        """Crawl until the end, a limit or a stop request; return the reason."""
        self._on_progress = on_progress
        self._watch_orders.look()  # an earlier order to stop ended its own run
        self._follow_orders()
        for number in range(len(self._assignments)):
            self._brood.start(number)
        pids = " ".join(str(child.pid) for child in self._brood.children.values())
        log_messages.info("started %d workers: pids %s", len(self._assignments), pids)
        self._loop.call_soon(self._watch)
        self._loop.call_soon(self._brood.watch)
        self._loop.call_later(LOOK_SECONDS, self._look_for_orders)
        self._main.run_until_stopped(stop, self._stop_cleanly)
        if not self._is_stopping:
            # Finds something only if a worker has died at the very end.
            seal_leftovers(self._directory, self._job)
        if self._end_search.is_over:
            return EXHAUSTED
        return str(self._limit or Limit.STOPPED)

    def progress(self) -> Progress:
        """Return the progress of all workers together."""
        return add_up(self._progress.values(), self._gone)._replace(
            workers=len(self._brood.children)
        )

    def standing(self) -> Standing:
        """Return the crawl's state, orders and job, which are shown with its progress."""
        in_force = self._watch_orders.in_force
        is_stopping = self._is_stopping or self._limit is not None
        state: State = "stopping" if is_stopping else "paused" if in_force.is_paused else "running"
        return Standing(state, in_force, self._live_job, self._applied_by_all)

    def close(self) -> None:
        """Kill every worker process that still runs."""
        self._brood.close()

    # -- workers come and go --------------------------------------------------------------

    def program(self, number: int) -> Program:
        """Return what the next process of a worker runs."""
        self._applied[number] = 0
        return Program(
            "lycosa.runtime.workers.boot",
            self._directory.path,
            self._directory.log_folder,
            Reply,
            (msgspec.json.encode(self._assignments[number]).decode(),),
            (self._lock.descriptor,),
            mark=number,
        )

    def buried(self, child: Child[Reply], how: str, *, by_page: bool) -> float | None:
        """Keep a dead worker's grants and figures for its successor, unless the crawl ends."""
        number, output = child.number, child.last_output()
        self._open.discard(number)
        if number in self._finished or self._main.has_failed:
            return None
        log_messages.warning("worker %d (pid %d) %s %s", number, child.pid, how, output)
        if by_page:
            self._deaths[number] = 0  # its successor reads that page apart, and makes progress
        if not self.is_ending:
            tell_deaths(self._log, [marks.path_of(str(self._directory.log_folder), number)])
        self._grants.died(number)
        self._end_search.died(self._assignments[number].partitions)
        if number in self._progress:
            last = self._progress[number]
            self._gone.append(last)
            self._progress[number] = last._replace(
                requests=0,
                commits=0,
                commit_queue_seconds=0.0,
                commit_lock_seconds=0.0,
                commit_write_seconds=0.0,
                in_flight=0,
            )
        self._must_seal = True
        if self.is_ending:
            return None
        self._deaths[number] += 1
        if self._deaths[number] >= MOST_DEATHS:
            self._main.fail(
                LycosaError(
                    f"worker {number} died {MOST_DEATHS} times in a row before its first commit;"
                    f" the last time it {how}\n  its last output: {output or 'none'}\n"
                    "  committed work is not lost; to try again:"
                    f" lycosa resume {self._directory.path}"
                )
            )
            return None
        return float(self._deaths[number] - 1)

    def goes_on(self) -> bool:
        """Return whether a dead worker is still to be replaced."""
        return not self.is_ending and not self._main.has_failed

    def all_gone(self) -> None:
        """End the loop."""
        self._loop.stop()

    @property
    def is_ending(self) -> bool:
        """Whether the crawl is over, or about to be."""
        return self._is_stopping or self._limit is not None or self._end_search.is_over

    # -- replies of workers ---------------------------------------------------------------

    def told(self, child: Child[Reply], message: Reply) -> None:
        """Process a reply of a worker."""
        number, reply = child.number, message
        match reply:
            case Heartbeat():
                self._progress[number] = Progress(**reply.progress)
            case PartitionsOpened():
                self._opened(child, reply)
            case Committed():
                self._deaths[number] = 0
            case Relimited():
                self._grants.relimited(number, reply)
                self._look_at_limits()
            case OrdersApplied():
                self._applied[number] = reply.number
                # A worker that replaces a dead one begins at 0, but its partitions keep the orders.
                self._applied_by_all = max(self._applied_by_all, min(self._applied))
            case GrantWanted():
                self._grants.wants(number)
                self._look_at_limits()
            case Account():
                self._grants.account(number, reply.durable, reply.returned)
                self._look_at_limits()
            case LimitReached():
                self._reach(Limit(reply.limit))
            case Idle():
                self._end_search.reported(reply)
            case SeedFailed():
                self._listener.seed_failed(reply.seed, reply.why)
            case Noticed():
                self._listener.noticed(reply.text)
            case LogLine():
                log_messages.log(reply.level, "worker %d: %s", number, reply.text)
            case Failed():
                kind = getattr(errors, reply.kind, LycosaError)
                self._main.fail(kind(reply.text))
            case Finished():
                self._finished.add(number)
                self._progress[number] = Progress(**reply.progress)

    def _opened(self, child: Child[Reply], opened: PartitionsOpened) -> None:
        self._open.add(child.number)
        self._grants.opened(child.number, opened.kept)
        if self._began_at is not None:
            self._begin(child)
            self._look_at_limits()
            return
        self._run_before = max(self._run_before, opened.seconds_run)
        if len(self._open) == len(self._assignments):
            self._began_at = time.monotonic()
            for other in self._brood.children.values():
                self._begin(other)
            self._look_at_limits()

    def _begin(self, child: Child[Reply]) -> None:
        assert self._began_at is not None
        until = time.monotonic() if self._paused_at is None else self._paused_at
        run = self._run_before + max(0.0, until - self._began_at - self._paused_seconds)
        child.send(Begin(run, self._watch_orders.in_force.last))
        child.send(self._end_search.told)
        if self._limit is not None:
            child.send(LimitReached(str(self._limit)))
        if self._is_stopping:
            child.send(StopCleanly())

    def _look_at_limits(self) -> None:
        for number, grant in self._grants.given():
            if number in self._brood.children:
                self._brood.children[number].send(Granted(grant) if grant else Recall())
        reached = self._grants.reached
        if reached is not None:
            self._reach(reached)

    def _reach(self, limit: Limit) -> None:
        if self._limit is None:
            self._limit = limit
            self._brood.send_to_all(LimitReached(str(limit)))

    # -- orders of the operator -----------------------------------------------------------

    def _look_for_orders(self) -> None:
        self._loop.call_later(LOOK_SECONDS, self._look_for_orders)
        given = self._watch_orders.look()
        if not given:
            return
        self._follow_orders()
        if wants_stop(given) and not self.is_ending:
            log_messages.info("stopping cleanly by order of the operator")
            self._stop_cleanly()

    def _follow_orders(self) -> None:
        """Follow the orders in force, and make the workers follow them."""
        in_force, now = self._watch_orders.in_force, time.monotonic()
        if in_force.is_paused and self._paused_at is None:
            self._paused_at = now
        elif not in_force.is_paused and self._paused_at is not None:
            began = (
                self._paused_at if self._began_at is None else max(self._paused_at, self._began_at)
            )
            self._paused_seconds += now - began if self._began_at is not None else 0.0
            self._paused_at = None
        before, self._live_job = self._live_job, in_force.job(self._job)
        if self._live_job.limits != before.limits:
            self._grants = Grants(self._live_job, len(self._assignments), in_force.last)
        for number in () if self.is_ending else self._open:
            self._brood.children[number].send(Adopt(in_force.last))

    # -- segments of dead workers ---------------------------------------------------------

    def _seal_leftovers(self) -> None:
        if self._must_seal and not self._is_sealing and not self.is_ending:
            self._must_seal, self._is_sealing = False, True
            self._main.clock.run_aside(
                lambda: seal_leftovers(self._directory, self._job, lambda: self.is_ending),
                self._sealed,
            )

    def _sealed(self, sealed: list[Sealed]) -> None:
        self._is_sealing = False
        if sealed:
            log_messages.info("sealed %d segments left by dead workers", len(sealed))

    # -- watching -------------------------------------------------------------------------

    def _watch(self) -> None:
        self._brood.kill_silent(self._job.crawl.silent_seconds)
        self._seal_leftovers()
        if len(self._progress) == len(self._assignments):
            self._on_progress(self.progress())
        self._loop.call_later(WATCH_SECONDS, self._watch)

    def _stop_cleanly(self) -> None:
        self._is_stopping = True
        self._listener.stopping()
        self._brood.send_to_all(StopCleanly())
        self._brood.stopping(self._job.fetch.stop_seconds)
