"""Adopts the operator's changes for all machines while the crawl runs.

Pauses, connections, limits and a halt stand on the coordination store (the board,
`cluster.settings`). The worker follows a job of its own, which changes with them
(`control.live_job`).

Always true: no request begins before the settings were read in this life. A crawl that was paused
in the meantime therefore stays paused.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from lycosa.clock import Clock
from lycosa.cluster.settings import Settings, SettingsDesk
from lycosa.config import Job
from lycosa.crawl.control.live_job import Bandwidth, LiveJob
from lycosa.crawl.member.limits import SharedLimits
from lycosa.crawl.worker.worker import Worker

log_messages = logging.getLogger(__name__)


class Adopter:
    """Applies the settings to one worker process, over all its lives."""

    def __init__(self, job: Job, clock: Clock, machines: Callable[[], int]) -> None:
        """Follow `job`; `machines` returns how many machines crawl, which multiplies an address's
        pause."""
        self._live = LiveJob(job, clock, machines)
        self.desk = SettingsDesk()
        self.revision = 0
        """Revision of the settings that were adopted."""
        self._clock = clock
        self._worker: Worker | None = None
        self._limits: SharedLimits | None = None

    @property
    def job(self) -> Job:
        """The job that the worker follows."""
        return self._live.job

    @property
    def settings(self) -> Settings:
        """The settings that were adopted."""
        return self._live.settings

    def employ(self, worker: Worker, limits: SharedLimits) -> None:
        """Begin with the worker of another life, which sends no request until the settings are
        read."""
        self._worker, self._limits = worker, limits
        worker.connections = 0
        limits.adopt(self.revision)
        self.desk.ask()

    def look(self, transport: Bandwidth) -> None:
        """Adopt new settings. Called regularly on the worker's thread, under the desk's lock."""
        desk, worker = self.desk, self._worker
        if worker is None:
            return
        if desk.revision != self.revision:
            self._adopt(desk.settings, desk.revision, worker, transport)
        may_ask = desk.is_fresh and self._live.may_ask
        connections = self.job.fetch.connections if may_ask else 0
        if connections != worker.connections:
            worker.connections = connections
            worker.pump()

    def _adopt(
        self, settings: Settings, revision: int, worker: Worker, transport: Bandwidth
    ) -> None:
        changes = self._live.adopt(settings, worker.addresses, transport)
        self.revision = revision
        if self._limits is not None:
            self._limits.adopt(revision)
            chair = worker.partitions().get(0)
            if chair is not None:
                self._limits.begin(chair.state)
            self._limits.halt(is_halted=settings.is_paused)
        if changes:
            log_messages.info("adopted settings %d: %s", revision, ", ".join(changes))
