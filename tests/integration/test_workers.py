"""Several workers under a supervisor, over real sockets: killed, stopped, replaced, resumed."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lycosa.crawl.scope import JobScope
from lycosa.crawl.status.progress import Listener
from lycosa.features.plugins.loader import load_hooks
from lycosa.features.plugins.scheduling import partitioner_of
from lycosa.model.job import Job
from lycosa.operate.inspect.audit import audit
from lycosa.runtime.directory import CrawlDirectory, OpenCrawl
from lycosa.runtime.processes.assignments import assignments_of
from lycosa.runtime.processes.main_loop import MainLoop
from lycosa.runtime.processes.signals import Stop
from lycosa.runtime.seeds import Planter
from lycosa.runtime.workers.child import Child
from lycosa.runtime.workers.protocol import Committed, Reply
from lycosa.runtime.workers.supervisor import Supervisor
from lycosa.simulation.referee_rules import referee_rules
from lycosa_testweb.generated.plan import Mixture
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.sections import Tree
from lycosa_testweb.servers.server import SocketWeb
from seeds import few_of
from socket_crawls import (
    DEPTH,
    RULES_LATER,
    check,
    finish,
    job_of,
    web_of,
)
from worker_crawls import (
    FORGETTABLE_SECONDS,
    Judged,
    eventually,
    is_gone,
    kept_urls,
    start,
    unchanged,
    worker_pids,
)


def open_files(pid: int) -> list[str]:
    """Return what a process has open; what it closes meanwhile is not among it."""
    found = []
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            found.append(str(entry.readlink()))
    return found


def messages(directory: CrawlDirectory) -> str:
    return directory.messages.read_text()


def crawl_through_kills(
    hosts: int, addresses: int, rounds: list[tuple[int, int]], folder: Path
) -> None:
    """Crawl with so many workers and kills of workers each; between two rounds kill all."""
    chance = random.Random(hosts)

    def often(job: Job) -> Job:
        """Kills are to fall into sealing, too."""
        return replace(job, log=replace(job.log, segment_bytes=100_000, seal_seconds=3.0))

    with Judged(web_of(hosts, addresses), folder, often) as judged:
        directory = judged.directory
        total = 0
        for number, (workers, kills) in enumerate(rounds):
            process = start(directory, "--workers", str(workers))
            eventually(lambda n=workers: len(worker_pids(directory)) == n)  # type: ignore[misc]
            for _ in range(kills):
                judged.wait_for_requests(chance.randint(hosts // 4, hosts))
                judged.kill_worker(chance)
                total += 1
            if number < len(rounds) - 1:
                judged.wait_for_requests(chance.randint(hosts // 4, hosts))
                assert process.poll() is None
                judged.kill_all(process)
                total += 1
        finish(process, directory)
    # A kill forgets one request a host at most: no host is asked again before the commit.
    check(judged.web, directory, judged.referee, total * hosts)
    assert list(directory.path.glob("*/*.arrows")) == []
    assert "is replaced" in messages(directory)


@pytest.mark.parametrize(
    ("hosts", "addresses", "rounds"),
    few_of(
        [
            (20, 10, [(3, 1), (2, 1)]),
            (40, 10, [(4, 2), (2, 1), (3, 1)]),
            (200, 20, [(4, 4), (2, 3), (5, 4), (3, 3), (4, 2)]),
        ],
        1,
    ),
)
def test_workers_and_their_supervisor_are_killed_and_every_page_is_there_once(
    hosts: int, addresses: int, rounds: list[tuple[int, int]], tmp_path: Path
) -> None:
    crawl_through_kills(hosts, addresses, rounds, tmp_path)


def test_a_limit_of_pages_is_exact_whoever_dies(tmp_path: Path) -> None:
    def limited(job: Job) -> Job:
        return replace(job, limits=replace(job.limits, pages=97))

    chance = random.Random(5)
    with Judged(web_of(30, 10), tmp_path, limited) as judged:
        directory = judged.directory
        process = start(directory, "--workers", "3")
        eventually(lambda: len(worker_pids(directory)) == 3)
        for _ in range(3):
            judged.wait_for_requests(chance.randint(15, 30))
            judged.kill_worker(chance)
        assert process.poll() is None
        assert "Ended by the limit of 97 pages" in finish(process, directory)
    assert judged.referee.breaches == []
    states = directory.states(directory.job()).values()
    assert sum(state.kept_pages for state in states) == 97
    kept = kept_urls(directory)
    assert (len(kept), sum(kept.values())) == (97, 97)
    assert audit(directory).breaches == []


def test_a_worker_that_hangs_is_noticed_and_replaced(tmp_path: Path) -> None:
    def impatient(job: Job) -> Job:
        return replace(job, crawl=replace(job.crawl, silent_seconds=4.0))

    with Judged(web_of(16, 8), tmp_path, impatient) as judged:
        directory = judged.directory
        process = start(directory, "--workers", "2")
        # It has begun to work when it has asked for something.
        eventually(lambda: judged.server.requests > 10)
        # Whatever reaches it from now on until it is killed is lost with it.
        judged.forget_within(30.0)
        victim = worker_pids(directory)[0]
        os.kill(victim, signal.SIGSTOP)
        eventually(lambda: is_gone(victim))
        judged.server.worker_killed()
        judged.forget_within(FORGETTABLE_SECONDS)
        finish(process, directory)
    assert "has been silent for" in messages(directory)
    assert [str(breach) for breach in judged.referee.breaches] == []
    seeds = [judged.web.home(number) for number in range(16)]
    assert set(kept_urls(directory)) == judged.web.pages_within(seeds, DEPTH)
    assert max(kept_urls(directory).values()) == 1


def test_a_worker_that_cannot_live_ends_the_crawl_with_its_last_words(tmp_path: Path) -> None:
    with Judged(web_of(4, 4), tmp_path, unchanged) as judged:
        command = [sys.executable, "-m", "lycosa", "resume", str(judged.directory.path)]
        ended = subprocess.run(
            [*command, "--quiet", "--workers", "2"],
            env={**os.environ, "LYCOSA_KILL_AT": "take.after:3"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert ended.returncode == 1
    assert "died 4 times in a row" in ended.stderr and "killed by SIGKILL" in ended.stderr


class KilledAtFirstCommit(Supervisor):
    """Kills each of its processes as soon as that tells of a commit; notes what follows."""

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self.pauses: list[float | None] = []

    def told(self, child: Child[Reply], message: Reply) -> None:
        super().told(child, message)
        if isinstance(message, Committed):
            child.signal()

    def buried(self, child: Child[Reply], how: str, *, by_page: bool) -> float | None:
        self.pauses.append(super().buried(child, how, by_page=by_page))
        if len(self.pauses) == 4:
            self._loop.stop()
        return self.pauses[-1]


def test_a_worker_that_dies_after_its_first_commit_is_replaced_at_once(tmp_path: Path) -> None:
    with Judged(web_of(4, 4), tmp_path, unchanged) as judged:
        directory, job = judged.directory, judged.directory.job()
        assignments = assignments_of(job, 2)
        with directory.locked() as lock, closing(directory.log(job)) as log:
            hooks = load_hooks(job)
            scope, partitioner = JobScope(job, log, hooks=hooks), partitioner_of(job, hooks)
            Planter(scope, partitioner, log).plant(job.seeds, time.time())
            crawl = OpenCrawl(directory, job, log, hooks)
            with (
                MainLoop(assignments[0].clock_offset) as main,
                closing(KilledAtFirstCommit(main, crawl, assignments, lock, Listener())) as killed,
            ):
                killed.run(Stop(), lambda progress: None)
    assert killed.pauses == [0.0] * 4


def test_two_crawls_at_once_ask_one_address_in_turn(tmp_path: Path) -> None:
    """Two users' crawls know nothing of each other; the address has one request at a time."""
    web = GeneratedWeb(4, Mixture(12, 1, sections=(((Tree(2, 2),), 1.0),)))
    referee = Referee(RULES_LATER, web)
    with SocketWeb(web, referee=referee) as server:
        whole = job_of(web, server)
        whole = replace(whole, politeness=replace(whole.politeness, ip_delay_seconds=0.05))
        referee.rules = replace(referee_rules(whole, 0.1), tolerance_seconds=0.03)
        crawls: list[tuple[subprocess.Popen[bytes], CrawlDirectory]] = []
        for name, seeds in (("a", whole.seeds[:6]), ("b", whole.seeds[6:])):
            rules: tuple[dict[str, object], ...] = tuple(
                {"action": "accept", "host": seed.split("/")[2].partition(":")[0]} for seed in seeds
            )
            job = replace(whole, seeds=seeds, rules=rules)
            directory = CrawlDirectory.create(tmp_path / name, job)
            crawls.append((start(directory, "--workers", "2"), directory))
        for process, directory in crawls:
            finish(process, directory)
        server.settle()
    assert [str(breach) for breach in referee.breaches] == []
    kept = [set(kept_urls(directory)) for _, directory in crawls]
    assert kept[0] and kept[1] and not kept[0] & kept[1]
    assert kept[0] | kept[1] == web.pages_within(list(whole.seeds), DEPTH)


