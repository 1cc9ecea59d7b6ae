"""The machines of a crawl, what goes wrong with them, and what came of it.

cluster = Cluster(web, job, folder, seed=7, machines=5)
result = cluster.run()
assert not result.breaches and result.reason == "exhausted"
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lycosa.cluster.board.keys import CORDONS
from lycosa.config import Job
from lycosa.crawl.budget import Limit
from lycosa.crawl.member.lives import REFUSED
from lycosa.crawl.member.notes import end_name
from lycosa.crawl.simulation.cluster.machine import Machine, OnMachine
from lycosa.crawl.simulation.cluster.world import BEGINS_AT, Weather, World
from lycosa.crawl.simulation.simulation import JudgedWeb
from lycosa.crawl.takeover import read_partition
from lycosa.failpoints import Killed, arm
from lycosa.frontier.fold.state import PartitionState
from lycosa.log.loose import NO_FAULTS
from lycosa.log.snapshot import MemorySnapshots
from lycosa.store.journal import Journal, Kept
from lycosa.testweb.referee.rulebook import Breach


@dataclass
class Result:
    """What became of a crawl."""

    reason: str
    breaches: list[Breach]
    states: dict[int, PartitionState]
    virtual_seconds: float
    requests: int = 0
    lives: int = 0
    faults: dict[str, int] = field(default_factory=dict)
    ends: list[str] = field(default_factory=list)
    """Why each process that saw the end has ended."""

    @property
    def kept_pages(self) -> int:
        """Pages kept, as the log counts them."""
        return sum(state.kept_pages for state in self.states.values())


class Cluster(World):
    """One crawl of one web by several machines."""

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
        """How many fail points are still passed before one kills."""
        self._happened: dict[str, int] = {}
        self._ends: list[str] = []
        told = OnMachine(self.killed, self.lapsed, self.ended)
        self.machines = [Machine(self, number, told) for number in range(machines)]

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
        finally:
            arm(None)
        for machine in self.machines:
            machine.kill()
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
        journal = Journal(self.folder / "segments", durability="process")
        try:
            return [
                journal.read(place)
                for state in self.states().values()
                for page in range(len(state.table))
                if state.pages.outcome[page] == 1 and (place := state.place_of(page)) is not None
            ]
        finally:
            journal.close()

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
        return self.server.noted(end_name(self.run_number)) is not None and not any(
            machine.is_up for machine in self.machines
        )

    # -- what goes wrong ------------------------------------------------------------------

    def _after(self, seconds: float, machine: Machine) -> None:
        def start() -> None:
            is_ended = self.server.noted(end_name(self.run_number)) is not None
            if not machine.is_up and not is_ended:
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
        else:
            machine.wall_offset += self.chance.uniform(-7200, 7200)
            self.clock.call_at(later, machine.set_wall)

    def _cut(self, machines: Sequence[Machine], until: float) -> None:
        for machine in machines:
            if machine.is_up:
                machine.cut(True)
                self.clock.call_at(until, machine.cut, False)

    def _hook(self, name: str) -> None:
        """Kill the process that reaches some fail point next but so many."""
        if self._kill_in:
            self._kill_in -= 1
            if not self._kill_in:
                raise Killed(name)

    def _calm(self) -> None:
        self.is_loose, self.log_faults = False, NO_FAULTS
        self._kill_in = 0
        known = self.board.get(CORDONS)
        if known is not None and known.revision:  # the operator lifts all cordons
            self.board.put(CORDONS, b"", known.revision)
        for machine in self.machines:
            if machine.is_up:
                machine.calm()
