"""Whole crawls with each scheduler: the same pages in the end, and nobody is bothered.

The order is a scheduler's; what is fetched, and how politely, is not. Every scheduler crawls the
small test web, which has every kind of site and weather, with kills and without, on both logs;
each time the pages must be those that the web itself says are right (`small_crawl.check`).
"""

from __future__ import annotations

import dataclasses
from itertools import groupby
from pathlib import Path

import pytest

from lycosa.frontier.partitioners import make_partitioner
from lycosa.model.job import SCHEDULERS, Caches, Frontier, Job
from lycosa.model.records import Purpose, Request
from lycosa.model.url import key_of, url_of
from lycosa.simulation.conditions import Conditions
from lycosa.simulation.kills import KillPlan, KillRandomly, no_kills
from lycosa.simulation.simulation import Result, Simulation
from lycosa_testweb.web import Reply
from lycosa_testweb.webs.graph import Faults, GraphWeb
from seeds import few_of, seeds
from small_crawl import PARTITIONS, POLL_SECONDS, check, job_for, small_web

pytestmark = pytest.mark.quick

SCORED = [
    Frontier(scheduler=name, score=score, window=4, partitions=PARTITIONS)
    for name, score in [("best-first", "path"), ("top-window", "links"), ("leaf-window", "depth")]
]
ORDERS = [
    *(Frontier(scheduler=name, page_urls=16, partitions=PARTITIONS) for name in SCHEDULERS),
    *SCORED,
]


def named(order: Frontier) -> str:
    return f"{order.scheduler}-{order.score}"


def crawl(
    folder: Path, seed: int, order: Frontier, kills: KillPlan = no_kills, log: str = "memory"
) -> Result:
    web = small_web(seed)
    job = dataclasses.replace(job_for(web), frontier=order)
    simulation = Simulation(web, job, folder, seed=seed, log=log)
    result = simulation.run(kills)
    check(simulation, result, seed)
    return result


@pytest.mark.parametrize("order", few_of(ORDERS, 2), ids=named)
@pytest.mark.parametrize("seed", seeds(1, 2))
def test_every_scheduler_brings_the_same_pages(order: Frontier, seed: int, tmp_path: Path) -> None:
    """In every run two of them, because all must do so below although they are killed."""
    crawl(tmp_path, seed, order)


@pytest.mark.parametrize("order", ORDERS, ids=named)
@pytest.mark.parametrize("seed", seeds(1, 2))
def test_every_scheduler_is_resumed_after_kills(order: Frontier, seed: int, tmp_path: Path) -> None:
    plan = KillRandomly(seed, kills=12, probability=0.02)
    result = crawl(tmp_path, seed, order, plan, "sqlite" if seed % 2 else "memory")
    assert len(result.kills) == 12


@pytest.mark.parametrize("order", few_of(ORDERS[5:2:-2], 1), ids=named)
def test_several_workers_share_no_order_and_bring_the_same_pages(
    order: Frontier, tmp_path: Path
) -> None:
    web = small_web(3)
    job = dataclasses.replace(job_for(web), frontier=order)
    simulation = Simulation(
        web, job, tmp_path, seed=3, workers=3, conditions=Conditions(poll_seconds=POLL_SECONDS)
    )
    result = simulation.run(KillRandomly(3, kills=4, probability=0.01))
    check(simulation, dataclasses.replace(result, ends=1), 3)


def test_a_crawl_may_go_on_with_another_scheduler_after_every_kill(tmp_path: Path) -> None:
    """Queues and cursors are not state."""
    web = small_web(5)
    simulation = Simulation(web, job_for(web), tmp_path, seed=5)
    orders = iter(ORDERS)
    dice = KillRandomly(5, kills=len(ORDERS), probability=0.01)

    def kill(name: str) -> bool:
        if not dice(name):
            return False
        simulation.job = dataclasses.replace(simulation.job, frontier=next(orders))
        return True

    result = simulation.run(kill)
    assert len(result.kills) == len(ORDERS)
    check(simulation, result, 5)


