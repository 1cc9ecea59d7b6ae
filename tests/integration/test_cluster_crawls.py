"""Whole crawls by several machines in virtual time: clocks of different rates, a loose network,
kills, stops, cuts, machines that leave and come back.

Nothing is lost, nothing is kept twice, limits are exact, no host is bothered, and the end is found,
never too early.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from cluster_crawl import PARTITIONS, check, crawl
from integration.cluster_machines import machines_of
from lycosa.model.records import CycleBegun
from lycosa.simulation.cluster.world import CALM, Weather
from lycosa.storage.log.format import decode_events
from seeds import few_of, seeds

pytestmark = pytest.mark.quick


def test_machines_share_a_crawl(tmp_path: Path) -> None:
    cluster, result = crawl(0, tmp_path, 4, weather=CALM)
    check(cluster, result, 0)
    assert result.lives == 4
    assert result.ends == ["exhausted"] * 4
    assert all(machine.requests_before for machine in cluster.machines)


@pytest.mark.parametrize("seed", seeds(2, 10))
def test_nothing_is_lost_or_kept_twice_whatever_happens(seed: int, tmp_path: Path) -> None:
    cluster, result = crawl(seed, tmp_path, machines_of(seed))
    check(cluster, result, seed)
    assert sum(result.faults.values()) > 1


@pytest.mark.parametrize("seed", seeds(1, 6, start=20))
def test_limits_are_exact_whatever_happens(seed: int, tmp_path: Path) -> None:
    limit = (17, 60)[seed % 2]
    cluster, result = crawl(seed, tmp_path, machines_of(seed), limits={"pages": limit})
    assert result.reason == "pages"
    assert result.kept_pages == limit == len(cluster.kept())
    assert [str(breach) for breach in result.breaches] == []


@pytest.mark.parametrize("seed", seeds(1, 2))
def test_long_pauses_are_kept_over_takeovers(seed: int, tmp_path: Path) -> None:
    cluster, result = crawl(seed, tmp_path, 5, limits={"delay_seconds": 40.0})
    check(cluster, result, seed)


@pytest.mark.parametrize(
    ("seed", "weather"), few_of([(3, None), (5, CALM), (5, None), (7, None), (7, CALM)], 2)
)
def test_cycles_have_the_pages_that_they_should_whoever_runs_them(
    seed: int, weather: Weather | None, tmp_path: Path
) -> None:
    cycles = {"cycles": 3, "cycle_urls": 60, "cycle_seconds": 120.0, "not_before_seconds": 60.0}
    limits = {"revisit": {"policy": "profit", **cycles}}
    cluster, result = crawl(seed, tmp_path, 3 + seed % 5, limits=limits, weather=weather)
    assert result.reason == "exhausted"
    assert [str(breach) for breach in result.breaches] == []
    begun: Counter[int] = Counter()
    for number in range(PARTITIONS):
        for _, batch in cluster.server.read(number, 0):
            for event in decode_events(batch):
                if isinstance(event, CycleBegun):
                    begun[event.cycle] += len(event.pages)
    assert {state.history.cycle for state in result.states.values()} == {3}
    assert all(begun[cycle] <= 60 for cycle in (1, 2, 3))
    # A partition that moves between bid and share may choose by the links of another machine.
    assert min(begun[2], begun[3]) >= (60 if weather is CALM else 50)


@pytest.mark.parametrize("seed", seeds(1, 4))
def test_machines_take_turns_at_hosts_that_they_share(seed: int, tmp_path: Path) -> None:
    turns = {"partitions": 4, "partitioner": "url-hash", "phases": 6, "slot_seconds": 5.0}
    cluster, result = crawl(seed, tmp_path, 2 + seed, limits={"frontier": turns})
    check(cluster, result, seed)


@pytest.mark.soak
@pytest.mark.parametrize("block", range(20))
def test_a_thousand_clusters(block: int, tmp_path: Path) -> None:
    for seed in range(100 + 50 * block, 150 + 50 * block):
        folder = tmp_path / str(seed)
        if seed % 5:
            cluster, result = crawl(seed, folder, machines_of(seed))
            check(cluster, result, seed)
        else:
            limit = Random(seed).randint(1, 150)
            cluster, result = crawl(
                seed, folder, machines_of(seed), limits={"pages": limit}, weather=Weather()
            )
            assert (result.reason, result.kept_pages, len(cluster.kept())) == (
                "pages",
                limit,
                limit,
            )
            assert [str(breach) for breach in result.breaches] == []
