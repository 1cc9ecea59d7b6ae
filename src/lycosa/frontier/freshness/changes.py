"""How often does a page change?

A page is taken to change by a Poisson process of a rate of its own. A visit does not see how
often it changed since the last one, only whether it did (Cho and Garcia-Molina, "Estimating
Frequency of Change", ACM TOIT 3(3), 2003). What is believed of a rate is a Gamma distribution,
`Belief`, and what visits say about a page is its *evidence*: by how much they have moved that
belief.

    not changed in t seconds          the likelihood is exp(-rate t): exactly t seconds more
    changed, the last time a ago      rate exp(-rate a): exactly one change and a seconds more
    changed in t seconds, who knows   1 - exp(-rate t) has no Gamma as its posterior; the one with
    how often                         the same mean and variance takes its place

The last is assumed-density filtering: each visit is taken in once, at the cost of a few
logarithms, and two numbers a page remember all of them, whatever their intervals were. It has no
bias at high rates as the plain ratio of changes to time has, and is defined after the first visit.

The belief that a page's evidence is added to is what its whole host is like (`of_host`), so a
page with a short history is judged by its host's, and one with a long one by its own.

Always true:
  * evidence only grows;
  * a change makes the expected rate greater, and no change makes it smaller.
"""

from __future__ import annotations

from math import expm1, log1p
from typing import NamedTuple

HOST_SHAPE = 0.5
"""How far the rates of a host's pages lie apart: the smaller, the farther."""

SHORTEST_SECONDS = 1e-3
"""No two visits are closer to each other than this."""


class Evidence(NamedTuple):
    """What visits have shown: so many changes, as it were, in so many seconds."""

    changes: float = 0.0
    seconds: float = 0.0

    def plus(self, other: Evidence) -> Evidence:
        """Return both together."""
        return Evidence(self.changes + other.changes, self.seconds + other.seconds)


NONE = Evidence()


class Belief(NamedTuple):
    """A Gamma distribution over rates, in changes a second."""

    shape: float
    seconds: float

    @property
    def rate(self) -> float:
        """The expected rate."""
        return self.shape / self.seconds

    def given(self, evidence: Evidence) -> Belief:
        """Return what is believed with this evidence."""
        return Belief(self.shape + evidence.changes, self.seconds + evidence.seconds)

    def fresh(self, age_seconds: float) -> float:
        """Return how probably a copy of that age is what the page still is."""
        return float((self.seconds / (self.seconds + max(age_seconds, 0.0))) ** self.shape)

    def stale(self, age_seconds: float) -> float:
        """Return the opposite, exact also where it is small."""
        return -expm1(-self.shape * log1p(max(age_seconds, 0.0) / self.seconds))


def first_belief(mean_seconds: float) -> Belief:
    """Return what is believed of a host of which nothing is known."""
    return Belief(1.0, mean_seconds)


def of_host(host: Belief) -> Belief:
    """Return what is believed of a page of which nothing is known but its host."""
    return Belief(HOST_SHAPE, HOST_SHAPE / host.rate)


def unchanged(seconds: float) -> Evidence:
    """Return what it says that a page has not changed in so many seconds."""
    return Evidence(0.0, max(seconds, SHORTEST_SECONDS))


def changed_at(age_seconds: float) -> Evidence:
    """Return what it says that a page changed, the last time so many seconds ago."""
    return Evidence(1.0, max(age_seconds, SHORTEST_SECONDS))


def changed(before: Belief, seconds: float) -> Evidence:
    """Return what it says that a page has changed at least once in so many seconds.

    The distribution is before(rate) (1 - exp(-rate t)), the difference of two Gammas; with
    q = seconds / (seconds + t) its moments are those of `before` times (1 - q^(shape + n)) over
    (1 - q^shape).
    """
    shape, beta = before
    logarithm = -log1p(max(seconds, SHORTEST_SECONDS) / beta)
    whole = expm1(shape * logarithm)
    first = expm1((shape + 1.0) * logarithm) / whole
    second = expm1((shape + 2.0) * logarithm) / whole
    mean = shape / beta * first
    variance = shape * (shape + 1.0) / (beta * beta) * second - mean * mean
    after = Belief(mean * mean / variance, mean / variance)
    return Evidence(max(after.shape - shape, 0.0), max(after.seconds - beta, 0.0))
