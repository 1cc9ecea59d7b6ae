"""The shared parts of a simulated crawl's machines: time, web, servers, and the referee."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from lycosa.crawl.scope import JobScope
from lycosa.features.plugins.scheduling import partitioner_of
from lycosa.model.clock import VirtualClock
from lycosa.model.job import Job
from lycosa.runtime.coordination.memory import MemoryBoard
from lycosa.runtime.members.notes import begin_run
from lycosa.runtime.seeds import plant, topics_of
from lycosa.simulation.cluster.content import MemoryObjects
from lycosa.simulation.cluster.loose_log import NO_FAULTS, Faults, LooseServer
from lycosa.simulation.referee_rules import referee_rules
from lycosa.storage.log.protocol import Take
from lycosa_testweb.referee.referee import Referee

if TYPE_CHECKING:
    from lycosa.simulation.simulation import JudgedWeb

BEGINS_AT = 1_700_000_000.0
FAULTS = ("kill", "kill at", "stop", "cut", "servers", "drain", "wall", "store", "lose")
"""A process is killed now or at some fail point, or stopped; a machine is cut off; the servers are
down for all; a machine leaves in order and comes back; a wall clock is set; the store of objects is
down for all; a machine is lost for good, with its disk, and the operator gives it up."""

LOG_FAULTS = Faults(0.02, 0.02, 0.02, 0.02, 0.02, 0.1)
FORGET_SECONDS = 60.0
"""Seconds for which answers may not be durable: a log may be silent until the lease ends."""


class Weather(NamedTuple):
    """Faults of a crawl, with their frequency and duration."""

    faults: Sequence[str] = FAULTS
    every_seconds: float = 10.0
    for_seconds: float = 240.0
    log_faults: Faults = LOG_FAULTS


CALM = Weather((), log_faults=NO_FAULTS)


class World:
    """The surroundings of the machines."""

    def __init__(self, web: JudgedWeb, job: Job, folder: Path, seed: int, weather: Weather) -> None:
        self.web, self.job, self.folder, self.seed, self.weather = web, job, folder, seed, weather
        self.chance = Random(seed)
        self.clock = VirtualClock(BEGINS_AT)
        rules = replace(
            referee_rules(job),
            forget_window_seconds=FORGET_SECONDS,
            demand_window_seconds=FORGET_SECONDS,
        )
        self.referee = Referee(rules, web)
        self.server = _WatchedServer(job.frontier.partitions, self.lapsed)
        self.board = MemoryBoard(self.clock.now, kept_versions=12)
        self.objects = MemoryObjects()
        self.stored = folder / "stored"
        self.partitioner = partitioner_of(job, None)
        self.is_loose = bool(weather.faults)
        self.log_faults = weather.log_faults
        scope = JobScope(job, self.server, stays_on_seeds=False)
        now, topics = self.clock.now(), topics_of(job)
        plant(job.seeds, scope, self.partitioner, self.server, now, topics=topics)
        self.run_number = begin_run(self.server)

    def lapsed(self) -> None:
        """Tell the referee that answers of a process may have been lost."""
        self.referee.partly_killed(self.clock.now())


class _WatchedServer(LooseServer):
    """Reports partitions taken from an owner that has not released them."""

    def __init__(self, partitions: int, on_forced: Callable[[], None]) -> None:
        super().__init__(partitions)
        self._on_forced = on_forced

    def take(self, owner: str, takes: Sequence[Take]) -> list[int | None]:
        """Take, and tell."""
        before = [self.head(one.partition).owner for one in takes]
        results = super().take(owner, takes)
        if any(was and got for was, got in zip(before, results, strict=True)):
            self._on_forced()
        return results
