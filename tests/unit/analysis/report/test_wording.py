"""Numbers and text as they are shown."""

from __future__ import annotations

import unicodedata
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa._support.safe_text import visible
from lycosa.analysis.report.section import Kind
from lycosa.analysis.report.wording import (
    cell,
    count,
    listed,
    number,
    seconds,
    share,
    shortened,
    shown,
)


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [
        (1, 1, "100 %"),
        (0, 5, "0 %"),
        (0, 0, "0 %"),
        (1, 3, "33.3 %"),
        (1, 2, "50 %"),
        (1, 100_000, "<0.1 %"),
        (99_999, 100_000, ">99.9 %"),
    ],
)
def test_only_all_is_all_and_only_nothing_is_nothing(part: int, whole: int, text: str) -> None:
    assert plain(share(part, whole)) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (2.239, "2.24"),
        (31.42, "31.4"),
        (12345.6, "12,346"),
        (0.5, "0.500"),
        (0.0123, "0.012"),
        (0.0000312, "3.1 × 10⁻⁵"),
    ],
)
def test_numbers_have_three_digits_that_count(value: float, text: str) -> None:
    assert plain(number(value)) == text


def test_pauses_are_told_to_the_millisecond_if_they_are_short() -> None:
    assert [plain(seconds(n)) for n in (0.3012, 0.3, 15.04, 3600)] == [
        "0.301 s",
        "0.3 s",
        "15 s",
        "3,600 s",
    ]
    assert count(12_345) == "12,345"


CELLS: dict[str, tuple[object, str]] = {
    "text": ("some", "some"),
    "web": ("http://a.test/", "http://a.test/"),
    "count": (12_345, "12,345"),
    "share": (0.5, "50.0 %"),
    "size": (2_500_000, "2.5 MB"),
    "number": (2.239, "2.24"),
    "seconds": (15.0, "15.0 s"),
}


@pytest.mark.parametrize("kind", get_args(Kind))
def test_a_cell_is_written_as_its_kind_says(kind: str) -> None:
    value, text = CELLS[kind]
    assert plain(cell(value, kind, is_aligned=True)) == text


def test_cells_that_are_not_aligned_have_no_zeros_at_their_end() -> None:
    assert plain(cell(0.5, "share")) == "50 %"
    assert plain(cell(15.0, "seconds")) == "15 s"


def test_words_are_listed_as_in_a_sentence() -> None:
    assert [listed([]), listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]


def test_what_turns_text_around_is_shown_by_its_number() -> None:
    assert visible("a\N{RIGHT-TO-LEFT OVERRIDE}b\0") == "a⟨U+202E⟩b⟨U+0000⟩"


@settings(deadline=None)
@given(st.text())
def test_nothing_invisible_is_left(text: str) -> None:
    assert not any(unicodedata.category(letter) in ("Cc", "Cs") for letter in visible(text))
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in visible(text)


@settings(deadline=None)
@given(st.text(), st.integers(1, 50))
def test_text_is_never_longer_than_it_may_be(text: str, most: int) -> None:
    assert len(shortened(text, most)) <= most
    assert len(shown(text, most)) <= most
    if len(text) <= most:
        assert shortened(text, most) == text


def test_long_text_keeps_both_ends() -> None:
    text = shown("http://a.test/" + "x" * 10_000 + "/end.html", 40)
    assert text.startswith("http://a.test/") and text.endswith("/end.html") and len(text) == 40
