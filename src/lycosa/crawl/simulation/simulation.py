"""Whole crawls in virtual time, killed at will, judged by the referee.

The worker, the frontier, the log and the store are the real ones; the clock and the
transport are virtual, so that a run is determined by its seed. A kill is what a kill is:
requests end, timers and everything in memory are gone, an open transaction is undone,
what was not flushed is lost. What survives is what is in the log, the snapshots and the
segments; from that the next life starts.

    simulation = Simulation(web, job, folder, seed=7)
    result = simulation.run(kills=KillEvery({"commit.flushed": 3}))
    assert not result.breaches and result.reason == "exhausted"
"""

from __future__ import annotations

import random
from collections.abc import Callable, Container
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from lycosa.clock import Timer, VirtualClock
from lycosa.config import Job
from lycosa.crawl.budget import Budget
from lycosa.crawl.ending import Ending
from lycosa.crawl.pauses import usual_pause
from lycosa.crawl.ports import Parts
from lycosa.crawl.scope import JobScope
from lycosa.crawl.seeds import plant
from lycosa.crawl.steady_clock import clock_ahead
from lycosa.crawl.takeover import check_partitioner, read_partition
from lycosa.crawl.worker.worker import Worker
from lycosa.failpoints import NAMES, Killed, arm
from lycosa.frontier.fold.state import PartitionState
from lycosa.log.memory import MemoryLog
from lycosa.log.protocol import Log
from lycosa.log.snapshot import MemorySnapshots, SnapshotFolder, Snapshots
from lycosa.log.sqlite import SqliteLog
from lycosa.plugins.hooks import Hooks
from lycosa.plugins.scheduling import partitioner_of
from lycosa.records import Answer, Request
from lycosa.store.journal import Journal, Kept
from lycosa.testweb.carrier import NAME_SECONDS, InProcessCarrier
from lycosa.testweb.referee import Referee
from lycosa.testweb.rulebook import Breach, RefereeRules
from lycosa.testweb.web import Truth, Web
from lycosa.url import url_of

T = TypeVar("T")


class JudgedWeb(Web, Truth, Protocol):
    """A web that can be crawled and whose truth is known."""


class KillPlan(Protocol):
    """Decides at every fail point whether the process dies there."""

    def __call__(self, name: str) -> bool:
        """Return whether to die now."""


def no_kills(name: str) -> bool:
    """Let the process live."""
    return False


class KillEvery:
    """Dies at the n-th passing of each named fail point, once for each."""

    def __init__(self, counts: dict[str, int]) -> None:
        self._left = dict(counts)

    def __call__(self, name: str) -> bool:
        """Count down, and die at zero."""
        if name in self._left:
            self._left[name] -= 1
            if self._left[name] == 0:
                del self._left[name]
                return True
        return False


class KillRandomly:
    """Dies at random fail points, a given number of times; perhaps `only` at some of them."""

    def __init__(
        self, seed: int, kills: int, probability: float = 0.01, only: Container[str] = NAMES
    ) -> None:
        self._random = random.Random(seed)
        self._left = kills
        self._probability = probability
        self._only = only

    def __call__(self, name: str) -> bool:
        """Throw the dice."""
        if self._left and name in self._only and self._random.random() < self._probability:
            self._left -= 1
            return True
        return False


@dataclass
class Result:
    """What a simulated crawl came to."""

    reason: str
    """What ended it; "" when the virtual time ran out first."""
    breaches: list[Breach]
    states: dict[int, PartitionState]
    kills: list[str] = field(default_factory=list)
    """The fail points at which it died, in order."""
    requests: int = 0
    virtual_seconds: float = 0.0
    ends: int = 0
    """In how many lives an end was announced."""

    @property
    def kept_pages(self) -> int:
        """Pages kept, as the log counts them."""
        return sum(state.kept_pages for state in self.states.values())

    @property
    def kept_bytes(self) -> int:
        """Bytes kept, as the log counts them."""
        return sum(state.kept_bytes for state in self.states.values())


