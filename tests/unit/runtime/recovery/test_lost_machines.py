"""A machine is given up: what it had uploaded stays, what it had not is told to all partitions."""

from __future__ import annotations

import msgspec
import pytest

from lycosa.errors import LogError, ObjectsUnavailable
from lycosa.model.records import (
    Admitted,
    ErrandDone,
    ErrandTaken,
    Fetched,
    Outcome,
    Place,
    RecordsLost,
    RobotsLearned,
    RobotsState,
    SegmentsLost,
    Taken,
)
from lycosa.runtime.coordination.keys import member_key
from lycosa.runtime.coordination.memory import MemoryBoard
from lycosa.runtime.members.notes import begin_run, end_name
from lycosa.runtime.membership.record import Member, Standing, owner_name, pack, unpack
from lycosa.runtime.recovery.lost_machines import forget_machine, what_is_at_risk
from lycosa.runtime.shared_log.notes import DIRECTORY, LOST, MACHINE
from lycosa.simulation.cluster.content import MemoryObjects
from lycosa.storage.archive.layout import MOST_IN_DIRECTORY
from lycosa.storage.log.format import decode_events, decode_messages, encode
from lycosa.storage.log.memory import MemoryLog
from lycosa.storage.log.protocol import Take, Write
from lycosa.storage.objects.manifests import Content, Manifest, manifest_key, read_manifest

SAFE, GONE = 2 * MOST_IN_DIRECTORY + 1, 2 * MOST_IN_DIRECTORY + 2
OTHER = MOST_IN_DIRECTORY + 1
LIFE = 7


def fetched(page: int, segment: int, outcome: Outcome = Outcome.KEPT) -> Fetched:
    return Fetched(2.0, page, outcome, 200, 100, 0.0, 3.0, Place(segment, 10 * page, 10))


class Crawl:
    """Machine `b` (directory 2) has died; partition 1 is still its own."""

    def __init__(self) -> None:
        self.log, self.board, self.objects = MemoryLog(3), MemoryBoard(), MemoryObjects()
        begin_run(self.log)
        for number, machine in ((1, b"a"), (2, b"b")):
            self.log.note(f"{DIRECTORY}{number}", machine * 4)
            self.log.note(f"{MACHINE}{number}", machine)
        self.take(0, owner_name(3, 1, "a"))
        self.take(1, owner_name(LIFE, 2, "b"))
        admitted = Admitted(1.0, "", [f"test.a:/{n}" for n in range(4)], [0] * 4)
        robots = RobotsLearned(1.0, 0, RobotsState.KNOWN, b"", 0.0, 9e9, 2.0, Place(GONE, 900, 5))
        self.write(0, admitted, fetched(0, OTHER), fetched(1, SAFE), fetched(2, GONE), robots)
        self.write(0, fetched(3, GONE, Outcome.BAD_STATUS))
        errand = ErrandTaken(1.0, "test.z:", "test.b:/robots", 1)
        self.write(1, errand, ErrandDone(2.0, 0, 3.0, Place(GONE, 700, 5)))
        manifest = Manifest(SAFE, 0, 2, {"warc/x": Content(1, "")})
        self.objects.create(manifest_key(SAFE), msgspec.json.encode(manifest))
        self.member(Standing.DEAD)

    def take(self, number: int, owner: str) -> None:
        head = self.log.head(number)
        self.log.take(owner, [Take(number, head.log, encode([Taken(1.0, owner)]))])

    def write(self, number: int, *events: object) -> None:
        head = self.log.head(number)
        batch = encode(list(events))  # type: ignore[arg-type]
        assert self.log.commit([Write(number, head.log, batch, [], 0)]) != [None]

    def member(self, standing: Standing) -> None:
        record = Member(LIFE, "b", "1", 1, standing=standing, directory_number=2)
        entry = self.board.get(member_key(LIFE))
        assert entry is not None
        self.board.put(member_key(LIFE), pack(record), entry.revision)

    def told(self, number: int) -> list[SegmentsLost]:
        messages = [m for _, b in self.log.inbox(number, 0) for m in decode_messages(b)]
        return [message for message in messages if isinstance(message, SegmentsLost)]


def no_wait(seconds: float) -> None:
    raise AssertionError("there is nothing to wait for")


def test_what_was_uploaded_is_safe_and_the_rest_is_told_to_its_partitions() -> None:
    crawl = Crawl()
    found = forget_machine(crawl.log, crawl.board, crawl.objects, "b", no_wait)
    assert (found.directories, found.segments_lost, found.segments_safe) == ((2,), (GONE,), (SAFE,))
    assert (found.pages, found.kept, found.robots, found.is_run_over) == (2, 1, 2, False)
    first, last = crawl.told(0)
    assert (first.pages, first.outcomes) == ([2, 3], [Outcome.KEPT, Outcome.BAD_STATUS])
    assert first.places == [Place(GONE, 20, 10), Place(GONE, 30, 10)]
    assert (first.sites, first.robots) == ([0], [Place(GONE, 900, 5)])
    assert (last.loss, last.names) == (1, ["test.z:"])
    assert [message.loss for number in (1, 2) for message in crawl.told(number)] == [0, 1, 1]


