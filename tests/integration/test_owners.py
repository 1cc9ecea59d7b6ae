"""Two owners of one partition, in any order: the one that lost it changes nothing."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from lycosa.crawl.takeover import read_partition, take_partition
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.frontier.readiness.addresses import Addresses
from lycosa.frontier.readiness.agenda import Agenda
from lycosa.frontier.readiness.phases import WorkerContext
from lycosa.model.records import Discovered, Fetched, Outcome, Taken
from lycosa.storage.log.format import encode
from lycosa.storage.log.memory import MemoryLog
from lycosa.storage.log.protocol import Log, Write
from lycosa.storage.log.snapshot import MemorySnapshots, SnapshotFolder, Snapshots
from lycosa.storage.log.sqlite import SqliteLog
from seeds import examples

pytestmark = pytest.mark.quick

OWNERS = st.sampled_from(["anna", "boris"])
MINE, OTHER = 0, 1


class TwoOwners(RuleBasedStateMachine):
    """Anna and Boris take the partition from each other, decide, commit and snapshot."""

    log: Log
    snapshots: Snapshots

    def __init__(self) -> None:
        super().__init__()
        self.make()
        self.held: dict[str, Partition] = {}
        self.current = ""
        self.moment = 0.0
        self.urls = 0

    def make(self) -> None:
        self.log = MemoryLog(2)
        self.snapshots = MemorySnapshots()

    @rule(owner=OWNERS)
    def takes_the_partition(self, owner: str) -> None:
        self.moment += 1
        opened = take_partition(self.log, self.snapshots, MINE, Taken(self.moment, owner), "digest")
        assert opened.is_resumed == bool(self.current)
        agenda = Agenda()
        around = WorkerContext(
            agenda, Addresses(agenda, 0.0, 0.0), lambda *_: None, lambda *_: 0.0, None, {}, {}
        )
        partition = self.held[owner] = Partition(MINE, opened.state, "breadth-first", around)
        partition.resume(self.moment)
        self.current = owner

    @precondition(lambda self: self.held)
    @rule(owner=OWNERS, count=st.integers(1, 3))
    def finds_urls(self, owner: str, count: int) -> None:
        if partition := self.held.get(owner):
            self.urls += count
            keys = [f"test.h{n % 3}:/{n}" for n in range(self.urls - count, self.urls)]
            partition.admit(self.moment, "", keys, [0] * count)
            partition.post(OTHER, Discovered(self.moment, "x", keys, [21] * count))

    @precondition(lambda self: self.held)
    @rule(owner=OWNERS)
    def keeps_a_page(self, owner: str) -> None:
        if (partition := self.held.get(owner)) and partition.state.pending:
            pages = partition.state.pages
            page = next(p for p in range(len(pages.site)) if partition.state.is_pending(p))
            partition.finish(Fetched(self.moment, page, Outcome.KEPT, 200, 10, 0.0, self.moment))

    @precondition(lambda self: self.held)
    @rule(owner=OWNERS, with_snapshot=st.booleans())
    def commits(self, owner: str, with_snapshot: bool) -> None:
        partition = self.held.get(owner)
        if partition is None:
            return
        before = self.everything()
        events, posts = partition.cut()
        if not events:
            return
        state = partition.state
        write = Write(
            MINE,
            state.sequence,
            encode(events),
            [(target, encode(messages)) for target, messages in posts.items()],
            state.inbox_read,
        )
        packed = state.pack(state.sequence + 1)
        (sequence,) = self.log.commit([write])
        if owner == self.current:
            assert sequence == state.sequence + 1
            state.sequence = sequence
            if with_snapshot:
                self.snapshots.write(MINE, sequence, packed)
                self.log.trim(MINE, sequence)
        else:
            assert sequence is None
            assert self.everything() == before
            del self.held[owner]

    @rule()
    def a_stranger_reads_what_the_owner_last_committed(self) -> None:
        owner = self.held.get(self.current)
        if owner is not None and not owner.uncommitted:
            seen = read_partition(self.log, self.snapshots, MINE).state
            assert comparable(seen) == comparable(owner.state)

    @invariant()
    def the_log_says_who_owns_the_partition(self) -> None:
        assert self.log.owner(MINE) == self.current

    @invariant()
    def the_history_is_whole(self) -> None:
        sequences = [sequence for sequence, _ in self.log.read(MINE, 0)]
        assert sequences == list(range(1, self.log.heads()[MINE].log + 1))

    def everything(self) -> tuple[object, ...]:
        return (
            list(self.log.read(MINE, 0)),
            self.log.inbox(OTHER, 0),
            self.log.heads(),
        )


class TwoOwnersOnDisk(TwoOwners):
    """The same on the SQLite log, each rule in its own transactions."""

    def make(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.log = SqliteLog(Path(self.folder.name), 2)
        self.snapshots = SnapshotFolder(Path(self.folder.name) / "snapshots")

    def teardown(self) -> None:
        self.log.close()
        self.folder.cleanup()


def comparable(state: PartitionState) -> bytes:
    return state.pack(0)


TestTwoOwners = TwoOwners.TestCase
TestTwoOwners.settings = settings(max_examples=examples(200), stateful_step_count=40, deadline=None)
TestTwoOwnersOnDisk = TwoOwnersOnDisk.TestCase
TestTwoOwnersOnDisk.settings = settings(
    max_examples=examples(40), stateful_step_count=30, deadline=None
)