def test_a_url_that_always_fails_does_not_cost_the_others_of_its_host(tmp_path: Path) -> None:
    """It stands first in every order, and would be tried until the host is given up."""
    urls = [f"http://www.one.test/{name}" for name in "abcdef"]
    web = GraphWeb({url: [] for url in urls}, faults=Faults(statuses={urls[0]: 503}))
    for order in ORDERS[1:]:
        job = dataclasses.replace(Job.of(seeds=urls), frontier=order)
        simulation = Simulation(web, job, tmp_path / named(order), seed=1)
        result = simulation.run()
        assert result.breaches == []
        assert sorted(simulation.kept_urls()) == urls[1:], named(order)


def rows(job: Job, web: GraphWeb, folder: Path) -> list[str]:
    """Return the pages in the order in which they were asked for."""
    simulation = Simulation(web, job, folder, seed=1)
    simulation.referee._keep_history = True
    result = simulation.run()
    assert result.breaches == []
    history = [exchange.url for exchange in simulation.referee.history]
    return [url.removeprefix("http://") for url in history if not url.endswith("/robots.txt")]


@pytest.mark.parametrize("scheduler", ["leaf-window", "top-window"])
def test_figure_6_the_windows_of_all_trees_are_columns_served_row_by_row(
    scheduler: str, tmp_path: Path
) -> None:
    hosts = ["www.one.test", "www.two.test", "www.three.test"]
    urls = [f"http://{host}/{leaf}" for host in hosts for leaf in "dcba"]
    job = Job.of(
        seeds=urls,
        politeness={
            "delay_seconds": 0.0,
            "large_site_delay_seconds": 0.0,
            "ip_delay_seconds": 0.0,
            "answer_time_factor": 0.0,
        },
        frontier={"scheduler": scheduler, "partitions": 64},
        discovery={"mining": "off"},  # the figure shows what is known
        robots={"sitemaps": False},
        fetch={"connections": 1},
    )
    order = rows(job, GraphWeb({url: [] for url in urls}), tmp_path)
    first = [url.partition("/")[0] for url in order[:3]]
    assert sorted(first) == sorted(hosts)
    assert order == [f"{host}/{leaf}" for leaf in "abcd" for host in first]


def windowed(folder: Path, **frontier: object) -> list[str]:
    """Return the first 40 URLs of 12 hosts in two trees that top windows ask for."""
    urls = [f"http://www.h{n:02}.test/{leaf}" for n in range(12) for leaf in "abcdef"]
    job = Job.of(
        seeds=urls,
        politeness={
            "delay_seconds": 0.0,
            "large_site_delay_seconds": 0.0,
            "ip_delay_seconds": 0.0,
            "answer_time_factor": 0.0,
        },
        frontier={"scheduler": "top-window", "partitions": 2, **frontier},
        discovery={"mining": "off"},
        robots={"sitemaps": False},
        fetch={"connections": 1},
    )
    return rows(job, GraphWeb({url: [] for url in urls}), folder)[:40]


def test_the_width_of_a_top_window_says_how_many_hosts_of_a_tree_are_asked_in_a_row(
    tmp_path: Path,
) -> None:
    tree_of = make_partitioner("domain", 2).partition_of
    orders = {width: windowed(tmp_path / str(width), window=width) for width in (1, 2, 4)}
    for width, order in orders.items():
        trees = [tree_of(key_of(f"http://{url}")) for url in order]
        runs = [len(list(run)) for _, run in groupby(trees)]
        assert runs[:2] == [width] * 2, (width, runs)
        hosts = [url.partition("/")[0] for url in order]
        assert len(set(hosts[:width])) == width
    assert len({tuple(order) for order in orders.values()}) == 3


