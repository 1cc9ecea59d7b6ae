"""Who holds a crawl, and what becomes of it when that one dies."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lycosa.errors import LogError
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.lock import Holder

ORPHAN = "import sys; print('here', flush=True); sys.stdin.read()"


@pytest.fixture
def directory(tmp_path: Path) -> CrawlDirectory:
    return CrawlDirectory.create(tmp_path / "crawl", Job())


def test_the_holder_is_told_with_its_workers(directory: CrawlDirectory) -> None:
    assert directory.holder() is None
    with directory.locked() as lock:
        assert directory.holder() == Holder(os.getpid(), [])
        lock.write(os.getpid(), [11, 12])
        assert directory.holder() == Holder(os.getpid(), [11, 12])
    assert directory.holder() is None


def test_a_crawl_that_runs_turns_others_away(directory: CrawlDirectory) -> None:
    waits: list[str] = []
    with (
        directory.locked(),
        pytest.raises(LogError, match=f"kill -INT {os.getpid()}"),
        directory.locked(waits.append),
    ):
        pass
    assert waits == []


def test_the_workers_of_a_killed_process_are_waited_for(directory: CrawlDirectory) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    with directory.locked() as lock:
        orphan = subprocess.Popen(
            [sys.executable, "-c", ORPHAN],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=[lock.descriptor],
        )
        assert orphan.stdout is not None and orphan.stdout.readline() == b"here\n"
        lock.write(ended.pid, [orphan.pid])
    waits: list[str] = []
    began = time.monotonic()

    def waiting(why: str) -> None:
        waits.append(why)
        orphan.communicate()  # its input ends, and so does it

    with directory.locked(waiting):
        assert orphan.poll() is not None
    assert time.monotonic() - began < 60
    assert [f"pid {ended.pid}" in why for why in waits] == [True]
