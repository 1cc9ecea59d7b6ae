"""The language of a page comes from its markup unless its text is clear; agreement is counted."""

from __future__ import annotations

import os
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from lycosa.analysis.study.build import study
from lycosa.errors import StoreError
from lycosa.extract.text import language_detector as detector
from lycosa.extract.text.language_codes import CODES
from lycosa.extract.text.page_language import LETTERS, language_of, middle_of
from unit.analysis.statistics.spoiled import spoil
from unit.analysis.study.drawn_crawl import BEGAN, Fetch, rows, write

A, B, C, D, E = (f"test.a:/{name}" for name in "abcde")

ENGLISH = (
    "All human beings are born free and equal in dignity and rights. They are endowed with reason"
    " and conscience and should act towards one another in a spirit of brotherhood."
)
GERMAN = (
    "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und"
    " Gewissen begabt und sollen einander im Geiste der Brüderlichkeit begegnen."
)
SERBIAN = (
    "Сва људска бића рађају се слободна и једнака у достојанству и правима. Она су обдарена разумом"
    " и свешћу и треба једни према другима да поступају у духу братства."
)
JAPANESE = (
    "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、"
    "理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。"
)


@cache
def package() -> Any:
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def by_path(folder: Path) -> dict[str, dict[str, Any]]:
    urls = {row["url_id"]: row["url"].rpartition("/")[2] for row in rows(folder, "ranks")}
    return {urls[row["url_id"]]: row for row in rows(folder, "page_languages")}


def test_text_speaks_where_markup_is_silent(tmp_path: Path) -> None:
    write(
        tmp_path,
        [
            Fetch(A, body=GERMAN, language=""),
            Fetch(B, body=JAPANESE, language="xx"),  # no language has that code
            Fetch(C, body="ok", language=""),
            Fetch(D, body=GERMAN, language="deu"),
            Fetch(E, body="42 1.0 #!", language="fr"),
        ],
    )
    facts = study(tmp_path).facts["languages"]
    found = {path: (row["language"], row["source"]) for path, row in by_path(tmp_path).items()}
    assert found == {
        "a": ("de", "text"),
        "b": ("ja", "text"),
        "c": ("und", None),
        "d": ("de", "markup"),
        "e": ("fr", "markup"),
    }
    assert by_path(tmp_path)["a"]["confidence"] > 0.5
    assert {
        (r["language"], r["pages"], r["by_markup"], r["by_text"])
        for r in rows(tmp_path, "languages")
    } == {
        ("de", 2, 1, 1),
        ("fr", 1, 1, 0),
        ("ja", 1, 0, 1),
        ("und", 1, 0, 0),
    }
    assert facts == {
        "by_markup": 2,
        "by_text": 2,
        "unknown": 1,
        "languages": 3,
        "compared": 1,
        "agreeing": 1,
        "overruled": 0,
    }


def test_a_wrong_lang_does_not_beat_clear_text(tmp_path: Path) -> None:
    write(
        tmp_path,
        [
            Fetch(A, body=GERMAN, language="en"),
            Fetch(B, body=JAPANESE, language="en"),
            Fetch(C, body=SERBIAN, language="hr"),  # a kin of Serbian
            Fetch(D, body=GERMAN, language="gsw"),  # no detector knows Alemannic
            Fetch(E, body="Menu 1 2 3 Kontakt", language="fr"),  # tells nothing clearly
        ],
    )
    facts = study(tmp_path).facts["languages"]
    found = {path: (row["language"], row["source"]) for path, row in by_path(tmp_path).items()}
    assert found == {
        "a": ("de", "text"),
        "b": ("ja", "text"),
        "c": ("hr", "markup"),
        "d": ("gsw", "markup"),
        "e": ("fr", "markup"),
    }
    assert (facts["overruled"], facts["by_text"], facts["by_markup"]) == (2, 2, 3)


def test_the_middle_of_a_text_tells_its_language(tmp_path: Path) -> None:
    menu = "Home Products News About us Contact Log in Search Help Terms of use Privacy policy " * 5
    write(tmp_path, [Fetch(A, body=f"{menu}{GERMAN * 3}{menu}", language="en")])
    study(tmp_path)
    assert by_path(tmp_path)["a"]["language"] == "de"


def test_the_middle_of_a_short_text_is_all_of_it() -> None:
    assert [middle_of(text) for text in (None, "", "short")] == ["", "", "short"]
    assert middle_of("a" * 10 + "b" * LETTERS + "c" * 10) == "b" * LETTERS


