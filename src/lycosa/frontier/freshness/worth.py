"""The worth of visiting a page now, by each of the policies.

    profit        the gain in value of the copy: quality x freshness after the visit, when it is
                  fresh, minus quality x freshness before (WIRE, Figure 3)
    fresh         the gain in long-run freshness by one visit more, at this distance from the last:
                  the derivative of the page's freshness by its frequency of visits
    uniform       the age of the copy: all pages equally often
    proportional  the expected number of changes: visits in proportion to changes

A crawl that always visits the page of greatest worth under `fresh` visits all pages at the same
worth, and so at the frequencies that Lagrange's multiplier gives (Cho and Garcia-Molina, "Effective
Page Refresh Policies for Web Crawlers", ACM TODS 28(4), 2003): the multiplier is the worth of the
last page chosen. So the best allocation needs no sum over all pages, and partitions that share
nothing can follow it. Pages that change too often to be caught up with fall behind by themselves,
while `proportional` spends most on them. (`benchmarks.allocation` computes the same frequencies as
a whole.)

A URL that was never visited is worth its quality under `profit`; the other policies, which know no
quality, put it first.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, expm1, inf, log1p
from typing import NamedTuple

from lycosa.frontier.freshness.changes import Belief

_NEARLY_ONE = 1e-6


def value(quality: float, freshness: float) -> float:
    """Return the value of a copy."""
    return quality * freshness


def profit(quality: float, freshness: float) -> float:
    """Return the future value of a page less its present value; not visited is freshness 0."""
    return value(quality, 1.0) - value(quality, freshness)


def _profit(quality: float, belief: Belief, age_seconds: float) -> float:
    return profit(quality, 1.0 - belief.stale(age_seconds))


def gain(belief: Belief, age_seconds: float) -> float:
    """Return the expected seconds of freshness that a visit now adds, in the long run.

    With S(t) the probability that a copy of age t is fresh this is the integral of S from 0 to
    the age, less age x S(age). For a known rate that is (1 - (1 + x) exp(-x)) / rate, where
    x = rate x age.
    """
    shape, seconds = belief
    logarithm = log1p(age_seconds / seconds)
    less = shape - 1.0
    if abs(less) < _NEARLY_ONE:
        fresh_seconds = seconds * logarithm
    else:
        fresh_seconds = seconds * -expm1(-less * logarithm) / less
    return max(0.0, fresh_seconds - age_seconds * exp(-shape * logarithm))


class Policy(NamedTuple):
    """A policy: the way in which it values visits."""

    known: Callable[[float, Belief, float], float]
    """(quality, belief, age in seconds) → the worth of a visit."""
    new: Callable[[float], float]
    """quality → the worth of a first visit."""
    needs_quality: bool = False


def _first(quality: float) -> float:
    return inf


POLICIES: dict[str, Policy] = {
    "profit": Policy(_profit, lambda quality: profit(quality, 0.0), needs_quality=True),
    "fresh": Policy(lambda quality, belief, age: gain(belief, age), _first),
    "uniform": Policy(lambda quality, belief, age: age, _first),
    "proportional": Policy(lambda quality, belief, age: belief.rate * age, _first),
}
