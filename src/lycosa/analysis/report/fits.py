"""Fits power laws to distributions, by the method of Clauset, Shalizi and Newman (2009).

The exponent is the most likely one for the values from `least` on; `least` is the value from which
the fitted law is nearest to the observations, by the distance of Kolmogorov and Smirnov. For whole
numbers (degrees, pages of a site) the law is the discrete one, normalised by Hurwitz's zeta
function; for others (PageRank) the continuous one.

The input is distinct values with their counts, so the cost does not grow with the
crawl. No claim is made that a power law is the true law: that would take a comparison with others.

Tails of fewer than `LEAST_TAIL` observations or `LEAST_VALUES` distinct values are not fitted:
there the estimate would say nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import zeta

LEAST_TAIL = 50
LEAST_VALUES = 5
_MOST_CANDIDATES = 200
_FLATTEST, _STEEPEST = 1.01, 10.0
_STEP = 1e-3
_ONE_IN_A_HUNDRED = 1.63
"""Kolmogorov's quantile, for large samples."""

Floats = NDArray[np.float64]


class PowerLaw(NamedTuple):
    """P(X = x) is proportional to x to the power of minus the exponent, for x from `least` on."""

    exponent: float
    error: float
    """The standard error of the exponent."""
    least: float
    tail: int
    """The number of observations from `least` on."""
    total: int
    distance: float
    """The largest difference between fitted and seen distribution from `least` on."""
    is_discrete: bool

    @property
    def allowed_distance(self) -> float:
        """The distance that one in a hundred samples of a given law exceeds.

        For a law that was fitted to the sample this is generous, so a larger distance is not due to
        chance.
        """
        return float(_ONE_IN_A_HUNDRED / np.sqrt(self.tail))

    def survival(self, values: Sequence[float]) -> list[float]:
        """Return the share of all observations that the law expects at or above each value."""
        at = np.asarray(values, np.float64)
        of_tail = _discrete(at, self) if self.is_discrete else _continuous(at, self)
        return [float(value) for value in of_tail * (self.tail / self.total)]


def survival_of(values: Sequence[float], counts: Sequence[int]) -> list[float]:
    """Return the share of observations at or above each value; values are in order."""
    numbers = np.asarray(counts, np.float64)
    return [float(value) for value in numbers[::-1].cumsum()[::-1] / numbers.sum()]


def fit_discrete(values: Sequence[int], counts: Sequence[int]) -> PowerLaw | None:
    """Fit the law of whole numbers; values are different, positive and in order."""
    return _fit(values, counts, _likely_discrete, is_discrete=True)


def fit_continuous(values: Sequence[float], counts: Sequence[int]) -> PowerLaw | None:
    """Fit the law of positive numbers; values are different and in order."""
    return _fit(values, counts, _likely_continuous, is_discrete=False)


class _Tail(NamedTuple):
    values: Floats
    counts: Floats
    number: float
    logarithms: float
    """Sum of the logarithms of all observations."""


_Estimator = Callable[[_Tail], tuple[float, float]]


def _fit(
    values: Sequence[float], counts: Sequence[int], likely: _Estimator, *, is_discrete: bool
) -> PowerLaw | None:
    at, numbers = np.asarray(values, np.float64), np.asarray(counts, np.float64)
    if len(at) < LEAST_VALUES:
        return None
    numbers_from = numbers[::-1].cumsum()[::-1]
    logarithms_from = (numbers * np.log(at))[::-1].cumsum()[::-1]
    best: PowerLaw | None = None
    for first in _candidates(numbers_from):
        tail = _Tail(
            at[first:], numbers[first:], float(numbers_from[first]), float(logarithms_from[first])
        )
        exponent, error = likely(tail)
        if not _FLATTEST < exponent < _STEEPEST - 0.01:
            continue
        law = PowerLaw(
            exponent,
            error,
            float(at[first]),
            round(tail.number),
            round(float(numbers_from[0])),
            0.0,
            is_discrete,
        )
        law = law._replace(distance=_distance(law, tail))
        if best is None or law.distance < best.distance:
            best = law
    return best


def _candidates(numbers_from: Floats) -> list[int]:
    """Return values at which the tail may begin: a bounded number, evenly by logarithm."""
    possible = int(np.count_nonzero(numbers_from >= LEAST_TAIL))
    last = min(possible - 1, len(numbers_from) - LEAST_VALUES)
    if last < 0:
        return []
    places = np.unique(np.geomspace(1, last + 1, _MOST_CANDIDATES).astype(int) - 1)
    return [int(place) for place in places]


def _likely_discrete(tail: _Tail) -> tuple[float, float]:
    least = float(tail.values[0])

    def unlikeliness(exponent: float) -> float:
        return float(np.log(zeta(exponent, least))) + exponent * tail.logarithms / tail.number

    bounds = (_FLATTEST, _STEEPEST)
    found = minimize_scalar(unlikeliness, bounds=bounds, method="bounded", options={"xatol": 1e-6})
    exponent = float(found.x)
    beside = (float(np.log(zeta(exponent + step, least))) for step in (-_STEP, 0.0, _STEP))
    below, here, above = beside
    curvature = (below - 2 * here + above) / _STEP**2
    return exponent, 1 / np.sqrt(max(tail.number * curvature, 1e-12))


def _likely_continuous(tail: _Tail) -> tuple[float, float]:
    above = tail.logarithms - tail.number * np.log(tail.values[0])
    exponent = 1 + tail.number / above
    return float(exponent), float((exponent - 1) / np.sqrt(tail.number))


def _distance(law: PowerLaw, tail: _Tail) -> float:
    """Compare the shares at or above every value that was seen, and above it."""
    seen_from = tail.counts[::-1].cumsum()[::-1] / tail.number
    seen_above = np.append(seen_from[1:], 0.0)
    if law.is_discrete:
        expected_from, expected_above = (
            _discrete(tail.values, law),
            _discrete(tail.values + 1, law),
        )
    else:
        expected_from = expected_above = _continuous(tail.values, law)
    apart = np.abs(seen_from - expected_from), np.abs(seen_above - expected_above)
    return float(max(each.max() for each in apart))


def _discrete(values: Floats, law: PowerLaw) -> Floats:
    shares: Floats = zeta(law.exponent, values) / zeta(law.exponent, law.least)
    return shares


def _continuous(values: Floats, law: PowerLaw) -> Floats:
    shares: Floats = (values / law.least) ** (1 - law.exponent)
    return shares
