"""The worth of a visit: WIRE's Figure 3, and `fresh` is the best policy for freshness."""

from __future__ import annotations

from math import exp, inf

import pytest
from benchmarks.allocation import allocate, freshness
from hypothesis import given
from hypothesis import strategies as st

from lycosa.frontier.freshness.bids import Candidate, bid_of, chosen, share_out
from lycosa.frontier.freshness.changes import Belief
from lycosa.frontier.freshness.worth import POLICIES, gain, profit, value
from lycosa.model.job.revisit import POLICIES as NAMES

KNOWN = 1e9
"""A shape so large that the rate is as good as known."""


def known(rate: float) -> Belief:
    return Belief(KNOWN, KNOWN / rate)


def test_figure_3_of_wire() -> None:
    profits = {"P1": profit(0.4, 0.1), "P2": profit(0.7, 0.9), "P3": profit(0.6, 0.0)}
    assert profits == pytest.approx({"P1": 0.36, "P2": 0.07, "P3": 0.6})
    assert (value(0.4, 0.1), value(0.7, 0.9)) == pytest.approx((0.04, 0.63))
    names = list(profits)
    candidates = [Candidate(worth, page) for page, worth in enumerate(profits.values())]
    share = share_out({0: bid_of(candidates)}, 2)[0]
    assert {names[best.page] for best in chosen(candidates, share)} == {"P1", "P3"}


def test_figure_3_by_the_policy_itself() -> None:
    """The same pages as the planner sees them: a belief and an age that make them so fresh."""
    policy = POLICIES["profit"]
    assert policy.known(0.4, Belief(1.0, 1.0), 9.0) == pytest.approx(0.36)  # 1 / (1 + 9) fresh
    assert policy.known(0.7, Belief(1.0, 9.0), 1.0) == pytest.approx(0.07)  # 9 / (9 + 1) fresh
    assert policy.new(0.6) == pytest.approx(0.6)


def test_every_policy_of_the_job_has_its_worth() -> None:
    assert {*POLICIES, "off"} == set(NAMES)


@given(
    st.floats(0.01, 1.0),
    st.builds(Belief, st.floats(0.1, 50.0), st.floats(1.0, 1e7)),
    st.floats(1.0, 1e7),
    st.floats(1.0, 1e7),
)
def test_a_visit_is_worth_more_the_older_the_copy(
    quality: float, belief: Belief, one: float, other: float
) -> None:
    young, old = sorted((one, other))
    for policy in POLICIES.values():
        worth = policy.known(quality, belief, young)
        assert 0.0 <= worth <= policy.known(quality, belief, old) * (1 + 1e-9) + 1e-12
        assert policy.new(quality) >= min(quality, worth)


@pytest.mark.parametrize("shape", [0.5, 1.0 - 1e-9, 1.0, 1.0 + 1e-9, 3.0])
def test_the_gain_is_the_freshness_that_was_had_less_what_the_age_promises(shape: float) -> None:
    belief, age, steps = Belief(shape, 100.0), 250.0, 100_000
    had = sum(belief.fresh(age * (step + 0.5) / steps) for step in range(steps)) * age / steps
    assert gain(belief, age) == pytest.approx(had - age * belief.fresh(age), rel=1e-6)


@given(st.floats(1e-6, 1.0), st.floats(0.1, 1e6))
def test_with_a_known_rate_the_gain_is_the_derivative_of_freshness(rate: float, age: float) -> None:
    x = min(rate * age, 600.0)
    assert gain(known(rate), x / rate) == pytest.approx(
        (1 - (1 + x) * exp(-x)) / rate, rel=1e-3, abs=1e-6 / rate
    )


def test_visiting_the_greatest_gain_again_and_again_is_the_best_allocation() -> None:
    """Greedy choices, a few a step, come to the frequencies of Lagrange's multiplier."""
    rates = [0.002 * 1.35**n for n in range(30)]
    budget, steps = 3, 4000
    last = [0] * len(rates)
    visits = [0] * len(rates)
    for step in range(1, steps):
        worth = [gain(known(rate), step - last[page]) for page, rate in enumerate(rates)]
        for page in sorted(range(len(rates)), key=lambda page: -worth[page])[:budget]:
            last[page] = step
            visits[page] += 1
    best = allocate(rates, float(budget))
    reached = sum(freshness(r, n / steps) for r, n in zip(rates, visits, strict=True))
    possible = sum(freshness(r, f) for r, f in zip(rates, best.frequencies, strict=True))
    assert 0.97 * possible <= reached <= possible * 1.001
    uniform = sum(freshness(rate, budget / len(rates)) for rate in rates)
    total = sum(rates)
    proportional = sum(freshness(rate, budget * rate / total) for rate in rates)
    assert reached > uniform > proportional


def test_what_was_never_seen_comes_first_where_quality_does_not_count() -> None:
    assert all(POLICIES[name].new(0.1) == inf for name in ("fresh", "uniform", "proportional"))
