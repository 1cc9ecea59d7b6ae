"""Bursts: n URLs of a host in a row, then n pauses, and only where nothing speaks against it."""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from pathlib import Path

import pytest

from lycosa.model.job import SCHEDULERS, Job
from lycosa.operate.inspect.audit import audit
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl
from lycosa.simulation.kills import KillEvery, KillRandomly
from lycosa.simulation.referee_rules import referee_rules
from lycosa.simulation.simulation import Simulation
from lycosa_testweb import Faults, GraphWeb, Group, Referee, Robots
from lycosa_testweb.referee.ledger import Exchange
from lycosa_testweb.servers.connection import Connection
from lycosa_testweb.servers.server import SOCKET_TOLERANCE_SECONDS, SocketWeb
from seeds import seeds
from small_crawl import check, job_for, small_web

pytestmark = pytest.mark.quick

PAUSE = 10.0
HOST = "www.one.test"


def job(urls: list[str], burst_urls: int = 5, **politeness: float) -> Job:
    return Job.of(
        seeds=urls,
        politeness={
            "delay_seconds": PAUSE,
            "large_site_delay_seconds": PAUSE,
            "burst_urls": burst_urls,
            **politeness,
        },
        frontier={"partitions": 4},
        discovery={"mining": "off"},  # every request is counted
        robots={"sitemaps": False},
    )


def urls_of(host: str, count: int = 12) -> list[str]:
    return [f"http://{host}/{number:02}" for number in range(count)]


def history(web: GraphWeb, made: Job, folder: Path) -> list[Exchange]:
    simulation = Simulation(web, made, folder, seed=1)
    simulation.referee._keep_history = True
    result = simulation.run()
    assert result.reason == "exhausted"
    assert result.breaches == []
    return simulation.referee.history


def runs(exchanges: list[Exchange]) -> list[int]:
    """Return how many requests came in a row, each time; a pause parts them."""
    lengths = [1]
    for before, after in pairwise(exchanges):
        if after.began - before.ended < PAUSE - 0.001:
            lengths[-1] += 1
        else:
            lengths.append(1)
    return lengths


def test_n_urls_in_a_row_are_followed_by_n_pauses(tmp_path: Path) -> None:
    urls = urls_of(HOST)
    exchanges = history(GraphWeb({url: [] for url in urls}), job(urls), tmp_path)
    assert runs(exchanges) == [1, 5, 5, 2]
    gaps = [after.began - before.ended for before, after in pairwise(exchanges)]
    assert [round(gap) for gap in gaps if gap > 1] == [10, 50, 50]
    assert min(gaps) >= 0.5, "the pause of the address is kept"


def test_without_bursts_every_request_has_its_pause(tmp_path: Path) -> None:
    urls = urls_of(HOST)
    exchanges = history(GraphWeb({url: [] for url in urls}), job(urls, 1), tmp_path)
    assert runs(exchanges) == [1] * 13


def test_a_crawl_delay_of_any_length_forbids_bursts(tmp_path: Path) -> None:
    urls = urls_of(HOST)
    robots = {HOST: Robots((Group("*", (), crawl_delay_seconds=1),))}
    exchanges = history(GraphWeb({url: [] for url in urls}, robots=robots), job(urls), tmp_path)
    assert runs(exchanges) == [1] * 13


def test_a_slow_answer_and_a_refusal_end_a_burst(tmp_path: Path) -> None:
    urls = urls_of(HOST)
    slow, refused = urls[2], urls[6]
    web = GraphWeb(
        {url: [] for url in urls},
        faults=Faults(statuses={refused: 429}),
        latency=lambda url: 30.0 if url == slow else 0.05,
    )
    exchanges = history(web, job(urls), tmp_path)
    after = {e.url: n.began - e.ended for e, n in pairwise(exchanges)}
    assert after[slow] >= 2 * PAUSE + 30.0, "two pauses, and the longer one of the slow answer"
    assert after[refused] >= 3 * PAUSE + 60.0, "three pauses, and the back-off"


