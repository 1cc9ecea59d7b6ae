"""A few hosts drawn reply by reply, and a crawl of them in virtual time.

Unlike a `Simulation` the crawl keeps to the scope of its job.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from random import Random
from typing import cast
from urllib.parse import urlsplit

from lycosa.crawl.budget import Budget
from lycosa.crawl.ending import Ending
from lycosa.crawl.ports import Ports, Store
from lycosa.crawl.scope import JobScope
from lycosa.crawl.worker.worker import EXHAUSTED, Worker
from lycosa.features.of_job import features_of
from lycosa.features.plugins.hooks import Hooks
from lycosa.features.plugins.scheduling import partitioner_of, scheduler_of
from lycosa.frontier.fold.accounts import counted_by
from lycosa.model.clock import VirtualClock
from lycosa.model.job import Job
from lycosa.model.records import Outcome, Request, Resolved
from lycosa.model.url import url_of
from lycosa.runtime.seeds import plant
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.archive.journal import Journal
from lycosa.storage.log.memory import MemoryLog
from lycosa.storage.log.protocol import Log
from lycosa.storage.log.snapshot import MemorySnapshots
from lycosa_testweb.carrier import InProcessCarrier
from lycosa_testweb.web import HTML, PLAIN, Reply, Web


def page(body: str = "", head: str = "") -> Reply:
    return Reply(200, HTML, f"<!doctype html><title>T</title>{head}<body>{body}".encode())


def linking(*urls: str) -> Reply:
    return page("".join(f'<a href="{url}">to</a> ' for url in urls))


def file(content_type: str, body: str | bytes = b"content") -> Reply:
    content = body.encode() if isinstance(body, str) else body
    return Reply(200, (("Content-Type", content_type),), content)


def moved(url: str) -> Reply:
    return Reply(301, (*PLAIN, ("Location", url)), b"moved\n")


class DrawnWeb:
    """Given replies by URL; everything else is 404, robots files among it."""

    def __init__(self, replies: Mapping[str, Reply]) -> None:
        self.replies = replies
        names = dict.fromkeys(urlsplit(url).netloc for url in replies)
        self._addresses = {name: f"10.0.0.{n}" for n, name in enumerate(names, 1)}

    def hosts(self) -> list[str]:
        return list(self._addresses)

    def answer(self, request: Request, moment: float) -> Reply:
        return self.replies.get(request.url, Reply(404, PLAIN, b"no such page\n"))

    def resolve(self, host: str, moment: float) -> Resolved:
        return Resolved(self._addresses.get(host), 3600.0)


def ports_of(
    web: Web, job: Job, store: Store, hooks: Hooks | None = None, log: Log | None = None
) -> Ports:
    """Return what a worker needs to crawl a web in virtual time."""
    clock, log = VirtualClock(1_700_000_000.0, 0.004), log or MemoryLog(job.frontier.partitions)
    return Ports(
        job=job,
        scope=JobScope(job, log, hooks=hooks),
        clock=clock,
        log=log,
        snapshots=MemorySnapshots(),
        store=store,
        transport=InProcessCarrier(web, clock),
        partitioner=partitioner_of(job, hooks),
        budget=Budget(job, lambda: 1 << 62),
        ending=Ending(job.frontier.partitions),
        owner="test",
        random=Random(0),
        poll_seconds=float("inf"),
        scheduler=scheduler_of(job, hooks, clock.now),
    )


def crawl(
    web: DrawnWeb,
    job: Job,
    folder: Path,
    hooks: Hooks | None = None,
    *,
    archive: ArchiveStore | None = None,
    log: Log | None = None,
    reason: str = EXHAUSTED,
) -> dict[str, Outcome | None]:
    """Crawl to the end; returns what became of every URL that was admitted.

    Pages go to the `archive`, which is sealed at the end, or else to a journal.
    """
    store = archive or Journal(folder / "segments")
    parts = ports_of(web, job, store, hooks, log)
    reasons: list[str] = []
    worker = Worker(parts, reasons.append, partial(features_of, hooks=hooks))
    clock, budget = cast("VirtualClock", parts.clock), cast("Budget", parts.budget)
    plant(job.seeds, parts.scope, parts.partitioner, parts.log, clock.now())
    worker.open(range(job.frontier.partitions))
    budget.resume(0, 0, 0.0, clock.now())
    worker.begin()
    clock.run(float("inf"), stop=lambda: bool(reasons))
    states = worker.states()
    if archive is not None:
        archive.seal(counted_by(states, parts.partitioner.partition_of))
        archive.finish_index()
    store.abandon()
    assert reasons == [reason]
    return {
        url_of(state.table.key(number)): state.outcome_of(number)
        for state in states.values()
        for number in range(len(state.table))
    }


def kept(outcomes: Mapping[str, Outcome | None]) -> set[str]:
    return {url for url, outcome in outcomes.items() if outcome is Outcome.KEPT}
