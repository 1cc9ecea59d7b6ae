"""The clock of one process of a simulated machine.

Its rate differs from the true one, as that of every real clock does. Timers and side jobs belong to
the process: when it is stopped they wait, when it is killed they are gone.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, TypeVar

from lycosa._support.failpoints import Killed
from lycosa.model.clock import Timer, VirtualClock

T = TypeVar("T")

_ROUNDING_SECONDS = 1e-5
"""No callback may run before its moment, as the process's own clock shows it."""


class _Call:
    """A call of a process, which can be cancelled while it waits."""

    def __init__(self, act: Callable[[], object]) -> None:
        self.act = act
        self.is_cancelled = False

    def cancel(self) -> None:
        """Cancel it."""
        self.is_cancelled = True


class ProcessClock:
    """A process's view of time, and its callbacks."""

    def __init__(
        self,
        true: VirtualClock,
        rate: float,
        offset: float,
        chance: Random,
        on_killed: Callable[[], None],
    ) -> None:
        self._true = true
        self._began = true.now()
        self._rate = rate
        self._offset = offset
        self._chance = chance
        self._on_killed = on_killed
        self._aside_free_at = 0.0
        self._waiting: list[_Call] = []
        self.is_stopped = False
        self.is_dead = False

    def now(self) -> float:
        """Return the moment by this clock."""
        return self._began + self._offset + (self._true.now() - self._began) * self._rate

    @property
    def shift(self) -> float:
        """Seconds by which this clock is ahead of the true one."""
        return self.now() - self._true.now()

    def call_at(self, moment: float, callback: Callable[..., object], *arguments: Any) -> Timer:
        """Run a callback at a moment of this clock."""
        true = self._began + (moment - self._began - self._offset) / self._rate
        return self._at(true + _ROUNDING_SECONDS, lambda: callback(*arguments))

    def run_aside(self, job: Callable[[], T], done: Callable[[T], object]) -> None:
        """Run a job after those before it; a kill may come between it and `done`."""
        begins = max(self._aside_free_at, self._true.now())
        takes = self._chance.expovariate(1 / 0.01)
        self._aside_free_at = begins + takes

        def work() -> None:
            result = job()
            self._at(self._true.now() + takes / 2, lambda: done(result))

        self._at(begins + takes / 2, work)

    def after(self, seconds: float, act: Callable[[], object]) -> None:
        """Call `act` in this process after a true time, unless it is dead by then."""
        self._at(self._true.now() + seconds, act)

    def guarded(self, act: Callable[[], object]) -> None:
        """Call `act` in this process now, or when it continues; never if it is dead."""
        self._run(_Call(act))

    def stop(self) -> None:
        """Stop the process, as SIGSTOP does."""
        self.is_stopped = True

    def go_on(self) -> None:
        """Continue the process, as SIGCONT does: calls that were due in the meantime run now."""
        if not self.is_stopped or self.is_dead:
            return
        self.is_stopped = False
        waiting, self._waiting = self._waiting, []
        for call in waiting:
            self._run(call)

    def _at(self, true: float, act: Callable[[], object]) -> Timer:
        call = _Call(act)
        self._true.call_at(true, self._run, call)
        return call

    def _run(self, call: _Call) -> None:
        if call.is_cancelled or self.is_dead:
            return
        if self.is_stopped:
            self._waiting.append(call)
            return
        try:
            call.act()
        except Killed:
            self._on_killed()