def test_markup_and_text_agree_if_they_mean_one_language(tmp_path: Path) -> None:
    write(
        tmp_path,
        [
            Fetch(A, body=ENGLISH, language="en"),
            Fetch(B, body=GERMAN, language="en"),
            Fetch(C, body=SERBIAN, language="sh"),
        ],
    )
    study(tmp_path)
    assert {path: row["agrees"] for path, row in by_path(tmp_path).items()} == {
        "a": True,
        "b": False,
        "c": True,
    }
    pairs = {(r["markup"], r["text"]): r["pages"] for r in rows(tmp_path, "language_pairs")}
    assert pairs[("en", "en")] == pairs[("en", "de")] == 1
    (german,) = [row for row in rows(tmp_path, "languages") if row["language"] == "de"]
    assert (german["by_text"], german["compared"], german["agreeing"]) == (1, 1, 0)


def test_a_page_that_did_not_change_keeps_its_language(tmp_path: Path) -> None:
    write(tmp_path, [Fetch(A, body=GERMAN, language="")])
    write(tmp_path, [Fetch(A, body=GERMAN, language="")], BEGAN + 1000, is_sealed=False)
    write(tmp_path, [Fetch(B, body=GERMAN, language="")], BEGAN + 2000)
    write(tmp_path, [Fetch(B, body=ENGLISH, language="")], BEGAN + 3000)
    study(tmp_path)
    assert {path: row["language"] for path, row in by_path(tmp_path).items()} == {
        "a": "de",
        "b": "en",
    }


def test_the_texts_of_a_sealed_segment_are_looked_at_once(tmp_path: Path) -> None:
    write(tmp_path, [Fetch(A, body=GERMAN, language="")])
    study(tmp_path)
    (texts,) = (tmp_path / "text").iterdir()
    spoil(texts, 8 + int.from_bytes(texts.read_bytes()[-8:-4], "little"))
    assert study(tmp_path, rebuild=True).facts["languages"]["by_text"] == 1
    os.utime(texts)
    with pytest.raises(StoreError, match=r"cannot be read(.|\n)*--repair"):
        study(tmp_path, rebuild=True)


def test_more_than_a_hundred_languages_are_known() -> None:
    assert len(detector.supported()) >= 100
    assert "zxx" not in detector.supported()  # which says that a text is in no language
    codes = set(CODES.column("code").to_pylist())
    assert {code for code in detector.supported() if len(code) == 2} <= codes


def test_what_is_no_text_has_no_language() -> None:
    texts = ["", "   ", "a", "12345 67890 " * 20, "\0\0\0", "!" * 500, "\ufffd" * 300, "\ud800"]
    assert detector.detect(texts)[0] == [None] * len(texts)
    assert detector.detect([]) == ([], [])


PIECES = st.sampled_from([ENGLISH, GERMAN, SERBIAN, JAPANESE, GERMAN.upper(), "\u0065\u0301", "7 "])


@settings(deadline=None)
@given(st.lists(st.tuples(PIECES, st.integers(0, 150), st.integers(0, 200)), max_size=8))
def test_many_texts_at_once_are_answered_as_the_package_answers_each(
    cuts: list[tuple[str, int, int]],
) -> None:
    texts = [piece[start : start + length] for piece, start, length in cuts]
    languages, confidences = detector.detect(texts)
    for text, language, confidence in zip(texts, languages, confidences, strict=True):
        expected, chance = package().classify(text)
        assert confidence == pytest.approx(chance, abs=1e-3)
        if language is not None:
            assert language == expected
        alone, chance = detector.detect_one(text)
        assert alone == language
        if alone is not None:
            assert chance == pytest.approx(confidence, abs=1e-3)


def test_a_crawl_tells_the_language_of_a_page_as_a_study_does(tmp_path: Path) -> None:
    tags = ("", "en", "de-AT", "ger", "xx", "hr", "sh", "gsw", "und", "zh_TW", " FR ")
    bodies = (ENGLISH, GERMAN, SERBIAN, JAPANESE, "ok", "Menu 1 2 3 Kontakt", "42 1.0 #!")
    told = {f"{n}": pair for n, pair in enumerate(product(tags, bodies))}
    pages = [Fetch(f"test.a:/{n}", body=body, language=tag) for n, (tag, body) in told.items()]
    write(tmp_path, pages)
    study(tmp_path)
    found = {name: row["language"] for name, row in by_path(tmp_path).items()}
    assert found == {name: language_of(*pair) or "und" for name, pair in told.items()}


def test_one_code_is_one_language() -> None:
    codes = CODES.column("code").to_pylist()
    assert len(codes) == len(set(codes))
    languages = set(CODES.column("language").to_pylist())
    assert languages <= set(codes)
    assert set(CODES.column("kin").to_pylist()) <= languages
