"""Estimates of a page's rate of change, against plain integration and a known truth."""

from __future__ import annotations

import random
from math import exp, expm1, inf, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.frontier.freshness.changes import (
    NONE,
    Belief,
    Evidence,
    changed,
    changed_at,
    first_belief,
    of_host,
    unchanged,
)

beliefs = st.builds(Belief, st.floats(0.05, 200.0), st.floats(1e-3, 1e9))
intervals = st.floats(1e-2, 1e9)


def moments(belief: Belief, seconds: float) -> tuple[float, float]:
    """Integrate belief(rate) (1 - exp(-rate seconds)) numerically, on a logarithmic scale."""
    steps = 20_000
    low, high = log(belief.rate) - 60.0 / belief.shape**0.5 - 20.0, log(belief.rate) + 12.0
    total = first = second = 0.0
    for step in range(steps):
        rate = exp(low + (high - low) * (step + 0.5) / steps)
        density = exp(belief.shape * log(rate) - belief.seconds * rate)
        weight = density * -expm1(-rate * seconds)
        total += weight
        first += weight * rate
        second += weight * rate * rate
    mean = first / total
    return mean, second / total - mean * mean


@pytest.mark.parametrize("shape", [0.3, 0.5, 1.0, 4.0, 25.0])
@pytest.mark.parametrize("times", [1e-4, 0.1, 1.0, 30.0, 1e4])
def test_a_change_has_the_mean_and_variance_of_the_true_posterior(
    shape: float, times: float
) -> None:
    before = Belief(shape, 2.0)
    evidence = changed(before, 2.0 * times)
    after = before.given(evidence)
    mean, variance = moments(before, 2.0 * times)
    assert after.rate == pytest.approx(mean, rel=2e-3)
    assert after.shape / after.seconds**2 == pytest.approx(variance, rel=2e-2)


@given(beliefs, intervals)
def test_a_change_makes_the_rate_greater_and_none_makes_it_smaller(
    before: Belief, seconds: float
) -> None:
    evidence = changed(before, seconds)
    assert evidence.changes >= 0.0 and evidence.seconds >= 0.0
    assert before.given(evidence).rate >= before.rate * (1 - 1e-6)
    assert before.given(unchanged(seconds)).rate < before.rate


@given(beliefs, intervals, intervals)
def test_the_longer_without_a_change_the_smaller_the_rate(
    before: Belief, one: float, other: float
) -> None:
    short, long = sorted((one, other))
    assert before.given(unchanged(long)).rate <= before.given(unchanged(short)).rate
    assert before.fresh(long) <= before.fresh(short)


@given(beliefs, intervals)
def test_fresh_and_stale_are_all_there_is(belief: Belief, seconds: float) -> None:
    assert 0.0 <= belief.fresh(seconds) <= 1.0
    assert belief.fresh(seconds) + belief.stale(seconds) == pytest.approx(1.0)


def test_a_change_an_instant_ago_counts_whole_and_one_in_a_year_says_little() -> None:
    day = Belief(1.0, 86_400.0)
    assert changed(day, 0.01).changes == pytest.approx(1.0, abs=1e-3)
    assert changed(day, 86_400.0 * 1e6).changes < 0.01


def test_what_the_server_says_about_the_last_change_is_exact() -> None:
    assert changed_at(50.0) == Evidence(1.0, 50.0)
    assert Belief(1.0, 100.0).given(changed_at(50.0)) == Belief(2.0, 150.0)


def test_a_page_without_a_history_is_believed_to_be_as_its_host() -> None:
    host = first_belief(1000.0).given(unchanged(9000.0))
    assert host.rate == pytest.approx(1e-4)
    assert of_host(host).given(NONE).rate == pytest.approx(host.rate)
    assert of_host(host).shape < host.shape


@pytest.mark.parametrize("mean_seconds", [3_000.0, 86_400.0, 1_000_000.0])
def test_the_rate_is_found_from_visits_at_irregular_intervals(mean_seconds: float) -> None:
    """Also where a page changes many times between two visits, which the plain ratio cannot see."""
    chance = random.Random(int(mean_seconds))
    belief, evidence, seen, total = of_host(first_belief(200_000.0)), NONE, 0, 0.0
    for _ in range(400):
        seconds = chance.expovariate(1 / 20_000.0)
        total += seconds
        if chance.random() < 1 - exp(-seconds / mean_seconds):
            evidence = evidence.plus(changed(belief.given(evidence), seconds))
            seen += 1
        else:
            evidence = evidence.plus(unchanged(seconds))
    estimate = belief.given(evidence).rate
    assert estimate == pytest.approx(1 / mean_seconds, rel=0.35)
    naive = seen / total if seen else inf
    assert abs(log(estimate * mean_seconds)) <= abs(log(naive * mean_seconds)) + 0.1
