"""Boards whose servers die or stop: calls answer in time, and nothing acknowledged is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from urllib.parse import urlsplit

import pytest

from lycosa.errors import ConfigError, LogError
from lycosa.runtime.coordination.nats_kv import _DELETED, NatsBoard
from lycosa.runtime.coordination.opening import open_board
from lycosa.runtime.coordination.postgres import _DELETE, _INSERT, _UPDATE, PostgresBoard
from lycosa.runtime.coordination.protocol import UNDECIDED, Board, Verdict
from lycosa.runtime.membership.graves import forget
from lycosa.runtime.membership.joining import Agreement
from lycosa.runtime.membership.life import Life
from lycosa.runtime.membership.record import Member, Standing, pack, unpack
from lycosa.runtime.membership.session import Session
from servers import fresh_name, nats_cluster, postgres_server
from servers.fixtures import SharedNats, SharedPostgres
from servers.processes import halt

WEATHER = {Verdict.UNDECIDED, Verdict.UNAVAILABLE}


def write_until_it_works(board: Board, key: str, value: bytes, seconds: float) -> int:
    """Write by compare-and-swap through any weather, as members do; return the revision."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        entry = board.get(key)
        if entry is not None:
            if entry.value == value:
                return entry.revision
            answer = board.put(key, value, entry.revision)
            if answer.is_written:
                return answer.revision
        time.sleep(0.05)
    raise AssertionError("the board did not come back")


@pytest.mark.needs("postgresql")
def test_a_board_survives_the_death_of_postgresql() -> None:
    with postgres_server(in_memory=True) as server:
        board = PostgresBoard(server.url, "crawl")
        revision = write_until_it_works(board, "member/1", b"before", 30)
        server.kill()
        assert board.put("member/1", b"lost", revision).verdict in WEATHER
        assert board.put("member/1", b"lost", revision).verdict is Verdict.UNAVAILABLE
        assert board.get("member/1") is None
        assert board.list("member/") is None
        server.start()
        entry = board.get("member/1")
        assert entry is not None
        assert entry[:2] == (b"before", revision)
        assert write_until_it_works(board, "member/1", b"after", 20) > revision
        board.close()


@pytest.mark.needs("postgresql")
def test_a_stopped_postgresql_is_undecided_in_time(postgres: SharedPostgres) -> None:
    board = PostgresBoard(postgres.url, fresh_name("board"), answer_seconds=0.5)
    revision = write_until_it_works(board, "member/1", b"before", 30)
    assert board._connection is not None
    backend = board._connection.info.backend_pid
    halt(backend)
    try:
        begun = time.monotonic()
        assert board.put("member/1", b"late", revision).verdict is Verdict.UNDECIDED
        assert time.monotonic() - begun < 3
    finally:
        os.kill(backend, signal.SIGCONT)
    # What was sent is done when the server goes on: late, and it counts. Or it saw us go.
    assert write_until_it_works(board, "member/1", b"next", 20) > revision
    board.close()


