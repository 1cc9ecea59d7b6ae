"""One life after the other: joining, renewing, lapsing, being ended, leaving."""

from __future__ import annotations

import msgspec
import pytest

from lycosa.runtime.coordination.keys import MEMBERS, NUMBERS, member_key
from lycosa.runtime.coordination.memory import MemoryBoard
from lycosa.runtime.coordination.protocol import UNAVAILABLE, UNDECIDED, Answer, Entry
from lycosa.runtime.membership.calls import make
from lycosa.runtime.membership.joining import Agreement, Refused, check, raised
from lycosa.runtime.membership.life import Phase
from lycosa.runtime.membership.record import (
    Member,
    Progress,
    Standing,
    directory_of,
    life_of,
    owner_name,
    tombstone,
    unpack,
)
from membership_lives import AGREEMENT, WALL, Machine, joined, together


@pytest.fixture
def board() -> MemoryBoard:
    return MemoryBoard(now=lambda: WALL)


class Way:
    """A way to the board that a test bends."""

    def __init__(self, board: MemoryBoard) -> None:
        self._board = board
        self.is_down = False
        self.loses_answers = False
        self.loses_requests = False

    def get(self, key: str) -> Entry | None:
        return None if self.is_down else self._board.get(key)

    def put(self, key: str, value: bytes, expect: int) -> Answer:
        if self.is_down:
            return UNAVAILABLE
        if self.loses_requests:
            return UNDECIDED
        answer = self._board.put(key, value, expect)
        return UNDECIDED if self.loses_answers else answer

    def delete(self, key: str, expect: int) -> Answer:
        return self._board.delete(key, expect)

    def list(self, prefix: str) -> dict[str, Entry] | None:
        return None if self.is_down else self._board.list(prefix)

    def close(self) -> None:
        pass


def record(board: MemoryBoard, number: int) -> Member:
    entry = board.get(member_key(number))
    assert entry is not None
    return unpack(entry.value)


def test_numbers_are_given_once(board: MemoryBoard) -> None:
    assert [joined(board, f"m{n}").life.number for n in range(3)] == [1, 2, 3]
    leaving = joined(board)
    leaving.life.leave()
    leaving.run(1)
    assert leaving.life.phase is Phase.LEFT
    assert joined(board).life.number == 5


def test_tenure_lasts_14_seconds_from_when_the_renewal_was_sent(board: MemoryBoard) -> None:
    way = Way(board)
    machine = Machine(way)
    machine.run(1.5)
    way.is_down = True
    machine.boot = 1013.99
    assert machine.may_begin()
    machine.boot = 1014.0
    assert not machine.may_begin()


def test_a_record_is_renewed_every_five_seconds(board: MemoryBoard) -> None:
    machine = joined(board)
    beats = record(board, 1).beat
    machine.run(50)
    assert record(board, 1).beat == beats + 10


def test_a_silent_life_is_ended_after_15_and_a_half_seconds(board: MemoryBoard) -> None:
    observer, dying = joined(board, "m1"), joined(board, "m2")
    together(observer, dying, seconds=10)
    last_beat_seen = observer.boot
    observer.run(15)
    assert record(board, 2).standing is Standing.LIVE
    observer.run(2)
    assert observer.boot - last_beat_seen <= 17
    assert record(board, 2).standing is Standing.DEAD
    assert record(board, 2).ended_by == 1
    assert observer.life.members[2].is_gone
    assert "life 2 on m2 is silent: its partitions move" in observer.life.news


def test_an_ended_life_learns_it_and_begins_nothing_more(board: MemoryBoard) -> None:
    observer, stopped = joined(board, "m1"), joined(board, "m2")
    together(observer, stopped, seconds=3)
    observer.run(20)
    stopped.boot += 20
    assert not stopped.may_begin()
    stopped.run(0.5)
    assert stopped.life.phase is Phase.LOST
    assert not stopped.may_begin()
    again = Machine(board, "m2")
    again.run(1)
    assert again.life.number == 3


def test_a_life_that_renews_is_never_ended(board: MemoryBoard) -> None:
    machines = [joined(board, f"m{n}") for n in range(3)]
    together(*machines, seconds=120)
    assert all(machine.may_begin() for machine in machines)
    assert {member.standing for member in machines[0].life.members.values()} == {Standing.LIVE}


