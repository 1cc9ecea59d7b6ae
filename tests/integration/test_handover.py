"""Partitions pass from worker to worker while the crawl runs: handed over, or taken by force.

Nothing is lost, nothing is kept twice, limits are exact and no host is bothered, whoever asks it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from lycosa.crawl.worker.worker import Worker
from lycosa.model.records import Place
from lycosa.runtime.recovery.counting import SealingRules
from lycosa.simulation.conditions import Conditions
from lycosa.simulation.kills import KillPlan, KillRandomly, no_kills
from lycosa.simulation.simulation import Result, Simulation
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.archive.reader import table
from lycosa.storage.log.places import places_of
from lycosa.storage.segments.sealing import everything, unsealed
from mover import Mover
from seeds import seeds
from small_crawl import PARTITIONS, POLL_SECONDS, check, job_for, small_web

pytestmark = pytest.mark.quick

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


@pytest.mark.parametrize("seed", seeds(1, 6))
def test_partitions_that_are_handed_over_are_crawled_as_if_nothing_were(
    seed: int, tmp_path: Path
) -> None:
    mover = Mover(seed, moves=60)
    simulation, result = run(tmp_path, seed, mover)
    check(simulation, result, seed)
    assert mover.handed_over > 40


@pytest.mark.parametrize("seed", seeds(1, 6))
def test_what_a_superseded_worker_decides_is_dropped(seed: int, tmp_path: Path) -> None:
    mover = Mover(seed, moves=60, by_force=0.5)
    simulation, result = run(tmp_path, seed, mover)
    check(simulation, result, seed)
    assert mover.taken_by_force > 15


@pytest.mark.parametrize("seed", seeds(1, 4))
def test_killed_while_partitions_pass_from_hand_to_hand(seed: int, tmp_path: Path) -> None:
    mover = Mover(seed, moves=80, by_force=0.3)
    kills = KillRandomly(seed, kills=8, probability=0.005)
    simulation, result = run(tmp_path, seed, mover, kills)
    check(simulation, result, seed)
    assert len(result.kills) == 8


@pytest.mark.parametrize("limit", [17, 60])
@pytest.mark.parametrize("seed", seeds(1, 3))
def test_limits_stay_exact(seed: int, limit: int, tmp_path: Path) -> None:
    mover = Mover(seed, moves=60, by_force=0.5)
    simulation, result = run(tmp_path, seed, mover, pages=limit)
    assert result.reason == "pages"
    assert result.kept_pages == limit == len(simulation.kept_urls())
    assert [str(breach) for breach in result.breaches] == []


@pytest.mark.parametrize("seed", seeds(1, 4))
def test_a_worker_that_is_not_told_loses_nothing_for_others(seed: int, tmp_path: Path) -> None:
    """It learns from the log: what it decided meanwhile is refused, and does not count.

    A request of its that was under way may come too soon before one of the next owner: only a
    worker that is told in time, as one that has lost its tenure, bothers nobody.
    """
    mover = Mover(seed, moves=60, by_force=1.0, tells=False)
    simulation, result = run(tmp_path, seed, mover)
    result.breaches.clear()
    check(simulation, result, seed)


class Sealer:
    """Seals the segments of each worker's archive now and then, as a process does."""

    def __init__(self, mover: Mover, folder: Path) -> None:
        self._mover, self._folder = mover, folder
        self._stores: list[ArchiveStore] = []
        self.sealed = 0

    def make_store(self, folder: Path, worker: int) -> ArchiveStore:
        if worker == 0:  # of a new life
            self.abandon()
        self._stores.append(ArchiveStore(self._folder, worker=worker))
        return self._stores[-1]

    def abandon(self) -> None:
        for store in self._stores:
            store.abandon()
        self._stores = []

    def watch(self, simulation: Simulation) -> None:
        self._clock = simulation.clock
        log, snapshots = simulation.open_log()
        partitioner = simulation.partitioner
        self.rules = SealingRules(self._folder, simulation.job, lambda: log, snapshots, partitioner)

    def __call__(self, workers: Sequence[Worker]) -> None:
        """Begin with the workers of a new life."""
        self._mover(workers)
        self._workers = workers
        self._later()

    def _later(self) -> None:
        self._clock.call_at(self._clock.now() + 600.0, self._look)

    def _look(self) -> None:
        for worker, store in zip(self._workers, self._stores, strict=True):
            if not worker.is_over:
                store.roll()
                worker.when_durable(partial(self._seal, store, store.segment))
        self._later()

    def _seal(self, store: ArchiveStore, decided: int) -> None:
        settle = partial(self.rules.settle, is_last=True)
        self.sealed += len(store.seal(everything, decided, with_dead=False, settle=settle))

    def seal_rest(self) -> None:
        for store in self._stores:
            store.close()
        self.rules.seal_dead()


@pytest.mark.parametrize(("seed", "kills"), [(2, 4)])
def test_what_is_sealed_is_what_the_log_names(seed: int, kills: int, tmp_path: Path) -> None:
    mover = Mover(seed, moves=80, by_force=0.5, tells=bool(seed % 2))
    sealer = Sealer(mover, tmp_path / "archive")
    web = small_web(seed)
    conditions = Conditions(
        poll_seconds=POLL_SECONDS, on_begun=sealer, make_store=sealer.make_store
    )
    simulation = Simulation(
        web, job_for(web), tmp_path, seed=seed, workers=WORKERS, conditions=conditions
    )
    mover.watch(simulation)
    sealer.watch(simulation)
    result = simulation.run(KillRandomly(seed, kills=kills, probability=0.005))
    assert result.reason == "exhausted"
    sealer.seal_rest()
    archive = tmp_path / "archive"
    assert unsealed(archive) == []
    log, _ = simulation.open_log()
    named = {
        one.place
        for number in range(PARTITIONS)
        for one in places_of(number, log.read(number, 0))
        if one.is_page
    }
    rows = table(archive, "pages", ["warc", "offset", "length"]).to_pylist()
    found = [
        Place(int(row["warc"].split("-")[2].split(".")[0]), row["offset"], row["length"])
        for row in rows
        if row["length"]
    ]
    assert len(found) == len(set(found))
    assert set(found) == named
    assert sealer.sealed > 10
    assert mover.taken_by_force > 15
