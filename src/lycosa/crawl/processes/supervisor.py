"""The supervisor: starts workers, watches and replaces them, and adds up what they do.

It is the process that the user has started. It crawls nothing. It keeps the ledger of the job's
limits (`grants`), looks for the end (`ending`), hears signals, and shows progress; the workers
(`member`) share nothing but the log and the address slots.

Always true:
  * a partition belongs to one living process at most: a worker that dies or is killed for its
    silence is buried before its successor is started;
  * a worker that dies is replaced, unless the crawl is ending anyway;
  * the crawl's lock is held until the last of its processes is gone.

What a dead worker left in its segment is sealed beside the others (`leftovers`).
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from typing import Any

from lycosa import errors
from lycosa.clock import RealClock
from lycosa.cluster.assignment import assign
from lycosa.config import Job
from lycosa.crawl.budget import Limit
from lycosa.crawl.directory import CrawlDirectory, DirectoryLock
from lycosa.crawl.ending import Ending, Report
from lycosa.crawl.processes.child import Child
from lycosa.crawl.processes.grants import Amount, Ledger
from lycosa.crawl.processes.protocol import (
    Account,
    Answer,
    Beat,
    Begin,
    CycleOver,
    Ended,
    Failed,
    GiveUp,
    Idle,
    Opened,
    Order,
    Over,
    PatienceOver,
    Post,
    Reached,
    Said,
    SeedFailed,
    Stop,
    Stuck,
    Want,
)
from lycosa.crawl.processes.signals import Stop as StopButton
from lycosa.crawl.recovery.leftovers import seal_leftovers
from lycosa.crawl.status.progress import Progress, add_up
from lycosa.crawl.worker.worker import EXHAUSTED
from lycosa.errors import LycosaError
from lycosa.log.protocol import Log
from lycosa.loop import EventLoop, Loop
from lycosa.store.sealing import Sealed

WATCH_SECONDS = 1.0
STALLED_SECONDS = 5.0
"""When we come round so late we were stopped ourselves, and hold nobody's silence against it."""

MOST_DEATHS = 4
"""How often in a row a worker may die without having committed anything."""

log_messages = logging.getLogger(__name__)


