"""Types of the compiled module; what it does is told in `_loop_clock.pyx`."""

from collections.abc import Callable

class LoopClock:
    _time: Callable[[], float]
    _offset: float
    def now(self) -> float: ...
