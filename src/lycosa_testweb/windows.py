"""Windows of time in which something is out of order.

Time is cut into periods; by the hash of the period, a window opens in it or does not.
`Windows.open_until` is a pure function, so two requests in one window are told the same
end, and a request after it succeeds.
"""

from __future__ import annotations

from dataclasses import dataclass

from lycosa_testweb.mixing import fraction


@dataclass(frozen=True, slots=True)
class Windows:
    """A share of all periods holds one window each, somewhere within the period."""

    period_seconds: float
    window_seconds: float
    share: float = 1.0

    def open_until(self, moment: float, *key: int) -> float:
        """Return the end of the window that is open at `moment`, or 0."""
        number = int(moment // self.period_seconds)
        if self.share < 1.0 and fraction(*key, number, 1) >= self.share:
            return 0.0
        room = self.period_seconds - self.window_seconds
        begin = number * self.period_seconds + room * fraction(*key, number, 2)
        end = begin + self.window_seconds
        return end if begin <= moment < end else 0.0