class Simulation:
    """One crawl of one web; it can be killed and goes on by itself."""

    def __init__(
        self,
        web: JudgedWeb,
        job: Job,
        folder: Path,
        *,
        seed: int = 0,
        log: str = "memory",
        workers: int = 1,
        poll_seconds: float = 0.5,
        referee: Referee | None = None,
        commit_takes_seconds: float = 0.004,
        free_disk: Callable[[], int] = lambda: 1 << 62,
        begins_at: float = 1_700_000_000.0,
        name_seconds: tuple[float, float] = NAME_SECONDS,
        hooks: Hooks | None = None,
        clock_error: Callable[[int], float] = lambda life: 0.0,
    ) -> None:
        """Set a crawl up. A kill ends all its workers: they are one process here.

        `clock_error` says of each life how many seconds the machine's clock is ahead of the web's.

        Where hours of virtual time pass in waiting, several workers that have nothing to do
        should look for news from each other less often than every half second (`poll_seconds`).
        """
        self.web = web
        self.job = job
        self.folder = folder
        self.seed = seed
        self.workers = workers
        self.poll_seconds = poll_seconds if workers > 1 else float("inf")
        self.clock = VirtualClock(begins_at, commit_takes_seconds)
        self.referee = referee or Referee(referee_rules(job, commit_takes_seconds), web)
        self.partitioner = partitioner_of(job, hooks)
        self._kind = log
        self.free_disk = free_disk
        self.name_seconds = name_seconds
        self.hooks = hooks
        self.clock_error = clock_error
        self._memory_log = MemoryLog(job.frontier.partitions)
        self._memory_snapshots = MemorySnapshots()
        self._life = 0
        self._ends = 0
        self._requests = 0

    def run(
        self,
        kills: KillPlan = no_kills,
        virtual_seconds: float = float("inf"),
        restart_seconds: Callable[[int], float] = lambda life: 0.0,
    ) -> Result:
        """Crawl to the end, through as many lives as the kills make necessary."""
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
        """Fold every partition from what is stored: what a stranger would see."""
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
        """Return the records of all pages that the log says were kept, read from the segments."""
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
        """Return the URLs of all pages kept, as often as each was kept."""
        return [url_of(record.key) for record in self.kept()]


class MemorySlots:
    """Address slots of workers that live in one process, in virtual time."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self._held: set[str] = set()
        self._free_at: dict[str, float] = {}

    def take(self, address: str, pause_seconds: float) -> float:
        """Take an address and return 0, or in how many seconds to try again."""
        if address in self._held:
            return max(0.02, pause_seconds)
        left = self._free_at.get(address, 0.0) - self._clock.now()
        if left > 0:
            return left
        self._held.add(address)
        return 0.0

    def let_go(self, address: str, pause_seconds: float) -> None:
        """Give an address back; it rests for so long."""
        self._held.remove(address)
        self._free_at[address] = self._clock.now() + pause_seconds


class ShiftedClock:
    """The clock of a machine that does not have the web's time."""

    def __init__(self, clock: VirtualClock, shift: float) -> None:
        self._clock = clock
        self.shift = shift

    def now(self) -> float:
        """Return the present moment, as the machine has it."""
        return self._clock.now() + self.shift

    def call_at(self, moment: float, callback: Callable[..., object], *arguments: Any) -> Timer:
        """Run a callback at a moment of the machine."""
        return self._clock.call_at(moment - self.shift, callback, *arguments)

    def run_aside(self, job: Callable[[], T], done: Callable[[T], object]) -> None:
        """Run a job beside the callbacks."""
        self._clock.run_aside(job, done)


class ShiftedTransport:
    """Gives answers the moments of the machine that gets them."""

    def __init__(self, carrier: InProcessCarrier, shift: float) -> None:
        self._carrier = carrier
        self._shift = shift
        self.resolve = carrier.resolve
        self.cut_all = carrier.cut_all

    def send(self, request: Request, on_answer: Callable[[Answer], None]) -> None:
        """Send one request; `on_answer` is called once, later."""
        if self._shift:
            self._carrier.send(request, lambda answer: on_answer(answer.earlier(-self._shift)))
        else:
            self._carrier.send(request, on_answer)


