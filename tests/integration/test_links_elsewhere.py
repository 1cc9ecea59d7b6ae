"""A page comes nearer when its record lies on another machine: its links are owed.

Page /x of b.test is found four clicks from the seeds, too deep for what it links to. Minutes later,
when its partition has moved to another machine, a slow host links to it from the seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import pytest

from lycosa.crawl.ports import StoredElsewhere
from lycosa.crawl.worker.worker import Worker
from lycosa.errors import ObjectsUnavailable
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.job import Job
from lycosa.model.records import KeyedLink, Outcome, Place, Validators
from lycosa.model.url import key_of, url_of
from lycosa.runtime.uploads.family import family, manifest_of, packed, sealed_names
from lycosa.simulation.conditions import Conditions
from lycosa.simulation.simulation import Simulation
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.archive.uploaded import UploadedRecords
from lycosa.storage.objects.folder import FolderObjects
from lycosa.storage.objects.manifests import manifest_key
from lycosa.storage.segments.sealing import everything
from lycosa_testweb.robots import Group, Robots
from lycosa_testweb.webs.graph import GraphWeb

pytestmark = pytest.mark.quick

T = TypeVar("T")

FAR, SLOW, PATIENCE = "http://a.test/", "http://c.test/", 200.0
X, Y, Z = "http://b.test/x", "http://b.test/y", "http://b.test/z"
EDGES = {
    FAR: [FAR + "1"],
    FAR + "1": [FAR + "2"],
    FAR + "2": [X],
    SLOW: [X],
    X: [Y],
    Y: [Z],
    Z: [],
}


class Islands:
    """Two machines with archives of their own, and a partition that moves between them."""

    def __init__(
        self,
        folder: Path,
        moves_at: Sequence[float],
        uploads_at: float = 0.0,
        is_down: Callable[[float], bool] = lambda seconds: False,
    ) -> None:
        """Without `uploads_at` there is no store; it is silent while it `is_down`."""
        web = GraphWeb(EDGES, robots={"c.test": Robots((Group("*", (), 300.0),))})
        job = Job.of(
            seeds=[FAR, SLOW],
            limits={"depth_static": 3, "depth_dynamic": 3, "patience_seconds": PATIENCE},
            frontier={"partitions": 4, "partitioner": "host-hash"},
            robots={"sitemaps": False},
        )
        self._objects, self._uploads_at = FolderObjects(folder / "objects"), uploads_at
        self._is_down = is_down
        conditions = Conditions(
            on_begun=self._begun,
            make_store=self._make_store,
            distant=self if uploads_at else None,
        )
        self._stores: list[ArchiveStore] = []
        self._moves_at = moves_at
        self.simulation = Simulation(web, job, folder, workers=2, conditions=conditions)
        self.moving = self.simulation.partitioner.partition_of(key_of(X))
        self.owed_at: list[float] = []

    def _make_store(self, folder: Path, worker: int) -> ArchiveStore:
        self._stores.append(ArchiveStore(folder / f"machine-{worker}"))
        self._stores[-1].begin_life(f"life-{worker}", worker + 1)
        return self._stores[-1]

    def _begun(self, workers: Sequence[Worker]) -> None:
        clock = self.simulation.clock
        self._began, self._workers = clock.now(), workers
        for seconds in self._moves_at:
            clock.call_at(clock.now() + seconds, self._move)
        if self._uploads_at:
            clock.call_at(clock.now() + self._uploads_at, self._upload)
        self._look()

    def ask(self, job: Callable[[StoredElsewhere], T], done: Callable[[T], object]) -> None:
        """Read from the store as the thread of a process does."""
        clock = self.simulation.clock
        clock.call_at(clock.now() + 0.2, lambda: done(job(self)))

    def links(self, place: Place) -> list[KeyedLink]:
        """Return links from the store, if it answers."""
        if self._is_down(self.simulation.clock.now() - self._began):
            raise ObjectsUnavailable("the store is down")
        return UploadedRecords(self._objects).links(place)

    def validators(self, place: Place) -> Validators | None:
        """Return what the store has."""
        return UploadedRecords(self._objects).validators(place)

    def _upload(self) -> None:
        """Seal what both machines have, and upload it."""
        for store in self._stores:
            store.flush()
            store.seal(everything, with_dead=False)
            for name in sealed_names(store.folder):
                files = family(store.folder, name)
                for key, path in files.items():
                    self._objects.put(key, path)
                manifest = manifest_of(name, files, is_shared=True)
                self._objects.create(manifest_key(name.segment), packed(manifest))

    def _look(self) -> None:
        clock = self.simulation.clock
        states = [state for worker in self._workers for state in worker.states().values()]
        if any(state.links_owed for state in states):
            self.owed_at.append(clock.now() - self._began)
        clock.call_at(clock.now() + 1.0, self._look)

    def _move(self) -> None:
        owner, other = self._workers
        if self.moving not in owner.partitions():
            owner, other = other, owner
        owner.release([self.moving], lambda number: other.take([number], lambda number: None))

    def run(self) -> tuple[PartitionState, set[str]]:
        """Crawl to the end; return the moving partition and what was kept."""
        result = self.simulation.run()
        for store in self._stores:
            store.abandon()
        assert result.reason == "exhausted"
        assert result.breaches == []
        kept = {
            url_of(state.table.key(page))
            for state in result.states.values()
            for page in range(len(state.table))
            if state.outcome_of(page) is Outcome.KEPT
        }
        return result.states[self.moving], kept


def test_where_the_record_is_at_hand_nothing_is_owed(tmp_path: Path) -> None:
    islands = Islands(tmp_path, moves_at=[])
    state, kept = islands.run()
    assert kept == EDGES.keys()
    assert islands.owed_at == []
    assert (state.links_owed, state.links_given_up) == (set(), 0)


def test_the_links_are_passed_on_when_the_partition_comes_back(tmp_path: Path) -> None:
    islands = Islands(tmp_path, moves_at=[100.0, 400.0])
    state, kept = islands.run()
    assert kept == EDGES.keys()
    assert 300 < islands.owed_at[0] < islands.owed_at[-1] < 405
    assert (state.links_owed, state.links_given_up) == (set(), 0)


def test_what_nobody_can_read_is_given_up_with_the_patience(tmp_path: Path) -> None:
    islands = Islands(tmp_path, moves_at=[100.0])
    state, kept = islands.run()
    assert kept == EDGES.keys() - {Y, Z}
    waited = islands.owed_at[-1] - islands.owed_at[0]
    assert waited == pytest.approx(PATIENCE, abs=10.0)
    assert (state.links_owed, state.links_given_up) == (set(), 1)


def test_the_links_come_from_the_store_when_they_were_uploaded(tmp_path: Path) -> None:
    islands = Islands(tmp_path, moves_at=[100.0], uploads_at=350.0)
    state, kept = islands.run()
    assert kept == EDGES.keys()
    assert 300 < islands.owed_at[0] < 349 < islands.owed_at[-1] < 362
    assert (state.links_owed, state.links_given_up) == (set(), 0)


def test_what_was_uploaded_before_is_owed_for_seconds(tmp_path: Path) -> None:
    islands = Islands(tmp_path, moves_at=[100.0], uploads_at=200.0)
    state, kept = islands.run()
    assert kept == EDGES.keys()
    assert len(islands.owed_at) <= 11
    assert state.links_given_up == 0


def test_a_store_that_is_down_is_asked_again(tmp_path: Path) -> None:
    islands = Islands(tmp_path, [100.0], uploads_at=200.0, is_down=lambda seconds: seconds < 400)
    state, kept = islands.run()
    assert kept == EDGES.keys()
    assert 395 < islands.owed_at[-1] < 412
    assert state.links_given_up == 0


def test_a_store_that_stays_down_is_given_up_with_the_patience(tmp_path: Path) -> None:
    islands = Islands(tmp_path, [100.0], uploads_at=200.0, is_down=lambda seconds: True)
    state, kept = islands.run()
    assert kept == EDGES.keys() - {Y, Z}
    assert (state.links_owed, state.links_given_up) == (set(), 1)
