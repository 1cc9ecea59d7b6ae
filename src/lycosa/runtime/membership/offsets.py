"""The certain part of the offset between this machine's wall clock and the server's.

Safety does not depend on wall clocks. But `Retry-After` and revisits are moments of wall time, and
a partition takes them along to its next owner. A machine whose clock is wrong by more than a second
therefore does not join, and a member whose clock becomes wrong reports it.

The server stamps a record when it is written, after it was sent and before the answer came. Both
moments were read from our clock, so the offset lies between two bounds. The certain part is the
distance of zero from them.
"""

from __future__ import annotations

MOST_OFFSET_SECONDS = 1.0


def certain_offset(stamped: float, sent: float, answered: float) -> float:
    """Return the seconds by which the server's clock is certainly ahead of ours, or behind (-)."""
    least, most = stamped - answered, stamped - sent
    if least > 0:
        return least
    return min(most, 0.0)


def is_off(offset: float) -> bool:
    """Return whether a clock is too wrong to share a crawl."""
    return abs(offset) > MOST_OFFSET_SECONDS
