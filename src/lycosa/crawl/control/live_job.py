"""The job that a worker goes by while the operator changes it.

A job is frozen everywhere else. A worker goes by a copy of its own, whose sections are exchanged
here: all parts of a worker hold that one object and read their pauses from it when they need them,
so a change reaches all of them at once.

Always true: a pause that becomes longer holds at once. Hosts that rest already would be asked when
the old pause ends, so nothing at all is asked for as long as the new one lasts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Protocol

from lycosa.clock import Clock
from lycosa.cluster.settings import Settings
from lycosa.config import Job

_SECTIONS = ("politeness", "fetch", "limits")


class Bandwidth(Protocol):
    """What receives answers."""

    def limit_bandwidth(self, bytes_per_second: int) -> None:
        """Receive at most so much a second from now on; 0 is no limit."""


class Paced(Protocol):
    """What keeps the pauses of addresses."""

    def pace(self, delay_seconds: float) -> None:
        """Leave an address alone for so long after an answer from now on."""


class LiveJob:
    """A job with settings that change."""

    def __init__(
        self, job: Job, clock: Clock, machines: Callable[[], int] = lambda: 1, workers: int = 1
    ) -> None:
        """`machines` says how many machines crawl: the pause of an address may be so many times.

        `workers` share the bandwidth of this machine.
        """
        self._own = job
        self.job = dataclasses.replace(job)
        """The job that the worker goes by."""
        self.settings = Settings()
        self._clock = clock
        self._machines = machines
        self._workers = workers
        self._held_until = float("-inf")

    @property
    def may_ask(self) -> bool:
        """Whether requests may begin, as far as the operator is concerned."""
        return not self.settings.is_paused and self._clock.now() >= self._held_until

    def adopt(self, settings: Settings, addresses: Paced, transport: Bandwidth) -> list[str]:
        """Go by other settings; return in words what has changed."""
        before, after = self.job.politeness, settings.applied(self._own)
        changes = self._changes(settings)
        now, paused = after.politeness, 0.0
        if now.delay_seconds > before.delay_seconds:
            paused = now.burst_urls * now.delay_seconds
        if now.large_site_delay_seconds > before.large_site_delay_seconds:
            paused = max(paused, now.burst_urls * now.large_site_delay_seconds)
        if now.ip_delay_seconds > before.ip_delay_seconds:
            paused = max(paused, now.ip_delay_seconds * self._machines())
        if paused:
            self._held_until = max(self._held_until, self._clock.now() + paused)
        speed = after.fetch.bytes_per_second
        addresses.pace(after.politeness.ip_delay_seconds)
        transport.limit_bandwidth(max(1, speed // self._workers) if speed else 0)
        for name in _SECTIONS:
            object.__setattr__(self.job, name, getattr(after, name))
        self.settings = settings
        return changes

    def _changes(self, settings: Settings) -> list[str]:
        before = self.settings
        changes = [
            f"{name} = {value}"
            for name, value in settings.values.items()
            if before.values.get(name) != value
        ]
        changes += [f"{name} as in the job" for name in before.values.keys() - settings.values]
        if settings.is_paused != before.is_paused:
            changes.append("paused" if settings.is_paused else "goes on")
        return changes
