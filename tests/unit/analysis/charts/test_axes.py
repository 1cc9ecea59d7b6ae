"""Axes: round numbers, in order, around all values."""

from __future__ import annotations

from itertools import pairwise
from math import log10

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.analysis.charts.axes import (
    log_ticks,
    percent_name,
    plain_name,
    whole_ticks,
)

SIZES = st.floats(1e-9, 1e12)


@settings(deadline=None)
@given(st.integers(0, 10**12), st.integers(2, 8))
def test_whole_ticks_are_whole_even_and_few(most: int, wanted: int) -> None:
    found = whole_ticks(most, wanted)
    assert found[0] == 0
    assert found[-1] >= most
    assert found[-2] < max(most, 1)
    assert len({after - before for before, after in pairwise(found)}) == 1
    assert len(found) <= wanted + 2


@settings(deadline=None)
@given(SIZES, SIZES)
def test_logarithmic_axes_hold_all_values_between_named_ends(one: float, other: float) -> None:
    low, high = min(one, other), max(one, other)
    axis = log_ticks(low, high)
    assert axis.low <= low * (1 + 1e-6)
    assert axis.high >= high * (1 - 1e-6)
    assert axis.low < axis.high
    assert axis.named[0] == axis.low
    assert 2 <= len(axis.named) <= 8
    assert axis.named == sorted(set(axis.named))
    assert all(axis.low < tick < axis.high or tick == axis.high for tick in axis.plain)
    assert not set(axis.plain) & set(axis.named)
    assert -1e-6 <= axis.place(low) <= axis.place(high) <= 1 + 1e-6


@settings(deadline=None)
@given(st.integers(-6, 6), st.integers(2, 6))
def test_long_axes_end_at_powers_of_ten(power: int, decades: int) -> None:
    axis = log_ticks(10.0**power, 10.0 ** (power + decades))
    assert log10(axis.low) == pytest.approx(power)
    assert log10(axis.high) == pytest.approx(power + decades)
    assert len(axis.named) == decades + 1


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (1, "1"),
        (20, "20"),
        (1000, "1,000"),
        (1e5, "10⁵"),
        (0.1, "0.1"),
        (1e-3, "10⁻³"),
        (0.5, "0.5"),
    ],
)
def test_numbers_on_axes_are_short(value: float, name: str) -> None:
    assert plain_name(value) == name


@pytest.mark.parametrize(
    ("value", "name"), [(1, "100 %"), (0.1, "10 %"), (0.001, "0.1 %"), (1e-5, "10⁻⁵")]
)
def test_shares_on_axes_are_percents_as_long_as_these_are_short(value: float, name: str) -> None:
    assert percent_name(value).replace("\N{NO-BREAK SPACE}", " ") == name
