"""The log in PostgreSQL: what it refuses, what it survives, and where its password comes from."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from all_logs import eventually
from lycosa.errors import ConfigError, LogError, LogUnavailable
from lycosa.model.records import Counted, Discovered, Taken
from lycosa.storage.log.format import encode
from lycosa.storage.log.protocol import Take, Write
from lycosa.storage.postgres.connection import checked_url, without_secrets
from lycosa.storage.postgres.log import PostgresLog
from lycosa.storage.postgres.trust import refuse_unless_one_wins
from servers import PostgresServer, fresh_name, postgres_server
from servers.fixtures import SharedPostgres
from servers.postgres import find_postgres
from servers.proxy import proxy_to

pytestmark = pytest.mark.needs("postgresql")


@pytest.fixture(scope="module")
def own_server() -> Iterator[PostgresServer]:
    """A server that tests may kill."""
    with postgres_server(in_memory=True) as server:
        yield server


def batch(n: int) -> bytes:
    return encode([Counted({"n": n})])


def message(n: int) -> bytes:
    return encode([Discovered(1.0, "", [str(n)], [0])])


def take(log: PostgresLog) -> None:
    assert log.take("a", [Take(0, 0, encode([Taken(1.0, "a")]))]) == [1]


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:secret@db.example/crawls",
        "postgresql://me@db.example/crawls?password=secret",
        "host=db.example password=secret",
    ],
)
def test_a_password_in_the_address_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(ConfigError, match=r"~/.pgpass.*PGPASSFILE.*PGPASSWORD") as refused:
        checked_url(url)
    assert "secret" not in str(refused.value) + without_secrets(url)


def test_tls_and_a_password_from_the_environment(
    postgres: SharedPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", "spider")
    log = PostgresLog(postgres.tls_url, 2, fresh_name())
    take(log)
    log.close()


def test_a_password_from_a_file(
    postgres: SharedPostgres, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "passwords"
    path.write_text("*:*:*:lycosa:spider\n", encoding="ascii")
    path.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(path))
    PostgresLog(postgres.tls_url, 2, fresh_name()).close()


def test_a_wrong_password_is_told_at_once(
    postgres: SharedPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", "wrong")
    began = time.monotonic()
    with pytest.raises(LogError, match="password authentication failed") as refused:
        PostgresLog(postgres.tls_url, 2, fresh_name())
    assert not isinstance(refused.value, LogUnavailable)
    assert time.monotonic() - began < 10


def test_another_number_of_partitions_is_refused(postgres: SharedPostgres) -> None:
    crawl = fresh_name()
    PostgresLog(postgres.url, 2, crawl).close()
    with pytest.raises(LogError, match=r"has 2 partitions, the job asks for 3\n.*partitions = 2"):
        PostgresLog(postgres.url, 3, crawl)


def test_two_crawls_do_not_see_each_other(postgres: SharedPostgres) -> None:
    one, two = (PostgresLog(postgres.url, 2, fresh_name()) for _ in range(2))
    take(one)
    one.note("x", b"")
    assert (two.head(0).log, two.noted("x")) == (0, None)
    one.drop()
    assert two.head(0).log == 0
    one.close()
    two.close()


def test_a_server_that_only_reads_is_refused(
    postgres: SharedPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGOPTIONS", "-cdefault_transaction_read_only=on")
    with pytest.raises(LogError, match="target_session_attrs=read-write"):
        PostgresLog(postgres.url, 2, fresh_name())


def test_a_server_where_two_writers_win_is_refused() -> None:
    with pytest.raises(LogError, match="accepted two writers with the same expectation"):
        refuse_unless_one_wins(lambda number, expect: True, lambda: 0, "postgresql://x/")
    refuse_unless_one_wins(lambda number, expect: number == 1, lambda: 0, "postgresql://x/")


def test_a_post_is_news_to_others(
    postgres: SharedPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lycosa.storage.postgres.news.POLL_SECONDS", 1000.0)
    monkeypatch.setattr("lycosa.storage.postgres.news._SLICES", 10_000)
    crawl = fresh_name()
    one, two = (PostgresLog(postgres.url, 2, crawl) for _ in range(2))
    before = eventually(two.news, lambda number: number > 0)
    one.post(1, message(1))
    eventually(two.news, lambda number: number > before)  # heard: it would not look for long
    one.close()
    two.close()


def test_a_lost_answer_is_found_out_and_nothing_is_written_twice(
    own_server: PostgresServer,
) -> None:
    with proxy_to(own_server.socket_path) as proxy:
        url = f"postgresql://lycosa@{proxy.host}:{proxy.port}/postgres?sslmode=disable"
        log = PostgresLog(url, 2, fresh_name())
        take(log)
        for n in range(1, 6):
            proxy.lose_answers()
            healing = threading.Timer(0.1, proxy.heal)
            healing.start()
            assert log.commit([Write(0, n, batch(n), [(1, message(n))], 0)]) == [n + 1]
            healing.join()
        assert [sequence for sequence, _ in log.read(0, 0)] == [1, 2, 3, 4, 5, 6]
        assert [entry for _, entry in log.inbox(1, 0)] == [message(n) for n in range(1, 6)]
        log.close()


def test_a_log_that_stays_away_is_unavailable_and_comes_back(own_server: PostgresServer) -> None:
    with proxy_to(own_server.socket_path) as proxy:
        url = f"postgresql://lycosa@{proxy.host}:{proxy.port}/postgres?sslmode=disable"
        log = PostgresLog(url, 2, fresh_name(), patience_seconds=0.3)
        take(log)
        proxy.cut()
        write = Write(0, 1, batch(1), [(1, message(1))], 0)
        with pytest.raises(LogUnavailable, match=r"has not answered for 0\.3 s"):
            log.commit([write])
        proxy.heal()
        assert log.commit([write]) == [2]
        assert len(log.inbox(1, 0)) == 1
        log.close()


def test_a_killed_server_loses_nothing_that_it_acknowledged(own_server: PostgresServer) -> None:
    log = PostgresLog(own_server.url, 2, fresh_name(), "power")
    take(log)
    stop = threading.Event()
    acknowledged: list[int] = []

    def write() -> None:
        n = 1
        while not stop.is_set():
            assert log.commit([Write(0, n, batch(n), [(1, message(n))], 0)]) == [n + 1]
            acknowledged.append(n)
            n += 1

    writer = threading.Thread(target=write)
    writer.start()
    for _ in range(2):
        seen = len(acknowledged)
        eventually(lambda: len(acknowledged), lambda count, s=seen: count > s + 20)  # type: ignore[misc]
        own_server.kill()
        own_server.start()
    seen = len(acknowledged)
    eventually(lambda: len(acknowledged), lambda count: count > seen + 5)
    stop.set()
    writer.join(60)
    batches = [entry for _, entry in log.read(0, 1)]
    assert batches == [batch(n) for n in acknowledged]
    entries: list[bytes] = []
    after = 0
    while found := log.inbox(1, after):
        after = found[-1][0]
        entries += [entry for _, entry in found]
    assert entries == [message(n) for n in acknowledged]
    log.close()


def test_a_server_that_does_not_sync_is_refused_for_power(own_server: PostgresServer) -> None:
    own_server.stop()
    own_server.start(fsync="off")
    try:
        with pytest.raises(LogError, match=r"set both to on in postgresql\.conf"):
            PostgresLog(own_server.url, 2, fresh_name(), "power")
        PostgresLog(own_server.url, 2, fresh_name(), "process").close()
    finally:
        own_server.stop()
        own_server.start()


def test_asynchronous_failover_is_refused_for_power(
    own_server: PostgresServer, tmp_path: Path
) -> None:
    programs = find_postgres()
    assert programs is not None
    standby = subprocess.Popen(
        [programs / "pg_receivewal", "-h", own_server.folder, "-U", "lycosa", "-D", tmp_path]
    )
    try:
        with psycopg.connect(own_server.url, autocommit=True) as connection:
            question = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'"
            eventually(lambda: connection.execute(question).fetchone(), lambda row: row == (1,))
        with pytest.raises(LogError, match="synchronous_standby_names"):
            PostgresLog(own_server.url, 2, fresh_name(), "power")
        PostgresLog(own_server.url, 2, fresh_name(), "process").close()
    finally:
        standby.terminate()
        standby.wait(30)
