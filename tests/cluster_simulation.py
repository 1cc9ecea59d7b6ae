"""Machines of a cluster in virtual time: clocks of any rate, a loose network, kills and stops.

Only membership and ownership are real: lives, tenure, tombstones, shares. A log is an owner and a
sequence for each partition, a request an entry in the referee's book. The referee knows the true
time, which no machine does.

    result = Simulation(seed=7, machines=5).run(200)
    assert result.breaches == []
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from lycosa.runtime.cluster import shares
from lycosa.runtime.coordination.keys import member_key
from lycosa.runtime.coordination.memory import MemoryBoard
from lycosa.runtime.coordination.protocol import ANSWER_SECONDS, UNAVAILABLE, UNDECIDED
from lycosa.runtime.membership.calls import Call, Listing, Put, Result, make
from lycosa.runtime.membership.joining import Agreement
from lycosa.runtime.membership.life import OVER, Life, Phase
from lycosa.runtime.membership.record import Member, Standing, unpack
from lycosa.runtime.membership.tenure import Instant

WALL = 1_700_000_000.0
TICK_SECONDS = 0.5
TAKE_SECONDS = 0.4
FAULTS = ("kill", "stop", "cut", "cut watch", "cut own", "wall", "drain", "board")
"""A process is killed or stopped; a machine is cut off, or one of its connections; a wall clock is
set; a machine leaves in order and comes back; the board is down for all."""
AGREEMENT = Agreement("crawl", "domain over 16 partitions", "", 2)


def to_take(
    number: int, wishes: Sequence[int], owners: shares.Owners, members: Mapping[int, Member]
) -> list[int]:
    """Return the partitions that a life should take and may take now."""
    return [
        partition
        for partition, wish in enumerate(wishes)
        if wish == number != owners[partition] and shares.is_free(owners[partition], members)
    ]


class Network(NamedTuple):
    """How calls fare, as shares of all calls."""

    lost_requests: float = 0.03
    lost_answers: float = 0.03
    late: float = 0.01
    """Requests that arrive up to 20 s later: long after the caller gave up."""
    stale_reads: float = 0.05


@dataclass
class Verdict:
    """What the referee has seen."""

    breaches: list[str] = field(default_factory=list)
    requests: int = 0
    takeover_seconds: list[float] = field(default_factory=list)
    """From the end of a process to the take of one of its partitions."""
    gap_seconds: list[float] = field(default_factory=list)
    """Between the last request of an owner and the first of its successor."""
    lives: int = 0
    ended: int = 0
    unserved: int = 0
    """Partitions without a live owner when everything had been quiet for a while."""
    idle_machines: int = 0
    spread: int = 0
    """Difference between the largest and the smallest share at the end."""


class Log:
    """Owners and sequences, appended to on condition."""

    def __init__(self, partitions: int) -> None:
        self.owners: list[int | None] = [None] * partitions
        self.sequences = [0] * partitions

    def append(self, partition: int, expect: int, owner: int | None) -> bool:
        """Take or release a partition if it is as its owner knows it."""
        if self.sequences[partition] != expect:
            return False
        self.sequences[partition] += 1
        self.owners[partition] = owner
        return True


class Machine:
    """A machine with one worker process, its clocks and its way to the board."""

    def __init__(self, world: Simulation, number: int) -> None:
        random = world.random
        self.world = world
        self.name = f"m{number}"
        self.rate = 1 + random.uniform(-world.rate, world.rate)
        self.boot_offset = random.uniform(0, 1e6)
        self.wall_offset = random.uniform(-0.4, 0.4)
        self.is_up = False
        self.is_stopped = False
        self.cut_lanes: set[str] = set()
        self.process = 0
        """Counts the processes: what was meant for an earlier one is dropped."""
        self.queue: list[Callable[[], None]] = []
        """Answers that came while the process was stopped."""
        self.weight = random.choice((1, 1, 1, 2))

    def start(self) -> None:
        """Start the worker process: a new life."""
        self.process += 1
        self.is_up, self.is_stopped, self.is_wall_set = True, False, False
        self.queue.clear()
        self.begin_life()
        self.tick(self.process)

    def begin_life(self) -> None:
        self.held: dict[int, int] = {}
        """The partitions that we own, each with the sequence of our take."""
        self.busy: set[int] = set()
        self.given_up: dict[int, int] = {}
        """Partitions that we tried to release, with the sequence that the release expects."""
        self.life = Life(Member(0, self.name, "1.0", 2, self.weight), AGREEMENT)
        self.world.result.lives += 1

    def now(self) -> Instant:
        true = self.world.now
        return Instant(true * self.rate + self.boot_offset, WALL + true + self.wall_offset)

    def tick(self, process: int) -> None:
        """Do what is due, and come back."""
        if process != self.process or not self.is_up:
            return
        self.world.after(TICK_SECONDS * self.world.random.uniform(0.8, 1.2), self.tick, process)
        if self.is_stopped:
            return
        now = self.now()
        if (own := self.life.own_call(now)) is not None:
            self.world.send(self, "own", own)
        if (watch := self.life.watch_call(now)) is not None:
            self.world.send(self, "watch", watch)
        if self.life.phase in OVER:
            self.over()
        self.request()
        if self.life.may_begin(now.boot):
            self.own_partitions()

    def over(self) -> None:
        """Begin another life, or go."""
        world, life = self.world, self.life
        if life.phase is Phase.LOST:
            entry = world.board.get(member_key(life.number))
            assert entry is not None
            if unpack(entry.value).standing is not Standing.DEAD:
                world.breach(f"life {life.number} gave up although no one had ended it")
            self.begin_life()
        else:
            if life.phase is Phase.REFUSED and not self.is_wall_set:
                world.breach(f"{self.name} was refused: {life.refusal}")
            self.is_up = False
            world.after(5.0, _restart, self)

    def request(self) -> None:
        """Begin a request for every partition that we believe to own."""
        if self.life.may_begin(self.now().boot):
            for partition, sequence in self.held.items():
                self.world.requested(partition, self.life.number, sequence)

    def own_partitions(self) -> None:
        """Take what we should have, and give up one that another should have."""
        world, life = self.world, self.life
        owners = world.seen_owners()
        wishes = shares.plan(owners, life.members, ())
        number = life.number
        if number not in life.members:
            return
        for partition in to_take(number, wishes, owners, life.members):
            if partition not in self.busy and partition not in self.held:
                self.busy.add(partition)
                self.append(partition, world.log.sequences[partition], number)
        for partition, owner in enumerate(owners):
            if owner != number or partition in self.busy or partition in self.held:
                continue
            sequence = world.log.sequences[partition]
            if self.given_up.get(partition) == sequence:
                # The release may still arrive; once taken anew, it finds another sequence.
                self.busy.add(partition)
                self.append(partition, sequence, number)
            else:
                # The take was answered; or it was not, and the log says that it happened.
                self.held[partition] = sequence
        releasable = [p for p in shares.to_release(number, wishes, owners) if p in self.held]
        for partition in releasable[:1]:
            sequence = self.held.pop(partition)
            self.given_up[partition] = sequence
            self.busy.add(partition)
            self.append(partition, sequence, None)
        if life.member.standing is Standing.LEAVING and not self.held and not self.busy:
            life.leave()

    def append(self, partition: int, expect: int, owner: int | None) -> None:
        """Send a take or a release to the log; it arrives, or does not, or late."""
        world, life, process = self.world, self.life, self.process

        def arrive() -> None:
            before = world.log.owners[partition]
            if world.log.append(partition, expect, owner) and owner is not None:
                world.taken(partition, before)
            if (back := world.delay()) is not None:
                world.after(back, self.when_running, process, settle)

        def settle() -> None:
            if process == self.process and life is self.life:
                self.busy.discard(partition)

        delay = world.delay()
        if delay is not None and "log" not in self.cut_lanes:
            world.after(TAKE_SECONDS + delay, arrive)
        world.after(TAKE_SECONDS + ANSWER_SECONDS, self.when_running, process, settle)

    def when_running(self, process: int, act: Callable[[], None]) -> None:
        """Run something now, or when the stopped process goes on; never in another process."""
        if process != self.process or not self.is_up:
            return
        if self.is_stopped:
            self.queue.append(act)
        else:
            act()

    def resume(self, process: int) -> None:
        if process == self.process and self.is_stopped:
            self.is_stopped = False
            for act in self.queue:
                act()
            self.queue.clear()


class Simulation:
    """A cluster, its network, and what happens to it."""

    def __init__(
        self,
        seed: int,
        machines: int,
        *,
        partitions: int = 16,
        rate: float = 0.02,
        network: Network | None = None,
        fault_seconds: float = 12.0,
        faults: Sequence[str] = FAULTS,
    ) -> None:
        """`rate` is by how much clocks run fast or slow; a fault comes every so many seconds."""
        self.random = Random(seed)
        self.rate = rate
        self.network = network or Network()
        self.fault_seconds = fault_seconds
        self.faults = faults
        self.now = 0.0
        self.board = MemoryBoard(now=lambda: WALL + self.now, kept_versions=12)
        self.log = Log(partitions)
        self.result = Verdict()
        self._agenda: list[tuple[float, int, Callable[..., None], tuple[object, ...]]] = []
        self._order = itertools.count()
        self._served: dict[int, tuple[tuple[int, int], float]] = {}
        """By partition: sequence of the take and life of its last request, and when it was."""
        self._ended_at: dict[int, float] = {}
        self.machines = [Machine(self, number) for number in range(machines)]

    def run(self, seconds: float, quiet_seconds: float = 75.0) -> Verdict:
        """Crawl under faults, then in quiet, and return what the referee saw."""
        for machine in self.machines:
            self.after(self.random.uniform(0, 5), machine.start)
        if self.faults:
            self.after(10.0, self._fault, seconds)
        self._until(seconds)
        self._mend()
        self._until(seconds + quiet_seconds)
        self._judge_the_end()
        return self.result

    def after(self, seconds: float, act: Callable[..., None], *arguments: object) -> None:
        """Put something on the agenda."""
        heapq.heappush(self._agenda, (self.now + seconds, next(self._order), act, arguments))

    def delay(self) -> float | None:
        """Return how long one way takes; None if what was sent is lost."""
        chance = self.random.random()
        if chance < self.network.lost_requests:
            return None
        if chance < self.network.lost_requests + self.network.late:
            return self.random.uniform(0, 20)
        return self.random.expovariate(50)

    def send(self, machine: Machine, lane: str, call: Call) -> None:
        """Carry a call to the board and its answer back, or not."""
        life, process = machine.life, machine.process
        is_answered = False

        def answer(result: Result) -> None:
            nonlocal is_answered
            if is_answered or machine.life is not life:
                return
            is_answered = True
            if lane == "own":
                life.own_answered(result, machine.now())
            else:
                life.watch_answered(result, machine.now())

        def deliver(result: Result) -> None:
            machine.when_running(process, lambda: answer(result))

        def arrive() -> None:
            result = self._made(call)
            back = self.delay()
            if back is not None and self.random.random() >= self.network.lost_answers:
                self.after(back, deliver, result)

        if lane in machine.cut_lanes:
            if self.random.random() < 0.5:
                self.after(0.1, deliver, UNAVAILABLE if isinstance(call, Put) else None)
                return
        elif (there := self.delay()) is not None:
            self.after(there, arrive)
        self.after(ANSWER_SECONDS, deliver, UNDECIDED if isinstance(call, Put) else None)

    def seen_owners(self) -> list[int | None]:
        """Return the owners as a member reads them from the log."""
        return list(self.log.owners)

    def requested(self, partition: int, life: int, sequence: int) -> None:
        """Judge a request: no owner is heard of any more when a later one has begun."""
        self.result.requests += 1
        before, last = self._served.get(partition, ((0, 0), 0.0))
        if (sequence, life) < before or (sequence == before[0] and life != before[1]):
            self.breach(f"life {life} asks for partition {partition} after life {before[1]} did")
        elif before[0] and life != before[1]:
            self.result.gap_seconds.append(self.now - last)
        self._served[partition] = ((sequence, life), self.now)

    def taken(self, partition: int, before: int | None) -> None:
        """Note how long a partition of a dead process had no owner."""
        ended_at = self._ended_at.get(before or 0)
        if ended_at is not None:
            self.result.takeover_seconds.append(self.now - ended_at)

    def kill(self, machine: Machine, seconds: float) -> None:
        """End a machine's process, and start another one later."""
        self._ended_at[machine.life.number] = self.now
        machine.is_up = False
        self.after(seconds, _restart, machine)

    def breach(self, text: str) -> None:
        self.result.breaches.append(f"{self.now:.1f} s: {text}")

    def _made(self, call: Call) -> Result:
        if isinstance(call, Put) or self.random.random() >= self.network.stale_reads:
            return make(call, self.board)
        age = self.random.randint(1, 12)
        if isinstance(call, Listing):
            return self.board.list(call.prefix, age)
        return self.board.get(call.key, age)

    def _until(self, end: float) -> None:
        while self._agenda and self._agenda[0][0] <= end:
            self.now, _, act, arguments = heapq.heappop(self._agenda)
            act(*arguments)
        self.now = end

    def _fault(self, end: float) -> None:
        """Let one thing go wrong, and another one later."""
        random = self.random
        pause = random.expovariate(1 / self.fault_seconds)
        if self.now + pause < end:
            self.after(pause, self._fault, end)
        machine = random.choice(self.machines)
        seconds = random.choice((1.0, 5.0, 12.0, 16.0, 18.0, 25.0, 45.0)) * random.uniform(0.8, 1.2)
        kind = random.choice(self.faults)
        if kind == "wall":
            # Hours, also backwards; after joining, nothing depends on wall clocks.
            if machine.is_up and machine.life.is_joined:
                machine.is_wall_set = True
                machine.wall_offset += random.uniform(-7200, 7200)
                self.after(seconds, _set_wall, machine)
        elif kind == "kill" and machine.is_up:
            self.kill(machine, seconds)
        elif kind == "stop" and machine.is_up:
            machine.is_stopped = True
            self.after(seconds, machine.resume, machine.process)
        elif kind == "drain" and machine.is_up and machine.life.is_joined:
            machine.life.drain()
        elif kind == "board":
            for one in self.machines:
                self._cut(one, {"own", "watch", "log"}, seconds)
        elif kind.startswith("cut"):
            lanes = {"own", "watch", "log"} if kind == "cut" else {kind.removeprefix("cut ")}
            self._cut(machine, lanes, seconds)

    def _cut(self, machine: Machine, lanes: set[str], seconds: float) -> None:
        machine.cut_lanes |= lanes
        self.after(seconds, machine.cut_lanes.difference_update, lanes)

    def _mend(self) -> None:
        """End all faults: every machine runs and reaches the board."""
        self.network = Network(0, 0, 0, 0)
        for machine in self.machines:
            machine.cut_lanes.clear()
            machine.wall_offset = 0.0
            machine.resume(machine.process)
            _restart(machine)

    def _judge_the_end(self) -> None:
        result = self.result
        living = [one for one in self.machines if one.is_up and one.life.may_begin(one.now().boot)]
        result.idle_machines = len(self.machines) - len(living)
        owned = [set(one.held) for one in living]
        result.unserved = len(self.log.owners) - len(set().union(*owned))
        loads = [len(one.held) / one.weight for one in living]
        result.spread = round(max(loads, default=0) - min(loads, default=0))
        listed = self.board.list("member/") or {}
        result.ended = sum(unpack(e.value).standing is Standing.DEAD for e in listed.values())


def _restart(machine: Machine) -> None:
    if not machine.is_up:
        machine.wall_offset = 0.0  # a machine whose clock is wrong could not join
        machine.start()


def _set_wall(machine: Machine) -> None:
    machine.wall_offset = 0.0
