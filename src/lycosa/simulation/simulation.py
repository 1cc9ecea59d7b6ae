"""Run whole crawls in virtual time, kill and restart them, and judge them by the referee.

Worker, frontier, log and store are the real ones; clock and transport are virtual, so the seed
determines a run. A simulated kill loses what a real one loses: requests under way, timers,
everything in memory, an open transaction, and bytes that were not flushed. The next life starts
from the log, the snapshots and the segments.

    simulation = Simulation(web, job, folder, seed=7)
    result = simulation.run(kills=KillEvery({"commit.flushed": 3}))
    assert not result.breaches and result.reason == "exhausted"
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Protocol

from lycosa._support.failpoints import Killed, arm
from lycosa.crawl.budget import Budget
from lycosa.crawl.ending import Ending
from lycosa.crawl.ports import Ports
from lycosa.crawl.scope import JobScope
from lycosa.crawl.suspects import marks
from lycosa.crawl.suspects.deaths import tell_death
from lycosa.crawl.takeover import check_partitioner, read_partition
from lycosa.crawl.worker.worker import Worker
from lycosa.features.of_job import features_of
from lycosa.features.plugins.scheduling import partitioner_of, scheduler_of
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.clock import VirtualClock
from lycosa.model.job import Job
from lycosa.model.url import url_of
from lycosa.runtime.seeds import plant, topics_of
from lycosa.runtime.steady_clock import clock_ahead
from lycosa.simulation.conditions import ORDINARY, Conditions
from lycosa.simulation.kills import KillPlan, no_kills
from lycosa.simulation.referee_rules import referee_rules
from lycosa.simulation.stand_ins import (
    MemorySlots,
    ReadsHere,
    ShiftedClock,
    ShiftedTransport,
)
from lycosa.simulation.steering import SteeredLife
from lycosa.storage.archive.journal import Journal, Kept
from lycosa.storage.log.memory import MemoryLog
from lycosa.storage.log.protocol import Log
from lycosa.storage.log.snapshot import MemorySnapshots, SnapshotFolder, Snapshots
from lycosa.storage.log.sqlite import SqliteLog
from lycosa_testweb.carrier import InProcessCarrier
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.referee.rulebook import Breach
from lycosa_testweb.web import Truth, Web


@dataclass
class Result:
    """End, kept pages and broken rules of a simulated crawl."""

    reason: str
    """Reason for the end; "" if the virtual time ran out first."""
    breaches: list[Breach]
    states: dict[int, PartitionState]
    kills: list[str] = field(default_factory=list)
    """Fail points at which it was killed, in order."""
    requests: int = 0
    virtual_seconds: float = 0.0
    ends: int = 0
    """Number of lives in which a worker announced the end."""

    @property
    def kept_pages(self) -> int:
        """Pages kept, as the log counts them."""
        return sum(state.kept_pages for state in self.states.values())

    @property
    def kept_bytes(self) -> int:
        """Bytes kept, as the log counts them."""
        return sum(state.kept_bytes for state in self.states.values())


class JudgedWeb(Web, Truth, Protocol):
    """A web that can be crawled and that knows which pages it has."""


class Simulation:
    """A crawl of one web, restarted after every kill."""

    def __init__(
        self,
        web: JudgedWeb,
        job: Job,
        folder: Path,
        *,
        seed: int = 0,
        log: str = "memory",
        workers: int = 1,
        conditions: Conditions = ORDINARY,
    ) -> None:
        """Prepare a crawl; `log` is "memory" or "sqlite".

        All workers live in one simulated process, so a kill ends all of them.
        """
        self.web = web
        self.job = job
        self.folder = folder
        self.seed = seed
        self.workers = workers
        self.conditions = conditions
        self.began = conditions.begins_at
        takes = conditions.commit_takes_seconds
        self.clock = VirtualClock(conditions.begins_at, takes)
        # Workers share the clock's one lane for commits, so each may wait for those of all others.
        self.referee = conditions.referee or Referee(referee_rules(job, takes * workers), web)
        self.partitioner = partitioner_of(job, conditions.hooks)
        self._kind = log
        self._memory_log = MemoryLog(job.frontier.partitions)
        self._memory_snapshots = MemorySnapshots()
        self._life = 0
        self._ends = 0
        self._requests = 0
        self.mark = memoryview(bytearray(6 * 8)).cast("Q")

    def run(
        self,
        kills: KillPlan = no_kills,
        virtual_seconds: float = float("inf"),
        restart_seconds: Callable[[int], float] = lambda life: 0.0,
    ) -> Result:
        """Crawl to the end, or for a virtual time, restarting after every kill."""
        began = self.clock.now()
        died_at: list[str] = []

        def hook(name: str) -> None:
            if kills(name):
                died_at.append(name)
                raise Killed(name)

        reason = ""
        while True:
            arm(hook)
            life = _Life(self, self._life)
            self._life += 1
            try:
                reason = life.run(began + virtual_seconds)
                self._requests += life.requests()
                self._ends += life.has_ended
                break
            except Killed:
                arm(None)
                self._requests += life.requests()
                self._ends += life.has_ended
                life.die()
                self.clock.run(self.clock.now() + restart_seconds(self._life))
            except BaseException:
                life.close()
                raise
            finally:
                arm(None)
        life.close()
        return Result(
            reason,
            self.referee.breaches,
            self.read_states(),
            died_at,
            self._requests,
            self.clock.now() - began,
            self._ends,
        )

    def read_states(self) -> dict[int, PartitionState]:
        """Fold every partition from the log and the snapshots."""
        log, snapshots = self.open_log()
        try:
            return {
                number: read_partition(log, snapshots, number).state
                for number in range(self.job.frontier.partitions)
            }
        finally:
            log.close()

    def open_log(self) -> tuple[Log, Snapshots]:
        """Open the log and its snapshots."""
        if self._kind == "memory":
            return self._memory_log, self._memory_snapshots
        job = self.job
        log = SqliteLog(self.folder / "log", job.frontier.partitions, job.log.durability)
        return log, SnapshotFolder(self.folder / "log" / "snapshots")

    def kept(self) -> list[Kept]:
        """Read the records of all pages that the log counts as kept from the segments."""
        journal = Journal(self.folder / "segments", durability="process")
        try:
            return [
                journal.read(place)
                for state in self.read_states().values()
                for page in range(len(state.table))
                if state.pages.outcome[page] == 1 and (place := state.place_of(page)) is not None
            ]
        finally:
            journal.close()

    def kept_urls(self) -> list[str]:
        """Return the URL of every record that `kept` returns."""
        return [url_of(record.key) for record in self.kept()]


class _Life:
    """A process: from start or resume to the end or the kill."""

    def __init__(self, simulation: Simulation, number: int) -> None:
        self._simulation = simulation
        self._number = number
        self._workers: list[Worker] = []
        self._carriers: list[InProcessCarrier] = []
        self._reasons: list[str] = []
        self._log: Log | None = None
        self._journal: Journal | None = None

    def run(self, until: float) -> str:
        """Crawl until the end or the virtual moment `until`; return what ended the crawl."""
        simulation = self._simulation
        job, conditions = simulation.job, simulation.conditions
        self._log, snapshots = simulation.open_log()
        error = conditions.clock_error(self._number)
        ahead = clock_ahead(self._log, simulation.clock.now() + error)
        clock = ShiftedClock(simulation.clock, error + ahead)
        self._journal = Journal(simulation.folder / "segments", durability=job.log.durability)
        budget = Budget(job, conditions.free_disk)
        ending = Ending(job.frontier.partitions)
        make_store = conditions.make_store
        is_shared = simulation.workers > 1
        slots = MemorySlots(simulation.clock) if is_shared else None
        poll_seconds = conditions.poll_seconds if is_shared else float("inf")
        if conditions.reads_apart:
            if self._number:  # the life before was killed
                tell_death(self._log, marks.Words(tuple(simulation.mark)), clock.now())
            simulation.mark[marks.PAGE] = marks.NO_PAGE
        check_partitioner(self._log, simulation.partitioner)
        scope = JobScope(job, self._log, stays_on_seeds=False, hooks=conditions.hooks)
        if self._log.noted("planted") is None:
            now, topics = clock.now(), topics_of(job)
            plant(job.seeds, scope, simulation.partitioner, self._log, now, topics=topics)
            self._log.note("planted", b"")
        steered = None
        if conditions.orders:
            began = simulation.began - error
            steered = SteeredLife(conditions.orders, began, self._log, clock)
        for index in range(simulation.workers):
            live = steered.live_job(job) if steered is not None else None
            carrier = InProcessCarrier(
                simulation.web,
                simulation.clock,
                simulation.referee,
                simulation.seed,
                f"worker-{index}",
                conditions.name_seconds,
            )
            self._carriers.append(carrier)
            ports = Ports(
                job=job if live is None else live.job,
                job_digest=job.digest(),
                scope=scope,
                clock=clock,
                log=self._log,
                snapshots=snapshots,
                store=make_store(simulation.folder, index) if make_store else self._journal,
                transport=ShiftedTransport(carrier, clock.shift),
                partitioner=simulation.partitioner,
                budget=budget,
                ending=ending,
                owner=f"life-{self._number}-worker-{index}",
                random=random.Random(f"{simulation.seed} {self._number} {index}"),
                poll_seconds=poll_seconds,
                slots=slots,
                sealed_folder=simulation.folder,
                clock_ahead=ahead,
                scheduler=scheduler_of(job, conditions.hooks, clock.now),
                distant=conditions.distant,
                rendering=conditions.rendering(clock, self._journal)
                if conditions.rendering
                else None,
                mark=simulation.mark if conditions.reads_apart else None,
                apart=ReadsHere(job, clock, has_plugins=conditions.hooks is not None)
                if conditions.reads_apart
                else None,
            )
            features = partial(features_of, hooks=conditions.hooks)
            worker = Worker(ports, self._reasons.append, features)
            self._workers.append(worker)
            worker.open(range(index, job.frontier.partitions, simulation.workers))
            if steered is not None and live is not None:
                steered.employ(live, ports, worker, budget)
        if steered is not None:
            steered.begin()
        states = [state for worker in self._workers for state in worker.states().values()]
        budget.resume(
            sum(state.kept_pages for state in states),
            sum(state.kept_bytes for state in states),
            max(state.seconds_run() for state in states),
            clock.now(),
        )
        for worker in self._workers:
            worker.begin()
        conditions.on_begun(self._workers)
        simulation.clock.run(until, stop=lambda: len(self._reasons) == len(self._workers))
        return self._reasons[0] if self._reasons else ""

    @property
    def has_ended(self) -> bool:
        """Whether a worker of this life has announced an end."""
        return bool(self._reasons)

    def requests(self) -> int:
        """Return how many requests this life has sent."""
        return sum(worker.requests for worker in self._workers)

    def die(self) -> None:
        """Lose what SIGKILL loses."""
        for carrier in self._carriers:
            carrier.abort_all()
        self._simulation.clock.forget_everything()
        self.close()

    def close(self) -> None:
        """Close the files without flushing or committing."""
        if self._log is not None:
            self._log.close()
        if self._journal is not None:
            self._journal.abandon()
