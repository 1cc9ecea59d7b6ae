"""Plans that decide at which fail points a simulated process is killed."""

from __future__ import annotations

import random
from collections.abc import Container
from typing import Protocol

from lycosa._support.failpoints import NAMES


class KillPlan(Protocol):
    """Decides at every passing of a fail point whether the process is killed there."""

    def __call__(self, name: str) -> bool:
        """Return whether to kill the process now."""


def no_kills(name: str) -> bool:
    """Never kill the process."""
    return False


class KillEvery:
    """Kills at the n-th passing of each named fail point, once for each."""

    def __init__(self, counts: dict[str, int]) -> None:
        self._left = dict(counts)

    def __call__(self, name: str) -> bool:
        """Count down, and kill at zero."""
        if name in self._left:
            self._left[name] -= 1
            if self._left[name] == 0:
                del self._left[name]
                return True
        return False


class KillRandomly:
    """Kills a given number of times, at random passings of any fail point or of those in `only`."""

    def __init__(
        self, seed: int, kills: int, probability: float = 0.01, only: Container[str] = NAMES
    ) -> None:
        self._random = random.Random(seed)
        self._left = kills
        self._probability = probability
        self._only = only

    def __call__(self, name: str) -> bool:
        """Kill with the given probability."""
        if self._left and name in self._only and self._random.random() < self._probability:
            self._left -= 1
            return True
        return False
