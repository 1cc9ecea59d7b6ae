"""Several workers in virtual time whose hosts share addresses: no server can tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.simulation.conditions import Conditions
from lycosa.simulation.kills import KillRandomly, no_kills
from lycosa.simulation.simulation import Simulation
from lycosa.simulation.stand_ins import MemorySlots
from seeds import few_of, soak
from small_crawl import POLL_SECONDS, check, job_for, small_web


def three_workers(folder: Path, seed: int) -> Simulation:
    web = small_web(seed)
    return Simulation(
        web,
        job_for(web),
        folder,
        seed=seed,
        workers=3,
        conditions=Conditions(poll_seconds=POLL_SECONDS),
    )


@pytest.mark.parametrize(("seed", "kills"), few_of([(1, 4), (0, 0)], 1))
def test_workers_that_share_addresses_are_polite(seed: int, kills: int, tmp_path: Path) -> None:
    simulation = three_workers(tmp_path, seed)
    plan = KillRandomly(seed, kills, 0.003) if kills else no_kills
    check(simulation, simulation.run(plan), seed)


@soak
def test_without_slots_the_referee_would_complain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MemorySlots, "take", lambda *_: 0.0)
    monkeypatch.setattr(MemorySlots, "let_go", lambda *_: None)
    result = three_workers(tmp_path, 1).run()
    assert {breach.kind.name for breach in result.breaches} >= {"ADDRESS_OVERLAP"}
