"""Lives that are known to be over, and tombstones that no one needs."""

from __future__ import annotations

from random import Random

import pytest

from lycosa.runtime.coordination.keys import MEMBERS, lines_key, member_key
from lycosa.runtime.coordination.memory import Faults, LooseBoard, MemoryBoard
from lycosa.runtime.membership import graves
from lycosa.runtime.membership.graves import bury, forget
from lycosa.runtime.membership.life import OVER, Phase
from lycosa.runtime.membership.record import Member, Standing, pack, unpack
from membership_lives import Machine, together


def clocked() -> tuple[MemoryBoard, list[Machine]]:
    machines: list[Machine] = []
    board = MemoryBoard(now=lambda: machines[0].now().wall)
    return board, machines


def test_a_life_whose_process_has_ended_is_ended_at_once() -> None:
    board, machines = clocked()
    machines += [Machine(board, "m1"), Machine(board, "m2")]
    together(*machines, seconds=3)
    faults = Faults(lost_requests=0.3, lost_answers=0.3, unread=0.3)
    assert bury(LooseBoard(board, faults, Random(2)), 2, ended_by=1)
    entry = board.get(member_key(2))
    assert entry is not None
    assert unpack(entry.value).standing is Standing.DEAD
    machines[0].run(1.5)
    assert machines[0].life.members[2].is_gone
    machines[1].run(6)
    assert machines[1].life.phase is Phase.LOST


def test_a_process_that_died_before_it_had_a_record_has_none() -> None:
    board = MemoryBoard()
    assert bury(board, 7, ended_by=1)
    assert board.list(MEMBERS) == {}


def test_only_the_dead_are_forgotten_and_with_all_they_left() -> None:
    board, machines = clocked()
    machines += [Machine(board, f"m{n}") for n in range(3)]
    together(*machines, seconds=3)
    assert bury(board, 2, ended_by=1)
    board.put(lines_key(2), b"\x90", 0)
    assert forget(board, {2, 3}) == 1
    assert sorted(board.list(MEMBERS) or {}) == ["member/1", "member/3"]
    assert board.list("lines/") == {}
    machines[0].run(2)
    assert sorted(machines[0].life.members) == [1, 2, 3], "a stale list may lack the newest members"
    together(machines[0], machines[2], seconds=16)
    assert sorted(machines[0].life.members) == [1, 3], "it never saw the tombstone"
    another = Machine(board, "m2")
    another.boot = machines[0].boot
    another.run()
    assert another.life.number == 4, "numbers are not used again"


def test_a_life_whose_tombstone_is_gone_already_is_over() -> None:
    """A process that was frozen for hours finds nothing at its key, and must join again."""
    board, machines = clocked()
    machines += [Machine(board, "m1"), Machine(board, "m2")]
    together(*machines, seconds=3)
    assert bury(board, 2, ended_by=1)
    assert forget(board, {2}) == 1
    machines[1].run(8)
    assert machines[1].life.phase not in OVER, "a replica may be behind"
    machines[1].run(16)
    assert machines[1].life.phase is Phase.LOST


def test_thousands_of_graves_are_cleared_in_several_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graves, "MOST_AT_ONCE", 40)
    board = MemoryBoard()
    for number in range(1, 101):
        board.put(member_key(number), pack(Member(number, "m", "1", 2, standing=Standing.LEFT)), 0)
        board.put(lines_key(number), b"\x90", 0)
    assert [forget(board, set(range(1, 101))) for _ in range(4)] == [40, 40, 20, 0]
    assert board.list(MEMBERS) == board.list("lines/") == {}
