"""The end is found, once, and never too early, with links still on their way."""

from __future__ import annotations

import tempfile
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lycosa.crawl.ending import Ending, EndingElsewhere, Finding, Report
from lycosa.model.job import Job
from lycosa.simulation.conditions import Conditions
from lycosa.simulation.kills import KillRandomly, no_kills
from lycosa.simulation.simulation import Simulation
from lycosa.storage.log.protocol import Head
from lycosa_testweb.webs.graph import GraphWeb
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


def look(ending: Ending, *pairs: tuple[int, int]) -> Finding:
    return ending.look(lambda: [Head(log, inbox, "") for log, inbox in pairs])


def test_one_look_is_not_enough() -> None:
    ending = Ending(2)
    ending.report(0, Report(3, 1))
    ending.report(1, Report(5, 0))
    assert not look(ending, (3, 1), (5, 0)).is_over
    assert look(ending, (3, 1), (5, 0)).is_over


def test_a_link_that_came_between_two_looks_puts_the_end_off() -> None:
    ending = Ending(2)
    ending.report(0, Report(3, 1))
    ending.report(1, Report(5, 0))
    assert not look(ending, (3, 1), (5, 0)).is_over
    assert not look(ending, (3, 2), (5, 0)).is_over
    ending.report(0, Report(4, 2))
    assert not look(ending, (4, 2), (5, 0)).is_over
    assert look(ending, (4, 2), (5, 0)).is_over


def test_a_partition_that_nobody_reports_on_keeps_the_crawl_open() -> None:
    ending = Ending(2)
    ending.report(0, Report(3, 1))
    for _ in range(3):
        assert not look(ending, (3, 1), (0, 0)).is_over


def test_a_report_that_the_log_has_outrun_does_not_count() -> None:
    ending = Ending(1)
    ending.report(0, Report(3, 1))
    for _ in range(3):
        assert not look(ending, (4, 1)).is_over


def test_where_a_cycle_follows_the_same_look_finds_the_end_of_the_cycle() -> None:
    ending = Ending(2)
    ending.report(0, Report(3, 1, goes_on=True))
    ending.report(1, Report(5, 0))
    assert look(ending, (3, 1), (5, 0)) == Finding(is_near=True)
    assert look(ending, (3, 1), (5, 0)) == Finding(is_between=True, is_near=True)
    assert look(ending, (3, 2), (5, 0)) == Finding(is_near=True)
    ending.report(0, Report(9, 2))
    assert not look(ending, (9, 2), (5, 0)).is_over
    assert look(ending, (9, 2), (5, 0)).is_over and ending.finding.is_over


def test_heads_are_not_read_before_every_partition_has_reported() -> None:
    ending = Ending(2)
    ending.report(0, Report(3, 1, has_answers=True))

    def unread() -> list[Head]:
        raise AssertionError

    assert ending.look(unread) == Finding(has_answers=True)


def test_what_is_stuck_is_not_over_and_a_link_on_its_way_ends_that() -> None:
    ending = Ending(2)
    ending.report(0, Report(3, 1, is_stuck=True))
    ending.report(1, Report(5, 0))
    for _ in range(3):
        assert look(ending, (7, 1), (5, 0)) == Finding(is_stuck=True, is_near=True)
    assert look(ending, (7, 2), (5, 0)) == Finding(is_near=True)
    assert look(ending, (7, 1), (5, 0)).is_stuck
    ending.report(0, None)
    assert not ending.finding.is_stuck


def test_an_end_elsewhere_tells_what_has_changed_and_learns_what_was_found() -> None:
    told = list[int]()
    ending = EndingElsewhere(lambda: told.append(1))
    ending.report(0, Report(3, 1))
    ending.report(1, Report(5, 0))
    ending.report(1, None)
    ending.report(2, None)
    assert (told, ending.news(), ending.news()) == ([1], {0: Report(3, 1), 1: None}, {})
    ending.report(0, Report(3, 1))
    assert told == [1]
    ending.learn(Finding(is_over=True, is_between=True))
    ending.learn(Finding(is_stuck=True))
    assert ending.look(list) == Finding(is_over=True, is_stuck=True)


def test_an_end_of_patience_from_before_a_worker_began_is_not_its_own() -> None:
    ending = EndingElsewhere()
    ending.patience_noted(2)
    assert ending.patience_ended == 0
    ending.patience_noted(3)
    ending.patience_noted(3)
    assert ending.patience_ended == 1
