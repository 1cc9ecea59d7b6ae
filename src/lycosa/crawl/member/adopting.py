"""Adopts what the operator changes while the crawl runs: pauses, connections, limits, a halt.

A job is frozen everywhere else. The worker of a cluster goes by a copy of its own, whose sections
are exchanged here: all parts of a worker hold that one object and read their pauses from it when
they need them, so a change reaches all of them at once.

Always true:
  * no request begins before the settings were read in this life: a crawl that was paused meanwhile
    stays so;
  * a pause that becomes longer holds at once. Hosts that rest already would be asked when the old
    pause ends, so nothing is asked for as long as the new one is longer.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Callable
from typing import Protocol

from lycosa.clock import Clock
from lycosa.cluster.settings import Settings, SettingsDesk
from lycosa.config import Job
from lycosa.crawl.member.limits import SharedLimits
from lycosa.crawl.worker.worker import Worker

_SECTIONS = ("politeness", "fetch", "limits")

log_messages = logging.getLogger(__name__)


class _Bandwidth(Protocol):
    def limit_bandwidth(self, bytes_per_second: int) -> None:
        """Receive at most so much a second from now on; 0 is no limit."""


class Adopter:
    """Applies the settings to one worker process, over all its lives."""

    def __init__(self, job: Job, clock: Clock, machines: Callable[[], int]) -> None:
        """`machines` says how many machines crawl: the pause of an address may be so many times."""
        self._own = job
        self.job = dataclasses.replace(job)
        """The job that the worker goes by."""
        self.desk = SettingsDesk()
        self.revision = 0
        """Of the settings that were adopted."""
        self.settings = Settings()
        self._clock = clock
        self._machines = machines
        self._held_until = float("-inf")
        self._worker: Worker | None = None
        self._limits: SharedLimits | None = None

    def employ(self, worker: Worker, limits: SharedLimits) -> None:
        """Begin with the worker of another life; it asks nothing until the settings are read."""
        self._worker, self._limits = worker, limits
        worker.connections = 0
        limits.adopt(self.revision)
        self.desk.ask()

    def look(self, transport: _Bandwidth) -> None:
        """Adopt what is new; called now and then on the worker's thread, under the desk's lock."""
        desk, worker = self.desk, self._worker
        if worker is None:
            return
        if desk.revision != self.revision:
            self._adopt(desk.settings, desk.revision, worker, transport)
        may_ask = (
            desk.is_fresh and not self.settings.is_paused and self._clock.now() >= self._held_until
        )
        connections = self.job.fetch.connections if may_ask else 0
        if connections != worker.connections:
            worker.connections = connections
            worker.pump()

    def _adopt(
        self, settings: Settings, revision: int, worker: Worker, transport: _Bandwidth
    ) -> None:
        before, after = self.job.politeness, settings.applied(self._own)
        changes = [
            f"{name} = {value}"
            for name, value in settings.values.items()
            if self.settings.values.get(name) != value
        ]
        changes += [
            f"{name} as in the job" for name in self.settings.values.keys() - settings.values
        ]
        if settings.is_paused != self.settings.is_paused:
            changes.append("paused" if settings.is_paused else "goes on")
        longer = after.politeness.burst_urls * max(
            after.politeness.delay_seconds - before.delay_seconds,
            after.politeness.large_site_delay_seconds - before.large_site_delay_seconds,
        )
        address = (after.politeness.ip_delay_seconds - before.ip_delay_seconds) * self._machines()
        if (hold := max(longer, address)) > 0:
            self._held_until = max(self._held_until, self._clock.now() + hold)
        for name in _SECTIONS:
            object.__setattr__(self.job, name, getattr(after, name))
        self.settings, self.revision = settings, revision
        worker.addresses.pace(after.politeness.ip_delay_seconds)
        transport.limit_bandwidth(after.fetch.bytes_per_second)
        if self._limits is not None:
            self._limits.adopt(revision)
            chair = worker.partitions().get(0)
            if chair is not None:
                self._limits.begin(chair.state)
        if changes:
            log_messages.info("adopted settings %d: %s", revision, ", ".join(changes))
