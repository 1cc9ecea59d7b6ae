"""Pages that kill their readers: the crawl goes on, and what they did not kill is kept."""

from __future__ import annotations

import dataclasses
import re
import subprocess
from pathlib import Path

import pyarrow as pa
import pytest

from integration.bomb_crawl import BombWeb, begin, check, crawl, job_of, wait_for_crawl
from lycosa.crawl.suspects.marks import COUNT, Mark
from lycosa.runtime.directory import CrawlDirectory, named_anew
from lycosa.storage.archive.reader import table
from lycosa_testweb.servers.server import SocketWeb
from servers.fixtures import SharedPostgres

SAID = {
    "pages": ["url", "outcome", "title", "charset", "language", "fingerprint", "digest", "unread"],
    "links": ["source_url", "target_url", "kind", "reason", "position", "rel", "text", "times"],
    "text": ["url", "text", "title", "language"],
}
"""Columns that do not depend on when a page was fetched."""


def said_by(path: Path) -> dict[str, object]:
    """Return what a crawl has read, without the labels that the moment of a fetch makes."""
    found: dict[str, object] = {
        kind: sorted(table(path, kind, columns).to_pylist(), key=repr)
        for kind, columns in SAID.items()
    }
    found["triples"] = sorted(re.sub(r"_:f[0-9a-f]+", "_:f", line) for line in lines_of(path))
    return found


def lines_of(path: Path) -> list[str]:
    files = sorted((path / "triples").glob("*.nq.zst"))
    lines = [line for file in files for line in decompressed(file).splitlines()]
    return [line for line in lines if not line.startswith("#")]


def decompressed(file: Path) -> str:
    with pa.input_stream(str(file), compression="zstd") as stream:
        content: bytes = stream.read()
    return content.decode()


def test_pages_read_apart_have_the_rows_that_the_worker_gives_them(tmp_path: Path) -> None:
    """The second crawl finds the file of a process that died, so it reads everything apart."""
    web = BombWeb(3, 30, 8)
    directories = []
    with SocketWeb(web) as server:
        for name in ("here", "apart"):
            directory = CrawlDirectory.create(tmp_path / name, job_of(web, server))
            directories.append(directory)
            if name == "apart":
                directory.log_folder.mkdir()
                mark = Mark(str(directory.log_folder), 0, 0.0, 0)
                mark.words[COUNT] = 1
                mark.close()
            crawl(directory, is_armed=False)
    here, apart = (said_by(directory.path) for directory in directories)
    assert here == apart
    assert here["triples"]
    states = directories[1].states(directories[1].job()).values()
    assert all(state.suspects.until for state in states)
    assert "died; it was not reading a page" in directories[1].messages.read_text()


def test_one_worker_survives_pages_that_kill_their_readers(tmp_path: Path) -> None:
    web = BombWeb(4, 60, 10)
    with SocketWeb(web) as server:
        directory = CrawlDirectory.create(tmp_path / "crawl", job_of(web, server))
        crawl(directory)
    check(web, [directory.path])


def test_two_workers_survive_pages_that_kill_their_readers(tmp_path: Path) -> None:
    web = BombWeb(6, 60, 10)
    with SocketWeb(web) as server:
        directory = CrawlDirectory.create(tmp_path / "crawl", job_of(web, server, workers=2))
        crawl(directory)
    check(web, [directory.path])


def crawl_by_members(
    web: BombWeb, postgres: SharedPostgres, folder: Path, seconds: float = 2.0
) -> None:
    """Crawl with three members, each of them a command of its own; judge what they kept."""
    with SocketWeb(web) as server:
        job = job_of(web, server, seconds=seconds)
        log = dataclasses.replace(job.log, server=postgres.url)
        frontier = dataclasses.replace(job.frontier, partitions=12)
        job = named_anew(dataclasses.replace(job, log=log, frontier=frontier))
        first = CrawlDirectory.create(folder / "m0", job)
        paths = [first.path, folder / "m1", folder / "m2"]
        join = ["join", postgres.url, job.log.name, "-o"]
        commands = [["resume", str(first.path)], *([*join, str(path)] for path in paths[1:])]
        members: list[subprocess.Popen[bytes]] = []
        for words in commands:
            members.append(begin(words, folder / "said"))
            if len(members) == 1:
                wait_for_crawl(first, members[0])
        assert [one.wait(600) for one in members] == [0, 0, 0], (folder / "said").read_text()
    check(web, paths)


@pytest.mark.needs("postgresql")
def test_three_members_survive_pages_that_kill_their_readers(
    postgres: SharedPostgres, tmp_path: Path
) -> None:
    crawl_by_members(BombWeb(9, 60, 9), postgres, tmp_path)


@pytest.mark.soak
@pytest.mark.needs("postgresql")
def test_three_members_survive_a_hundred_bombs_among_a_thousand_good_pages(
    postgres: SharedPostgres, tmp_path: Path
) -> None:
    crawl_by_members(BombWeb(20, 1_100, 100), postgres, tmp_path, seconds=5.0)


@pytest.mark.soak
@pytest.mark.parametrize("workers", [1, 2])
def test_a_hundred_bombs_among_a_thousand_good_pages(workers: int, tmp_path: Path) -> None:
    web = BombWeb(20, 1_100, 100)
    with SocketWeb(web) as server:
        job = job_of(web, server, workers=workers, seconds=5.0)
        directory = CrawlDirectory.create(tmp_path / "crawl", job)
        crawl(directory)
    check(web, [directory.path])
    deaths = directory.messages.read_text().count("of this crawl died")
    print(f"{workers} workers: {deaths} deaths, {sum(web.asked.values())} requests")
    assert 1 <= deaths <= 10
