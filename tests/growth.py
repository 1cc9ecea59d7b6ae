"""Whether work grows with its size, and not with the square of it.

Measured in CPU time, the least of three, and only against itself: whoever else uses the machine
makes no difference.
"""

from __future__ import annotations

import time
from collections.abc import Callable

TIMES = 8
LEAST_SECONDS = 0.002
"""What takes less cannot be measured, and is taken to take this long."""


def is_linear(work: Callable[[int], object], size: int) -> bool:
    """Return whether work of a size takes about eight times as long as of an eighth of it.

    If it took the square, it would take 64 times as long.
    """
    few, many = _seconds(work, size // TIMES), _seconds(work, size)
    return many < 3 * TIMES * max(few, LEAST_SECONDS)


def _seconds(work: Callable[[int], object], size: int) -> float:
    taken = []
    for _ in range(3):
        began = time.process_time()
        work(size)
        taken.append(time.process_time() - began)
    return min(taken)
