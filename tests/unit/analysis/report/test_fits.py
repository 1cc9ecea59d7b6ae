"""Power laws: samples of known exponents give these exponents back."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from lycosa.analysis.report.fits import fit_continuous, fit_discrete, survival_of

Sample = NDArray[np.int64]


def counted(sample: Sample) -> tuple[list[int], list[int]]:
    values, counts = np.unique(sample, return_counts=True)
    return values.tolist(), counts.tolist()


def tail_of(exponent: float, least: int, size: int, seed: int) -> Sample:
    """Draw from the law of whole numbers: what is not below `least` of Zipf's is such a sample."""
    chance = np.random.RandomState(seed)
    drawn = chance.zipf(exponent, size * (1 if least == 1 else 60))
    return np.asarray(drawn[drawn >= least][:size], np.int64)


@pytest.mark.parametrize("exponent", [1.8, 2.1, 2.5, 3.2])
@pytest.mark.parametrize("seed", [1, 2])
def test_the_exponent_of_a_sample_is_found(exponent: float, seed: int) -> None:
    law = fit_discrete(*counted(tail_of(exponent, 1, 20_000, seed)))
    assert law is not None
    assert law.exponent == pytest.approx(exponent, abs=4 * law.error)
    assert law.error < 0.12
    assert law.distance < 0.02
    assert law.total == 20_000


def test_where_the_law_begins_is_found() -> None:
    noise = np.random.default_rng(3).integers(1, 12, 5_000)
    sample = np.concatenate([noise, tail_of(2.4, 12, 5_000, 3)])
    law = fit_discrete(*counted(sample))
    assert law is not None
    assert 11 <= law.least <= 20
    assert law.exponent == pytest.approx(2.4, abs=4 * law.error)
    assert law.total == 10_000
    assert law.tail <= 5_500


@pytest.mark.parametrize("exponent", [1.9, 2.3, 3.0])
def test_the_exponent_of_a_continuous_sample_is_found(exponent: float) -> None:
    draw = np.random.default_rng(5).random(20_000)
    sample = np.sort(0.15 * (1 - draw) ** (-1 / (exponent - 1)))
    law = fit_continuous(sample.tolist(), [1] * len(sample))
    assert law is not None
    assert law.exponent == pytest.approx(exponent, abs=4 * law.error)
    assert law.distance < 0.02


def test_no_law_is_fitted_to_too_few() -> None:
    assert fit_discrete([1, 2, 3, 4, 5, 6], [30, 8, 4, 2, 1, 1]) is None
    assert fit_discrete([1, 2, 3, 4], [3000, 800, 400, 200]) is None
    assert fit_discrete([], []) is None
    assert fit_continuous([0.5], [1000]) is None


def test_what_falls_too_steeply_is_no_power_law() -> None:
    values = list(range(100, 110))
    assert fit_discrete(values, [10 ** (10 - n) for n in range(10)]) is None


def test_the_law_falls_from_the_share_of_its_tail() -> None:
    law = fit_discrete(*counted(tail_of(2.2, 1, 5_000, 7)))
    assert law is not None
    expected = law.survival([law.least * step for step in (1, 2, 4, 8)])
    assert expected[0] == pytest.approx(law.tail / law.total)
    assert all(before > after for before, after in pairwise(expected))


def test_survival_is_the_share_at_or_above() -> None:
    assert survival_of([1, 2, 5], [5, 3, 2]) == pytest.approx([1.0, 0.5, 0.2])
