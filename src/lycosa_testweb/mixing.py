"""Reproducible random numbers by hash: the only source of randomness in the test web.

Everything that looks random (the links of a page, the latency of a host, the changes of a page)
is a pure function of the web's seed and of the thing in question. So a page is the same in
every process, on every machine and at every request, and nothing is stored.

`mix` is splitmix64's finisher applied once per part: a microsecond or two, and good enough
that neighbouring pages share nothing.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

_MASK = 0xFFFF_FFFF_FFFF_FFFF
_GOLDEN = 0x9E37_79B9_7F4A_7C15


def mix(*parts: int) -> int:
    """Return 64 bits that depend on every part and on their order."""
    state = 0
    for part in parts:
        state = (state ^ part) + _GOLDEN & _MASK
        state = (state ^ state >> 30) * 0xBF58_476D_1CE4_E5B9 & _MASK
        state = (state ^ state >> 27) * 0x94D0_49BB_1331_11EB & _MASK
        state ^= state >> 31
    return state


def digest(text: str) -> int:
    """Return 64 bits of a text, the same in every process."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def fraction(*parts: int) -> float:
    """Return a number in [0, 1)."""
    return (mix(*parts) >> 11) * 2.0**-53


def below(limit: int, *parts: int) -> int:
    """Return a whole number in [0, limit)."""
    return mix(*parts) % limit


def skewed(limit: int, steepness: float, *parts: int) -> int:
    """Return a whole number in [0, limit), small ones more often.

    The n-th number comes up in proportion to n ** (1 / steepness - 1). If links choose
    their targets so, in-degrees follow a power law; steepness 5 gives it the exponent
    2.25, close to what crawls of the real web report.
    """
    return int(limit * fraction(*parts) ** steepness)


def long_tailed(median: float, spread: float, *parts: int) -> float:
    """Return a positive number around `median`; `spread` is the deviation of its logarithm."""
    first, second = fraction(*parts, 1), fraction(*parts, 2)
    normal = math.sqrt(-2.0 * math.log(1.0 - first)) * math.cos(2.0 * math.pi * second)
    return median * math.exp(spread * normal)


def weighted(choices: Sequence[tuple[T, float]], *parts: int) -> T:
    """Return one of the choices, each as often as its weight says."""
    left = fraction(*parts) * sum(weight for _, weight in choices)
    for choice, weight in choices:
        left -= weight
        if left < 0:
            return choice
    return choices[-1][0]
