"""What a worker is built from: everything that differs between a crawl and a simulation."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from lycosa.clock import Clock
from lycosa.cluster.partitioners import Partitioner
from lycosa.config import Job
from lycosa.crawl.budget import Budget
from lycosa.crawl.ending import Ending
from lycosa.crawl.scoping import JobScope
from lycosa.log.protocol import Log
from lycosa.log.snapshot import Snapshots
from lycosa.plugins.hooks import Hooks
from lycosa.records import Answer, Capture, KeyedLink, Place, Request, Resolved


class Transport(Protocol):
    """Carries requests to the web and answers back; calls back on the worker's thread."""

    def send(self, request: Request, on_answer: Callable[[Answer], None]) -> None:
        """Send one request; `on_answer` is called once, later."""

    def resolve(self, host: str, on_resolved: Callable[[Resolved], None]) -> None:
        """Look a host name up; `on_resolved` is called once, later."""


class Store(Protocol):
    """Keeps records; what is appended is durable after the next flush."""

    def append(self, record: Capture) -> Place:
        """Buffer a record and say where it will stand."""

    def flush(self) -> None:
        """Make everything appended so far survive a kill; runs beside the worker."""

    def links(self, place: Place) -> list[KeyedLink]:
        """Return the links of a record: the adjacency that exact depth needs."""


@dataclass(frozen=True)
class Parts:
    """A worker's surroundings."""

    job: Job
    scope: JobScope
    clock: Clock
    log: Log
    snapshots: Snapshots
    store: Store
    transport: Transport
    partitioner: Partitioner
    budget: Budget
    ending: Ending
    owner: str
    random: random.Random = field(default_factory=random.Random)
    poll_seconds: float = 0.5
    """How often inboxes are looked at for what others have posted; infinite if nobody else does."""
    hooks: Hooks | None = None
    """What the job's plugins want to be called for; None when there are none."""
