"""A crawl's log is moved to a server and back: nothing is lost, nothing fetched twice."""

from __future__ import annotations

import json
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq
import pytest

from lycosa._support.failpoints import NAMES, Killed, arm
from lycosa.crawl.takeover import read_partition, take_partitions
from lycosa.errors import ConfigError, LogError
from lycosa.model.job import Job, read_job
from lycosa.model.records import Discovered, InboxRead, Taken
from lycosa.operate.moving import move
from lycosa.runtime.coordination.keys import member_key
from lycosa.runtime.coordination.opening import open_board
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.membership.record import Member, pack
from lycosa.runtime.orders.desk import add_seeds
from lycosa.runtime.shared_log.joining import crawls_in
from lycosa.runtime.shared_log.notes import directory_number, refuse_moved
from lycosa.storage.log.format import encode
from lycosa.storage.log.protocol import Write
from servers.fixtures import SharedNats, SharedPostgres
from tree_web import tree_web
from warm import lycosa

PARTITIONS = 3
PAGES = 13
"""Of one host: a tree of three levels with three children a page."""


pytestmark = pytest.mark.needs("postgresql")


class Servers(NamedTuple):
    postgres: str
    nats: str
    sqlite: str = "sqlite"


@pytest.fixture(scope="module")
def servers(postgres: SharedPostgres, nats_servers: SharedNats) -> Servers:
    return Servers(postgres.url, nats_servers.url)


class Held(NamedTuple):
    """What a log holds for one partition."""

    batches: list[tuple[int, bytes]]
    unread: list[bytes]


def begun(path: Path, partitions: int = PARTITIONS) -> CrawlDirectory:
    """Make a log in a file: some batches archived, some not, messages read and not read."""
    job = Job.of(["http://a.test/"], frontier={"partitions": partitions})
    directory = CrawlDirectory.create(path, job)
    with closing(directory.log(job)) as log:
        log.note("planted", b"")
        log.note("host of a seed", b"a.test")
        taken = Taken(1e9, "me 1 2.0")
        take_partitions(log, directory.snapshots(), range(partitions), taken, job.digest())
        for number in range(min(partitions, PARTITIONS)):
            for post in range(2 + number):
                log.post(number, encode([Discovered(1e9, "", [f"test:a/{post}"], [0])]))
            for sequence in range(1, 4):
                read = encode([InboxRead(min(sequence, 2))])
                log.commit([Write(number, sequence, read, (), min(sequence, 2))])
        log.trim(0, 3)
    directory.copy_job()
    return directory


def held(directory: CrawlDirectory) -> tuple[list[Held], dict[str, bytes]]:
    job = directory.job()
    with closing(directory.log(job)) as log:
        found = []
        for number in range(job.frontier.partitions):
            state = read_partition(log, directory.snapshots(), number).state
            unread = [batch for _, batch in log.inbox(number, state.inbox_read)]
            found.append(Held(list(log.read(number, 0)), [one for one in unread if one != EMPTY]))
        notes = log.notes("")
    own = ("moved", "name", "begun", "directory/0")
    return found, {k: v for k, v in notes.items() if k not in own and not k.startswith("job")}


EMPTY = encode([])


def killed_at(name: str) -> None:
    def hook(reached: str) -> None:
        if reached == name:
            raise Killed(name)

    arm(hook)


PLACES = [name for name in NAMES if name.startswith("move.")]
KILLS = [
    *((place, "postgres") for place in PLACES if place != "move.archive"),
    *((place, "nats") for place in ("move.copying", "move.whole")),
    *((place, "sqlite") for place in PLACES),
]


@pytest.mark.parametrize(("place", "target"), KILLS)
def test_a_move_that_was_killed_is_repeated_to_its_end(
    place: str, target: str, servers: Servers, tmp_path: Path
) -> None:
    directory = begun(tmp_path / "crawl")
    if target == "sqlite":
        move(directory, servers.postgres)
    before, notes = held(directory)
    was = directory.job()
    server = getattr(servers, target)
    killed_at(place)
    try:
        with pytest.raises(Killed):
            move(directory, server)
    finally:
        arm(None)
    assert directory.job() == was
    with closing(directory.log(was)) as log, pytest.raises(LogError, match="lycosa move"):
        refuse_moved(log, directory)
    other = servers.nats if server != servers.nats else servers.postgres
    with pytest.raises((LogError, ConfigError), match=r"a move to .* was begun|already"):
        move(directory, other)
    move(directory, server)
    assert directory.job().log.server == ("" if target == "sqlite" else server)
    after, kept_notes = held(directory)
    assert kept_notes == notes
    for old, new in zip(before, after, strict=True):
        assert new.batches[: len(old.batches)] == old.batches
        assert len(new.batches) == len(old.batches) + 1  # by the event that says where it went
        assert new.unread == old.unread


def test_what_was_moved_cannot_be_written_to_any_more(servers: Servers, tmp_path: Path) -> None:
    directory = begun(tmp_path / "crawl")
    job = directory.job()
    with closing(directory.log(job)) as source:
        expect = source.head(0).log
        move(directory, servers.postgres)
        # An owner that was alive all the time: its next write is superseded.
        assert source.commit([Write(0, expect, encode([InboxRead(2)]), (), 2)]) == [None]
        taken = Taken(1e9, "me again")
        with pytest.raises(LogError, match="the log was moved"):
            take_partitions(source, directory.snapshots(), [0], taken, job.digest())
    moved = directory.job()
    directory.write_job(job)
    with pytest.raises(LogError, match=rf"moved to postgresql(?s:.*)lycosa move {directory.path}"):
        add_seeds(directory, ["http://a.test/more"])
    directory.write_job(moved)
    assert directory_number_of(directory) == 1
    (found,) = [one for one in crawls_in(servers.postgres) if one.name == moved.log.name]
    assert found.job == moved