def test_the_segments_are_buried_and_the_directory_is_retired() -> None:
    crawl = Crawl()
    forget_machine(crawl.log, crawl.board, crawl.objects, 2, no_wait)
    tombstone, safe = (read_manifest(crawl.objects, one) for one in (GONE, SAFE))
    assert tombstone is not None and tombstone.lost
    assert safe is not None and not safe.lost
    assert crawl.log.noted(f"{LOST}2") is not None
    assert crawl.log.noted(f"{LOST}1") is None


def test_its_partitions_are_fenced_before_their_logs_are_read() -> None:
    crawl = Crawl()
    late = Write(1, crawl.log.head(1).log, encode([fetched(0, GONE)]), [], 0)
    forget_machine(crawl.log, crawl.board, crawl.objects, "b", no_wait)
    assert crawl.log.commit([late]) == [None]
    assert crawl.log.head(0).owner == owner_name(3, 1, "a")


def test_what_was_given_up_before_is_not_told_again() -> None:
    crawl = Crawl()
    forget_machine(crawl.log, crawl.board, crawl.objects, "b", no_wait)
    first = crawl.told(0)[0]
    event = RecordsLost(
        9.0, first.pages, first.outcomes, first.sizes, first.places, [0], first.robots, 1
    )
    crawl.write(0, event)
    found = forget_machine(crawl.log, crawl.board, crawl.objects, "b", no_wait)
    assert (found.pages, found.robots) == (0, 1)  # that of partition 1 has not been decided on
    assert [message.loss for message in crawl.told(0)] == [0, 1, 2]


def test_without_a_store_everything_of_the_machine_is_lost() -> None:
    crawl = Crawl()
    found = forget_machine(crawl.log, crawl.board, None, "b", no_wait)
    assert (found.segments_lost, found.pages) == ((SAFE, GONE), 3)


def test_what_is_at_risk_is_said_and_nothing_is_written() -> None:
    crawl = Crawl()
    heads, notes = crawl.log.heads(), crawl.log.notes("")
    found = what_is_at_risk(crawl.log, crawl.objects, "b")
    assert (found.segments_lost, found.pages, found.kept) == ((GONE,), 2, 1)
    assert (crawl.log.heads(), crawl.log.notes("")) == (heads, notes)
    assert read_manifest(crawl.objects, GONE) is None


def test_a_machine_that_is_alive_is_not_given_up() -> None:
    crawl = Crawl()
    crawl.member(Standing.LIVE)
    with pytest.raises(LogError, match="alive"):
        forget_machine(
            crawl.log,
            crawl.board,
            crawl.objects,
            "b",
            lambda seconds: crawl.member(Standing.LIVE),  # it renews its record
        )
    assert crawl.log.noted(f"{LOST}2") is None


def test_a_machine_that_no_member_has_ended_is_ended_when_it_is_silent() -> None:
    crawl = Crawl()
    crawl.member(Standing.LIVE)
    waited: list[float] = []
    forget_machine(crawl.log, crawl.board, crawl.objects, "b", waited.append)
    entry = crawl.board.get(member_key(LIFE))
    assert waited == [16.0]
    assert entry is not None and unpack(entry.value).standing is Standing.DEAD


def test_an_unknown_machine_is_named_with_those_that_are_known() -> None:
    crawl = Crawl()
    for which in ("c", 3, "3"):
        with pytest.raises(LogError, match=r"a \(1\), b \(2\)"):
            forget_machine(crawl.log, crawl.board, crawl.objects, which, no_wait)


def test_a_store_that_is_silent_leaves_it_to_be_repeated() -> None:
    crawl = Crawl()
    crawl.objects.is_down = True
    with pytest.raises(ObjectsUnavailable):
        forget_machine(crawl.log, crawl.board, crawl.objects, "b", no_wait)
    assert crawl.told(0) == []
    crawl.objects.is_down = False
    assert forget_machine(crawl.log, crawl.board, crawl.objects, "b", no_wait).pages == 2


def test_a_run_that_is_over_is_said() -> None:
    crawl = Crawl()
    crawl.log.note(end_name(1), b"exhausted")
    assert forget_machine(crawl.log, crawl.board, crawl.objects, "b", no_wait).is_run_over


def test_a_loss_is_an_event_that_older_logs_do_not_have() -> None:
    event = RecordsLost(1.0, [], [], [], [], [], [], 3)
    assert decode_events(encode([event])) == [event]
