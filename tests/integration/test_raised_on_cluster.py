"""A cluster that goes on with a larger depth holds what one holds that was begun with it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lycosa.model.job import Job, read_job
from lycosa.model.job.requests import Limits
from lycosa.model.records import Outcome
from lycosa.model.url import url_of
from lycosa.runtime.directory import CrawlDirectory, named_anew
from lycosa.runtime.shared_log.joining import crawls_in, with_shared_limits
from lycosa.runtime.shared_log.notes import note_job
from lycosa.storage.archive.reader import rows
from servers.fixtures import SharedNats, SharedPostgres
from tree_web import tree_web
from warm import lycosa
from worker_crawls import eventually

HOSTS, LEVELS, FANOUT = 6, 3, 2
LONG = ["--delay", "2s"]
"""A pause in which another member joins and takes partitions."""


@pytest.fixture(scope="module")
def flags(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    with tree_web(tmp_path_factory.mktemp("web"), LEVELS, FANOUT, HOSTS) as (hosts_file, seeds):
        pauses = ["--ip-delay", "1ms", "--set", "frontier.partitions=8"]
        yield [*seeds, "--allow-private", "--set", f"fetch.hosts_file={hosts_file}", *pauses]


def kept_in(path: Path) -> Counter[str]:
    """Return the pages that the log has."""
    directory = CrawlDirectory(path)
    kept: Counter[str] = Counter()
    for state in directory.each_state(read_job(path / "crawl.toml")):
        for page in range(len(state.table)):
            if state.outcome_of(page) is Outcome.KEPT:
                kept[url_of(state.table.key(page))] += 1
    return kept


def records_in(*paths: Path) -> Counter[str]:
    """Return how often each page was kept, by the tables of all members."""
    return Counter(
        row["url"]
        for path in paths
        for batch in rows(path, "pages")
        for row in batch.to_pylist()
        if row["outcome"] == "kept"
    )


class Members:
    """Two members of one crawl."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "store").mkdir()
        self.store = ["--store", (folder / "store").as_uri()]
        """By which a member reads what another has kept."""
        self.running: list[subprocess.Popen[bytes]] = []

    def run(self, first: list[str], depth: int, second: list[str] | None = None) -> None:
        """Begin with one, let another come when the log has the first one's job; wait for both."""
        path = self.folder / "m1"
        if first[0] == "crawl":
            first = [*first, "-o", str(path), *self.store]
        self._start(1, first)
        eventually(lambda: self._is_in_log(depth) or self.running[0].poll() is not None, 120)
        join = ["join", self.place, "-o", str(self.folder / "m2"), *self.store]
        self._start(2, second or join)
        codes = [member.wait(120) for member in self.running]
        assert codes == [0, 0], self.said(1) + self.said(2)
        self.running.clear()

    def _start(self, number: int, words: list[str]) -> None:
        command = [sys.executable, "-m", "lycosa", *words, "--quiet"]
        with (self.folder / f"m{number}.said").open("wb") as said:
            self.running.append(subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT))

    def _is_in_log(self, depth: int) -> bool:
        """Return whether a machine that joins now gets a job with this depth."""
        path = self.folder / "m1" / "crawl.toml"
        if not path.exists():
            return False
        log = read_job(path).log
        found = [one.job for one in crawls_in(log.server) if one.name == log.name]
        return any(job.limits.depth_static == depth for job in found)

    @property
    def place(self) -> str:
        log = read_job(self.folder / "m1" / "crawl.toml").log
        return f"{log.server}#{log.name[:12]}"

    def said(self, number: int) -> str:
        return (self.folder / f"m{number}.said").read_text()

    def end(self) -> None:
        for member in self.running:
            if member.poll() is None:
                os.kill(member.pid, signal.SIGKILL)
            member.wait()


@pytest.fixture
def members(tmp_path: Path) -> Iterator[Members]:
    found = Members(tmp_path)
    yield found
    found.end()


