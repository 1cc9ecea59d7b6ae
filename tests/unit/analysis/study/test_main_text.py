from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from lycosa.analysis.study.main_text import ENGINES, MOST_ELEMENTS, MainTexts, is_heavy

PAGE = b"""<!doctype html><title>t</title>
<header><h2>Site name</h2></header>
<nav><ul><li><a href=1>Home</a><li><a href=2>Prices</a><li><a href=3>Contact</a></ul></nav>
<div><h1>Wolf spiders</h1><p>Wolf spiders carry their eggs in a silken sac, na\xc3\xafvely put.</p>
<pre>first
    second

third</pre><p>They live mostly in solitude, and hunt alone.</p></div>
<footer><p>Imprint and cookies</p></footer>"""


@pytest.fixture(scope="module", params=sorted(ENGINES))
def texts(request: pytest.FixtureRequest) -> Iterator[MainTexts]:
    found = MainTexts(request.param)
    yield found
    found.close()


def test_navigation_and_footer_are_left_out_and_the_content_stays(texts: MainTexts) -> None:
    found, outcome = texts.find(PAGE, "text/html; charset=utf-8")
    assert found is not None and outcome == "found"
    for kept in ("Wolf spiders", "silken sac, naïvely put.", "hunt alone."):
        assert kept in found
    for left in ("Prices", "Imprint", "cookies"):
        assert left not in found


def test_lines_of_pre_stay_lines() -> None:
    texts = MainTexts("resiliparse")
    found = texts.find(PAGE, "text/html; charset=utf-8").text
    texts.close()
    assert found is not None and "first\n    second\n\nthird" in found


def test_other_types_have_no_main_text(texts: MainTexts) -> None:
    assert texts.find(b"plain", "text/plain") == (None, "none")
    assert texts.find(b"%PDF", "application/pdf") == (None, "none")
    assert texts.find(b"", "text/html") == (None, "none")


def test_a_process_that_dies_of_a_page_is_replaced(texts: MainTexts) -> None:
    assert texts.find(PAGE, "text/html").text
    process = texts._confined._process
    assert process is not None
    os.kill(process.pid, signal.SIGSEGV)
    assert texts.find(PAGE, "text/html") == (None, "died")
    assert texts.find(PAGE, "text/html").outcome == "found"


def test_a_page_that_takes_too_long_or_too_much_memory_is_given_up() -> None:
    long = b"<p>" + b"some words of a page <b>and more</b> of them <p>" * 15_000
    slow = MainTexts("trafilatura", seconds=0.01)
    large = MainTexts("resiliparse", memory_bytes=40_000_000)
    try:
        assert slow.find(long, "text/html") == (None, "too_slow")
        assert large.find(long, "text/html").outcome in ("too_large", "died")
    finally:
        slow.close()
        large.close()


@pytest.mark.parametrize(
    "markup",
    [
        "<div>" * 20_000 + "deep" + "</div>" * 20_000,
        "<p>word " * (MOST_ELEMENTS + 1),
        "<div " + " ".join(f"a{n}=1" for n in range(20_000)) + ">many attributes",
        "<div " + " ".join(f'a{n}=">"' for n in range(20_000)) + ">hidden attributes",
        "<p>" + "long " * 1_000_000,
    ],
)
def test_pages_that_would_take_the_library_minutes_have_none(markup: str, texts: MainTexts) -> None:
    assert is_heavy(markup)
    assert texts.find(markup.encode(), "text/html") == (None, "too_large")


def test_an_ordinary_long_page_is_not_heavy() -> None:
    rows = "<tr><td><a href='x' class='y z'>cell</a><td><img src='a'><br></tr>" * 5_000
    assert not is_heavy(f"<body><table>{rows}</table></body>")