def test_a_host_goes_on_with_its_burst_before_others_begin(tmp_path: Path) -> None:
    hosts = [f"h{n}.one.test" for n in range(6)]
    urls = [url for host in hosts for url in urls_of(host, 4)]
    web = GraphWeb({url: [] for url in urls})
    for scheduler in SCHEDULERS:
        made = job(urls, 4, ip_delay_seconds=0.0)
        made = dataclasses.replace(
            made,
            frontier=dataclasses.replace(made.frontier, scheduler=scheduler),
            fetch=dataclasses.replace(made.fetch, connections=1),
        )
        pages = [e for e in history(web, made, tmp_path / scheduler) if "robots" not in e.url]
        order = [exchange.host for exchange in pages]
        assert [a == b for a, b in pairwise(order)].count(False) == len(hosts) - 1, scheduler


@pytest.mark.parametrize("times", [3, 6, 7, 9])
def test_what_a_kill_forgets_of_a_burst_is_paid_for(times: int, tmp_path: Path) -> None:
    urls = urls_of(HOST)
    web = GraphWeb({url: [] for url in urls})
    simulation = Simulation(web, job(urls, ip_delay_seconds=0.0), tmp_path, seed=1)
    result = simulation.run(KillEvery({"answer.applied": times}))
    assert len(result.kills) == 1
    assert [str(breach) for breach in result.breaches] == []
    assert sorted(simulation.kept_urls()) == urls


@pytest.mark.parametrize("seed", seeds(2, 8))
def test_crawls_with_bursts_bring_the_same_pages_through_kills(seed: int, tmp_path: Path) -> None:
    web = small_web(seed)
    made = job_for(web)
    made = dataclasses.replace(
        made,
        politeness=dataclasses.replace(made.politeness, burst_urls=2 + 3 * (seed % 4)),
        frontier=dataclasses.replace(made.frontier, scheduler=SCHEDULERS[seed % 6]),
    )
    log = "sqlite" if seed % 2 else "memory"
    simulation = Simulation(web, made, tmp_path, seed=seed, log=log)
    result = simulation.run(KillRandomly(seed, kills=10, probability=0.02))
    check(simulation, result, seed)
    assert len(result.kills) == 10


class CountingWeb(SocketWeb):
    """Counts the connections that were made."""

    made = 0

    def opened(self, connection: Connection) -> None:
        """Count a connection."""
        self.made += 1
        super().opened(connection)


def test_over_sockets_one_connection_serves_a_burst_and_the_audit_agrees(tmp_path: Path) -> None:
    urls = urls_of(HOST)
    web = GraphWeb({url: [] for url in urls}, latency=0.0)
    referee = Referee(referee_rules(Job()), web)
    with CountingWeb(web, referee=referee, tls=False) as server:
        made = Job.of(
            seeds=urls,
            politeness={
                "delay_seconds": 0.2,
                "large_site_delay_seconds": 0.2,
                "ip_delay_seconds": 0.02,
                "burst_urls": 5,
            },
            fetch={"allow_private": True, "hosts_file": str(server.hosts_file)},
            crawl={"workers": 1},
            discovery={"mining": "off"},
            robots={"sitemaps": False},
        )
        rules = referee_rules(made, 0.1)
        referee.rules = dataclasses.replace(rules, tolerance_seconds=SOCKET_TOLERANCE_SECONDS)
        directory = CrawlDirectory.create(tmp_path / "crawl", made)
        assert run_crawl(directory).reason == "exhausted"
        server.settle()
        assert [str(breach) for breach in referee.breaches] == []
        assert referee.statistics.requests == len(urls) + 1
        assert server.made <= 4, "robots file, and three bursts"
    judged = audit(directory)
    assert judged.breaches == []
    assert any("share their pauses" in rule for rule in judged.rules)
