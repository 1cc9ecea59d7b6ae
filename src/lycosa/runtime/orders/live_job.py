"""The job that a worker follows while the operator changes it.

A job is frozen everywhere else. A worker follows a copy of its own, whose sections are replaced
here. All parts of a worker hold that one object and read their pauses from it when they need them,
so a change reaches all parts at once.

Always true: a longer pause takes effect at once. Hosts that rest already would be asked when the
old pause ends, so no request at all begins until the new pause has passed once.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Protocol

from lycosa.crawl.pauses.due import longest_burst
from lycosa.model.clock import Clock
from lycosa.model.job import Job
from lycosa.runtime.cluster.settings import Settings

_SECTIONS = ("politeness", "fetch", "limits")


class Bandwidth(Protocol):
    """The part of a worker that receives answers."""

    def limit_bandwidth(self, bytes_per_second: int) -> None:
        """Receive at most this many bytes a second from now on; 0 means no limit."""


class Paced(Protocol):
    """The part of a worker that keeps the pauses of addresses."""

    def pace(self, delay_seconds: float) -> None:
        """Leave an address alone for this long after an answer from now on."""


class LiveJob:
    """A job whose settings can change."""

    def __init__(
        self, job: Job, clock: Clock, machines: Callable[[], int] = lambda: 1, workers: int = 1
    ) -> None:
        """Follow `job`; `machines` returns how many machines crawl, to multiply address pauses.

        The bandwidth of this machine is divided among `workers`.
        """
        self._own = job
        self.job = dataclasses.replace(job)
        """The job that the worker follows."""
        self.settings = Settings()
        self._clock = clock
        self._machines = machines
        self._workers = workers
        self._held_until = float("-inf")

    @property
    def may_ask(self) -> bool:
        """Whether requests may begin: no pause by the operator is in force."""
        return not self.settings.is_paused and self._clock.now() >= self._held_until

    def adopt(self, settings: Settings, addresses: Paced, transport: Bandwidth) -> list[str]:
        """Follow other settings; return a description of each change."""
        before, after = self.job.politeness, settings.applied(self._own)
        changes = self._changes(settings)
        now, paused = after.politeness, 0.0
        if now.delay_seconds > before.delay_seconds:
            paused = longest_burst(after) * now.delay_seconds
        if now.large_site_delay_seconds > before.large_site_delay_seconds:
            paused = max(paused, longest_burst(after) * now.large_site_delay_seconds)
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
            changes.append("paused" if settings.is_paused else "resumed")
        return changes
