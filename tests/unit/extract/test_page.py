"""What a page says of itself: text, title, language, base, and its wishes for robots."""

from __future__ import annotations

import pytest

from lycosa.extract.page import scan
from lycosa.model.records import Link
from unit.extract.scanned import facts_of


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>One\n two<p>three<br>four", "One two\nthree\nfour"),
        ("a<b>b</b>c <i> d</i>", "abc d"),
        ("<table><tr><td>1<td>2<tr><td>3</table>", "1 2\n3"),
        ("<title>No</title><script>no</script><style>no</style>yes", "yes"),
        ("<noscript>no</noscript>yes<template>no<template>no</template>no</template>", "yes"),
        ("&lt;&nbsp;&nbsp;&amp;&#8364; &notin; &notit; &copy", "< &€ ∉ ¬it; ©"),
        ("a < b <3 </ c>d <!-- no -->e<!doctype x>f<?php no ?>g", "a < b <3 d efg"),
        ("<p>&nbsp;</p><p> x\u00a0 \u00e9 </p>", "x é"),
    ],
)
def test_visible_text_is_collapsed(page: str, text: str) -> None:
    assert facts_of(page).text == text


@pytest.mark.parametrize(
    ("page", "language"),
    [
        ("<html lang=EN-gb>", "en"),
        ("<html xml:lang=de>", "de"),
        ("<meta http-equiv=content-language content='fr, en'>", "fr"),
        ("<meta http-equiv=content-language content=fr><html lang=pt_BR>", "pt"),
        ("<html lang=''>", ""),
        ("<p lang=en>", ""),
    ],
)
def test_the_language_is_the_primary_subtag(page: str, language: str) -> None:
    assert facts_of(page).language == language


def test_the_first_description_counts() -> None:
    page = "<meta name=Description content=' a\n &amp; b '><meta name=description content=c>"
    assert facts_of(page).description == "a & b"


def test_wishes_may_be_addressed_to_an_agent() -> None:
    page = b"<meta name=LYCOSA content=nofollow><meta name=other content=noindex>"
    assert scan(page, None).is_nofollow
    assert not scan(page, None).is_noindex
    assert scan(page, None, agent="Other").is_noindex
    assert not scan(b"<meta content=none>", None, agent="").is_noindex


def test_the_first_base_and_the_first_title_count() -> None:
    facts = facts_of(
        "<title>\n One &amp;\n two </title><base target=x><base href='/b/'><base href=/c/>"
        "<svg><title>other</title></svg>"
    )
    assert facts.base == "/b/"
    assert facts.title == "One & two"


def test_a_long_title_is_cut() -> None:
    assert len(facts_of("<title>" + "x" * 5000).title) == 1000
    assert facts_of("<title>&#" + "9" * 5000).title != ""


def test_nocache_is_another_name_of_noarchive() -> None:
    assert facts_of('<meta name="robots" content="NoCache, follow">').is_noarchive
    assert not facts_of('<meta name="robots" content="no-cache">').is_noarchive


@pytest.mark.parametrize(
    ("content", "is_nofollow", "is_noindex"),
    [
        ("index, follow", False, False),
        ("NOFOLLOW", True, False),
        ("noarchive,noindex", False, True),
        ("none", True, True),
    ],
)
def test_wishes_for_robots_are_read(content: str, is_nofollow: bool, is_noindex: bool) -> None:
    facts = facts_of(f'<meta name="Robots" content="{content}"><a href=/x>')
    assert (facts.is_nofollow, facts.is_noindex) == (is_nofollow, is_noindex)
    assert facts.links == (Link("/x"),)