class Supervisor:
    """The workers of one crawl."""

    def __init__(
        self,
        directory: CrawlDirectory,
        job: Job,
        workers: int,
        lock: DirectoryLock,
        log: Log,
        seed_failed: Callable[[str, str], None],
        clock_ahead: float = 0.0,
    ) -> None:
        self._seed_failed = seed_failed
        self._directory = directory
        self._job = job
        self._lock = lock
        self._log = log
        self._loop = Loop()
        self._loop.set_exception_handler(self._on_failure)
        self._clock = RealClock(self._loop)
        self._posts = posts_of(job, workers, clock_ahead)
        self._children: dict[int, Child] = {}
        self._ledger = Ledger(job, workers)
        self._ending = Ending(job.frontier.partitions)
        self._is_looking = False
        self._found_stuck = Stuck(False, False)
        self._progress: dict[int, Progress] = {}
        self._gone: list[Progress] = []
        self._deaths = [0] * workers
        self._run_before = 0.0
        self._began_at: float | None = None
        self._limit: Limit | None = None
        self._is_stopping = False
        self._is_sealing = False
        self._must_seal = True
        self._signals = 0
        self._watched_at = time.monotonic()
        self._failure: BaseException | None = None

    # -- the course of a crawl ------------------------------------------------------------

    def start(self) -> None:
        """Start the processes; they take their partitions and wait."""
        for number in range(len(self._posts)):
            self._start_child(number)
        pids = " ".join(str(child.pid) for child in self._children.values())
        log_messages.info("%d workers begin: pids %s", len(self._posts), pids)

    def run(
        self, on_stopping: Callable[[], None], on_look: Callable[[Progress], None], stop: StopButton
    ) -> str:
        """Crawl until the end, a limit or a stop; returns which."""
        self._on_stopping = on_stopping
        self._on_look = on_look
        with stop.heard_by(self._loop, self._on_signal):
            return self._run()

    def _run(self) -> str:
        self._loop.call_soon(self._watch)
        self._loop.run_forever()
        failure = self._clock.failure or self._failure
        if failure is not None:
            raise failure
        if self._signals > 1:
            raise KeyboardInterrupt
        if not self._is_stopping:
            # A worker that died at the very end has left something; else this finds nothing.
            seal_leftovers(self._directory, self._job)
        if self._ending.is_over:
            return EXHAUSTED
        return str(self._limit or Limit.STOPPED)

    def progress(self) -> Progress:
        """Return how all workers are getting on together."""
        return add_up(self._progress.values(), self._gone)._replace(workers=len(self._children))

    def close(self) -> None:
        """End every process that still runs, and let go of everything."""
        for child in self._children.values():
            child.close()
        self._clock.close()
        self._loop.close()

    # -- workers come and go --------------------------------------------------------------

    def _start_child(self, number: int) -> None:
        self._children[number] = Child(
            self._loop,
            self._directory.path,
            self._posts[number],
            self._lock.descriptor,
            self._on_answer,
            self._on_gone,
        )
        self._lock.write(os.getpid(), [child.pid for child in self._children.values()])

    def _on_gone(self, child: Child) -> None:
        """See to a worker whose socket has closed: it has ended, or it has died."""
        number = child.number
        how = child.bury()
        words = child.last_words()
        child.close()
        del self._children[number]
        if child.has_ended or self._failure is not None:
            self._stop_when_alone()
            return
        log_messages.warning("worker %d (pid %d) was %s %s", number, child.pid, how, words)
        self._ledger.died(number)
        for partition in self._posts[number].partitions:
            self._ending.report(partition, None)
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
            if last.commits:
                self._deaths[number] = 0
        self._must_seal = True
        if self._is_ending:
            self._stop_when_alone()
            return
        self._deaths[number] += 1
        if self._deaths[number] >= MOST_DEATHS:
            self._fail(
                LycosaError(
                    f"worker {number} died {MOST_DEATHS} times in a row without getting anywhere;"
                    f" the last time it was {how}\n  its last words: {words or 'none'}\n"
                    f"  nothing is lost; the others' work is in {self._directory.path}"
                )
            )
            return
        self._loop.call_later(float(self._deaths[number] - 1), self._replace, number)

    def _replace(self, number: int) -> None:
        if not self._is_ending and self._failure is None:
            self._start_child(number)
            log_messages.warning(
                "worker %d is replaced (pid %d)", number, self._children[number].pid
            )
        else:
            self._stop_when_alone()

    @property
    def _is_ending(self) -> bool:
        return self._is_stopping or self._limit is not None or self._ending.is_over

    def _stop_when_alone(self) -> None:
        if not self._children:
            self._loop.stop()

    def _tell(self, order: Order) -> None:
        for child in self._children.values():
            child.send(order)

    def _fail(self, problem: BaseException) -> None:
        self._failure = self._failure or problem
        self._loop.stop()

    def _on_failure(self, loop: EventLoop, context: dict[str, Any]) -> None:
        problem = context.get("exception")
        if problem is None:
            loop.default_exception_handler(context)
        else:
            self._fail(problem)

    # -- what workers say -----------------------------------------------------------------

    def _on_answer(self, child: Child, answer: Answer) -> None:
        number = child.number
        match answer:
            case Beat():
                self._progress[number] = Progress(**answer.progress)
            case Opened():
                self._opened(child, answer)
            case Want():
                self._ledger.wants(number)
                self._look_at_limits()
            case Account():
                self._ledger.account(number, answer)
                self._look_at_limits()
            case Reached():
                self._reach(Limit(answer.limit))
            case Idle():
                for partition, report in answer.reports.items():
                    self._ending.report(partition, Report(*report) if report else None)
                self._look_for_end()
            case SeedFailed():
                self._seed_failed(answer.seed, answer.why)
            case PatienceOver():
                self._tell(GiveUp())
            case Said():
                log_messages.log(answer.level, "worker %d: %s", number, answer.text)
            case Failed():
                kind = getattr(errors, answer.kind, LycosaError)
                self._fail(kind(answer.text))
            case Ended():
                child.has_ended = True
                self._progress[number] = Progress(**answer.progress)

    def _opened(self, child: Child, answer: Opened) -> None:
        child.is_open = True
        self._ledger.opened(child.number, Amount(answer.kept_pages, answer.kept_bytes))
        if self._began_at is not None:
            self._begin(child)
            self._look_at_limits()
            return
        self._run_before = max(self._run_before, answer.seconds_run)
        everybody = list(self._children.values())
        if len(everybody) == len(self._posts) and all(other.is_open for other in everybody):
            self._began_at = time.monotonic()
            for other in everybody:
                self._begin(other)
            self._look_at_limits()

    def _begin(self, child: Child) -> None:
        seconds_left = None
        if self._job.limits.seconds and self._began_at is not None:
            passed = self._run_before + time.monotonic() - self._began_at
            seconds_left = max(0.0, self._job.limits.seconds - passed)
        child.send(Begin(seconds_left))
        child.send(self._found_stuck)
        if self._limit is not None:
            child.send(Reached(str(self._limit)))
        if self._is_stopping:
            child.send(Stop())

    def _look_at_limits(self) -> None:
        for number, order in self._ledger.orders():
            if number in self._children:
                self._children[number].send(order)
        reached = self._ledger.reached
        if reached is not None:
            self._reach(reached)

    def _reach(self, limit: Limit) -> None:
        if self._limit is None:
            self._limit = limit
            self._tell(Reached(str(limit)))

    # -- the end --------------------------------------------------------------------------

    def _look_for_end(self) -> None:
        if self._is_looking or self._ending.is_over:
            return
        self._look_for_stuck()
        if not self._ending.is_possible():
            return
        if self._ending.look(self._log.heads()):
            self._tell(Over())
        elif self._ending.is_between:
            self._tell(CycleOver())
        else:
            self._is_looking = True
            self._loop.call_later(self._job.log.commit_seconds, self._look_again)

    def _look_for_stuck(self) -> None:
        """Tell the workers when nothing is left but what is out of reach, and when that changes."""
        may_be_stuck = self._ending.may_be_stuck()
        found = Stuck(
            may_be_stuck and self._ending.is_stuck(self._log.heads()), self._ending.has_answers
        )
        if found != self._found_stuck:
            self._found_stuck = found
            self._tell(found)
        if may_be_stuck:
            self._is_looking = True
            self._loop.call_later(self._job.log.commit_seconds, self._look_again)

    def _look_again(self) -> None:
        self._is_looking = False
        self._look_for_end()

    def _seal_leftovers(self) -> None:
        if self._must_seal and not self._is_sealing and not self._is_ending:
            self._must_seal, self._is_sealing = False, True
            self._clock.run_aside(
                lambda: seal_leftovers(self._directory, self._job, lambda: self._is_ending),
                self._sealed,
            )

    def _sealed(self, sealed: list[Sealed]) -> None:
        self._is_sealing = False
        if sealed:
            log_messages.info("sealed %d segments of dead processes", len(sealed))

    # -- watching -------------------------------------------------------------------------

    def _watch(self) -> None:
        now = time.monotonic()
        if now > self._watched_at + STALLED_SECONDS:
            for child in self._children.values():
                child.heard_at = now
        self._watched_at = now
        for child in self._children.values():
            if child.is_silent(now, self._job.crawl.silent_seconds):
                log_messages.warning(
                    "worker %d (pid %d) has been silent for %.0f s: it is killed",
                    child.number,
                    child.pid,
                    now - child.heard_at,
                )
                child.heard_at = now
                child.kill()
        self._seal_leftovers()
        if len(self._progress) == len(self._posts):
            self._on_look(self.progress())
        self._loop.call_later(WATCH_SECONDS, self._watch)

    def _on_signal(self) -> None:
        self._signals += 1
        if self._signals > 1:
            self._loop.stop()
            return
        log_messages.info("stopping cleanly")
        self._is_stopping = True
        self._on_stopping()
        self._tell(Stop())
        self._stop_when_alone()


def posts_of(job: Job, workers: int, clock_ahead: float = 0.0) -> list[Post]:
    """Return who does what: partitions by rendezvous, connections and bandwidth in equal parts.

    All have one time, also a worker that replaces another: the clock may have been set meanwhile.
    """
    clock_offset = time.time() + clock_ahead - time.monotonic()
    connections, more = divmod(job.fetch.connections, workers)
    speed, digest = job.fetch.bytes_per_second, job.digest()
    return [
        Post(
            number,
            partitions,
            connections + (number < more),
            max(1, speed // workers) if speed else 0,
            is_alone=False,
            job_digest=digest,
            clock_offset=clock_offset,
            clock_ahead=clock_ahead,
        )
        for number, partitions in enumerate(assign(job.frontier.partitions, workers))
    ]
