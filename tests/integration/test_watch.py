"""The process that watches a crawl: stops, signals, and what dies with what."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from integration.bomb_crawl import BombWeb, check, crawl, environment, job_of
from lycosa.crawl.suspects import marks
from lycosa.runtime.directory import CrawlDirectory
from lycosa_testweb.servers.server import SocketWeb
from worker_crawls import eventually, is_gone


class OneBomb(BombWeb):
    """A web whose only bomb makes its reader loop."""

    def __init__(self) -> None:
        super().__init__(4, 40, 1)
        (self.bomb,) = self.bombs
        self.bombs[self.bomb] = ("json-ld", "loop")


def begin(directory: CrawlDirectory, *, is_armed: bool) -> subprocess.Popen[bytes]:
    """Start a crawl in a process group of its own, as a shell does."""
    command = [sys.executable, "-m", "lycosa", "resume", str(directory.path), "--quiet"]
    env = environment(is_armed=is_armed)
    with directory.path.with_suffix(".said").open("wb") as file:
        return subprocess.Popen(
            command, stdout=file, stderr=subprocess.STDOUT, env=env, start_new_session=True
        )


def said(directory: CrawlDirectory) -> str:
    return directory.path.with_suffix(".said").read_text()


def is_stuck(directory: CrawlDirectory) -> Callable[[], bool]:
    """Return what tells whether a process has been reading the same page at two looks."""
    seen: dict[str, int] = {}

    def look() -> bool:
        time.sleep(0.3)
        for path in marks.files(str(directory.log_folder)):
            words = marks.read(path)
            if words is not None and words.is_reading and seen.get(path) == words.count:
                return True
            seen[path] = words.count if words is not None else 0
        return False

    return look


@pytest.mark.parametrize("workers", [1, 2])
def test_a_reader_that_is_still_busy_after_a_stop_is_killed(workers: int, tmp_path: Path) -> None:
    web = OneBomb()
    with SocketWeb(web) as server:
        job = job_of(web, server, workers, seconds=0.0)
        directory = CrawlDirectory.create(tmp_path / "crawl", job)
        process = begin(directory, is_armed=True)
        eventually(is_stuck(directory))
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130, said(directory)
        assert web.asked[web.bomb] == 1
        job = job_of(web, server, workers, seconds=2.0)
        directory.write_job(job)
        directory.accept_here()
        crawl(directory)
    check(web, [directory.path])


def test_the_second_request_ends_a_busy_reader_at_once(tmp_path: Path) -> None:
    web = OneBomb()
    with SocketWeb(web) as server:
        job = job_of(web, server, 1, seconds=0.0, stop_seconds=3600.0)
        directory = CrawlDirectory.create(tmp_path / "crawl", job)
        process = begin(directory, is_armed=True)
        eventually(is_stuck(directory))
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 130, said(directory)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("to_all", [False, True], ids=["one", "group"])
def test_a_signal_is_one_request_whether_one_process_gets_it_or_all(
    number: signal.Signals, to_all: bool, tmp_path: Path
) -> None:
    web = BombWeb(1, 400, 0)
    with SocketWeb(web) as server:
        directory = CrawlDirectory.create(tmp_path / "crawl", job_of(web, server))
        process = begin(directory, is_armed=False)
        eventually(lambda: server.requests > 20)
        if to_all:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        assert process.wait(60) == 130
        text = said(directory)
        assert "stopped at once" not in text
        assert "ended: stopped" in directory.messages.read_text()


def test_the_crawl_dies_with_its_watcher_and_goes_on_at_once(tmp_path: Path) -> None:
    web = BombWeb(2, 100, 0)
    with SocketWeb(web) as server:
        directory = CrawlDirectory.create(tmp_path / "crawl", job_of(web, server))
        process = begin(directory, is_armed=False)
        eventually(lambda: server.requests > 20)
        holder = directory.holder()
        assert holder is not None
        assert holder.pid == process.pid
        process.kill()
        assert process.wait(60) == -signal.SIGKILL
        crawl(directory, is_armed=False)
        assert is_gone(holder.holds)
    check(web, [directory.path])


def test_the_watcher_ends_with_the_code_of_the_crawl(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "lycosa", "resume", str(tmp_path / "none")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "there is no crawl here" in done.stderr


def test_a_crawl_that_is_killed_apart_from_its_watcher_goes_on(tmp_path: Path) -> None:
    web = BombWeb(2, 100, 0)
    with SocketWeb(web) as server:
        directory = CrawlDirectory.create(tmp_path / "crawl", job_of(web, server))
        process = begin(directory, is_armed=False)
        eventually(lambda: server.requests > 20)
        holder = directory.holder()
        assert holder is not None
        os.kill(holder.holds, signal.SIGKILL)
        assert process.wait(120) == 0, said(directory)
    assert "it goes on in another one" in said(directory)
    check(web, [directory.path])
