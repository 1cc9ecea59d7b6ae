"""The machines of a crawl, their faults, and the result.

cluster = Cluster(web, job, folder, seed=7, machines=5)
result = cluster.run()
assert not result.breaches and result.reason == "exhausted"
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lycosa._support.failpoints import Killed, arm
from lycosa.crawl.budget import Limit
from lycosa.crawl.takeover import read_partition
from lycosa.errors import LogError, ObjectsUnavailable
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.job import Job
from lycosa.runtime.coordination.keys import CORDONS
from lycosa.runtime.members.lives import REFUSED
from lycosa.runtime.members.notes import begin_run, end_name
from lycosa.runtime.orders.orders import Order
from lycosa.runtime.recovery.lost_machines import Forgotten, forget_machine
from lycosa.simulation.cluster.content import read_anywhere
from lycosa.simulation.cluster.loose_log import NO_FAULTS, LooseLog
from lycosa.simulation.cluster.machine import Machine, OnMachine
from lycosa.simulation.cluster.operator import Operator, OrderPlan
from lycosa.simulation.cluster.world import BEGINS_AT, Weather, World
from lycosa.simulation.simulation import JudgedWeb
from lycosa.storage.archive.journal import Kept
from lycosa.storage.log.snapshot import MemorySnapshots
from lycosa_testweb.referee.rulebook import Breach

LIFT_SECONDS = 60.0
"""Seconds after the operator's last order, until cordons are lifted."""


@dataclass
class Result:
    """Result of a crawl."""

    reason: str
    breaches: list[Breach]
    states: dict[int, PartitionState]
    virtual_seconds: float
    requests: int = 0
    lives: int = 0
    faults: dict[str, int] = field(default_factory=dict)
    ends: list[str] = field(default_factory=list)
    """Reasons for the end of each process that saw the end."""

    @property
    def kept_pages(self) -> int:
        """Pages kept, as the log counts them."""
        return sum(state.kept_pages for state in self.states.values())


