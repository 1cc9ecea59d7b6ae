"""A simulated machine with one worker process, over all its lives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from random import Random
from typing import NamedTuple

from lycosa.crawl.ending import EndingElsewhere
from lycosa.crawl.ports import Ports
from lycosa.crawl.scope import JobScope
from lycosa.crawl.worker.worker import Worker
from lycosa.features.of_job import features_of
from lycosa.model.records import Answer, Request, Resolved
from lycosa.runtime.cluster.courier import Desk
from lycosa.runtime.cluster.idle import IdleDesk
from lycosa.runtime.coordination.memory import Faults as BoardFaults
from lycosa.runtime.coordination.memory import LooseBoard
from lycosa.runtime.members.adopting import Adopter
from lycosa.runtime.members.limits import SharedLimits
from lycosa.runtime.members.lives import Lives, Working
from lycosa.runtime.members.member import Member, Surroundings
from lycosa.runtime.membership.joining import Agreement
from lycosa.runtime.membership.life import Life
from lycosa.runtime.membership.record import Member as MemberRecord
from lycosa.runtime.membership.record import owner_name
from lycosa.runtime.membership.tenure import Instant
from lycosa.runtime.shared_log.notes import DIRECTORY, MACHINE
from lycosa.simulation.cluster.content import (
    MachineStore,
    Uploads,
    VirtualDistant,
    lose_folder,
)
from lycosa.simulation.cluster.loose_log import NO_FAULTS, LooseLog
from lycosa.simulation.cluster.process_clock import ProcessClock
from lycosa.simulation.cluster.virtual_session import VirtualSession, Way
from lycosa.simulation.cluster.world import World
from lycosa.simulation.steering import Unlimited
from lycosa.storage.log.snapshot import MemorySnapshots
from lycosa_testweb.carrier import InProcessCarrier

POLL_SECONDS = 0.5
LOOK_SECONDS = 1.0
"""Seconds between two looks of a process at orders that had to wait."""
UPLOAD_SECONDS = 15.0
"""Seconds between two uploads, which also begin new segments."""
_FOREVER = 1 << 62


class ProcessTransport:
    """Carries a process's requests; answers come in the time of its clock."""

    def __init__(self, carrier: InProcessCarrier, clock: ProcessClock) -> None:
        self._carrier = carrier
        self._clock = clock
        self.cut_all, self.cut, self.let_go = carrier.cut_all, carrier.cut, carrier.let_go

    def send(self, request: Request, on_answer: Callable[[Answer], None]) -> None:
        """Send one request."""

        def answered(answer: Answer) -> None:
            shifted = answer.earlier(-self._clock.shift)
            self._clock.guarded(lambda: on_answer(shifted))

        self._carrier.send(request, answered)

    def resolve(self, host: str, on_resolved: Callable[[Resolved], None]) -> None:
        """Look a host name up."""
        self._carrier.resolve(host, lambda found: self._clock.guarded(lambda: on_resolved(found)))


class OnMachine(NamedTuple):
    """Callbacks for events of a machine."""

    killed: Callable[[Machine], None]
    lapsed: Callable[[], None]
    """A life was cut off for too long, and has dropped all its partitions."""
    ended: Callable[[Machine, str], None]
    """Its process has ended by itself, with this reason."""


