"""The whole spider over real sockets: killed by SIGKILL, judged from the server's side.

The test web serves in this process; the crawler is another process, run by its command.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.reader import table
from lycosa.storage.log.format import decode_events
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.webs.graph import GraphWeb
from seeds import few_of
from socket_crawls import (
    COMMIT_TAKES_SECONDS,
    DEPTH,
    RULES_LATER,
    check,
    finish,
    job_of,
    job_of_any,
    socket_rules,
    start,
    web_of,
)


def crawl_through_kills(
    hosts: int, addresses: int, kills: int, folder: Path
) -> tuple[GeneratedWeb, CrawlDirectory, Referee, int]:
    """Crawl to the end, killing the process after random numbers of requests on the way.

    Returns also how many requests the killed ones may have forgotten: of each host that was asked
    since the start, the last.
    """
    web = web_of(hosts, addresses)
    chance = random.Random(hosts)
    referee = Referee(RULES_LATER, web, keep_history=True)
    forgettable = 0
    with SocketWeb(web, referee=referee) as server:
        job = job_of(web, server)
        referee.rules = rules = socket_rules(job)
        directory = CrawlDirectory.create(folder / "crawl", job)
        for _ in range(kills):
            before = len(referee.history)
            process = start(directory)
            wanted = server.requests + chance.randint(hosts // 2, 3 * hosts // 2)
            deadline = time.monotonic() + 120
            while server.requests < wanted:  # a slow machine is to get as far as a fast one
                assert time.monotonic() < deadline
                with pytest.raises(subprocess.TimeoutExpired):
                    process.wait(timeout=0.01)
            process.kill()
            process.wait()
            first = min(request.ended for request in referee.history[before:])
            known_until = durable_until(directory, job, first) - COMMIT_TAKES_SECONDS
            since = server.now() - known_until
            demands = max(rules.demand_window_seconds, since)
            referee.rules = replace(rules, demand_window_seconds=demands)
            server.client_killed()
            referee.rules = rules
            forgettable += len({request.host for request in referee.history[before:]})
        finish(start(directory), directory)
        server.settle()
    return web, directory, referee, forgettable


def durable_until(directory: CrawlDirectory, job: Job, began: float) -> float:
    """Return until when the demands since that moment are in the log for sure, by the log itself.

    Where the disk is busy a commit comes late, and what it was to hold is rightly forgotten: so
    the log is asked how far it goes, and not the clock. An answer may also have waited before the
    process took it: it is taken in some steps, each after a silence that the log shows.
    """
    log = directory.log(job)
    try:
        told = (
            getattr(event, "moment", 0.0)
            for number in range(job.frontier.partitions)
            for _, batch in log.read(number, 0)
            for event in decode_events(batch)
        )
        moments = sorted(moment for moment in told if moment > began)
    finally:
        log.close()
    if not moments:
        return began
    silences = (later - earlier for earlier, later in pairwise(moments))
    return moments[-1] - STEPS * max(silences, default=0.0)


STEPS = 3


@pytest.mark.parametrize(
    ("hosts", "addresses", "kills"), few_of([(20, 10, 2), (40, 10, 3), (200, 20, 8)], 1)
)
def test_a_crawl_over_sockets_survives_kills_and_bothers_nobody(
    hosts: int, addresses: int, kills: int, tmp_path: Path
) -> None:
    check(*crawl_through_kills(hosts, addresses, kills, tmp_path))


@pytest.mark.quick
def test_an_answer_that_a_starved_process_did_not_take_is_repeated_once(tmp_path: Path) -> None:
    """The process stands still while its answers arrive, and is killed long after."""
    homes = [f"http://www.{host}.test/" for host in "abcdef"]
    web = GraphWeb({home: [f"{home}{n}" for n in range(3)] for home in homes}, latency=0.3)
    referee = Referee(RULES_LATER, web)
    with SocketWeb(web, referee=referee, time_scale=1.0, tls=False) as server:
        job = job_of_any(server)
        job = replace(job, seeds=tuple(homes), crawl=replace(job.crawl, workers=1))
        referee.rules = socket_rules(job)
        directory = CrawlDirectory.create(tmp_path / "crawl", job)
        process = start(directory)
        deadline = time.monotonic() + 60
        while server.requests < 12:
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.001)
        holder = directory.holder()
        assert holder is not None
        os.kill(holder.holds, signal.SIGSTOP)  # the process that crawls, not its watcher
        time.sleep(4 * job.log.commit_seconds)  # for so long it is starved
        process.kill()
        process.wait()
        server.client_killed()
        finish(start(directory), directory)
        server.settle()
    assert [str(breach) for breach in referee.breaches] == []
    pages = table(directory.path, "pages", ["url", "outcome"]).to_pylist()
    kept = sorted(row["url"] for row in pages if row["outcome"] == "kept")
    assert kept == sorted(web.all_pages())


def test_ctrl_c_stops_cleanly_and_resume_goes_on(tmp_path: Path) -> None:
    web = web_of(12, 4)
    with SocketWeb(web) as server:
        directory = CrawlDirectory.create(tmp_path / "crawl", job_of(web, server))
        process = start(directory)
        deadline = time.monotonic() + 60
        while not list((directory.path / "warc").glob("*.warc.gz")):
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        assert "lycosa resume" in finish(process, directory, 130)
        finish(start(directory), directory)
    pages = table(directory.path, "pages", ["url", "outcome"]).to_pylist()
    kept = Counter(row["url"] for row in pages if row["outcome"].lower() == "kept")
    seeds = [web.home(number) for number in range(12)]
    assert set(kept) == web.pages_within(seeds, DEPTH)
    assert max(kept.values()) == 1