@pytest.mark.parametrize("workers", few_of([2, 1], 1))
def test_segments_are_sealed_while_the_crawl_runs(workers: int, tmp_path: Path) -> None:
    def often(job: Job) -> Job:
        return replace(job, log=replace(job.log, segment_bytes=60_000, seal_seconds=2.0))

    with Judged(web_of(20, 10), tmp_path, often) as judged:
        directory = judged.directory
        process = start(directory, "--workers", str(workers))

        def sealed() -> int:
            return len(list(directory.path.glob("pages/*.parquet")))

        eventually(lambda: sealed() >= 3)
        assert process.poll() is None
        holder = directory.holder()
        assert holder is not None
        for pid in [holder.holds, *worker_pids(directory)]:
            files = open_files(pid)
            assert sum(file.endswith((".arrows", ".warc.gz")) for file in files) <= 20
            loaded = Path(f"/proc/{pid}/maps").read_text()  # numpy has no use without plugins
            assert "/pyarrow/" in loaded and "/numpy/" not in loaded
        status = json.loads(
            subprocess.run(
                [sys.executable, "-m", "lycosa", "status", str(directory.path), "--json"],
                capture_output=True,
                check=True,
            ).stdout
        )
        assert len(status["worker_pids"]) == (0 if workers == 1 else workers)
        finish(process, directory)
    check(judged.web, directory, judged.referee, 0)
    assert list(directory.path.glob("*/*.arrows")) == []
