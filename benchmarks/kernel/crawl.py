"""A crawl of prepared pages in virtual time: the real worker, and a transport without a web."""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Protocol

from benchmarks.kernel.pages import SEED, MadeUpWeb, host_name, path_of

from lycosa.crawl.budget import Budget
from lycosa.crawl.ending import Ending
from lycosa.crawl.ports import Ports
from lycosa.crawl.scope import JobScope
from lycosa.crawl.worker.worker import Worker
from lycosa.features.of_job import features_of
from lycosa.frontier.partitioners import make_partitioner
from lycosa.model.clock import VirtualClock
from lycosa.model.job import Job
from lycosa.model.records import (
    Answer,
    Capture,
    KeyedLink,
    Place,
    Request,
    Resolved,
)
from lycosa.runtime.seeds import plant
from lycosa.storage.archive.journal import Journal
from lycosa.storage.log.protocol import Log
from lycosa.storage.log.snapshot import MemorySnapshots
from lycosa.storage.tables.link_ends import LinkEnds

PAGES_BETWEEN_COMMITS = 700
COMMIT_SECONDS = 0.5
CONNECTIONS = 64
PARTITIONS = 64
NO_PAUSES = {
    "delay_seconds": 0.0,
    "large_site_delay_seconds": 0.0,
    "ip_delay_seconds": 0.0,
    "answer_time_factor": 0.0,
}
"""The politeness of a made-up web that nobody serves."""
HTML = (("content-type", "text/html; charset=utf-8"), ("server", "bench"))


class Prepared(Protocol):
    """What a transport hands over: the beginnings of pages by path, and how all of them end."""

    hosts: int
    bodies: dict[str, bytes]
    rest: bytes


class InstantTransport:
    """Answers after a fixed virtual time with what was prepared."""

    def __init__(self, web: Prepared, clock: VirtualClock) -> None:
        self._web = web
        self._clock = clock
        in_flight = min(web.hosts, CONNECTIONS)
        self._seconds = COMMIT_SECONDS * in_flight / PAGES_BETWEEN_COMMITS

    def send(self, request: Request, on_answer: Callable[[Answer], None]) -> None:
        now = self._clock.now()
        ended = now + self._seconds
        links = self._web.bodies.get(request.url[len("http://") + len(request.host) :])
        if links is None:
            answer = Answer(404, HTML, b"", now, ended)
        else:
            answer = Answer(200, HTML, links + self._web.rest, now, ended)
        self._clock.call_at(ended, on_answer, answer)

    def resolve(self, host: str, on_resolved: Callable[[Resolved], None]) -> None:
        number = int(host[len("www.site") : len("www.site") + 5])
        address = f"10.0.{number >> 8}.{number & 255}"
        self._clock.call_at(self._clock.now(), on_resolved, Resolved(address, 1e9))

    def cut_all(self) -> None:
        raise NotImplementedError("a crawl of the kernel runs to its end")

    def cut(self, partition: int) -> None:
        raise NotImplementedError("no other owner takes a partition of the kernel")

    def let_go(self, is_wanted: Callable[[str], bool], idle_seconds: float) -> None:
        pass


class NoStore:
    """Keeps nothing: what is left is the kernel alone."""

    def append(self, record: Capture) -> Place:
        return Place(0, 8, len(record.answer.body))

    def flush(self) -> None:
        pass

    def mark(self) -> int:
        return 0

    def settle(self, mark: int, partitions: Collection[int]) -> None:
        pass

    def lose(self, partition: int, sequence: int) -> None:
        pass

    def links(self, place: Place) -> list[KeyedLink]:
        return []

    def validators(self, place: Place) -> None:
        return None

    def link_ends(self) -> LinkEnds:
        return LinkEnds(array("q"), array("q"))


class Crawl:
    """One crawl, ready to be run once."""

    def __init__(self, web: MadeUpWeb, log: Log, pages: int, folder: Path | None) -> None:
        seeds = [f"http://{host_name(number)}{path_of(0)}" for number in range(web.hosts)]
        self.job = Job.of(
            seeds,
            politeness=NO_PAUSES,
            limits={"pages": pages, "host_pages": 0, "depth_static": 3000},
            fetch={"connections": CONNECTIONS},
            frontier={"partitions": PARTITIONS},
            discovery={"mining": "off"},
            traps={"budget": 0},  # all pages of this web say the same
            log={"commit_seconds": COMMIT_SECONDS, "commit_answers": 0},
        )
        self.clock = VirtualClock()
        self.budget = Budget(self.job)
        self.reasons: list[str] = []
        self.store = Journal(folder / "segments") if folder else NoStore()
        ports = Ports(
            job=self.job,
            scope=JobScope(self.job, log, stays_on_seeds=False),
            clock=self.clock,
            log=log,
            snapshots=MemorySnapshots(),
            store=self.store,
            transport=InstantTransport(web, self.clock),
            partitioner=make_partitioner("domain", PARTITIONS),
            budget=self.budget,
            ending=Ending(PARTITIONS),
            owner="bench",
            random=random.Random(SEED),
            poll_seconds=float("inf"),
        )
        plant(self.job.seeds, ports.scope, ports.partitioner, log, self.clock.now())
        self.worker = Worker(ports, self.reasons.append, features_of)
        self.worker.open(range(PARTITIONS))

    def run(self) -> int:
        """Crawl to the limit; returns how many pages were kept."""
        self.worker.begin()
        self.clock.run(stop=lambda: bool(self.reasons))
        if self.reasons != ["pages"]:
            raise SystemExit(f"the crawl ended with {self.reasons}, not with its limit")
        return self.budget.kept_pages
