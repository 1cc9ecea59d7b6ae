"""Partitions pass from worker to worker while the crawl runs: handed over, or taken by force.

Nothing is lost, nothing is kept twice, limits are exact and no host is bothered, whoever asks it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.crawl.simulation.conditions import Conditions
from lycosa.crawl.simulation.kills import KillPlan, KillRandomly, no_kills
from lycosa.crawl.simulation.result import Result
from lycosa.crawl.simulation.simulation import Simulation
from mover import Mover
from small_crawl import POLL_SECONDS, check, job_for, small_web

WORKERS = 3


def run(
    folder: Path, seed: int, mover: Mover, kills: KillPlan = no_kills, **limits: object
) -> tuple[Simulation, Result]:
    web = small_web(seed)
    conditions = Conditions(poll_seconds=POLL_SECONDS, on_begun=mover)
    simulation = Simulation(
        web, job_for(web, **limits), folder, seed=seed, workers=WORKERS, conditions=conditions
    )
    mover.watch(simulation)
    return simulation, simulation.run(kills)


@pytest.mark.parametrize("seed", range(6))
def test_partitions_that_are_handed_over_are_crawled_as_if_nothing_were(
    seed: int, tmp_path: Path
) -> None:
    mover = Mover(seed, moves=60)
    simulation, result = run(tmp_path, seed, mover)
    check(simulation, result, seed)
    assert mover.handed_over > 40


@pytest.mark.parametrize("seed", range(6))
def test_what_a_superseded_worker_decides_is_dropped(seed: int, tmp_path: Path) -> None:
    mover = Mover(seed, moves=60, by_force=0.5)
    simulation, result = run(tmp_path, seed, mover)
    check(simulation, result, seed)
    assert mover.taken_by_force > 15


@pytest.mark.parametrize("seed", range(4))
def test_killed_while_partitions_pass_from_hand_to_hand(seed: int, tmp_path: Path) -> None:
    mover = Mover(seed, moves=80, by_force=0.3)
    kills = KillRandomly(seed, kills=8, probability=0.005)
    simulation, result = run(tmp_path, seed, mover, kills)
    check(simulation, result, seed)
    assert len(result.kills) == 8


@pytest.mark.parametrize("limit", [17, 60])
@pytest.mark.parametrize("seed", range(3))
def test_limits_stay_exact(seed: int, limit: int, tmp_path: Path) -> None:
    mover = Mover(seed, moves=60, by_force=0.5)
    simulation, result = run(tmp_path, seed, mover, pages=limit)
    assert result.reason == "pages"
    assert result.kept_pages == limit == len(simulation.kept_urls())
    assert [str(breach) for breach in result.breaches] == []


@pytest.mark.parametrize("seed", range(4))
def test_a_worker_that_is_not_told_loses_nothing_for_others(seed: int, tmp_path: Path) -> None:
    """It learns from the log: what it decided meanwhile is refused, and does not count.

    A request of its that was under way may come too soon before one of the next owner: only a
    worker that is told in time, as one that has lost its tenure, bothers nobody.
    """
    mover = Mover(seed, moves=60, by_force=1.0, tells=False)
    simulation, result = run(tmp_path, seed, mover)
    result.breaches.clear()
    check(simulation, result, seed)