class Machine:
    """A machine; its process is killed, stopped, cut off and started again."""

    def __init__(self, cluster: World, number: int, told: OnMachine) -> None:
        self._cluster = cluster
        self._told = told
        self.name = f"m{number}"
        self.directory = number + 1
        self.folder = cluster.stored / str(self.directory)
        self.is_lost = False
        """Whether it is lost for good, with everything that it had stored."""
        cluster.server.note(f"{DIRECTORY}{self.directory}", self.name.encode())
        cluster.server.note(f"{MACHINE}{self.directory}", self.name.encode())
        self.chance = Random(f"{cluster.seed} {number}")
        self._rate = 1 - self.chance.uniform(0, 0.04)  # the fastest clock is the true one
        self._snapshots = MemorySnapshots()
        self.wall_offset = self.chance.uniform(-0.4, 0.4)
        self.processes = self.lives_before = 0
        self.is_up = self.is_draining = False
        self.reason = ""
        """Reason for which its process ended by itself."""
        self.worker: Worker | None = None
        self.requests_before = 0

    def start(self) -> None:
        """Start the worker process; the operator has set the clock right."""
        cluster, job = self._cluster, self._cluster.job
        self.wall_offset = self.chance.uniform(-0.4, 0.4)
        self.processes += 1
        self.is_up, self.is_draining, self.reason = True, False, ""
        name = f"{self.name}-{self.processes}"
        true = cluster.clock
        clock = self.clock = ProcessClock(
            true, self._rate, self.wall_offset, self.chance, self.kill
        )
        self._boot = self.chance.uniform(0, 1e6)
        self.carrier = InProcessCarrier(cluster.web, true, cluster.referee, cluster.seed, name)
        self.log = LooseLog(cluster.server, self.chance.getrandbits(32), NO_FAULTS)
        self._scope = JobScope(job, self.log, stays_on_seeds=False)
        self._adopter = Adopter(job, clock, lambda: 1)
        self.log.faults = cluster.log_faults
        self.store = MachineStore(self.folder, self.directory, job.log.durability)
        Uploads(self.store, cluster.objects, clock).begin(UPLOAD_SECONDS)
        self.board = LooseBoard(cluster.board, BoardFaults(0.03, 0.03, 0.03, 0.05), self.chance)
        self.way = Way(cluster.board, true, clock, self.chance)
        self.way.is_loose = cluster.is_loose
        self.session = VirtualSession(self.way, clock, self._read_clocks, self._make_life)
        self.lives = Lives(clock, self.session, self._work, self._ended)
        clock.guarded(self.lives.begin)
        self._look()

    def kill(self) -> None:
        """Lose the same data as SIGKILL."""
        if self.is_up:
            self._go()
            self._told.killed(self)
            self.carrier.abort_all()

    def lose(self) -> None:
        """Lose the machine for good."""
        self.is_lost = True
        self.kill()
        self._cluster.referee.records_lost(lose_folder(self.folder, self._cluster.objects))

    def _go(self) -> None:
        self.is_up = False
        self.clock.is_dead = True
        self.lives_before += self.lives.count
        self._count_requests()
        self.store.abandon()

    def drain(self) -> None:
        """Hand everything over and leave, as after SIGINT."""
        if self.is_up and not self.is_draining:
            self.is_draining = True
            self.clock.guarded(self.lives.stop)

    def cut(self, is_cut: bool) -> None:
        """Cut the machine off from the servers, or reconnect it."""
        self.log.is_cut_off = self.board.is_cut = self.way.is_cut = is_cut

    def calm(self) -> None:
        """End all faults of this machine."""
        self.cut(False)
        self.log.faults = NO_FAULTS
        self.way.is_loose = False
        self.board.faults = BoardFaults()
        self.wall_offset = 0.0
        self.clock.go_on()

    def set_wall(self) -> None:
        """Set the wall clock right."""
        self.wall_offset = 0.0

    def _read_clocks(self) -> Instant:
        true = self._cluster.clock.now()
        return Instant(true * self._rate + self._boot, true + self.wall_offset)

    def _make_life(self) -> Life:
        job = self._cluster.job
        identity = f"domain over {job.frontier.partitions} partitions"
        own = MemberRecord(0, self.name, "1.0", 2, directory_number=self.directory)
        return Life(own, Agreement("crawl", identity, "", 2))

    def _work(self, number: int) -> Working:
        cluster, clock = self._cluster, self.clock
        job = self._adopter.job
        limits = SharedLimits(job, clock, lambda: _FOREVER, number, nullcontext())
        end, idle = EndingElsewhere(), IdleDesk(number)
        ports = Ports(
            job=job,
            scope=self._scope,
            clock=clock,
            log=self.log,
            snapshots=self._snapshots,
            store=self.store,
            distant=VirtualDistant(cluster.objects, clock),
            transport=ProcessTransport(self.carrier, clock),
            partitioner=cluster.partitioner,
            budget=limits.budget,
            ending=end,
            owner=owner_name(number, self.directory, self.name),
            random=Random(f"{cluster.seed} {number}"),
            may_begin=self.session.may_begin,
            is_shared=True,
            on_notes=self._noted,
            poll_seconds=POLL_SECONDS,
            job_digest="digest",
            sealed_folder=None,
        )
        self._count_requests()
        worker = self.worker = Worker(ports, self.lives.worker_ended, features_of)
        limits.when_durable, limits.counts = worker.when_durable, worker.durable_counts
        self._adopter.employ(ports, worker, Unlimited(), limits)
        around = Surroundings(
            membership=self.session,
            board=self.board,
            limits=limits,
            end=end,
            idle=idle,
            adopter=self._adopter,
            run=cluster.run_number,
            earlier=self.lives.earlier,
        )
        member = Member(ports, worker, around, self._life_over)
        desks: list[Desk] = [idle] if limits.desk is None else [limits.desk, idle]
        self.session.serve(desks)
        return Working(worker, member, limits)

    def _noted(self, notes: Mapping[str, bytes]) -> None:
        self._adopter.noted(notes)
        self.lives.noted(notes)

    def _look(self) -> None:
        """Follow orders that had to wait."""
        self.clock.call_at(self.clock.now() + LOOK_SECONDS, self._look)
        if self.lives.present is not None:
            self._adopter.look()

    def _count_requests(self) -> None:
        if self.worker is not None:
            self.requests_before += self.worker.requests
            self.worker = None

    def _life_over(self) -> None:
        self._told.lapsed()
        self.lives.life_over()

    def _ended(self, reason: str) -> None:
        self.reason = reason
        self._go()
        self._told.ended(self, reason)