class Cluster(World):
    """A crawl of one web by several machines."""

    def __init__(
        self,
        web: JudgedWeb,
        job: Job,
        folder: Path,
        *,
        seed: int,
        machines: int,
        weather: Weather | None = None,
    ) -> None:
        super().__init__(web, job, folder, seed, Weather() if weather is None else weather)
        self._quiet_at = BEGINS_AT + self.weather.for_seconds
        self._kill_in = 0
        """Number of fail points that are passed before one kills."""
        self._happened: dict[str, int] = {}
        self._ends: list[str] = []
        self._told = OnMachine(self.killed, self.lapsed, self.ended)
        self.machines = [Machine(self, number, self._told) for number in range(machines)]
        self.forgotten: list[Forgotten] = []
        """Losses with machines that were given up."""
        self._losing = 0
        """Number of lost machines that have not been given up yet."""
        self._is_unfinished = False
        """Whether losses after the end of a run have not been fetched again."""

    def steer(
        self, plan: OrderPlan, on_given: Callable[[Order], None] = lambda order: None
    ) -> None:
        """Let an operator give orders at these virtual seconds; `on_given` is called with each.

        Some time after the last order all cordons are lifted.
        """
        Operator(self, plan, on_given)
        last = max(moment for moment, _ in plan)
        self.clock.call_at(BEGINS_AT + last + LIFT_SECONDS, self._lift_cordons)

    def run(self, most_seconds: float = 3600.0) -> Result:
        """Crawl to the end, or for a virtual time."""
        for machine in self.machines:
            self._after(self.chance.uniform(0, 5), machine)
        if self.weather.faults:
            self._next_fault()
            self.clock.call_at(self._quiet_at, self._calm)
        arm(self._hook)
        try:
            self.clock.run(BEGINS_AT + most_seconds, stop=self._is_over)
            while self._is_over() and self._begin_again():
                self.clock.run(BEGINS_AT + most_seconds, stop=self._is_over)
        finally:
            arm(None)
        for machine in self.machines:
            machine.kill()
        self._store_back()
        return Result(
            (self.server.noted(end_name(self.run_number)) or b"").decode(),
            self.referee.breaches,
            self.states(),
            self.clock.now() - BEGINS_AT,
            sum(machine.requests_before for machine in self.machines),
            sum(machine.lives_before for machine in self.machines),
            self._happened,
            self._ends,
        )

    def states(self) -> dict[int, PartitionState]:
        """Fold every partition from the log."""
        snapshots = MemorySnapshots()
        return {
            number: read_partition(self.server, snapshots, number).state
            for number in range(self.job.frontier.partitions)
        }

    def kept(self) -> list[Kept]:
        """Read the records of all pages that the log counts as kept."""
        return [
            read_anywhere(self.stored, self.objects, place)
            for state in self.states().values()
            for page in range(len(state.table))
            if state.pages.outcome[page] == 1 and (place := state.place_of(page)) is not None
        ]

    # -- told by machines -----------------------------------------------------------------

    def killed(self, machine: Machine) -> None:
        """Start a killed process again after a while."""
        self._after(self.chance.choice((1.0, 5.0, 20.0, 40.0)), machine)

    def ended(self, machine: Machine, reason: str) -> None:
        """Let a machine that left come back; one that saw the end stays away."""
        if reason in (Limit.STOPPED, REFUSED):
            self._after(self.chance.uniform(5, 30), machine)
        else:
            self._ends.append(reason)

    def _is_over(self) -> bool:
        return (
            self.server.noted(end_name(self.run_number)) is not None
            and not self._losing
            and not any(machine.is_up for machine in self.machines)
        )

    def _begin_again(self) -> bool:
        """Begin another run if the last one ended before the operator could give a machine up."""
        is_wanted, self._is_unfinished = self._is_unfinished, False
        if is_wanted:
            self.run_number = begin_run(self.server)
            for machine in self.machines:
                self._after(self.chance.uniform(0, 5), machine)
        return is_wanted

    # -- what goes wrong ------------------------------------------------------------------

    def _after(self, seconds: float, machine: Machine) -> None:
        def start() -> None:
            is_ended = self.server.noted(end_name(self.run_number)) is not None
            if not machine.is_up and not machine.is_lost and not is_ended:
                machine.start()

        self.clock.call_at(self.clock.now() + seconds, start)

    def _next_fault(self) -> None:
        moment = self.clock.now() + self.chance.expovariate(1 / self.weather.every_seconds)
        if moment < self._quiet_at:
            self.clock.call_at(moment, self._fault)

    def _fault(self) -> None:
        self._next_fault()
        kind, machine = self.chance.choice(self.weather.faults), self.chance.choice(self.machines)
        seconds = self.chance.choice((1.0, 5.0, 12.0, 16.0, 20.0, 45.0))
        later = self.clock.now() + seconds
        if not machine.is_up:
            return
        self._happened[kind] = self._happened.get(kind, 0) + 1
        if kind == "kill":
            machine.kill()
        elif kind == "kill at":
            self._kill_in = self.chance.randint(1, 400)
        elif kind == "stop":
            machine.clock.stop()
            self.clock.call_at(later, machine.clock.go_on)
        elif kind == "cut":
            self._cut([machine], later)
        elif kind == "servers":
            self._cut(self.machines, later)
        elif kind == "drain":
            machine.drain()
        elif kind == "store":
            self.objects.is_down = True
            self.clock.call_at(later, self._store_back)
        elif kind == "lose":
            self._lose(machine, later)
        else:
            machine.wall_offset += self.chance.uniform(-7200, 7200)
            self.clock.call_at(later, machine.set_wall)

    def _store_back(self) -> None:
        self.objects.is_down = False

    def _lose(self, machine: Machine, later: float) -> None:
        """Lose a machine for good; a new one replaces it, and the old one is given up."""
        machine.lose()
        self._losing += 1
        new = Machine(self, len(self.machines), self._told)
        self.machines.append(new)
        self._after(self.chance.uniform(1, 30), new)
        self.clock.call_at(later, self._forget, machine, self.clock.now())

    def _forget(self, machine: Machine, lost_at: float) -> None:
        """Give up a machine as the operator does, repeatedly until it succeeds."""

        def wait(seconds: float) -> None:
            if self.clock.now() < lost_at + seconds:
                raise LogError("it is not silent for long enough")

        log = LooseLog(self.server, self.chance.getrandbits(32), self.log_faults)
        try:
            found = forget_machine(log, self.board, self.objects, machine.name, wait)
        except (LogError, ObjectsUnavailable, Killed):
            self.clock.call_at(self.clock.now() + 5.0, self._forget, machine, lost_at)
            return
        self._losing -= 1
        self.forgotten.append(found)
        is_over = self.server.noted(end_name(self.run_number)) is not None
        self._is_unfinished |= is_over and bool(found.pages or found.robots)

    def _cut(self, machines: Sequence[Machine], until: float) -> None:
        for machine in machines:
            if machine.is_up:
                machine.cut(True)
                self.clock.call_at(until, machine.cut, False)

    def _hook(self, name: str) -> None:
        """Kill the next process that reaches a fail point, after skipping some."""
        if self._kill_in:
            self._kill_in -= 1
            if not self._kill_in:
                raise Killed(name)

    def _calm(self) -> None:
        self.is_loose, self.log_faults = False, NO_FAULTS
        self._kill_in = 0
        self._store_back()
        self._lift_cordons()
        for machine in self.machines:
            if machine.is_up:
                machine.calm()

    def _lift_cordons(self) -> None:
        """Let members take cordoned partitions again, as the operator does."""
        known = self.board.get(CORDONS)
        if known is not None and known.revision:
            self.board.put(CORDONS, b"", known.revision)
