"""An alarm: one timer that is only ever brought forward.

A worker asks for its next tick from many places, each with a moment of its own. Only the earliest
counts: the tick does everything that is due.
"""

from __future__ import annotations

from collections.abc import Callable

from lycosa.clock import Clock, Timer

NEVER = float("inf")


class Alarm:
    """Calls back once, at the earliest of the moments that were asked for."""

    def __init__(self, clock: Clock, callback: Callable[[], None]) -> None:
        self._clock = clock
        self._callback = callback
        self._timer: Timer | None = None
        self._moment = NEVER

    def set_before(self, moment: float) -> None:
        """Call back at this moment, or earlier if that was asked for."""
        if moment >= self._moment or moment == NEVER:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._moment = moment
        self._timer = self._clock.call_at(moment, self._ring)

    def set_within(self, seconds: float) -> None:
        """Call back after this time, or earlier if that was asked for."""
        self.set_before(self._clock.now() + seconds)

    def cancel(self) -> None:
        """Call back no more."""
        if self._timer is not None:
            self._timer.cancel()

    def _ring(self) -> None:
        self._timer = None
        self._moment = NEVER
        self._callback()
