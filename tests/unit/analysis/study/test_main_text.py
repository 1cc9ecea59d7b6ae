from __future__ import annotations

import pytest

from lycosa.analysis.study.main_text import MOST_ELEMENTS, is_heavy, main_text

PAGE = b"""<!doctype html><title>t</title>
<header><h2>Site name</h2></header>
<nav><ul><li><a href=1>Home</a><li><a href=2>Prices</a><li><a href=3>Contact</a></ul></nav>
<div><h1>Wolf spiders</h1><p>Wolf spiders carry their eggs in a silken sac, na\xc3\xafvely put.</p>
<pre>first
    second

third</pre><p>They live mostly in solitude, and hunt alone.</p></div>
<footer><p>Imprint and cookies</p></footer>"""


def test_navigation_and_footer_are_left_out_and_the_content_stays() -> None:
    found = main_text(PAGE, "text/html; charset=utf-8")
    assert found is not None
    for kept in ("Wolf spiders", "silken sac, naïvely put.", "hunt alone."):
        assert kept in found
    for left in ("Prices", "Imprint", "cookies"):
        assert left not in found


def test_lines_of_pre_stay_lines() -> None:
    found = main_text(PAGE, "text/html; charset=utf-8")
    assert found is not None and "first\n    second\n\nthird" in found


def test_other_types_have_no_main_text() -> None:
    assert main_text(b"plain", "text/plain") is None
    assert main_text(b"%PDF", "application/pdf") is None
    assert main_text(b"", "text/html") is None


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
def test_pages_that_would_take_the_library_minutes_have_none(markup: str) -> None:
    assert is_heavy(markup)
    assert main_text(markup.encode(), "text/html") is None


def test_an_ordinary_long_page_is_not_heavy() -> None:
    rows = "<tr><td><a href='x' class='y z'>cell</a><td><img src='a'><br></tr>" * 5_000
    assert not is_heavy(f"<body><table>{rows}</table></body>")
