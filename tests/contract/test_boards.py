"""One suite for every board: what `lycosa.runtime.coordination.protocol.Board` promises."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from lycosa.runtime.coordination.memory import Faults, LooseBoard, MemoryBoard
from lycosa.runtime.coordination.nats_kv import NatsBoard
from lycosa.runtime.coordination.postgres import PostgresBoard
from lycosa.runtime.coordination.protocol import LARGEST_VALUE_BYTES, NOTHING, REFUSED, Board, Entry
from servers import fresh_name
from servers.fixtures import SharedNats, SharedPostgres

Opener = Callable[[], Board]
"""Opens one more connection to the same board."""


@pytest.fixture
def memory() -> Opener:
    board = MemoryBoard()
    return lambda: board


@pytest.fixture
def loose() -> Opener:
    """A way that loses nothing: what it adds must not break the contract."""
    server = MemoryBoard(kept_versions=8)
    return lambda: LooseBoard(server, Faults(), Random(1))


@pytest.fixture
def postgresql(postgres: SharedPostgres) -> Opener:
    schema = fresh_name("board")
    return lambda: PostgresBoard(postgres.url, schema, answer_seconds=30.0)


@pytest.fixture
def nats(nats_servers: SharedNats) -> Opener:
    bucket = fresh_name("board")
    return lambda: NatsBoard({"servers": nats_servers.urls}, bucket, answer_seconds=30.0)


@pytest.fixture(
    params=[
        "memory",
        "loose",
        pytest.param("postgresql", marks=pytest.mark.needs("postgresql")),
        "nats",
    ]
)
def opened(request: pytest.FixtureRequest) -> Iterator[Opener]:
    boards: list[Board] = []
    open_one: Opener = request.getfixturevalue(request.param)

    def remembered() -> Board:
        boards.append(open_one())
        return boards[-1]

    yield remembered
    for board in boards:
        board.close()


@pytest.fixture
def board(opened: Opener) -> Board:
    return opened()


def written(board: Board, key: str, value: bytes, expect: int) -> int:
    answer = board.put(key, value, expect)
    assert answer.is_written
    assert answer.revision > expect
    return answer.revision


def read(board: Board, key: str) -> Entry:
    entry = board.get(key)
    assert entry is not None
    return entry


def listed(board: Board, prefix: str, wanted: dict[str, int]) -> dict[str, Entry]:
    """Return the list once it shows these revisions: a list may be stale, for a while."""
    end = time.monotonic() + 10
    while True:
        entries = board.list(prefix)
        assert entries is not None
        if {key: entry.revision for key, entry in entries.items()} == wanted:
            return entries
        assert time.monotonic() < end, entries


def test_what_was_put_is_got_with_its_revision(board: Board) -> None:
    revision = written(board, "member/1", b"a\x00\xff", 0)
    assert read(board, "member/1")[:2] == (b"a\x00\xff", revision)
    assert read(board, "member/2") == NOTHING


def test_a_key_is_created_once(board: Board) -> None:
    revision = written(board, "numbers", b"1", 0)
    assert board.put("numbers", b"2", 0) == REFUSED
    assert read(board, "numbers")[:2] == (b"1", revision)


def test_only_the_last_revision_is_replaced(board: Board) -> None:
    first = written(board, "numbers", b"1", 0)
    second = written(board, "numbers", b"2", first)
    for expect in (first, second + 1, 0):
        assert board.put("numbers", b"3", expect) == REFUSED
    assert read(board, "numbers")[:2] == (b"2", second)


def test_a_key_that_is_not_there_has_no_other_revision_than_0(board: Board) -> None:
    assert board.put("numbers", b"1", 7) == REFUSED
    assert board.delete("numbers", 7) == REFUSED
    assert board.delete("numbers", 0) == REFUSED
    assert read(board, "numbers") == NOTHING


def test_a_deleted_key_is_gone_and_its_revisions_do_not_return(board: Board) -> None:
    first = written(board, "member/1", b"a", 0)
    assert board.delete("member/1", first + 1) == REFUSED
    assert board.delete("member/1", first).is_written
    assert read(board, "member/1") == NOTHING
    listed(board, "member/", {})
    assert board.put("member/1", b"b", first) == REFUSED
    assert written(board, "member/1", b"b", 0) > first


def test_a_list_has_what_begins_with_the_prefix(board: Board) -> None:
    revisions = {key: written(board, key, b"x", 0) for key in ("member/1", "member/22", "lines/1")}
    listed(board, "member/", {key: revisions[key] for key in ("member/1", "member/22")})
    assert board.list("nothing/") == {}


def test_every_write_moves_the_revision_that_a_list_shows(board: Board) -> None:
    revision = 0
    for beat in range(5):
        revision = written(board, "member/1", b"%d" % beat, revision)
        entries = listed(board, "member/", {"member/1": revision})
        assert entries["member/1"].value == b"%d" % beat


def test_no_list_is_too_long(board: Board) -> None:
    """A NATS server refuses to list more than 1,024 keys at once, deleted ones included."""
    most = 1_500
    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(lambda n: board.put(f"member/{n}", b"%d" % n, 0), range(most)))
        wanted = {f"member/{n}": answer.revision for n, answer in enumerate(answers)}
        entries = listed(board, "member/", wanted)
        assert all(
            one.value == key.removeprefix("member/").encode() for key, one in entries.items()
        )
        deleted = pool.map(
            lambda n: board.delete(f"member/{n}", answers[n].revision), range(most - 9)
        )
        assert all(answer.is_written for answer in deleted)
    listed(board, "member/", {f"member/{n}": answers[n].revision for n in range(most - 9, most)})


def test_an_entry_says_when_the_server_wrote_it(board: Board) -> None:
    before = time.time()
    revision = written(board, "member/1", b"a", 0)
    assert before - 0.1 <= read(board, "member/1").moment <= time.time() + 0.1
    entries = listed(board, "member/", {"member/1": revision})
    assert entries["member/1"].moment == read(board, "member/1").moment


def test_two_connections_see_one_board(opened: Opener) -> None:
    one, other = opened(), opened()
    revision = written(one, "settings", b"a", 0)
    written(other, "settings", b"b", revision)
    assert one.put("settings", b"c", revision) == REFUSED
    assert read(one, "settings").value == b"b"


def test_of_many_writers_with_one_revision_one_wins(opened: Opener) -> None:
    boards = [opened() for _ in range(4)]
    revision = 0
    with ThreadPoolExecutor(4) as pool:
        for turn in range(20):

            def write(number: int, expect: int = revision, turn: int = turn) -> int:
                return boards[number].put("ledger", b"%d %d" % (turn, number), expect).revision

            found = list(pool.map(write, range(4)))
            (revision,) = [number for number in found if number]
            winner = found.index(revision)
            assert read(boards[0], "ledger")[:2] == (b"%d %d" % (turn, winner), revision)


def test_a_value_may_be_large_and_no_larger(board: Board) -> None:
    large = bytes(LARGEST_VALUE_BYTES)
    written(board, "ledger", large, 0)
    assert read(board, "ledger").value == large
    with pytest.raises(ValueError, match="bytes"):
        board.put("settings", large + b"x", 0)


@pytest.mark.parametrize("key", ["", "Member", "a b", "a//b", "/a", "a/", "a.b", "a*", "ä"])
def test_a_key_that_some_board_cannot_store_is_a_mistake(board: Board, key: str) -> None:
    with pytest.raises(ValueError, match="is not a key"):
        board.put(key, b"x", 0)
