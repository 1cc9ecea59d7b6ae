"""Text from the web as it is shown."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa._support.safe_text import in_json, on_screen, visible

BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
CONTROL = "".join(map(chr, [*range(9), *range(11, 32), *range(127, 160)]))


@pytest.mark.parametrize("character", BIDI + CONTROL)
def test_what_turns_or_steers_the_screen_is_written_by_its_number(character: str) -> None:
    expected = f"a⟨U+{ord(character):04X}⟩b"
    assert on_screen(f"a{character}b") == visible(f"a{character}b") == expected
    assert json.loads(in_json(json.dumps(f"a{character}b", ensure_ascii=False)))[1] == character


WRITTEN = ["a b\tc\nd", "שלום", "می\u200cخواهم", "👩\u200d🚀 ❤\ufe0f", "naïve – “ok”"]


@pytest.mark.parametrize("text", WRITTEN)
def test_what_people_write_stays(text: str) -> None:
    assert on_screen(text) == text
    assert in_json(text) == text


@given(st.text())
def test_nothing_unruly_is_left(text: str) -> None:
    shown = on_screen(text)
    assert not set(shown) & set(BIDI + CONTROL)
    assert not any(unicodedata.bidirectional(c) in ("LRO", "RLO", "LRE", "RLE") for c in shown)
    assert on_screen(shown) == shown
    shown.encode()


@given(st.text(st.characters(codec="utf-8")))
def test_json_says_the_same(text: str) -> None:
    line = in_json(json.dumps(text, ensure_ascii=False))
    assert json.loads(line) == text
    assert not set(line) & set(BIDI + CONTROL)
