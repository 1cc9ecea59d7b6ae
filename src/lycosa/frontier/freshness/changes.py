"""Estimates how often a page changes, from visits that show only whether it did.

A page is assumed to change by a Poisson process with a rate of its own. A visit does not see how
often it changed since the last one, only whether it did (Cho and Garcia-Molina, "Estimating
Frequency of Change", ACM TOIT 3(3), 2003). The belief about a rate is a Gamma distribution,
`Belief`; the *evidence* of a page is by how much its visits have moved that belief.

    not changed in t seconds          the likelihood is exp(-rate t): exactly t seconds more
    changed, the last time a ago      rate exp(-rate a): exactly one change and a seconds more
    changed in t seconds, unknown     1 - exp(-rate t) has no Gamma as its posterior; the one with
    how often                         the same mean and variance takes its place

The last is assumed-density filtering: each visit is taken in once, at the cost of a few
logarithms, and two numbers per page remember all of them, whatever their intervals were. Unlike the
plain ratio of changes to time it has no bias at high rates, and it is defined after the first
visit.

A page's evidence is added to the belief about its whole host (`of_host`), so a page with a short
history is judged by its host's, and one with a long history by its own.

Always true:
  * evidence only grows;
  * a change raises the expected rate, and no change lowers it.
"""

from __future__ import annotations

from math import expm1, log1p

from lycosa._support.tuples import NamedTuple

HOST_SHAPE = 0.5
"""How far the rates of a host's pages lie apart: the smaller, the farther."""

SHORTEST_SECONDS = 1e-3
"""No two visits are closer to each other than this."""


class Evidence(NamedTuple):
    """The findings of visits, as a number of changes in a number of seconds."""

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
        """Return the belief after this evidence."""
        return Belief(self.shape + evidence.changes, self.seconds + evidence.seconds)

    def fresh(self, age_seconds: float) -> float:
        """Return the probability that a copy of that age is still up to date."""
        return float((self.seconds / (self.seconds + max(age_seconds, 0.0))) ** self.shape)

    def stale(self, age_seconds: float) -> float:
        """Return the opposite, exact also where it is small."""
        return -expm1(-self.shape * log1p(max(age_seconds, 0.0) / self.seconds))


def first_belief(mean_seconds: float) -> Belief:
    """Return the belief about an unknown host."""
    return Belief(1.0, mean_seconds)


def of_host(host: Belief) -> Belief:
    """Return the belief about an unknown page of a known host."""
    return Belief(HOST_SHAPE, HOST_SHAPE / host.rate)


def unchanged(seconds: float) -> Evidence:
    """Return the evidence of no change within `seconds`."""
    return Evidence(0.0, max(seconds, SHORTEST_SECONDS))


def changed_at(age_seconds: float) -> Evidence:
    """Return the evidence of a change whose moment is known, `age_seconds` ago."""
    return Evidence(1.0, max(age_seconds, SHORTEST_SECONDS))


def changed(before: Belief, seconds: float) -> Evidence:
    """Return the evidence of at least one change within some seconds.

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