class _Life:
    """One process: from start or resume to the end or the kill."""

    def __init__(self, simulation: Simulation, number: int) -> None:
        self._simulation = simulation
        self._number = number
        self._workers: list[Worker] = []
        self._carriers: list[InProcessCarrier] = []
        self._reasons: list[str] = []
        self._log: Log | None = None
        self._journal: Journal | None = None

    def run(self, until: float) -> str:
        """Live until the end of the crawl; returns what ended it."""
        simulation = self._simulation
        job = simulation.job
        self._log, snapshots = simulation.open_log()
        error = simulation.clock_error(self._number)
        ahead = clock_ahead(self._log, simulation.clock.now() + error)
        clock = ShiftedClock(simulation.clock, error + ahead)
        self._journal = Journal(simulation.folder / "segments", durability=job.log.durability)
        budget = Budget(job, simulation.free_disk)
        ending = Ending(job.frontier.partitions)
        slots = MemorySlots(simulation.clock) if simulation.workers > 1 else None
        check_partitioner(self._log, simulation.partitioner)
        scope = JobScope(job, self._log, stays_on_seeds=False, hooks=simulation.hooks)
        if self._log.noted("planted") is None:
            plant(job.seeds, scope, simulation.partitioner, self._log, clock.now())
            self._log.note("planted", b"")
        for index in range(simulation.workers):
            carrier = InProcessCarrier(
                simulation.web,
                simulation.clock,
                simulation.referee,
                simulation.seed,
                f"worker-{index}",
                simulation.name_seconds,
            )
            self._carriers.append(carrier)
            parts = Parts(
                job=job,
                scope=scope,
                clock=clock,
                log=self._log,
                snapshots=snapshots,
                store=self._journal,
                transport=ShiftedTransport(carrier, clock.shift),
                partitioner=simulation.partitioner,
                budget=budget,
                ending=ending,
                owner=f"life-{self._number}-worker-{index}",
                random=random.Random(f"{simulation.seed} {self._number} {index}"),
                poll_seconds=simulation.poll_seconds,
                slots=slots,
                sealed_folder=simulation.folder,
                clock_ahead=ahead,
                hooks=simulation.hooks,
            )
            worker = Worker(parts, self._reasons.append)
            self._workers.append(worker)
            worker.open(range(index, job.frontier.partitions, simulation.workers))
        states = [state for worker in self._workers for state in worker.states().values()]
        budget.resume(
            sum(state.kept_pages for state in states),
            sum(state.kept_bytes for state in states),
            max(state.seconds_run() for state in states),
            clock.now(),
        )
        for worker in self._workers:
            worker.begin()
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
        """Do what SIGKILL does."""
        for carrier in self._carriers:
            carrier.abort_all()
        self._simulation.clock.forget_everything()
        self.close()

    def close(self) -> None:
        """Let go of files; nothing is flushed or committed here."""
        if self._log is not None:
            self._log.close()
        if self._journal is not None:
            self._journal.abandon()


def referee_rules(job: Job, commit_takes_seconds: float = 0.004) -> RefereeRules:
    """Return what a job promises to the web.

    What a kill can make it forget: answers for as long as a commit may be put off and take,
    demands for as long as the commit under way and the next one take.
    """
    return RefereeRules(
        delay_seconds=lambda host, pages: usual_pause(job, pages),
        ip_delay_seconds=job.politeness.ip_delay_seconds,
        burst_urls=job.politeness.burst_urls,
        backoff_first_seconds=job.politeness.backoff_first_seconds,
        backoff_most_seconds=job.politeness.backoff_most_seconds,
        agent=job.fetch.agent,
        revisit_seconds=_revisit_seconds(job),
        robots_cache_seconds=job.robots.cache_seconds,
        robots_redirects=job.robots.redirects,
        forget_window_seconds=job.log.commit_seconds + 2 * commit_takes_seconds + 0.01,
        demand_window_seconds=2 * commit_takes_seconds + 0.001,
    )


def _revisit_seconds(job: Job) -> float:
    """Return after how long a page may be asked for again at the earliest."""
    revisit = job.revisit
    return revisit.seconds if revisit.policy == "off" else max(revisit.not_before_seconds, 1e-9)
