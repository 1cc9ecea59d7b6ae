"""Machines that store pages of partitions which they take from each other, over a loose log."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pyarrow.parquet as pq
from msgspec.structs import replace

from lycosa.crawl.takeover import take_partition
from lycosa.errors import LogUnavailable
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partitioners import by_host
from lycosa.model.job import Job
from lycosa.model.records import Admitted, AnyEvent, Fetched, Outcome, Released, Taken
from lycosa.runtime.membership.record import owner_name
from lycosa.runtime.recovery.counting import SealingRules
from lycosa.simulation.cluster.loose_log import NO_FAULTS, Faults, LooseLog, LooseServer
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.log.fold import replay
from lycosa.storage.log.format import encode
from lycosa.storage.log.places import places_of
from lycosa.storage.log.protocol import Write
from lycosa.storage.log.snapshot import MemorySnapshots
from lycosa.storage.segments.sealing import everything
from unit.storage.archive.exchanges import capture

PARTITIONS = 4
JOB = Job.of(
    seeds=["http://h0.test/"], frontier={"partitions": PARTITIONS, "partitioner": "host-hash"}
)
PARTITIONER = by_host(PARTITIONS)
HOSTS = {PARTITIONER.partition_of(f"test.h{n}:/"): f"test.h{n}" for n in range(200)}


OFTEN_LATE = Faults(late_writes=0.3, late_calls=60)


def new_server() -> LooseServer:
    server = LooseServer(PARTITIONS)
    server.note("partitioner", PARTITIONER.identity.encode())
    return server


class Held:
    """A partition as its owner knows it."""

    def __init__(self, state: PartitionState) -> None:
        self.state = state
        self.uncommitted: list[AnyEvent] = []
        self.undecided: Write | None = None


class Machine:
    """One crawl directory, and the lives that write to it."""

    def __init__(
        self,
        folder: Path,
        server: LooseServer,
        directory: int,
        faults: Faults | None = None,
        seed: int = 0,
    ) -> None:
        self.folder = folder
        self.log = LooseLog(server, seed + directory, OFTEN_LATE if faults is None else faults)
        # Nothing else asks the log while a segment is sealed.
        self.rules = SealingRules(folder, JOB, lambda: self.log, MemorySnapshots(), PARTITIONER)
        self._lives = 0
        self._directory = directory
        self._stored = 1000 * directory
        self.is_clustered = True
        self.begin()

    def begin(self) -> None:
        """Begin a process."""
        self._lives += 1
        number = 100 * self._directory + self._lives
        self.owner = owner_name(number, self._directory, f"machine-{self._directory}")
        self.held: dict[int, Held] = {}
        self.store = ArchiveStore(self.folder)
        if self.is_clustered:
            self.store.begin_life(self.owner, self._directory)

    def die(self) -> None:
        """End the process as a kill does, and begin another."""
        self.store.abandon()
        self.begin()

    def take(self, number: int) -> None:
        taken = Taken(1.0, self.owner)
        try:
            opened = take_partition(self.log, MemorySnapshots(), number, taken, "job")
        except LogUnavailable:
            return
        self.held[number] = Held(opened.state)

    def store_page(self, number: int) -> None:
        """Fetch a new page of a partition."""
        self._stored += 1
        key, held = f"{HOSTS[number]}:/{self._stored}", self.held[number]
        one = capture(self._stored, key=key)
        place = self.store.append(replace(one, request=replace(one.request, partition=number)))
        page = len(held.state.table)
        self._record(held, Admitted(1.0, "", [key], [0]))
        self._record(held, Fetched(2.0, page, Outcome.KEPT, 200, 9, 0.0, 0.0, place))

    def release(self, number: int) -> bool:
        """Hand a partition over; return whether that has happened for certain."""
        self._record(self.held[number], Released(3.0, {}, {}))
        self.commit(number)
        return number not in self.held

    def commit(self, number: int) -> None:
        """Make what was decided durable, or find out that the partition is another's."""
        held = self.held[number]
        self.store.flush()
        state = held.state
        write = held.undecided
        if write is None:
            if not held.uncommitted:
                return
            is_released = isinstance(held.uncommitted[-1], Released)
            write = Write(number, state.sequence, encode(held.uncommitted), (), 0, is_released)
            held.uncommitted = []
        try:
            sequence = self.log.commit([write])[0]
        except LogUnavailable:
            held.undecided = write
            return
        held.undecided = None
        if sequence is None:
            self.lose(number)
        elif write.releases:
            del self.held[number]
        else:
            state.sequence = sequence

    def lose(self, number: int) -> None:
        """Drop a partition at once."""
        held = self.held.pop(number)
        self.store.lose(number, held.state.sequence)

    def seal(self) -> None:
        """Seal everything of which the log has decided, when all that is held is durable."""
        if any(held.undecided or held.uncommitted for held in self.held.values()):
            return
        self.store.roll()
        self.store.seal(
            everything,
            self.store.segment,
            with_dead=False,
            settle=lambda lost: self.rules.settle(lost, is_last=True),
        )

    def _record(self, held: Held, event: AnyEvent) -> None:
        held.state.apply(event)
        held.uncommitted.append(event)


def sealed_pages(folder: Path) -> set[str]:
    files = (folder / "pages").glob("*.parquet")
    keys = [key for file in files for key in pq.read_table(file)["key"].to_pylist()]
    assert len(keys) == len(set(keys))
    return set(keys)


def named_pages(server: LooseServer) -> set[str]:
    """Return the keys of all pages that the log names."""
    found: set[str] = set()
    for number in range(PARTITIONS):
        state = PartitionState()
        replay(state, server.read(number, 0))
        for one in places_of(number, server.read(number, 0)):
            found.add(state.table.key(one.page))
    return found


def step(machines: list[Machine], chance: Random) -> None:
    """Let something happen to a machine."""
    one = chance.choice(machines)
    number = chance.randrange(PARTITIONS)
    what = chance.random()
    if what < 0.02:
        one.die()
        one.rules.seal_dead()
    elif what < 0.05:
        one.rules.seal_dead()
    elif what < 0.09:
        one.seal()
    elif number not in one.held:
        if what < 0.3:
            one.take(number)
    elif what < 0.12 or (one.held[number].undecided is not None and what < 0.2):
        one.lose(number)
        one.seal()
    elif what < 0.14 and one.held[number].undecided is None:
        one.release(number)
    elif what < 0.6:
        if one.held[number].undecided is None or not _is_leaving(one.held[number]):
            one.store_page(number)
    else:
        one.commit(number)


def _is_leaving(held: Held) -> bool:
    return held.undecided is not None and held.undecided.releases


def finish(machines: list[Machine], server: LooseServer) -> None:
    """Let all end, another owner take everything, and seal what is left."""
    for machine in machines:
        machine.log.faults = NO_FAULTS
        for number in list(machine.held):
            machine.lose(number)
    server._late.clear()
    for number in range(PARTITIONS):
        take_partition(server, MemorySnapshots(), number, Taken(9.0, "last"), "job")
    for machine in machines:
        machine.seal()
        machine.die()
        machine.rules.seal_dead()
