"""The commands by which an operator sees and leads a crawl of several machines."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from integration.cluster_starts import start
from lycosa.crawl.status.progress import Listener
from lycosa.errors import ConfigError
from lycosa.model.job import Job, read_job
from lycosa.runtime.directory import CrawlDirectory, named_anew
from lycosa.runtime.members.crew import run_crew, shared
from servers.fixtures import SharedNats, SharedPostgres
from tree_web import tree_web
from warm import lycosa
from worker_crawls import eventually

Json = dict[str, Any]


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """Serve six hosts that have more pages than a test waits for; returns flags and seeds."""
    with tree_web(tmp_path_factory.mktemp("web"), 6, 4, 6) as (hosts_file, seeds):
        pauses = ["--delay", "100ms", "--ip-delay", "1ms", "--set", "frontier.partitions=8"]
        yield [*seeds, "--allow-private", "--set", f"fetch.hosts_file={hosts_file}", *pauses]


class Running(NamedTuple):
    """A crawl of two members that runs."""

    place: str
    folder: Path
    members: list[subprocess.Popen[bytes]]

    def told(self, *words: object) -> Json:
        done = lycosa("cluster", *words[:1], self.place, *words[1:], "--json")
        assert done.returncode == 0, done.stderr
        found: Json = json.loads(done.stdout)
        return found

    def status(self) -> Json:
        return self.told("status")

    def eventually(self, holds: Callable[[Json], object]) -> Json:
        found: list[Json] = []

        def look() -> bool:
            found.append(self.status())
            return bool(holds(found[-1]))

        eventually(look, 120)
        return found[-1]

    def said(self, number: int) -> str:
        return (self.folder / f"m{number}.said").read_text()


@contextmanager
def crawling(web: list[str], address: str, folder: Path, *flags: str) -> Iterator[Running]:
    """Begin a crawl with two members, and end what is left of it."""
    first = start(folder, 1, "crawl", *web, *flags, "--log", address)
    members = [first]
    try:
        eventually(lambda: (folder / "m1" / "lock").exists() or first.poll() is not None, 120)
        assert first.poll() is None, (folder / "m1.said").read_text()
        name = read_job(folder / "m1" / "crawl.toml").log.name
        place = f"{address}#{name[:12]}"
        eventually(lambda: lycosa("status", place).returncode == 0, 120)
        members.append(start(folder, 2, "join", place))
        yield Running(place, folder, members)
    finally:
        for process in members:
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
            process.wait()


def test_an_operator_sees_a_crawl_changes_it_and_stops_it(
    web: list[str], nats_servers: SharedNats, tmp_path: Path
) -> None:
    with crawling(web, nats_servers.url, tmp_path) as crawl:
        _see(crawl)
        _set(crawl)
        _mistype(crawl)
        _stop(crawl)


@pytest.mark.soak
@pytest.mark.needs("postgresql")
def test_an_operator_halts_a_crawl_drains_a_member_and_goes_on_after_a_stop(
    web: list[str], postgres: SharedPostgres, tmp_path: Path
) -> None:
    with crawling(web, postgres.url, tmp_path) as crawl:
        crawl.eventually(lambda one: [m["partitions"] for m in one["members"]] == [4, 4])
        crawl.eventually(lambda one: one["total"]["pages_per_second"] > 0)
        _pause(crawl)
        _drain(crawl)
        _stop(crawl)
        _go_on(crawl)


def _see(crawl: Running) -> None:
    found = crawl.eventually(
        lambda one: [m["partitions"] for m in one["members"]] == [4, 4] and one["total"]["pages"]
    )
    first, second = found["members"]
    assert (first["state"], second["state"]) == ("live", "live")
    directories = {first["directory"], second["directory"]}  # whoever was first
    assert directories == {str(crawl.folder / "m1"), str(crawl.folder / "m2")}
    assert (found["owned"], found["released"], found["orphaned"]) == (8, 0, 0)
    page = lycosa("cluster", "status", crawl.folder / "m1").stdout
    assert f"{crawl.folder / 'm1'}: running, 2 members on 1 machine" in page
    lines = lycosa("cluster", "logs", crawl.place, "--json").stdout.splitlines()
    told = [json.loads(line) for line in lines]
    assert [t["text"] for t in told if t["member"] == 2][:1] == ["joined as life 2"]
    alone = lycosa("cluster", "logs", crawl.place, "--member", "2").stdout
    assert "took 4 partitions" in alone
    assert "life 1" not in alone
    done = lycosa("cluster", "logs", crawl.place, "--member", "77")
    assert done.returncode == 2
    assert "has no member 77; members: 1, 2" in done.stderr


def _set(crawl: Running) -> None:
    told = crawl.told("set", "politeness.delay_seconds", "200ms")
    assert (told["behind"], told["members"]) == ([], 2)
    found = crawl.status()
    assert found["settings"]["values"] == {"politeness.delay_seconds": 0.2}
    assert {one["settings"] for one in found["members"]} == {told["revision"]}
    crawl.told("set", "fetch.bytes_per_second", "20MB", "--no-wait")
    assert crawl.told("set", "politeness.delay_seconds", "--unset")["behind"] == []
    logged = lycosa("cluster", "logs", crawl.place).stdout
    assert f"order {told['revision']}: politeness.delay_seconds = 0.2" in logged


def _mistype(crawl: Running) -> None:
    for words, wrong in (
        (["frontier.partitions", "9"], "cannot be changed while a crawl runs"),
        (["politeness.delay_seconds", "soon"], "delay_seconds"),
        (["limits.pages", "9"], "was begun without this limit"),
        (["limits.seconds", "--unset"], "was not changed; changed keys: fetch.bytes_per_second"),
    ):
        done = lycosa("cluster", "set", crawl.place, *words)
        assert done.returncode == 2
        assert wrong in done.stderr
    for words, wrong in (
        (["drain", crawl.place, "77"], "has no member or machine 77; members: 1 on"),
        (["lift", crawl.place, "5"], "partition 5 is not cordoned; cordoned partitions: none"),
        (["forget", crawl.place, "m7", "--yes"], "this crawl has no machine named m7"),
        (["set", crawl.place, "limits.pages"], "Give a VALUE, or --unset."),
    ):
        done = lycosa("cluster", *words)
        assert done.returncode in (2, 4)
        assert wrong in done.stderr


def _pause(crawl: Running) -> None:
    assert crawl.told("pause")["behind"] == []
    crawl.eventually(lambda one: not one["total"]["in_flight"])
    pages = lycosa("status", crawl.place, "--json").stdout
    found = crawl.status()
    assert found["reasons"][0]["what"] == "the operator has paused the crawl"
    assert (
        json.loads(lycosa("status", crawl.place, "--json").stdout)["pages"]
        == (json.loads(pages)["pages"])
    )
    assert crawl.told("resume")["behind"] == []
    before = found["total"]["pages"]
    crawl.eventually(lambda one: one["total"]["pages"] > before)


def _drain(crawl: Running) -> None:
    assert crawl.told("drain", "2") == {"members": [2], "is_done": True}
    assert crawl.members[1].wait(120) == 0
    assert "Drained: this member has handed everything over" in crawl.said(2)
    found = crawl.eventually(lambda one: one["owned"] == 8)
    assert [one["number"] for one in found["members"]] == [1]
    assert [one["state"] for one in found["gone"]] == ["left"]
    done = lycosa("cluster", "drain", crawl.place, "2")
    assert "2 is gone: it has left" in done.stderr


def _stop(crawl: Running) -> None:
    told = crawl.told("stop")
    assert told == {"has_stopped": True, "members_left": []}
    assert [one.wait(120) for one in crawl.members] == [0] * len(crawl.members)
    assert "Stopped on all machines" in crawl.said(1)
    assert crawl.status()["ended"] == "stopped"


def _go_on(crawl: Running) -> None:
    assert crawl.told("stop")["has_stopped"] is False
    crawl.members.append(start(crawl.folder, 2, "join", crawl.place))
    found = crawl.eventually(lambda one: one["members"] and one["owned"] == 8)
    assert (found["run"], found["ended"]) == (2, "")
    crawl.told("stop")
    assert crawl.members[2].wait(120) == 0


@pytest.mark.soak
@pytest.mark.needs("postgresql")
def test_several_members_of_a_machine_have_one_supervisor(
    web: list[str], postgres: SharedPostgres, tmp_path: Path
) -> None:
    path = tmp_path / "m9"
    with crawling(web, postgres.url, tmp_path) as crawl:
        crew = start(tmp_path, 9, "join", crawl.place, "--workers", "2")
        crawl.members.append(crew)
        found = crawl.eventually(lambda one: [m["partitions"] for m in one["members"]] == [2] * 4)
        folders = {str(path / "1"), str(path / "2")}
        assert folders < {one["directory"] for one in found["members"]}
        first = CrawlDirectory(path / "1").holder()
        assert first is not None
        os.kill(first.pid, signal.SIGKILL)
        numbers = {one["number"] for one in found["members"]}
        crawl.eventually(
            lambda one: (
                {m["directory"] for m in one["members"] if m["number"] not in numbers}
                == {str(path / "1")}
            )
        )
        assert "member 1 was killed by SIGKILL; restarting in 1 s" in crawl.said(9)
        crew.send_signal(signal.SIGINT)
        assert crew.wait(120) == 130
        assert "continue: lycosa join" in crawl.said(9)
        crawl.eventually(lambda one: len(one["members"]) == 2)
        done = lycosa("resume", path)
        assert done.returncode == 2
        assert "holds the directories of several members" in done.stderr

        crew = start(tmp_path, 9, "join", crawl.place)  # as many as before
        crawl.members.append(crew)
        crawl.eventually(lambda one: len(one["members"]) == 4)
        holders = [CrawlDirectory(path / name).holder() for name in "12"]
        crew.kill()
        for holder in holders:
            assert holder is not None
            process = Path(f"/proc/{holder.pid}")
            eventually(partial(_is_missing, process), 60)


@pytest.mark.soak
@pytest.mark.needs("postgresql")
def test_a_machine_that_will_not_come_back_is_given_up(
    web: list[str], postgres: SharedPostgres, tmp_path: Path
) -> None:
    (tmp_path / "store").mkdir()
    store = ["--store", (tmp_path / "store").as_uri()]
    with crawling(web, postgres.url, tmp_path, *store) as crawl:
        crawl.eventually(lambda one: [m["partitions"] for m in one["members"]] == [4, 4])
        crawl.eventually(lambda one: min(m["pages"] for m in one["members"]) > 1)
        crawl.members[1].kill()
        done = lycosa("cluster", "forget", crawl.place, "nothing", "--yes")
        assert done.returncode == 4
        assert "this crawl has no machine named nothing" in done.stderr
        done = lycosa("cluster", "forget", crawl.place, "1", "--yes")
        assert "the machine is alive" in done.stderr
        found = crawl.told("forget", "2", "--yes")
        assert found["directories"] == [2]
        assert found["kept"] <= found["pages"]
        crawl.eventually(lambda one: one["owned"] == 8)
        crawl.told("stop")
    done = lycosa("resume", tmp_path / "m2", "--quiet")
    assert done.returncode != 0
    assert "given up" in done.stderr


def _is_missing(path: Path) -> bool:
    return not path.exists()


def test_a_member_that_another_start_cannot_mend_is_not_started_again(tmp_path: Path) -> None:
    job = named_anew(Job.of(["http://a.test/"], log={"server": "nats://127.0.0.1:1"}))
    directories = [CrawlDirectory.create(tmp_path / name, job) for name in "12"]
    with pytest.raises(ConfigError, match="site owners must be able to reach you"):
        run_crew(directories, Listener())


def test_members_of_a_machine_share_its_connections_and_bandwidth() -> None:
    job = Job.of(fetch={"connections": 9, "bytes_per_second": 1_000})
    assert (shared(job, 4).fetch.connections, shared(job, 4).fetch.bytes_per_second) == (2, 250)
    assert shared(Job(), 500).fetch.connections == 1
    assert shared(Job(), 2).fetch.bytes_per_second == 0


def test_a_crawl_of_one_machine_is_no_cluster(web: list[str], tmp_path: Path) -> None:
    path = tmp_path / "crawl"
    flags = ["--max-pages", "1", "--workers", "1", "--quiet"]
    assert lycosa("crawl", *web, "-o", path, *flags).returncode == 0
    for command, told in (("status", f"lycosa status {path}"), ("logs", f"{path}/lycosa.log")):
        done = lycosa("cluster", command, path)
        assert done.returncode == 2
        assert told in done.stderr
