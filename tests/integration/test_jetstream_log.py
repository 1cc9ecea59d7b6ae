"""The log in NATS JetStream: what it refuses, what it survives, and how it is let in."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from all_logs import eventually
from lycosa.errors import ConfigError, LogError, LogUnavailable
from lycosa.model.records import Counted, Discovered, Taken
from lycosa.storage.jetstream.address import parse_address
from lycosa.storage.jetstream.connection import Connection
from lycosa.storage.jetstream.log import JetStreamLog
from lycosa.storage.jetstream.messages import Subjects
from lycosa.storage.jetstream.trust import numbers_of, refuse_unless_one_wins, refuse_unsynced
from lycosa.storage.log.format import encode
from lycosa.storage.log.protocol import Take, Write
from servers import NatsCluster, fresh_name, nats_cluster
from servers.fixtures import SharedNats
from servers.nats import CLIENT_PORT, MONITORING_PORT, debian_nats_server, version_of
from servers.proxy import proxy_to


@pytest.fixture(scope="module")
def own_cluster() -> Iterator[NatsCluster]:
    """Three servers that tests may kill."""
    with nats_cluster(3, in_memory=True) as cluster:
        yield cluster


def batch(n: int) -> bytes:
    return encode([Counted({"n": n})])


def message(n: int) -> bytes:
    return encode([Discovered(1.0, "", [str(n)], [0])])


def take(log: JetStreamLog) -> None:
    assert log.take("a", [Take(0, 0, encode([Taken(1.0, "a")]))]) == [1]


def entries(log: JetStreamLog, count: int) -> list[bytes]:
    """Return an inbox, once so many entries have come."""

    def read() -> list[bytes]:
        found: list[bytes] = []
        after = 0
        while some := log.inbox(1, after):
            after = some[-1][0]
            found += [entry for _, entry in some]
        return found

    return eventually(read, lambda found: len(found) >= count)


# -- addresses ------------------------------------------------------------------------------


@pytest.mark.parametrize("url", ["nats://me:secret@h1,h2", "nats://h1?token=secret"])
def test_a_secret_in_the_address_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(ConfigError, match=r"LYCOSA_NATS_PASSWORD.*creds=FILE") as refused:
        parse_address(url)
    assert "secret" not in str(refused.value)


def test_an_address_names_servers_files_and_ports() -> None:
    address = parse_address("nats://me@h1,h2:4333?creds=/a&ca=/b&monitoring=8222")
    assert address.hosts == (("h1", 4222), ("h2", 4333))
    assert (address.user, address.creds, address.ca, address.is_tls) == ("me", "/a", "/b", True)
    assert address.monitoring_urls == ["http://h1:8222", "http://h2:8222"]
    assert str(address) == "tls://h1:4222,h2:4333"
    with pytest.raises(ConfigError, match="has no option `cred`"):
        parse_address("nats://h1?cred=/a")
    with pytest.raises(ConfigError, match="write it as nats://"):
        parse_address("nats://")


def test_tls_and_a_password_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    cluster = NatsCluster(tmp_path, 1)
    identity = authority.issue_cert(cluster.addresses[0])
    identity.cert_chain_pems[0].write_to_path(tmp_path / "server.pem")
    identity.private_key_pem.write_to_path(tmp_path / "server.key")
    with (tmp_path / "0.conf").open("a", encoding="utf-8") as file:
        file.write(
            f'tls {{ cert_file: "{tmp_path}/server.pem", key_file: "{tmp_path}/server.key" }}\n'
            "authorization { users: [{ user: me, password: sesame }] }\n"
        )
    try:
        cluster.start_all()
        url = f"tls://me@{cluster.addresses[0]}?ca={tmp_path / 'ca.pem'}"
        monkeypatch.setenv("LYCOSA_NATS_PASSWORD", "sesame")
        connection = Connection(parse_address(url), 10.0)
        assert connection.server_version
        connection.close()
        monkeypatch.setenv("LYCOSA_NATS_PASSWORD", "wrong")
        with pytest.raises(LogError, match="refuses the connection") as refused:
            Connection(parse_address(url), 10.0)
        assert "wrong" not in str(refused.value)
    finally:
        cluster.stop_all()


# -- what is refused ------------------------------------------------------------------------


def test_versions_are_compared_by_their_numbers() -> None:
    assert numbers_of("2.15.1") == (2, 15, 1) > numbers_of("2.15.0") > numbers_of("2.9.10")
    assert numbers_of("2.15.1-RC.1") < numbers_of("2.15.1") < numbers_of("v2.100.0")
    assert numbers_of("unheard of") < (2,)


@pytest.mark.needs("debian-nats")
def test_debians_own_server_is_refused() -> None:
    program = debian_nats_server()
    assert program is not None
    version = version_of(program)
    with nats_cluster(1, in_memory=True, sync_interval="", program=program) as cluster:
        if version >= (2, 15, 1):
            pytest.fail(f"Debian has {version} now: say so in docs/reference/logs.md")
        told = ".".join(map(str, version))
        with pytest.raises(LogError, match=rf"nats-server {told}.*two writers(.|\n)*upgrade all"):
            JetStreamLog(cluster.url, 2, fresh_name())


def test_servers_that_cannot_keep_three_copies_are_refused() -> None:
    refused = pytest.raises(LogError, match="run at least three servers")
    with nats_cluster(1, in_memory=True) as cluster, refused:
        JetStreamLog(cluster.url, 2, fresh_name(), patience_seconds=2.0)


def test_power_is_refused_where_syncing_cannot_be_seen_or_is_not_done(
    nats_servers: SharedNats,
) -> None:
    with pytest.raises(LogError, match=r"sync_interval: always(.|\n)*monitoring=8222"):
        JetStreamLog(nats_servers.url, 2, fresh_name(), "power")
    url = f"{nats_servers.url}?monitoring={MONITORING_PORT}"
    JetStreamLog(url, 2, fresh_name(), "power").close()
    with nats_cluster(1, in_memory=True, sync_interval="") as cluster:
        with pytest.raises(LogError, match=r"not on its\s+disk yet"):
            JetStreamLog(f"{cluster.url}?monitoring={MONITORING_PORT}", 2, fresh_name(), "power")
        cluster.stop(0)
    first = nats_servers.monitoring[0]
    with pytest.raises(LogError, match="n1, n2 keeps a copy of the log and cannot be seen"):
        JetStreamLog(f"{nats_servers.url}?monitoring={first}", 2, fresh_name(), "power")
    nobody = f"{nats_servers.url}?monitoring=http://127.0.0.1:1"
    with pytest.raises(LogError, match="monitoring port does not answer"):
        JetStreamLog(nobody, 2, fresh_name(), "power")


def test_the_system_account_is_told_whether_servers_sync(monkeypatch: pytest.MonkeyPatch) -> None:
    accounts = """