def test_a_lost_answer_is_not_taken_for_a_failure(board: MemoryBoard) -> None:
    way = Way(board)
    machine = Machine(way)
    machine.run(1.5)
    for _ in range(6):
        way.loses_answers = True
        machine.run(5)
        way.loses_answers = False
        machine.run(5)
    assert machine.life.phase is Phase.RENEWING
    assert machine.life.number == 1
    assert machine.may_begin()


def test_an_undecided_renewal_counts_from_when_it_was_sent(board: MemoryBoard) -> None:
    way = Way(board)
    machine = Machine(way)
    machine.run(1.5)
    way.loses_answers = True
    machine.run(4)  # the renewal at 1005 arrives; its answer does not
    way.loses_answers = False
    way.is_down = True
    machine.run(5)
    assert machine.life.tenure.ends_at == 1014.0
    machine.boot += 1
    for _ in range(2):  # a renewal, which is refused, and a look at what stands there
        call = machine.life.own_call(machine.now())
        assert call is not None
        machine.life.own_answered(make(call, board), machine.now())
    assert machine.life.tenure.ends_at == 1005.0 + 14


def test_joining_through_lost_answers_ends_with_one_record() -> None:
    board = MemoryBoard(now=lambda: machine.now().wall)
    way = Way(board)
    machine = Machine(way)
    way.loses_answers = True
    machine.run(4)
    way.loses_answers = False
    machine.run(4)
    assert machine.life.is_joined
    members = board.list(MEMBERS)
    assert members is not None
    assert len(members) == 1
    numbers = board.get(NUMBERS)
    assert numbers is not None
    assert int(numbers.value) >= machine.life.number


def test_without_the_board_requests_stop_and_go_on_when_it_is_back(board: MemoryBoard) -> None:
    ways = [Way(board), Way(board)]
    machines = [Machine(way, f"m{n}") for n, way in enumerate(ways)]
    together(*machines, seconds=10)
    for way in ways:
        way.is_down = True
    together(*machines, seconds=60)
    assert not any(machine.may_begin() for machine in machines)
    # The first one back must not end the other, which had no chance to renew.
    ways[0].is_down = False
    together(*machines, seconds=10)
    ways[1].is_down = False
    together(*machines, seconds=10)
    assert all(machine.may_begin() for machine in machines)
    assert [machine.life.number for machine in machines] == [1, 2]


def test_a_stale_list_is_no_movement(board: MemoryBoard) -> None:
    observer, dying = joined(board, "m1"), joined(board, "m2")
    together(observer, dying, seconds=6)
    stale = board.list(MEMBERS)
    assert stale is not None
    together(observer, dying, seconds=6)
    for _ in range(17):
        observer.run(1)
        fresh = board.list(MEMBERS)
        assert fresh is not None
        observer.life._watch.listed(stale, 1, observer.boot)
        observer.life._watch.listed(fresh, 1, observer.boot)
    assert record(board, 2).standing is Standing.DEAD


def test_a_tombstone_for_a_life_that_has_moved_is_refused(board: MemoryBoard) -> None:
    observer, alive = joined(board, "m1"), joined(board, "m2")
    together(observer, alive, seconds=3)
    old = board.get(member_key(2))
    assert old is not None
    alive.run(10)
    ended = tombstone(unpack(old.value), 1)
    assert not board.put(member_key(2), msgspec.json.encode(ended), old.revision).is_written
    alive.run(10)
    assert alive.may_begin()


def test_what_a_member_says_is_in_its_next_renewal(board: MemoryBoard) -> None:
    machine = joined(board)
    machine.life.tell(Progress(pages=7), 3, is_cordoned=True)
    machine.run(5)
    told = record(board, 1)
    assert (told.progress.pages, told.settings, told.is_cordoned) == (7, 3, True)
    assert not told.takes


def test_a_draining_member_says_so_at_once_and_leaves_when_it_is_done(board: MemoryBoard) -> None:
    machine = joined(board)
    machine.life.drain()
    machine.run(0.25)
    assert record(board, 1).standing is Standing.LEAVING
    assert machine.may_begin(), "it still has partitions to end"
    machine.life.leave()
    machine.run(0.25)
    assert record(board, 1).standing is Standing.LEFT
    assert not machine.may_begin()


