"""The end is found, once, and never too early, with links still on their way."""

from __future__ import annotations

import tempfile
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lycosa.config import Job
from lycosa.crawl.ending import Ending, Report
from lycosa.crawl.simulation.conditions import Conditions
from lycosa.crawl.simulation.kills import KillRandomly, no_kills
from lycosa.crawl.simulation.simulation import Simulation
from lycosa.log.protocol import Head
from lycosa.testweb.webs.graph import GraphWeb
from seeds import examples

pytestmark = pytest.mark.quick


def url(n: int) -> str:
    return f"http://h{n}.d{n}.test/"


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    order=st.permutations(range(10)),
    workers=st.integers(1, 4),
    commit_takes=st.floats(0.0, 3.0),
    latencies=st.lists(st.floats(0.0, 6.0), min_size=10, max_size=10),
    kills=st.integers(0, 3),
    seed=st.integers(0, 99),
)
def test_a_chain_through_all_partitions_is_followed_to_its_end(
    order: list[int],
    workers: int,
    commit_takes: float,
    latencies: list[float],
    kills: int,
    seed: int,
) -> None:
    """Every link leads to another partition: between two pages nobody has anything to do."""
    edges = {url(a): [url(b)] for a, b in pairwise(order)}
    web = GraphWeb(edges, latency=lambda asked: latencies[int(asked[8])])
    job = Job.of(
        seeds=[url(order[0])],
        limits={"depth_static": 20},
        politeness={"delay_seconds": 0.5, "large_site_delay_seconds": 0.5},
        frontier={"partitions": 16},
    )
    with tempfile.TemporaryDirectory() as folder:
        simulation = Simulation(
            web,
            job,
            Path(folder),
            seed=seed,
            workers=workers,
            conditions=Conditions(commit_takes_seconds=commit_takes),
        )
        result = simulation.run(KillRandomly(seed, kills, 0.03) if kills else no_kills)
        assert result.reason == "exhausted"
        assert result.ends == 1
        assert sorted(simulation.kept_urls()) == sorted(url(n) for n in range(10))
        assert [str(breach) for breach in result.breaches] == []


def heads(*pairs: tuple[int, int]) -> list[Head]:
    return [Head(log, inbox, "") for log, inbox in pairs]


def test_one_look_is_not_enough() -> None:
    ending = Ending(2)
    ending.report(0, Report(3, 1))
    ending.report(1, Report(5, 0))
    assert not ending.look(heads((3, 1), (5, 0)))
    assert ending.look(heads((3, 1), (5, 0)))


def test_a_link_that_came_between_two_looks_puts_the_end_off() -> None:
    ending = Ending(2)
    ending.report(0, Report(3, 1))
    ending.report(1, Report(5, 0))
    assert not ending.look(heads((3, 1), (5, 0)))
    assert not ending.look(heads((3, 2), (5, 0)))
    ending.report(0, Report(4, 2))
    assert not ending.look(heads((4, 2), (5, 0)))
    assert ending.look(heads((4, 2), (5, 0)))


def test_a_partition_that_nobody_reports_on_keeps_the_crawl_open() -> None:
    ending = Ending(2)
    ending.report(0, Report(3, 1))
    for _ in range(3):
        assert not ending.look(heads((3, 1), (0, 0)))


def test_a_report_that_the_log_has_outrun_does_not_count() -> None:
    ending = Ending(1)
    ending.report(0, Report(3, 1))
    for _ in range(3):
        assert not ending.look(heads((4, 1)))


def test_where_a_cycle_follows_the_same_look_finds_the_end_of_the_cycle() -> None:
    ending = Ending(2)
    ending.report(0, Report(3, 1, goes_on=True))
    ending.report(1, Report(5, 0))
    assert not ending.look(heads((3, 1), (5, 0))) and not ending.is_between
    assert not ending.look(heads((3, 1), (5, 0))) and ending.is_between
    assert not ending.look(heads((3, 2), (5, 0))) and not ending.is_between
    ending.report(0, Report(9, 2))
    assert not ending.look(heads((9, 2), (5, 0)))
    assert ending.look(heads((9, 2), (5, 0))) and ending.is_over
