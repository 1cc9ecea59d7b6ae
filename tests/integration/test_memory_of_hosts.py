"""What a host keeps alive in a worker when all of it is crawled: columns, and few objects."""

from __future__ import annotations

import gc
from collections import Counter
from pathlib import Path

import pytest

from lycosa.crawl.worker.worker import Worker
from lycosa.model.job import Job
from lycosa.simulation.simulation import Simulation
from lycosa_testweb.webs.graph import GraphWeb

pytestmark = pytest.mark.quick

FEW, MANY = 100, 500
OURS = ("lycosa.crawl.", "lycosa.fetch.", "lycosa.frontier.", "lycosa.storage.")
MOST_OBJECTS = 2.0
"""Here every host has an address of its own, which has a gate and the queue of the gate."""


def alive_at_the_end(hosts: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Crawl so many hosts; returns how many objects of ours are alive when all is fetched."""
    found: Counter[str] = Counter()
    finish = Worker._finish

    def counted(self: Worker, reason: str) -> None:
        if not self.is_over:
            gc.collect()
            kinds = [type(one) for one in gc.get_objects()]
            found.update(kind.__name__ for kind in kinds if str(kind.__module__).startswith(OURS))
        finish(self, reason)

    monkeypatch.setattr(Worker, "_finish", counted)
    web = GraphWeb({f"http://www.h{number}.test/": [] for number in range(hosts)})
    job = Job.of(seeds=list(web.edges), robots={"sitemaps": False}, discovery={"mining": "off"})
    result = Simulation(web, job, folder, seed=1, log="sqlite").run()
    monkeypatch.undo()
    assert (result.reason, result.kept_pages) == ("exhausted", hosts)
    return found


def test_a_host_that_was_crawled_leaves_nothing_but_the_gate_of_its_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = alive_at_the_end(FEW, tmp_path / "few", monkeypatch)
    many = alive_at_the_end(MANY, tmp_path / "many", monkeypatch)
    grown = {kind: (many[kind] - few.get(kind, 0)) / (MANY - FEW) for kind in many}
    assert sum(grown.values()) <= MOST_OBJECTS + 0.1, {k: v for k, v in grown.items() if v > 0.01}
