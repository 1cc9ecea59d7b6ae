"""A machine is lost for good while two crawl: the other one fetches again what was not uploaded.

What was uploaded is read from the store, by commands that are typed where its files are not.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from integration.cluster_starts import start
from lycosa.model.job import Job
from lycosa.model.records import Outcome
from lycosa.model.url import url_of
from lycosa.runtime.coordination.keys import MEMBERS
from lycosa.runtime.coordination.opening import open_board
from lycosa.runtime.coordination.protocol import Board
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.membership.graves import bury
from lycosa.runtime.membership.record import unpack
from lycosa.runtime.recovery.lost_machines import Forgotten, forget_machine
from lycosa.runtime.shared_log.joining import crawls_in
from lycosa.storage.archive.layout import MOST_IN_DIRECTORY
from lycosa.storage.objects.manifests import MANIFESTS, read_manifest
from lycosa.storage.objects.opening import open_objects
from servers.fixtures import SharedPostgres
from tree_web import tree_web
from warm import lycosa
from worker_crawls import eventually

HOSTS, PAGES = 6, 121


@pytest.fixture
def web(tmp_path: Path) -> Iterator[list[str]]:
    with tree_web(tmp_path / "web", 5, 3, HOSTS) as (hosts_file, seeds):
        hosts = f"fetch.hosts_file={hosts_file}"
        settings = (hosts, "store.seal_seconds=1", "frontier.partitions=8")
        flags = [word for setting in settings for word in ("--set", setting)]
        yield [*seeds, "--allow-private", "--delay", "1s", "--ip-delay", "1ms", *flags]


def forget_second(job: Job, directory: CrawlDirectory) -> Forgotten:
    with (
        closing(open_board(job.log.server, job.log.name)) as board,
        closing(directory.log(job)) as log,
        closing(open_objects(job.store.place, job.log.name)) as objects,
    ):
        for life in lives_of(board, 2):  # the process is dead: nobody need find it silent first
            assert bury(board, life, 0)
        return forget_machine(log, board, objects, 2)


def lives_of(board: Board, directory: int) -> list[int]:
    members = [unpack(entry.value) for entry in (board.list(MEMBERS) or {}).values()]
    return [one.number for one in members if one.directory_number == directory]


def uploaded(job: Job, directory: int) -> list[int]:
    with closing(open_objects(job.store.place, job.log.name)) as objects:
        found = [int(one.key[len(MANIFESTS) : -5]) for one in objects.list(MANIFESTS)]
    return [segment for segment in found if segment // MOST_IN_DIRECTORY == directory]


@pytest.mark.soak
@pytest.mark.needs("postgresql")
def test_a_machine_that_is_lost_is_given_up(
    web: list[str], postgres: SharedPostgres, tmp_path: Path
) -> None:
    (tmp_path / "store").mkdir()
    store = ("--store", f"file://{tmp_path}/store")
    members = [start(tmp_path, 1, "crawl", *web, *store, "--log", postgres.url)]
    try:
        directory = CrawlDirectory(tmp_path / "m1")
        eventually((tmp_path / "m1" / "lock").exists, 60)
        job = directory.job()
        place = f"{postgres.url}#{job.log.name}"
        eventually(lambda: job.log.name in {one.name for one in crawls_in(postgres.url)}, 60)
        members.append(start(tmp_path, 2, "join", place))
        eventually(lambda: len(uploaded(job, 2)) > 1, 240)
        os.kill(members[1].pid, signal.SIGKILL)
        members[1].wait()
        gone = tmp_path / "gone"
        (tmp_path / "m2").rename(gone)
        found = forget_second(job, directory)
        assert found.directories == (2,)
        assert set(found.segments_safe) <= set(uploaded(job, 2)) - set(found.segments_lost)
        assert members[0].wait(300) == 0, (tmp_path / "m1.said").read_text()
    finally:
        for process in members:
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
            process.wait()
    check_everything_is_kept(directory, job, found)
    check_commands(tmp_path / "m1")
    gone.rename(tmp_path / "m2")
    done = lycosa("resume", tmp_path / "m2")
    assert done.returncode == 4
    assert "was given up" in done.stderr
    assert f"lycosa join {postgres.url} {job.log.name} -o NEW" in done.stderr


def check_everything_is_kept(directory: CrawlDirectory, job: Job, found: Forgotten) -> None:
    """Every page is kept once; those that the other machine had uploaded are read from there."""
    states = directory.states(job)
    assert sum(state.kept_pages for state in states.values()) == HOSTS * PAGES
    assert {state.losses for state in states.values()} == {1}
    others: list[str] = []
    for state in states.values():
        for page in range(len(state.table)):
            place = state.place_of(page)
            assert place is not None and place.segment not in found.segments_lost
            is_other = place.segment // MOST_IN_DIRECTORY == 2
            if state.outcome_of(page) is Outcome.KEPT and is_other:
                others.append(url_of(state.table.key(page)))
    assert others
    done = lycosa("cat", directory.path, others[0])
    assert done.returncode == 0, done.stderr
    assert "<a href" in done.stdout.lower()
    assert lycosa("cat", directory.path, others[0], "--text").stdout.strip()
    with closing(open_objects(job.store.place, job.log.name)) as objects:
        for segment in found.segments_lost:
            manifest = read_manifest(objects, segment)
            assert manifest is not None and manifest.lost


def check_commands(path: Path) -> None:
    done = lycosa("verify", path)
    assert done.returncode == 0, done.stdout
    done = lycosa("audit", path, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout)
    assert told["requests"] >= HOSTS * (PAGES + 1)
    assert (told["links_owed"], told["links_given_up"]) == (0, 0)