@pytest.mark.needs("postgresql")
@pytest.mark.parametrize("command", [_INSERT, _UPDATE, _DELETE], ids=["insert", "update", "delete"])
def test_a_write_is_on_disk_before_it_is_acknowledged(
    postgres: SharedPostgres, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the server's default is to acknowledge first."""
    monkeypatch.setenv("PGOPTIONS", "-csynchronous_commit=off")
    board = PostgresBoard(postgres.url, fresh_name("board"))
    revision = write_until_it_works(board, "member/1", b"a", 30)
    connection = board._connection
    assert connection is not None
    assert connection.execute("show synchronous_commit").fetchone() == ("off",)
    values: dict[str, tuple[object, ...]] = {
        _INSERT: ("member/2", b"b"),
        _UPDATE: (b"b", "member/1", revision),
        _DELETE: ("member/1", revision),
    }
    with connection.transaction():
        assert connection.execute(board._named(command), values[command]).rowcount == 1
        assert connection.execute("show synchronous_commit").fetchone() == ("on",)
    board.close()


@pytest.mark.needs("postgresql")
def test_what_will_not_pass_is_told_to_the_operator(postgres: SharedPostgres) -> None:
    with pytest.raises(ConfigError, match="has a password in it"):
        PostgresBoard("postgresql://me:secret@127.0.0.1/crawl", "board")
    other = urlsplit(postgres.url)._replace(path="/nothing").geturl()
    board = PostgresBoard(other, "board")
    with pytest.raises(LogError, match="does not exist"):
        board.get("member/1")
    board.close()


def test_a_board_survives_the_death_of_its_leader() -> None:
    with nats_cluster(3, in_memory=True) as cluster:
        board = NatsBoard({"servers": cluster.urls}, "board")
        acknowledged = {f"member/{number}": b"%d" % number for number in range(20)}
        for key, value in acknowledged.items():
            write_until_it_works(board, key, value, 30)
        leader = cluster.leader("KV_board")
        cluster.kill(leader)
        write_until_it_works(board, "numbers", b"after", 30)
        for key, value in acknowledged.items():
            entry = board.get(key)
            assert entry is not None
            assert entry.value == value
        board.close()


def test_a_board_without_any_server_answers_in_time() -> None:
    with nats_cluster(1, in_memory=True) as cluster:
        board = NatsBoard({"servers": cluster.urls}, "board", replicas=1, answer_seconds=1.0)
        revision = write_until_it_works(board, "member/1", b"before", 30)
        halt(cluster.pid(0))
        begun = time.monotonic()
        assert board.put("member/1", b"late", revision).verdict is Verdict.UNDECIDED
        assert board.get("member/1") is None
        assert time.monotonic() - begun < 4
        cluster.kill(0)
        assert board.put("member/1", b"lost", revision).verdict in WEATHER
        assert board.list("member/") is None
        cluster.start_all()
        assert write_until_it_works(board, "member/1", b"after", 30) > revision
        board.close()


def test_a_bucket_that_forgets_is_refused(nats_servers: SharedNats) -> None:
    bucket = fresh_name("board")
    small = NatsBoard({"servers": nats_servers.urls}, bucket, replicas=1, answer_seconds=30.0)
    assert small.put("member/1", b"a", 0).is_written
    board = NatsBoard({"servers": nats_servers.urls}, bucket, replicas=3, answer_seconds=30.0)
    with pytest.raises(LogError, match=r"nats stream edit .* --replicas 3"):
        board.get("member/1")
    for one in (small, board):
        one.close()


def session(open_board: Callable[[], Board], machine: str) -> Session:
    agreement = Agreement("crawl", "domain over 64 partitions", "", 2)
    return Session(open_board, lambda: Life(Member(0, machine, "1.0", 2), agreement))


@pytest.fixture
def postgres_board(postgres: SharedPostgres) -> Callable[[], Board]:
    crawl = fresh_name("board")
    return lambda: open_board(postgres.url, crawl)


@pytest.fixture
def nats_board(nats_servers: SharedNats) -> Callable[[], Board]:
    crawl = fresh_name("board")
    return lambda: open_board(nats_servers.url, crawl)


def test_a_log_in_a_file_has_no_board() -> None:
    with pytest.raises(ConfigError, match="use a server"):
        open_board("mycrawl", "x")


@pytest.mark.parametrize(
    "name", [pytest.param("postgres_board", marks=pytest.mark.needs("postgresql")), "nats_board"]
)
def test_members_join_and_leave_on_real_servers(name: str, request: pytest.FixtureRequest) -> None:
    open_board: Callable[[], Board] = request.getfixturevalue(name)
    sessions = [session(open_board, f"m{number}") for number in range(3)]
    assert all(one.join(60) for one in sessions)
    assert all(one.may_begin() for one in sessions)
    assert sorted(one.number for one in sessions) == [1, 2, 3]
    assert all(one.leave(60) for one in sessions)
    for one in sessions:
        one.close()
    board = open_board()
    listed = board.list("member/") or {}
    board.close()
    assert [unpack(entry.value).standing for entry in listed.values()] == [Standing.LEFT] * 3


def test_a_member_joins_after_five_thousand_lives(nats_servers: SharedNats) -> None:
    """The bucket is as it was left by servers' markers: 3,000 deleted keys, 2,000 tombstones."""
    bucket = fresh_name("board")
    options = {"servers": nats_servers.urls}
    filling = NatsBoard(options, bucket, answer_seconds=30.0)
    dead = pack(Member(0, "m1", "1.0", 2, standing=Standing.DEAD))
    with ThreadPoolExecutor(32) as pool:
        graves = list(pool.map(lambda n: filling.put(f"member/{n}", dead, 0), range(1, 5_001)))
        # A marker without its purge, as members of earlier versions left them.
        revisions = [answer.revision for answer in graves[:3_000]]
        assert all(pool.map(partial(marked, filling), range(1, 3_001), revisions))
    assert filling.put("numbers", b"5000", 0).is_written
    late = session(lambda: NatsBoard(options, bucket), "late")
    assert late.join(60)
    assert late.number == 5_001
    end = time.monotonic() + 60
    while len(late.members()) < 2_001:
        assert time.monotonic() < end, len(late.members())
        time.sleep(0.05)
    assert late.members()[5_000].is_gone
    # Clearing graves purges the old markers, too: each list would carry them.
    assert forget(filling, set(range(3_001, 5_001))) == 500
    assert late.leave(60)
    late.close()
    assert stored_messages(filling) == 1_503, "graves, the one that left, numbers, agreement"
    filling.close()


def marked(board: NatsBoard, number: int, revision: int) -> bool:
    """Delete a key by a marker that stays."""
    written = board._write(f"member/{number}", b"", revision, _DELETED)
    return board._result(written, UNDECIDED).is_written


def stored_messages(board: NatsBoard) -> int:
    """Return how many messages the stream holds, markers included."""

    async def asked() -> int:
        client = await board._connected()
        assert client is not None
        told = await client.jetstream().stream_info(board._stream)
        return int(told.state.messages)

    return board._result(asked(), 0)


@pytest.mark.soak
def test_an_election_costs_no_tenure() -> None:
    """Two renewals may be lost: SIGKILL of the leader stops writes for 5 to 9 s."""
    with nats_cluster(3, in_memory=True) as cluster:
        sessions = [
            session(lambda: NatsBoard({"servers": cluster.urls}, "board"), f"m{n}")
            for n in range(2)
        ]
        assert all(one.join(60) for one in sessions)
        cluster.kill(cluster.leader("KV_board"))
        end = time.monotonic() + 30
        while time.monotonic() < end:
            assert all(one.may_begin() for one in sessions)
            time.sleep(0.1)
        assert sorted(one.number for one in sessions) == [1, 2]
        for one in sessions:
            one.close()


STOPPED = """
import sys, time
from lycosa.runtime.coordination.opening import open_board
from lycosa.runtime.membership.joining import Agreement
from lycosa.runtime.membership.life import Life, Phase
from lycosa.runtime.membership.record import Member
from lycosa.runtime.membership.session import Session

url, crawl = sys.argv[1:]
agreement = Agreement("crawl", "domain over 64 partitions", "", 2)
session = Session(
    lambda: open_board(url, crawl), lambda: Life(Member(0, "stopped", "1.0", 2), agreement)
)
assert session.join(60)
print("joined", session.number, flush=True)
while session.may_begin():
    time.sleep(0.01)
print("ended", flush=True)
while session.phase is not Phase.LOST:
    time.sleep(0.01)
session.begin_again()
assert session.join(60)
print("joined", session.number, flush=True)
assert session.leave(60)
"""


@pytest.mark.soak
@pytest.mark.needs("postgresql")
def test_a_stopped_process_comes_back_without_tenure(postgres: SharedPostgres) -> None:
    crawl = fresh_name("board")
    observer = session(lambda: open_board(postgres.url, crawl), "observer")
    assert observer.join(60)
    command = [sys.executable, "-c", STOPPED, postgres.url, crawl]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "joined 2\n"
        halt(process.pid)
        begun = time.monotonic()
        while 2 not in observer.members() or not observer.members()[2].is_gone:
            time.sleep(0.05)
            assert time.monotonic() - begun < 25
        assert time.monotonic() - begun > 10
        process.send_signal(signal.SIGCONT)
        assert process.stdout.readline() == "ended\n"
        assert process.stdout.readline() == "joined 3\n"
    assert process.returncode == 0
    observer.close()
