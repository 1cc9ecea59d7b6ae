"""Real processes and real SIGKILLs: what the simulated kill claims is what the kernel does."""

from __future__ import annotations

import random
import signal
from pathlib import Path

import pytest

from lycosa._support.failpoints import NAMES
from lycosa.simulation.conditions import Conditions
from lycosa.simulation.simulation import Simulation
from seeds import seeds
from small_crawl import check, job_for, small_web
from warm import run_module

CRAWL = "integration.run_crawl"


@pytest.mark.parametrize("seed", seeds(1, 4))
def test_a_process_killed_by_signal_goes_on_where_it_was(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    places = sorted(name for name in NAMES if not name.startswith(("cycle.", "move.", "render.")))
    chance.shuffle(places)
    kills = 0
    for number, place in enumerate(places):
        if number >= 6 and kills:  # some points lie where this crawl never comes
            break
        ended = run_module(CRAWL, tmp_path, seed, f"{place}:{chance.randint(1, 25)}")
        kills += ended.returncode == -signal.SIGKILL
        assert ended.returncode in (0, -signal.SIGKILL), ended.stderr
    assert kills >= 1
    ended = run_module(CRAWL, tmp_path, seed)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "exhausted\n", "")
    web = small_web(seed)
    simulation = Simulation(
        web,
        job_for(web),
        tmp_path,
        seed=seed,
        log="sqlite",
        conditions=Conditions(begins_at=2_000_000_000.0),
    )
    check(simulation, simulation.run(), seed)
    assert simulation.referee.statistics.requests == 0
