"""The allocation is the best one: nothing that scipy or an exchange of visits finds is better."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.allocation import allocate, freshness
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from seeds import examples

rates_of = st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=8)


def total(rates: list[float], frequencies: list[float]) -> float:
    return sum(freshness(r, f) for r, f in zip(rates, frequencies, strict=True))


@settings(deadline=None, max_examples=examples(60))
@given(rates_of, st.floats(1e-2, 1e3))
def test_the_whole_budget_is_spent(rates: list[float], budget: float) -> None:
    found = allocate(rates, budget)
    assert sum(found.frequencies) == pytest.approx(budget, rel=1e-6)
    assert min(found.frequencies) >= 0.0


@settings(deadline=None, max_examples=examples(60))
@given(rates_of, st.floats(0.05, 100.0), st.data())
def test_moving_visits_from_one_page_to_another_makes_nothing_fresher(
    rates: list[float], budget: float, data: st.DataObject
) -> None:
    best = allocate(rates, budget).frequencies
    giver = data.draw(st.sampled_from(range(len(rates))))
    taker = data.draw(st.sampled_from(range(len(rates))))
    moved = best[giver] * data.draw(st.floats(0.01, 1.0))
    other = list(best)
    other[giver] -= moved
    other[taker] += moved
    assert total(rates, other) <= total(rates, best) + 1e-7


@settings(max_examples=examples(25), deadline=None)
@given(st.lists(st.floats(0.05, 20.0), min_size=2, max_size=5), st.floats(0.2, 10.0))
def test_a_general_optimiser_finds_nothing_better(rates: list[float], budget: float) -> None:
    best = total(rates, allocate(rates, budget).frequencies)
    found = minimize(
        lambda x: -total(rates, [float(f) for f in np.maximum(x, 1e-12)]),
        np.full(len(rates), budget / len(rates)),
        bounds=[(1e-9, budget)] * len(rates),
        constraints=[{"type": "eq", "fun": lambda x: x.sum() - budget}],
        method="SLSQP",
    )
    assert -found.fun <= best + 1e-4


def test_a_page_that_changes_too_often_is_not_visited() -> None:
    found = allocate([1.0, 2.0, 1000.0], 1.0)
    assert found.frequencies[2] == 0.0
    assert found.multiplier > 1 / 1000.0


def test_of_two_pages_the_slower_gets_the_more_visits_when_there_are_few() -> None:
    """Cho and Garcia-Molina's example: it is not the page that changes most that gains most."""
    slow, fast = allocate([1.0, 9.0], 1.0).frequencies
    assert slow == pytest.approx(1.0) and fast == 0.0


@pytest.mark.parametrize(("rates", "budget"), [([], 1.0), ([0.0, 0.0], 1.0), ([1.0], 0.0)])
def test_where_nothing_changes_or_nothing_can_be_spent_nothing_is(
    rates: list[float], budget: float
) -> None:
    assert allocate(rates, budget).frequencies == [0.0] * len(rates)