def test_a_wish_to_leave_does_not_wait_behind_a_renewal(board: MemoryBoard) -> None:
    machine = joined(board)
    machine.boot += 5
    renewal = machine.life.own_call(machine.now())
    assert renewal is not None
    machine.life.drain()
    machine.life.own_answered(make(renewal, board), machine.now())
    machine.run()
    assert record(board, 1).standing is Standing.LEAVING
    machine.boot += 5
    renewal = machine.life.own_call(machine.now())
    assert renewal is not None
    machine.life.leave()
    machine.life.own_answered(make(renewal, board), machine.now())
    machine.run()
    assert machine.life.phase is Phase.LEFT


@pytest.mark.parametrize(
    ("other", "text"),
    [
        (Agreement("another", AGREEMENT.partitioner, "", 2), "belongs to the crawl crawl"),
        (Agreement("crawl", "host-hash over 64 partitions", "", 2), "the partitioner there is"),
        (Agreement("crawl", AGREEMENT.partitioner, "tidy 2.0", 2), "install the same plugins"),
        (Agreement("crawl", AGREEMENT.partitioner, "", 1), "writes format 2 .* this Lycosa 1 to 1"),
    ],
)
def test_a_worker_that_does_not_fit_is_refused(
    board: MemoryBoard, other: Agreement, text: str
) -> None:
    joined(board)
    machine = Machine(board, "m2", other)
    machine.run(2)
    assert machine.life.phase is Phase.REFUSED
    with pytest.raises(Exception, match=text):
        raise machine.life.refusal or AssertionError
    assert board.list(MEMBERS) is not None
    assert not machine.may_begin()


def test_a_board_of_an_earlier_release_names_the_release_of_the_list_of_suffixes() -> None:
    def agreed(partitioner: str) -> Agreement:
        return msgspec.structs.replace(AGREEMENT, partitioner=partitioner)

    ours = agreed("domain by suffixes 947e147495392be8 over 64 partitions")
    check(agreed("domain by publicsuffixlist 1.0.2.20250101 over 64 partitions"), ours, 1)
    for other in (
        "domain by publicsuffixlist 1.0 over 8 partitions",
        "domain by suffixes ff over 64",
    ):
        with pytest.raises(Refused, match="the partitioner there is"):
            check(agreed(other), ours, 1)


def test_the_oldest_member_decides_the_format() -> None:
    old, new = Member(1, "m1", "1.0", 2), Member(2, "m2", "2.0", 3)
    assert raised(AGREEMENT, [old, new]) is None
    gone = tombstone(old, 2)
    assert raised(AGREEMENT, [gone, new]) == msgspec.structs.replace(AGREEMENT, format=3)


@pytest.mark.parametrize(("seconds", "text"), [(-90.0, "90.0 s behind"), (1.5, "1.5 s ahead of")])
def test_a_machine_whose_clock_is_wrong_is_refused(seconds: float, text: str) -> None:
    machine = Machine(MemoryBoard(now=lambda: machine.now().wall - seconds))
    machine.run(2)
    assert machine.life.phase is Phase.REFUSED
    assert text in str(machine.life.refusal)
    assert record(machine.board, 1).standing is Standing.LEFT  # type: ignore[arg-type]


def test_a_clock_that_goes_wrong_later_is_told_and_breaks_nothing(board: MemoryBoard) -> None:
    machine = Machine(MemoryBoard(now=lambda: machine.boot + WALL - 1000.0))
    machine.run(2)
    machine.wall_offset -= 3600
    machine.run(20)
    assert machine.life.clock_offset == pytest.approx(3600)
    assert record(machine.board, 1).clock_offset == pytest.approx(3600)  # type: ignore[arg-type]
    assert machine.may_begin()


def test_the_log_names_lives() -> None:
    assert life_of(owner_name(12)) == 12
    assert life_of("3f2c") is None
    assert life_of("life-x") is None
    named = owner_name(12, 3, "host.example.org 4")
    assert (life_of(named), directory_of(named)) == (12, 3)
    for other in ("", "3f2c", "life-7", "host 17 1.5", "life-7 d host"):
        assert directory_of(other) is None
