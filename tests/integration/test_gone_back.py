"""A log that was restored from an older copy is refused, and running members stop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from integration.cluster_servers import Machine, SharedCrawl
from lycosa.errors import LogGoneBack
from lycosa.storage.archive.reader import rows
from lycosa.storage.log.last_write import LastWrite
from lycosa.storage.log.opening import open_log
from lycosa.storage.log.protocol import Log, Take, Write
from lycosa_testweb.referee.rulebook import BreachKind
from servers import fresh_name, nats_cluster, postgres_server, restoring
from servers.restoring import Servers
from socket_crawls import web_of
from warm import lycosa


@pytest.fixture(params=[pytest.param("postgresql", marks=pytest.mark.needs("postgresql")), "nats"])
def servers(request: pytest.FixtureRequest) -> Iterator[Servers]:
    """Servers of one's own: they are stopped and restored."""
    make = postgres_server if request.param == "postgresql" else nats_cluster
    with make(in_memory=True) as one:
        yield one


def opened(servers: Servers, crawl: str, file: Path | None, *, joins: bool = True) -> Log:
    last_write = LastWrite(file) if file is not None else None
    return open_log(servers.url, 2, crawl=crawl, joins=joins, last_write=last_write)


def commit(log: Log, partition: int, expect: int, count: int, what: str = "events") -> int:
    for number in range(count):
        events = f"{what} {expect + number}".encode()
        (sequence,) = log.commit([Write(partition, expect + number, events, (), 0)])
        assert sequence == expect + number + 1
    return expect + count


def test_a_log_that_lacks_our_last_write_is_refused(servers: Servers, tmp_path: Path) -> None:
    crawl, ours, copy = fresh_name(), tmp_path / "last-write", tmp_path / "copy"
    open_one = partial(opened, servers, crawl)
    with closing(open_one(ours)) as log:
        assert log.take("life-1", [Take(0, 0, b"taken")]) == [1]
        end = commit(log, 0, 1, 5)
        restoring.back_up(servers, copy)
        end = commit(log, 0, end, 3)  # the same server, restarted: its log has all
        restoring.restart(servers)
        assert log.head(0).log == end
        with closing(open_one(ours, joins=False)) as reader:
            assert len(list(reader.read(0, 0))) == end
        restoring.restore(servers, copy)
        with pytest.raises(LogGoneBack, match="the log has gone back"):
            log.heads()
        with pytest.raises(LogGoneBack):
            log.commit([Write(0, end, b"events", (), 0)])
        with pytest.raises(LogGoneBack):
            log.post(1, b"a link")
    for joins in (True, False):
        with pytest.raises(LogGoneBack, match="ends at 6") as said:
            open_one(ours, joins=joins)
    assert said.value.exit_code == 11
    opened(servers, fresh_name(), tmp_path / "another").close()
    # Another directory knows nothing of the lost writes, and goes on beyond them.
    with closing(open_one(tmp_path / "theirs")) as log:
        assert log.take("life-2", [Take(0, 6, b"taken")]) == [7]
        commit(log, 0, 7, 10, "others")
    with pytest.raises(LogGoneBack, match="another one is in its place"):
        open_one(ours)
    with closing(open_one(tmp_path / "theirs")) as log:
        assert log.trim(0, 15) > 0
    with pytest.raises(LogGoneBack, match="another one is in its place"):
        open_one(ours)


def test_a_write_that_was_trimmed_is_still_there(servers: Servers, tmp_path: Path) -> None:
    crawl, ours = fresh_name(), tmp_path / "last-write"
    large = b"x" * 2_000_000
    with closing(opened(servers, crawl, ours)) as log:
        assert log.take("life-1", [Take(1, 0, b"taken")]) == [1]
        assert log.commit([Write(1, 1, large, (), 0)]) == [2]
    opened(servers, crawl, ours).close()
    with closing(opened(servers, crawl, tmp_path / "theirs")) as log:
        assert log.take("life-2", [Take(1, 2, b"taken")]) == [3]
        end = commit(log, 1, 3, 3)
        log.trim(1, end)
    opened(servers, crawl, ours).close()


def test_a_stream_that_is_restored_beside_a_connection_is_noticed(tmp_path: Path) -> None:
    crawl, ours = fresh_name(), tmp_path / "last-write"
    with nats_cluster(in_memory=True) as cluster, closing(opened(cluster, crawl, ours)) as log:
        assert log.take("life-1", [Take(0, 0, b"taken")]) == [1]
        end = commit(log, 0, 1, 5)
        snapshot = restoring.snapshot_stream(cluster.urls[0], f"LYCOSA_{crawl}")
        end = commit(log, 0, end, 3)
        restoring.restore_stream(cluster.urls[0], f"LYCOSA_{crawl}", snapshot)
        with pytest.raises(LogGoneBack, match="partition 0 was at 9 and ends at 6"):
            log.commit([Write(0, end, b"events", (), 0)])
        with pytest.raises(LogGoneBack):
            opened(cluster, crawl, ours)
        # A whole snapshot has all writes.
        with closing(opened(cluster, crawl, tmp_path / "theirs")) as other:
            assert other.take("life-2", [Take(0, 6, b"taken")]) == [7]
            snapshot = restoring.snapshot_stream(cluster.urls[0], f"LYCOSA_{crawl}")
        restoring.restore_stream(cluster.urls[0], f"LYCOSA_{crawl}", snapshot)
        opened(cluster, crawl, tmp_path / "theirs").close()


