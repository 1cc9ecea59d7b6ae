"""A sealed segment says how far the log was: a log that ends earlier has lost its end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from damage import complaints, damage_web, job_of
from lycosa.errors import LogGoneBack
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl
from lycosa.runtime.recovery.behind import behind
from lycosa.runtime.recovery.catching_up import caught_up
from lycosa.storage.archive.layout import Name
from lycosa.storage.log.memory import MemoryLog
from lycosa_testweb.servers.server import SocketWeb
from warm import lycosa


@pytest.fixture(scope="module")
def server() -> Iterator[SocketWeb]:
    with damage_web() as served:
        yield served


def test_a_log_in_a_server_is_left_as_it_is(server: SocketWeb, tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    directory = CrawlDirectory.create(folder, job_of(server, 15))
    run_crawl(directory)
    job = directory.whole_job()
    job = replace(job, log=replace(job.log, server="postgresql://db/crawl"))
    log = MemoryLog(job.frontier.partitions)
    with pytest.raises(LogGoneBack, match=r"postgresql://db/crawl: the log has gone back") as said:
        caught_up(directory, job, log, print)
    assert "segment 1 was written" in str(said.value)
    assert "lycosa cluster restored LOG" in str(said.value)


def test_a_segment_of_before_says_nothing_of_the_log(server: SocketWeb, tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    run_crawl(CrawlDirectory.create(folder, job_of(server, 15)))
    (digests,) = (folder / "digests").glob("*.sha256")
    assert "\n# log " in digests.read_text()
    log = MemoryLog(4)
    assert set(behind(folder, log)) == {Name(1, 0)}
    digests.unlink()
    assert behind(folder, log) == {}
    done = lycosa("resume", folder, "--quiet", "--max-pages", "100")
    assert done.returncode == 0, done.stderr
    assert complaints(folder) == []
