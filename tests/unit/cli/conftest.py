from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import lycosa
import lycosa.operate.inspect
import lycosa.runtime.processes
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.orders import desk
from unit.cli.pretended import PretendedCrawl


@pytest.fixture
def pretended(monkeypatch: pytest.MonkeyPatch) -> Iterator[PretendedCrawl]:
    crawl = PretendedCrawl()
    monkeypatch.setattr(lycosa.runtime.processes, "run", crawl, raising=False)
    monkeypatch.setattr(lycosa.operate.inspect, "edits", crawl, raising=False)
    monkeypatch.setattr(desk, "add_seeds", crawl.add_seeds)
    yield crawl


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "mycrawl"


@pytest.fixture
def existing(path: Path) -> Path:
    job = Job.of(seeds=["https://example.org/"], fetch={"contact": "a@example.org"})
    CrawlDirectory.create(path, job)
    return path