def directory_number_of(directory: CrawlDirectory) -> int:
    with closing(directory.log(directory.job())) as log:
        return directory_number(log, directory)


def test_hosts_rest_after_a_move_and_the_partition_has_no_owner(
    servers: Servers, tmp_path: Path
) -> None:
    directory = begun(tmp_path / "crawl")
    move(directory, servers.nats)
    with closing(directory.log(directory.job())) as log:
        opened = read_partition(log, directory.snapshots(), 0)
        assert opened.is_resumed
        assert opened.state.owner == log.head(0).owner == ""
        # Numbers of the new inbox are above all that the events name.
        assert log.post(0, EMPTY) > log.head(1).inbox > opened.state.inbox_read
        taken = Taken(2e9, "me")
        after = take_partitions(log, directory.snapshots(), [0], taken, "digest")[0].state
        assert (after.owner, after.moved_to) == ("me", "")


def test_another_directory_of_the_crawl_follows_it(servers: Servers, tmp_path: Path) -> None:
    first = begun(tmp_path / "first")
    move(first, servers.postgres)
    second = CrawlDirectory.create(tmp_path / "second", first.job())
    second.identity()
    move(first, servers.nats)
    with closing(second.log(second.job())) as log, pytest.raises(LogError, match="lycosa move"):
        refuse_moved(log, second)
    move(second, servers.nats)
    assert second.job().log == first.job().log
    assert held(second) == held(first)


def test_a_crawl_that_runs_elsewhere_is_not_moved(servers: Servers, tmp_path: Path) -> None:
    directory = begun(tmp_path / "crawl")
    move(directory, servers.postgres)
    job = directory.job()
    with closing(directory.log(job)) as log, closing(open_board(job.log.server, job.log.name)) as b:
        log.note("run-1", b"")
        assert b.put(member_key(1), pack(Member(1, "m1", "0.1", 1)), 0).is_written
        with pytest.raises(LogError, match="the crawl is running on m1"):
            move(directory, servers.nats)
        told = lycosa("status", directory.path).stdout
        assert "running on m1" in told
        assert f"as {job.log.name}" in "".join(told.split("\n")).replace("  ", "")
        log.note("end-1", b"exhausted")
    move(directory, servers.nats)
    assert directory.job().log.server == servers.nats


def test_a_file_is_for_one_directory_alone(servers: Servers, tmp_path: Path) -> None:
    directory = begun(tmp_path / "crawl")
    move(directory, servers.postgres)
    other = CrawlDirectory.create(tmp_path / "other", directory.job())
    with closing(directory.log(directory.job())) as log:
        directory_number(log, other)
    with pytest.raises(ConfigError, match="1 other crawl directories hold pages"):
        move(directory, "sqlite")
    assert directory.job().log.server == servers.postgres


@pytest.mark.parametrize(
    ("server", "told"),
    [
        ("postgresql://me:secret@db/x", "PGPASSFILE"),
        ("sqlite", "is there already"),
        ("folder/log", "is not the address of a log server"),
        ("nats://127.0.0.1:1", "at most 960"),
    ],
)
def test_what_cannot_be_moved_stays(server: str, told: str, tmp_path: Path) -> None:
    directory = begun(tmp_path / "crawl", 1000 if "960" in told else PARTITIONS)
    before = held(directory)
    with pytest.raises(ConfigError, match=told):
        move(directory, server)
    assert held(directory) == before


# -- a crawl, moved while it is under way -------------------------------------------------


@pytest.fixture
def web(tmp_path: Path) -> Iterator[tuple[str, list[str]]]:
    with tree_web(tmp_path / "web", 3, 3, 3) as served:
        yield served


def test_a_crawl_goes_from_a_file_to_both_servers_and_back(
    servers: Servers,
    web: tuple[str, list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hosts_file, seeds = web
    path = tmp_path / "crawl"
    flags = ["--allow-private", "--delay", "1ms", "--ip-delay", "1ms", "--workers", "1"]
    flags += ["--set", f"fetch.hosts_file={hosts_file}", "--set", "frontier.partitions=4"]
    asked = ["crawl", *seeds, "-o", path, *flags, "--max-pages", "9"]
    for limit, server in ((19, servers.postgres), (29, servers.nats), (1000, servers.sqlite)):
        done = lycosa(*asked, "--quiet", "--json")
        assert json.loads(done.stdout)["reason"] == "pages", done.stderr
        asked = ["resume", path, "--max-pages", str(limit)]
        with monkeypatch.context() as killing:
            killing.setenv("LYCOSA_KILL_AT", "move.copying:2")
            assert lycosa("move", path, server).returncode == -signal.SIGKILL
        assert lycosa(*asked, "--quiet").returncode == LogError.exit_code
        done = lycosa("move", path, server)
        assert done.returncode == 0, done.stderr
    done = lycosa(*asked, "--quiet", "--json")
    assert json.loads(done.stdout)["reason"] == "exhausted", done.stderr
    kept = Counter(
        row["url"]
        for file in (path / "pages").glob("*.parquet")
        for row in pq.read_table(file, columns=["url", "outcome"]).to_pylist()
        if row["outcome"] == "kept"
    )
    assert len(kept) == len(seeds) * PAGES
    assert max(kept.values()) == 1
    for command in ("verify", "audit"):
        done = lycosa(command, path)
        assert done.returncode == 0, done.stdout
    assert read_job(path / "crawl.toml").log.name == ""
