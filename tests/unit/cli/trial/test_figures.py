"""What members tell on the board is added up and shown."""

from __future__ import annotations

import pytest

from lycosa.cli.trial.figures import TrialScreen, look
from lycosa.runtime.coordination.keys import member_key
from lycosa.runtime.coordination.memory import MemoryBoard
from lycosa.runtime.membership.record import Member, Progress, Standing, pack


def board_of(*members: Member) -> MemoryBoard:
    board = MemoryBoard()
    for member in members:
        assert board.put(member_key(member.number), pack(member), 0).is_written
    return board


def member(number: int, pages: int, standing: Standing = Standing.LIVE) -> Member:
    progress = Progress(partitions=32, pages=pages, waiting=5, unsent_bytes=1000)
    return Member(number, "m", "1", 1, standing=standing, progress=progress)


def test_the_living_are_added_up_and_the_dead_are_counted() -> None:
    found = look(board_of(member(2, 10), member(1, 20), member(3, 99, Standing.DEAD)))
    assert found is not None
    assert [one.number for one in found.members] == [1, 2]
    assert (found.total.pages, found.total.partitions, found.ended) == (30, 64, 1)


def test_off_a_terminal_a_line_says_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    with TrialScreen("2 members", [("the log", "nats://a,b,c")]) as screen:
        screen.show(look(board_of(member(1, 20), member(2, 10))), [])
        screen.show(None, [])  # within five seconds of the first
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "the log: nats://a,b,c"
    assert said[1].endswith(
        "2 members, 30 pages, 10 in the queue, 0 in flight, 2.0 kB not in the store"
    )
    assert len(said) == 2