def test_a_torn_slot_leaves_the_write_before(tmp_path: Path) -> None:
    file = tmp_path / "log" / "last-write"
    last = LastWrite(file)
    assert last.wanted is None
    for sequence in range(1, 6):
        last.note(3, sequence, b"events", 10 * sequence)
    last.close()
    found = LastWrite(file).wanted
    assert found is not None
    assert found[:2] == (3, 5)
    for place in range(64, 64 + 48):  # of the slot that was written last
        content = bytearray(file.read_bytes())
        content[place] ^= 0xFF
        torn = tmp_path / "torn"
        torn.write_bytes(content)
        before = LastWrite(torn).wanted
        assert before is not None
        assert before[:2] == (3, 4)
    file.write_bytes(b"")
    assert LastWrite(file).wanted is None


def ended(machine: Machine) -> int:
    """Return the exit code of a member once it has ended."""
    assert machine.process is not None
    return machine.process.wait(120)


def test_members_stop_when_they_are_connected_to_an_older_copy(
    servers: Servers, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    with SharedCrawl(web_of(40, 12), servers.url, tmp_path, 2, 1.5) as crawl:
        crawl.start_all()
        crawl.wait_for_requests(10)
        restoring.back_up(servers, copy)
        crawl.wait_for_requests(30)
        restoring.restore(servers, copy)
        assert [ended(machine) for machine in crawl.machines] == [11, 11]
        assert all("the log has gone back" in machine.said() for machine in crawl.machines)
        asked = crawl.sockets.requests
        for machine in crawl.machines:
            machine.start()
            assert ended(machine) == 11
            for words in (["cluster", "status"], ["status"], ["queue"]):
                done = lycosa(*words, machine.path)
                assert done.returncode == 11, (words, done.stdout, done.stderr)
                assert "the log has gone back" in done.stderr
        assert crawl.sockets.requests == asked
        done = lycosa("cluster", "restored", crawl.machines[0].path, "--yes")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "epoch 1 of the log has begun" in done.stdout
        crawl.sockets.worker_killed()
        for machine in crawl.machines:
            machine.start()
        crawl.finish()
        # Asked for again is what the log has lost, and nothing else is amiss.
        again = {BreachKind.ASKED_TWICE, BreachKind.ROBOTS_ASKED_TWICE}
        assert {breach.kind for breach in crawl.referee.breaches} <= again
        crawl.referee.breaches.clear()
        crawl.check()
        assert any("set aside" in machine.said() for machine in crawl.machines)
        stored = [url for machine in crawl.machines for url in stored_pages(machine.path)]
        assert len(stored) == len(set(stored)) == kept_pages(crawl)
        for machine in crawl.machines:
            done = lycosa("verify", machine.path)
            assert done.returncode == 0, done.stdout + done.stderr


def test_a_board_that_has_gone_back_is_refused(tmp_path: Path) -> None:
    with (
        nats_cluster(in_memory=True) as cluster,
        SharedCrawl(web_of(40, 12), cluster.url, tmp_path, 1, 1.5) as crawl,
    ):
        board = f"KV_lycosa_{crawl.job.log.name}"
        crawl.start_all()
        crawl.wait_for_requests(5)
        (machine,) = crawl.machines
        snapshot = restoring.snapshot_stream(cluster.urls[0], board)
        crawl.kill(machine)
        machine.start()
        crawl.wait_for_requests(5)  # its second life has taken the partitions
        restoring.restore_stream(cluster.urls[0], board, snapshot)
        assert ended(machine) == 11
        assert "board (coordination store) has gone back" in machine.said()
        done = lycosa("cluster", "restored", machine.path, "--yes")
        assert done.returncode == 0, done.stdout + done.stderr
        crawl.sockets.worker_killed()
        machine.start()
        crawl.finish()
        crawl.check()
        assert lycosa("verify", machine.path).returncode == 0


def stored_pages(folder: Path) -> list[str]:
    """Return the URLs of the kept pages in the tables of a directory."""
    return [
        row["url"]
        for batch in rows(folder, "pages", ["url", "outcome"])
        for row in batch.to_pylist()
        if row["outcome"] == "kept"
    ]


def kept_pages(crawl: SharedCrawl) -> int:
    """Return how many pages the log has as kept."""
    return sum(state.kept_pages for state in crawl.directory.each_state(crawl.job))
