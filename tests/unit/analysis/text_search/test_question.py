"""What a user types becomes a question, whatever it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.analysis.text_search.question import Filter, Question, Word, parse_question
from unit.analysis.text_search.question_pieces import PIECES


def test_words_phrases_and_filters() -> None:
    asked = parse_question('ada "analytical engine" -steam -"a b" engin* Site:HTTPS://A.test/x')
    assert asked.words == (
        Word("ada"),
        Word("analytical engine", is_phrase=True),
        Word("steam", is_excluded=True),
        Word("a b", is_phrase=True, is_excluded=True),
        Word("engin", is_prefix=True),
    )
    assert asked.filters == (Filter("site", "a.test"),)
    assert asked.notes == ()


def test_filters_of_all_kinds() -> None:
    asked = parse_question('lang:DE -type:pdf topic:"Computer Science" a:Person')
    assert asked.filters == (
        Filter("lang", "de"),
        Filter("type", "pdf", is_excluded=True),
        Filter("topic", "computer science"),
        Filter("a", "Person"),
    )


def test_dates_are_the_first_second_of_a_year_a_month_or_a_day() -> None:
    asked = parse_question("after:2025-03 before:2026")
    assert (asked.after, asked.before) == (1_740_787_200, 1_767_225_600)


@pytest.mark.parametrize(
    "text", ["", "   ", "!!! ???", "-ada", "-site:a.test", "before:soon", '""']
)
def test_nonsense_asks_for_nothing(text: str) -> None:
    assert parse_question(text).is_empty


def test_what_is_left_out_is_said() -> None:
    assert parse_question("x before:soon").notes == (
        "before:soon is not a date; write 2025, 2025-03 or 2025-03-31",
    )
    assert "closing" in parse_question('"a b').notes[0]
    assert parse_question("word " * 300).notes[-1] == "only the first 32 words were used"


def test_an_unknown_key_is_a_word() -> None:
    assert parse_question("std::vector http://a.test/").words == (
        Word("std::vector"),
        Word("http://a.test/"),
    )


@given(st.one_of(st.text(), st.lists(PIECES).map(" ".join), st.lists(PIECES).map("".join)))
def test_every_text_has_a_question(text: str) -> None:
    asked = parse_question(text)
    assert isinstance(asked, Question)
    assert len(asked.words) <= 32
    assert all(any(letter.isalnum() for letter in word.text) for word in asked.words)
    assert all(one.value for one in asked.filters)
