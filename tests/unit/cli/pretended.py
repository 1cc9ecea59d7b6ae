"""A crawl that is only pretended, for the tests of the commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.cli.main import main
from lycosa.crawl.status.progress import Listener
from lycosa.errors import ConfigError
from lycosa.model.job import Job
from lycosa.operate.inspect.edits import Blocked
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.orders.desk import Given
from lycosa.runtime.seeds import Planted
from lycosa.storage.segments.removal import Forgotten
from unit.cli.screen.moments import BUSY, Ended

NO_CONTACT = "site owners must be able to reach you\n  add --contact mail@example.org"


class PretendedCrawl:
    """Stands in for `lycosa.runtime.processes.run` and `lycosa.operate.inspect.edits`."""

    def __init__(self) -> None:
        self.ends: Ended | BaseException = Ended("exhausted", BUSY, True)
        self.job = Job()
        self.given: list[str] = []
        self.is_stopped = False

    def require_contact(self, job: Job) -> None:
        if not job.fetch.contact:
            raise ConfigError(NO_CONTACT)

    def require_disk(self, job: Job, path: Path) -> None:
        """Refuse nothing."""

    def require_content(self, job: Job) -> None:
        """Refuse nothing."""

    def run_crawl(
        self,
        directory: CrawlDirectory,
        *,
        job: Job,
        listener: Listener,
    ) -> Ended:
        assert job == directory.job()
        self.job = job
        listener.refused_seed("mailto:a@b", "scheme")
        listener.progress(BUSY)
        if self.is_stopped:
            listener.stopping()
        if isinstance(self.ends, BaseException):
            raise self.ends
        return self.ends

    def add_seeds(self, directory: CrawlDirectory, seeds: list[str], client_id: str) -> Given:
        self.given = list(seeds)
        bad = {seed: "scheme" for seed in self.given if seed.startswith("mailto:")}
        return Given(1, True, Planted(len(self.given) - len(bad), bad, {}))

    def retry_failed(self, directory: CrawlDirectory) -> int:
        return 1

    def block_host(self, directory: CrawlDirectory, name: str, forget: bool = False) -> Blocked:
        self.given = [name]
        return Blocked(3000, Forgotten(40, 1, 1_500_000) if forget else None)


def crawl(path: Path, *more: str) -> int:
    return main(["crawl", "https://example.org/", "-o", str(path), "--contact", "a@b.cl", *more])


Captured = pytest.CaptureFixture[str]
