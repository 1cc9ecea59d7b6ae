"""The driver: real threads, real clocks, a board in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable

import msgspec
import pytest

from lycosa.errors import LogError
from lycosa.runtime.coordination.keys import member_key
from lycosa.runtime.coordination.memory import MemoryBoard
from lycosa.runtime.coordination.protocol import Board, Entry
from lycosa.runtime.membership.joining import Agreement, Refused
from lycosa.runtime.membership.life import Life, Phase
from lycosa.runtime.membership.record import Member, Progress, Standing, pack, tombstone, unpack
from lycosa.runtime.membership.session import Session
from membership_lives import AGREEMENT


def life(agreement: Agreement = AGREEMENT) -> Callable[[], Life]:
    return lambda: Life(Member(0, "m1", "1.0", 2), agreement)


def record(board: MemoryBoard, number: int) -> Member:
    entry = board.get(member_key(number))
    assert entry is not None
    return unpack(entry.value)


def test_a_session_joins_tells_and_leaves() -> None:
    board, news = MemoryBoard(), list[str]()
    session = Session(lambda: board, life(), news.append)
    assert session.join(20)
    assert session.number == 1
    assert session.may_begin()
    session.tell(Progress(pages=5), 1)
    session.drain()
    assert session.leave(20)
    assert session.phase is Phase.LEFT
    assert not session.may_begin()
    assert record(board, 1).standing is Standing.LEFT
    assert record(board, 1).progress.pages == 5
    session.close()
    assert news == ["joined as life 1"]


def test_a_lost_life_is_followed_by_another() -> None:
    board = MemoryBoard()
    lost = threading.Event()

    def told(text: str) -> None:
        if "ended" in text:
            lost.set()

    session = Session(lambda: board, life(), told)
    assert session.join(20)
    while True:  # a peer ends it; it may renew at the same moment
        entry = board.get(member_key(1))
        assert entry is not None
        ended = tombstone(unpack(entry.value), 2)
        if board.put(member_key(1), pack(ended), entry.revision).is_written:
            break
    assert lost.wait(20), "the list of members shows it, before the next renewal"
    assert session.phase is Phase.LOST
    assert not session.may_begin()
    session.begin_again()
    assert session.join(20)
    assert session.number == 2
    session.close()


def test_a_session_that_does_not_fit_raises() -> None:
    board = MemoryBoard()
    first = Session(lambda: board, life())
    assert first.join(20)
    other = msgspec.structs.replace(AGREEMENT, crawl="another")
    second = Session(lambda: board, life(other))
    with pytest.raises(Refused, match="belongs to the crawl"):
        second.join(20)
    for session in (first, second):
        session.close()


class Broken(MemoryBoard):
    """A board that tells the operator what is wrong with its server."""

    def get(self, key: str, age: int = 0) -> Entry | None:
        raise LogError("the bucket has one replica")


def test_what_ends_the_renewals_ends_the_worker() -> None:
    broken: Callable[[], Board] = Broken
    session = Session(broken, life())
    with pytest.raises(LogError, match="one replica"):
        session.join(20)
    session.close()
    assert isinstance(session.failure, LogError)
