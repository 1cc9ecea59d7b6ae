"""Writes down that the crawl is running, so that a limit on its time holds over kills.

Always in one partition, whoever owns it: how long the crawl has run is what the partition that has
run longest says.
"""

from __future__ import annotations

from collections.abc import Mapping

from lycosa.crawl.ports import Ports
from lycosa.crawl.worker._pump import Alarm
from lycosa.frontier.partition import Partition
from lycosa.model.records import Passed

_CHAIR = 0
_NOTED_SECONDS = 1.0


class RunningTime:
    """Notes the time about once a second; one per worker."""

    def __init__(self, ports: Ports, partitions: Mapping[int, Partition]) -> None:
        self._clock = ports.clock
        self._job = ports.job
        self._partitions = partitions
        self._noted = 0.0

    def note(self, tick: Alarm) -> None:
        """Note the time if a second has passed, and see to being called again."""
        now, first = self._clock.now(), self._partitions.get(_CHAIR)
        if not self._job.limits.seconds or first is None or first.state.paused_from:
            return
        if now >= self._noted + _NOTED_SECONDS:
            self._noted = now
            first.record(Passed(now))
            tick.set_within(_NOTED_SECONDS)
