"""Crawls with several worker processes over sockets, judged by the referee."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.reader import table
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.servers.server import SocketWeb
from socket_crawls import (
    RULES_LATER,
    job_of,
    said,
    socket_rules,
)

FORGETTABLE_SECONDS = 2.0
"""How long the commit of a demand may take on a machine that runs other tests, too."""


def start(directory: CrawlDirectory, *more: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "lycosa", "resume", str(directory.path), "--quiet", *more]
    with said(directory).open("wb") as file:
        return subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)


def eventually(is_so: Callable[[], object], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.02)


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] == b"Z"
    except OSError:
        return True


def worker_pids(directory: CrawlDirectory) -> list[int]:
    holder = directory.holder()
    return [pid for pid in holder.workers if not is_gone(pid)] if holder else []


def kept_urls(directory: CrawlDirectory) -> Counter[str]:
    pages = table(directory.path, "pages", ["url", "outcome"]).to_pylist()
    return Counter(row["url"] for row in pages if row["outcome"] == "kept")


class Judged:
    """A web with a referee, and a crawl of it that tests disturb."""

    def __init__(self, web: GeneratedWeb, folder: Path, change: Callable[[Job], Job]) -> None:
        self.web = web
        self.referee = Referee(RULES_LATER, web)
        self.server = SocketWeb(web, referee=self.referee)
        self._folder = folder
        self._change = change

    def __enter__(self) -> Judged:
        self.server.__enter__()
        job = self._change(job_of(self.web, self.server))
        self.referee.rules = socket_rules(job)
        self.forget_within(FORGETTABLE_SECONDS)
        self.directory = CrawlDirectory.create(self._folder / "crawl", job)
        return self

    def __exit__(self, *_: object) -> None:
        self.server.settle()
        self.server.__exit__(None, None, None)

    def forget_within(self, seconds: float) -> None:
        """Say for how long a worker that is killed may not know what was demanded of it."""
        self.referee.rules = replace(self.referee.rules, demand_window_seconds=seconds)

    def wait_for_requests(self, count: int) -> None:
        """Wait until the crawl has asked for so many things more."""
        wanted = self.server.requests + count
        eventually(lambda: self.server.requests >= wanted)

    def kill_worker(self, chance: random.Random) -> None:
        eventually(lambda: bool(worker_pids(self.directory)))
        victim = chance.choice(worker_pids(self.directory))
        began = time.monotonic()
        os.kill(victim, signal.SIGKILL)
        eventually(lambda: is_gone(victim))
        with self._forgiving(began):
            self.server.worker_killed()

    def kill_all(self, process: subprocess.Popen[bytes]) -> None:
        """Kill the supervisor alone; its workers must end by that."""
        pids = worker_pids(self.directory)
        began = time.monotonic()
        process.kill()
        process.wait()
        eventually(lambda: all(map(is_gone, pids)), 10.0)
        with self._forgiving(began):
            self.server.client_killed()

    @contextmanager
    def _forgiving(self, killed_at: float) -> Iterator[None]:
        """Count what was forgotten from the kill on, not from when its end was seen."""
        rules = self.referee.rules
        late = time.monotonic() - killed_at
        window = rules.demand_window_seconds + late
        self.referee.rules = replace(rules, demand_window_seconds=window)
        yield
        self.referee.rules = rules


def unchanged(job: Job) -> Job:
    return job