accounts {
    $SYS { users: [{ user: admin, password: sesame }] }
    CRAWLS { jetstream: enabled, users: [{ user: me, password: open }] }
}
"""
    monkeypatch.setenv("LYCOSA_NATS_PASSWORD", "open")
    monkeypatch.setenv("LYCOSA_NATS_SYSTEM_USER", "admin")
    monkeypatch.setenv("LYCOSA_NATS_SYSTEM_PASSWORD", "sesame")
    for interval, is_synced in (("always", True), ("", False)):
        with nats_cluster(2, in_memory=True, sync_interval=interval, more=accounts) as cluster:
            url = cluster.url.replace("nats://", "nats://me@")
            connection = Connection(parse_address(url), 10.0)
            if is_synced:
                assert refuse_unsynced(connection, "power") == {"n0", "n1"}
            else:
                with pytest.raises(LogError, match="not on its disk yet"):
                    refuse_unsynced(connection, "power")
            connection.close()


@pytest.mark.parametrize(
    ("setting", "value"),
    [("max_age", 3_600_000_000_000), ("max_msgs_per_subject", 5), ("num_replicas", 1)],
)
def test_a_stream_that_others_have_changed_is_refused(
    nats_servers: SharedNats, setting: str, value: int
) -> None:
    crawl = fresh_name()
    log = JetStreamLog(nats_servers.url, 2, crawl)
    stream = Subjects(crawl).stream
    found = log._connection.call(log._connection.api(f"STREAM.INFO.{stream}"))["config"]
    changed = {**found, setting: value, "duplicate_window": 60_000_000_000}
    log._connection.call(log._connection.api(f"STREAM.UPDATE.{stream}", changed))
    log.close()
    with pytest.raises(LogError, match="replicas 3" if setting == "num_replicas" else setting):
        JetStreamLog(nats_servers.url, 2, crawl)


def test_another_number_of_partitions_is_refused(nats_servers: SharedNats) -> None:
    crawl = fresh_name()
    JetStreamLog(nats_servers.url, 2, crawl).close()
    with pytest.raises(LogError, match=r"has 2 partitions, the job asks for 3\n.*partitions = 2"):
        JetStreamLog(nats_servers.url, 3, crawl)


def test_more_partitions_than_a_batch_has_messages_are_refused(nats_servers: SharedNats) -> None:
    with pytest.raises(LogError, match="partitions = 960 or less"):
        JetStreamLog(nats_servers.url, 1024, fresh_name())


def test_a_write_with_links_for_all_partitions_is_one_batch(nats_servers: SharedNats) -> None:
    log = JetStreamLog(nats_servers.url, 960, fresh_name())
    assert log.take("a", [Take(n, 0, encode([Taken(1.0, "a")])) for n in range(2)]) == [1, 1]
    posts = [(n, message(n)) for n in range(960)]
    assert log.commit([Write(n, 1, batch(n), posts, 0) for n in range(2)]) == [2, 2]
    found = eventually(log.heads, lambda heads: all(head.inbox for head in heads))
    assert [head.log for head in found[:3]] == [2, 2, 0]
    assert len({head.inbox for head in found}) == 960, "the posts of both writes are merged"
    log.close()


def test_servers_where_two_writers_win_are_refused(nats_servers: SharedNats) -> None:
    class Unfenced:
        """A server that accepts everything, as 2.9.10 sometimes does."""

        async def send(self, messages: object) -> int:
            return 1

    log = JetStreamLog(nats_servers.url, 2, fresh_name())
    with pytest.raises(LogError, match="accepted two writers with the same expectation"):
        asyncio.run(
            refuse_unless_one_wins(log._connection, log._subjects, Unfenced())  # type: ignore[arg-type]
        )
    log.close()


# -- what it survives -----------------------------------------------------------------------


def test_a_lost_answer_is_found_out_and_nothing_is_written_twice(own_cluster: NatsCluster) -> None:
    with proxy_to((own_cluster.addresses[0], CLIENT_PORT)) as proxy:
        log = JetStreamLog(f"nats://{proxy.host}:{proxy.port}", 2, fresh_name())
        take(log)
        for n in range(1, 5):
            proxy.lose_answers()
            healing = threading.Timer(0.1, proxy.heal)
            healing.start()
            assert log.commit([Write(0, n, batch(n), [(1, message(n))], 0)]) == [n + 1]
            healing.join()
        assert [sequence for sequence, _ in log.read(0, 0)] == [1, 2, 3, 4, 5]
        assert entries(log, 4) == [message(n) for n in range(1, 5)]
        log.close()


def test_a_log_that_stays_away_is_unavailable_and_comes_back(own_cluster: NatsCluster) -> None:
    with proxy_to((own_cluster.addresses[0], CLIENT_PORT)) as proxy:
        url = f"nats://{proxy.host}:{proxy.port}"
        log = JetStreamLog(url, 2, fresh_name(), patience_seconds=3.0)
        take(log)
        proxy.cut()
        write = Write(0, 1, batch(1), [(1, message(1))], 0)
        with pytest.raises(LogUnavailable, match="has not answered for 3 s"):
            log.commit([write])
        proxy.heal()
        answer = eventually(lambda: _patient(log, write), bool)
        assert answer == [2]
        assert entries(log, 1) == [message(1)]
        log.close()


def _patient(log: JetStreamLog, write: Write) -> list[int | None]:
    try:
        return log.commit([write])
    except LogUnavailable:
        return []


def test_killed_servers_lose_nothing_that_they_acknowledged(own_cluster: NatsCluster) -> None:
    crawl = fresh_name()
    log = JetStreamLog(own_cluster.url, 2, crawl)
    take(log)
    stop = threading.Event()
    acknowledged: list[int] = []
    pauses: list[float] = []

    def write() -> None:
        n = 1
        while not stop.is_set():
            began = time.monotonic()
            assert log.commit([Write(0, n, batch(n), [(1, message(n))], 0)]) == [n + 1]
            pauses.append(time.monotonic() - began)
            acknowledged.append(n)
            n += 1

    def go_on(count: int) -> None:
        seen = len(acknowledged)
        eventually(lambda: len(acknowledged), lambda now: now > seen + count, 60.0)

    writer = threading.Thread(target=write)
    writer.start()
    go_on(20)
    leader = own_cluster.leader(Subjects(crawl).stream)
    own_cluster.kill(leader)
    go_on(20)
    own_cluster.start(leader)
    for number in {0, 1, 2} - {leader}:
        own_cluster.kill(number)
    own_cluster.kill(leader)
    own_cluster.start_all()
    go_on(20)
    stop.set()
    writer.join(60)
    assert [entry for _, entry in log.read(0, 1)] == [batch(n) for n in acknowledged]
    assert entries(log, len(acknowledged)) == [message(n) for n in acknowledged]
    log.close()


def test_purging_leaves_the_last_batch_and_the_last_entry(nats_servers: SharedNats) -> None:
    log = JetStreamLog(nats_servers.url, 2, fresh_name())
    take(log)
    large = encode([Counted({"x" * 100 + str(n): n}) for n in range(20_000)])
    for n in range(1, 4):
        last = log.post(0, message(n))
        log.commit([Write(0, n, large, [], last)])
    assert log.trim(0, 4) == 4
    state = log._connection.call(log._connection.api(f"STREAM.INFO.{log._subjects.stream}"))
    assert state["state"]["messages"] < 12, "the parts of three batches are gone"
    assert log.head(0).log == 4 and log.head(0).inbox == last
    assert [sequence for sequence, _ in log.read(0, 0)] == [1, 2, 3, 4]
    assert log.commit([Write(0, 0, batch(9), [], 0)]) == [None]
    assert log.commit([Write(0, 4, batch(4), [], 0)]) == [5]
    log.close()
