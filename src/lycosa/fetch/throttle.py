"""How fast may we read, over all connections together?

A bucket fills with bytes at the rate of the job and holds a tenth of a second's worth.
A transfer that finds it empty is paused, its socket is not read, and TCP holds the
server back. When the bucket has something again, those who wait go on in turn.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

_LEAST_BURST_BYTES = 16_384
"""libcurl hands over up to this much at once."""


class Throttle:
    """The bucket, and the transfers that wait for it."""

    def __init__(self, bytes_per_second: int, time: Callable[[], float]) -> None:
        self._rate = float(bytes_per_second)
        self._time = time
        self._most = max(self._rate / 10.0, float(_LEAST_BURST_BYTES))
        self._level = self._most
        self._looked = time()
        self.waiting: deque[Any] = deque()

    def spend(self, size_bytes: int) -> bool:
        """Take bytes out if there are any: the last who takes may take more than is left."""
        now = self._time()
        self._level = min(self._most, self._level + (now - self._looked) * self._rate)
        self._looked = now
        if self._level <= 0.0:
            return False
        self._level -= size_bytes
        return True

    def wait_seconds(self) -> float:
        """Return how long it takes until there is something to spend."""
        return max(0.001, -self._level / self._rate + 0.001)
