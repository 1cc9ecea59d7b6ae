"""The latency of a host, and the times at which it is overloaded."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from email.utils import formatdate

from lycosa_testweb.mixing import long_tailed
from lycosa_testweb.web import PLAIN, Reply
from lycosa_testweb.windows import Windows


@dataclass(frozen=True, slots=True)
class Pace:
    """Latencies with a long tail around a median, never beyond twenty times of it."""

    median_seconds: float = 0.08
    spread: float = 0.6

    def seconds(self, key: int, moment: float) -> float:
        """Return how long one request takes."""
        drawn = long_tailed(self.median_seconds, self.spread, key, int(moment * 1000.0))
        return min(drawn, 20.0 * self.median_seconds)


class RetryAfter(enum.Enum):
    """The forms of Retry-After that an overloaded host sends."""

    SECONDS = enum.auto()
    DATE = enum.auto()
    UNSAID = enum.auto()


_NOW_AND_THEN = Windows(period_seconds=900.0, window_seconds=60.0, share=0.5)


@dataclass(frozen=True, slots=True)
class Overload:
    """Windows of time in which the host refuses every request, robots.txt included."""

    windows: Windows = _NOW_AND_THEN
    status: int = 429
    retry_after: RetryAfter = RetryAfter.SECONDS

    def refusal(self, moment: float, latency_seconds: float, key: int) -> Reply | None:
        """Return the refusal, or None in calm times.

        The seconds count from the end of the answer to the end of the window.
        """
        until = self.windows.open_until(moment, key)
        if not until:
            return None
        headers = PLAIN
        if self.retry_after is RetryAfter.SECONDS:
            left = max(1, math.ceil(until - moment - latency_seconds))
            headers = (*PLAIN, ("Retry-After", str(left)))
        elif self.retry_after is RetryAfter.DATE:
            headers = (*PLAIN, ("Retry-After", formatdate(math.ceil(until), usegmt=True)))
        return Reply(self.status, headers, b"too much\n", latency_seconds)
