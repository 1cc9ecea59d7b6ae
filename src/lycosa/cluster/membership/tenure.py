"""Tenure: until when a worker may begin requests, measured on its own clock alone.

A renewal counts from the moment *before* it was sent, because it may have reached the board right
then. An observer sees the new revision later than that, and waits longer than a tenure lasts:

    renewal sent                       tenure ends       tombstone
    |--------------- 14 s ----------------|                  |
         |-- seen by an observer ------- 15.5 s -------------|

So the tenure ends first, whatever the two clocks show, unless the owner's runs more than 10 %
slower than the observer's. The promise is 3 %: that leaves a second between a look at the tenure
and the moment at which the request leaves the machine.

The clock is CLOCK_BOOTTIME: CLOCK_MONOTONIC stands still while a machine is suspended, and would
give a laptop that was closed for an hour its tenure back.
"""

from __future__ import annotations

import time
from typing import NamedTuple

RENEWAL_SECONDS = 5.0
"""How often a record is renewed."""
TENURE_SECONDS = 15.0
MARGIN_SECONDS = 1.0
"""Requests end this much before the tenure does."""
SILENCE_SECONDS = 15.5
"""How long a revision must not have moved before a life may be ended."""


class Instant(NamedTuple):
    """One look at this machine's clocks."""

    boot: float
    """Seconds since the machine was started, with the time it was suspended."""
    wall: float
    """Seconds since 1970, as the machine believes."""


def read_clocks() -> Instant:
    """Look at the clocks."""
    return Instant(time.clock_gettime(time.CLOCK_BOOTTIME), time.time())


class Tenure:
    """The tenure of one life. A worker reads `ends_at` before every request."""

    def __init__(self) -> None:
        self.ends_at = float("-inf")
        """Requests may begin before this reading of CLOCK_BOOTTIME."""

    def renewed(self, sent_at: float) -> None:
        """Prolong it by a renewal that the board has acknowledged."""
        self.ends_at = max(self.ends_at, sent_at + TENURE_SECONDS - MARGIN_SECONDS)

    def holds(self, now: float) -> bool:
        """Return whether a request may begin now."""
        return now < self.ends_at

    def end(self) -> None:
        """End it for good: the life is over."""
        self.ends_at = float("-inf")
