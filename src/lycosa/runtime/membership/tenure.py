"""The lease (tenure) for beginning requests, measured on the worker's own clock alone.

A renewal counts from the moment *before* it was sent, because it may have reached the board at that
time. An observer sees the new revision later than that, and waits longer than a lease lasts:

    renewal sent                       tenure ends       tombstone
    |--------------- 14 s ----------------|                  |
         |-- seen by an observer ------- 15.5 s -------------|

The lease therefore ends first, whatever the two clocks show, unless the owner's runs more than 10 %
slower than the observer's. The promise is 3 %, which leaves a second between a check of the lease
and the moment at which the request leaves the machine.

The clock is CLOCK_BOOTTIME. CLOCK_MONOTONIC stands still while a machine is suspended, and would
give a laptop that was closed for an hour its lease back.
"""

from __future__ import annotations

import time
from typing import NamedTuple

RENEWAL_SECONDS = 5.0
"""Seconds between two renewals of a record."""
TENURE_SECONDS = 15.0
MARGIN_SECONDS = 1.0
"""Seconds between the end of requests and the end of the lease."""
SILENCE_SECONDS = 15.5
"""Seconds without a change of the revision after which a life may be ended."""


class Instant(NamedTuple):
    """A reading of this machine's clocks."""

    boot: float
    """Seconds since the machine was started, including suspended time."""
    wall: float
    """Seconds since 1970, by the machine's clock."""


def read_clocks() -> Instant:
    """Read the clocks."""
    return Instant(time.clock_gettime(time.CLOCK_BOOTTIME), time.time())


class Tenure:
    """The lease of one life. A worker reads `ends_at` before every request."""

    def __init__(self) -> None:
        self.ends_at = float("-inf")
        """Requests may begin before this reading of CLOCK_BOOTTIME."""

    def renewed(self, sent_at: float) -> None:
        """Extend the lease by a renewal that the board has acknowledged."""
        self.ends_at = max(self.ends_at, sent_at + TENURE_SECONDS - MARGIN_SECONDS)

    def holds(self, now: float) -> bool:
        """Return whether a request may begin now."""
        return now < self.ends_at

    def end(self) -> None:
        """End the lease for good: the life is over."""
        self.ends_at = float("-inf")
