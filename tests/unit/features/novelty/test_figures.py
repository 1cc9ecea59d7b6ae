"""Figures are what a table says; days, years, times and parts of names are not."""

from __future__ import annotations

import time

import pytest

from lycosa.features.novelty.figures import (
    LEAST_NEW,
    MOST_REMEMBERED,
    MOST_SHAPES,
    SeenFigures,
    figures,
    leaps,
)


def table(first: int, count: int = 20) -> bytes:
    return b" ".join(b"Lamp %d.50" % n for n in range(first, first + count))


@pytest.mark.parametrize("shown", ["12.50", "1,299.00", "0.0123", "999", "12345", "1'200", "4.2"])
@pytest.mark.parametrize("frame", ["{}", "${} each", "({})", "-{}", "{}, and", "{}€", "a {}\n"])
def test_figures_are_found(shown: str, frame: str) -> None:
    assert figures(frame.format(shown).encode()) == [shown.encode()]


@pytest.mark.parametrize(
    "text",
    [
        *("3", "45", "2026", "1066", "16.11.2026", "16.11.", "2026-11-19", "12:30", "11/16/2026"),
        *("4f6a09c1", "ab123", "123ab", "h77.example", "part-123-4"),
    ],
)
def test_days_years_times_and_names_are_no_figures(text: str) -> None:
    assert figures(text.encode()) == []


def test_a_table_is_new_until_its_figures_were_shown() -> None:
    seen = SeenFigures()
    assert seen.are_new(1, table(0))
    assert not seen.are_new(1, table(0))
    assert not seen.are_new(1, table(LEAST_NEW - 1)), "but for a few"
    assert seen.are_new(1, table(2 * LEAST_NEW))
    assert seen.are_new(2, table(0)), "another shape has other tables"
    assert not seen.are_new(3, table(0, LEAST_NEW)), "one neighbour too few"


def test_what_is_remembered_is_bounded() -> None:
    seen = SeenFigures()
    for first in range(0, 5 * MOST_REMEMBERED, 1000):
        seen.are_new(1, table(first, 1000))
        assert sum(map(len, seen._shapes.values())) <= MOST_REMEMBERED
    for shape in range(5 * MOST_SHAPES):
        seen.are_new(shape, table(shape))
        assert len(seen._shapes) <= MOST_SHAPES


@pytest.mark.parametrize("part", [b"1'", b"1.", b"1-", b"1, ", b"1", b" 12.50"])
def test_a_hostile_text_takes_no_time(part: bytes) -> None:
    began = time.process_time()
    figures(part * 2_000_000)
    assert time.process_time() - began < 2


def test_small_numbers_leap_where_none_before_them_is_near() -> None:
    assert leaps(b"played 12 won 7 lost 3 points 44") == [12, 7, 3, 44]
    assert leaps(b"1 2 3 4 5 6 7 8 9 10") == [1]
    assert leaps(b"40 1 2 3 4 5 6 7 41 8 9 10 11 12 13 14 42") == [40, 1]
    assert leaps(b"on 3.4. at 12:30, page 5/9, 2024, v7, 100") == []
    assert leaps(b"5 1 5 2 5 3 5 4") == [5, 1]