@pytest.fixture
def log_server(request: pytest.FixtureRequest) -> str:
    server: SharedPostgres | SharedNats = request.getfixturevalue(request.param)
    return server.url


@pytest.mark.parametrize(
    ("log_server", "second"),
    [
        ("nats_servers", "join"),
        pytest.param("postgres", "resume", marks=pytest.mark.needs("postgresql")),
    ],
    indirect=["log_server"],
)
def test_members_that_go_on_with_a_larger_depth_keep_what_a_crawl_begun_with_it_keeps(
    flags: list[str], log_server: str, second: str, members: Members, tmp_path: Path
) -> None:
    m1, m2, alone = (tmp_path / name for name in ("m1", "m2", "alone"))
    done = lycosa("crawl", *flags, "-o", alone, "--depth", "3", "--delay", "20ms", "--quiet")
    assert done.returncode == 0, done.stderr

    members.run(["crawl", *flags, *LONG, "--log", log_server, "--depth", "1"], 1)
    assert "Complete within its limits" in members.said(1)
    left_out = json.loads(lycosa("status", m1, "--json").stdout)["left_out"]
    assert left_out == {"depth_static": HOSTS * FANOUT**2}
    assert records_in(m1) and records_in(m2)
    assert sum(kept_in(m1).values()) == HOSTS * (1 + FANOUT)

    raised = "lycosa resume DIR --set limits.depth_static="
    done = lycosa("cluster", "set", members.place, "limits.depth_static", "3")
    assert done.returncode == 2 and f"{raised}3" in done.stderr
    done = lycosa("join", members.place, "-o", m2, "--set", "limits.depth_static=3")
    assert done.returncode == 2 and f"{raised}VALUE" in done.stderr

    again = ["resume", str(m2)] if second == "resume" else None
    members.run(["resume", str(m1), "--depth", "3"], 3, again)
    assert "Complete:" in members.said(1) and "Complete:" in members.said(2)
    assert json.loads(lycosa("status", m1, "--json").stdout)["left_out"] == {}
    assert kept_in(m1) == kept_in(alone) == records_in(m1, m2)
    assert set(kept_in(m1).values()) == {1}
    for path in (m1, m2):
        assert read_job(path / "crawl.toml").limits.depth_static == 3


@pytest.mark.needs("postgresql")
def test_the_limit_that_was_changed_last_holds_on_all_machines(
    postgres: SharedPostgres, tmp_path: Path
) -> None:
    place = {"server": postgres.url}
    job = named_anew(Job.of(["http://a.test/"], frontier={"partitions": 2}, log=place))
    one, two = (CrawlDirectory.create(tmp_path / name, job) for name in ("one", "two"))
    log = one.log(job)

    def run(directory: CrawlDirectory, **changed: Any) -> Limits:
        """Begin a run as a crawl does, and return its limits."""
        own = directory.whole_job()
        if changed:
            own = replace(own, limits=replace(own.limits, **changed))
            directory.write_job(own)
        shared = with_shared_limits(log, directory, own)
        directory.write_job(shared)
        directory.copy_job()
        note_job(log, shared, is_first=directory is one)
        return shared.limits

    with closing(log):
        assert run(one).depth_static == run(two).depth_static == 15
        assert run(one, depth_static=20, free_disk_bytes=7).depth_static == 20
        followed = run(two)
        assert (followed.depth_static, followed.free_disk_bytes) == (20, 1_000_000_000)
        assert run(one, depth_static=15).depth_static == run(two).depth_static == 15
        # Limits that differ are changed on both machines, and each is known to the other.
        assert run(two, depth_static=30).host_pages == 25_000
        merged = run(one, host_pages=9)
        assert (merged.depth_static, merged.host_pages) == (30, 9)
        followed = run(two)
        assert (followed.depth_static, followed.host_pages) == (30, 9)