def linked_web() -> GraphWeb:
    """Three hosts whose pages all link to the favourites of all three, some more than others."""
    hosts = [f"http://www.{name}.test" for name in ("one", "two", "three")]
    links: dict[str, list[str]] = {}
    for host in hosts:
        pages = [f"{host}/{n}" for n in range(12)]
        links[f"{host}/"] = pages
        for n, page in enumerate(pages):
            favourites = [f"{other}/f/{rank}" for other in hosts for rank in range(1, 13 - n)]
            links[page] = [*favourites, *(f"{other}/" for other in hosts)]
    return GraphWeb(links)


def steps_of(simulation: Simulation) -> dict[str, int]:
    return {
        url_of(state.table.key(page)): step
        for state in simulation.read_states().values()
        for page, step in enumerate(state.popularity.steps)
        if step
    }


@pytest.mark.parametrize("kills", [0, 6])
def test_all_pages_that_link_to_a_url_count_for_its_score_also_over_a_resume(
    tmp_path: Path, kills: int
) -> None:
    """A favourite of rank r is linked to by 12 - (r - 1) pages of each of three hosts."""
    web = linked_web()
    job = Job.of(
        seeds=["http://www.one.test/", "http://www.two.test/", "http://www.three.test/"],
        politeness={"delay_seconds": 1.0},
        frontier={"partitions": 4, "scheduler": "best-first"},
        discovery={"mining": "off"},
        robots={"sitemaps": False},
        log={"snapshot_batches": 6},
    )
    simulation = Simulation(web, job, tmp_path, seed=kills)
    result = simulation.run(KillRandomly(kills, kills, probability=0.02) if kills else no_kills)
    assert (result.reason, len(result.kills), result.breaches) == ("exhausted", kills, [])
    steps = steps_of(simulation)
    for host in ("one", "two", "three"):
        for rank in range(1, 13):
            truth = (3 * (13 - rank)).bit_length() - 1
            found = steps.get(f"http://www.{host}.test/f/{rank}", 0)
            # A kill forgets what was counted beyond a power of two: never a step that was logged.
            assert truth - (kills > 0) <= found <= truth


@pytest.mark.parametrize("stop_after", [3, 5, 7, 9])
def test_a_resumed_crawl_goes_on_in_the_order_of_its_links(tmp_path: Path, stop_after: int) -> None:
    """What it asks for is the same as without the stop: the score has forgotten nothing."""
    links = {"http://www.a.test/": [f"http://www.a.test/{n}" for n in range(8)]}
    for n in range(8):
        some = [f"http://www.a.test/f/{rank}" for rank in range(12) if rank % 4 <= n % 4]
        links[f"http://www.a.test/{n}"] = some[::-1]
    asked: list[str] = []

    class Noting(GraphWeb):
        def answer(self, request: Request, moment: float) -> Reply:
            if request.purpose is Purpose.PAGE:
                asked.append(request.url)
            return super().answer(request, moment)

    job = Job.of(
        seeds=["http://www.a.test/"],
        frontier={"partitions": 2, "scheduler": "best-first"},
        discovery={"mining": "off"},
        robots={"sitemaps": False},
    )
    Simulation(Noting(links), job, tmp_path / "whole", log="sqlite").run()
    whole = asked[:]
    asked.clear()
    cut = dataclasses.replace(job, limits=dataclasses.replace(job.limits, pages=stop_after))
    simulation = Simulation(Noting(links), cut, tmp_path / "cut", log="sqlite")
    assert simulation.run().reason == "pages"
    simulation.job = job
    assert simulation.run().reason == "exhausted"
    assert asked == whole


def test_a_crawl_with_the_smallest_caches_brings_the_same_pages(tmp_path: Path) -> None:
    web = small_web(1)
    caches = Caches(references=1, robots_rules=1, sent_urls=1)
    simulation = Simulation(web, dataclasses.replace(job_for(web), caches=caches), tmp_path, seed=1)
    check(simulation, simulation.run(), 1)
