"""Computes how often to visit each page for the best freshness, given its rate of change.

A page that changes at a rate r and is visited f times a second, at even intervals, is fresh for
f / r (1 - exp(-r / f)) of the time. The sum over all pages, under a bound on the sum of all f, is
greatest where its derivatives are equal: (1 - (1 + x) exp(-x)) / r = m with x = r / f, and m the
same for all, Lagrange's multiplier (Cho and Garcia-Molina 2003). A page with r > 1 / m is not
visited at all: catching up with it costs more than it yields.

The multiplier is found by bisection, and so is x for each page: both are monotone.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, expm1, inf
from typing import NamedTuple

_FARTHEST = 700.0
"""Beyond this exp(-x) is nothing."""


class Allocation(NamedTuple):
    """How often each page is to be visited."""

    frequencies: list[float]
    multiplier: float
    """What one visit more would yield, at every page that is visited."""


def freshness(rate: float, frequency: float) -> float:
    """Return for which share of the time a page is fresh."""
    if not frequency:
        return 0.0 if rate else 1.0
    return 1.0 if not rate else frequency / rate * -expm1(-rate / frequency)


def allocate(rates: Sequence[float], budget: float) -> Allocation:
    """Return the frequencies, `budget` in all, that make the pages as fresh as can be."""
    changing = [rate for rate in rates if rate > 0.0]
    if not changing or budget <= 0.0:
        return Allocation([0.0] * len(rates), inf)
    low, high = 0.0, 1.0 / min(changing)
    while low < (middle := (low + high) / 2) < high:
        if sum(_frequency(rate, middle) for rate in changing) > budget:
            low = middle
        else:
            high = middle
    fewer = [_frequency(rate, high) for rate in rates]
    more = [_frequency(rate, low) for rate in rates]
    # Where few visits are shared by fast pages, no multiplier that a computer knows lies between.
    share = (budget - sum(fewer)) / max(sum(more) - sum(fewer), 1e-300)
    between = [f + share * (m - f) for f, m in zip(fewer, more, strict=True)]
    return Allocation(between, high)


def _frequency(rate: float, multiplier: float) -> float:
    """Return the frequency at which the derivative of a page's freshness is the multiplier."""
    wanted = multiplier * rate
    if not rate or wanted >= 1.0:
        return 0.0
    low, high = 0.0, _FARTHEST
    while low < (middle := (low + high) / 2) < high:
        if -expm1(-middle) - middle * exp(-middle) < wanted:
            low = middle
        else:
            high = middle
    return rate / high
