"""A plugin selects by CSS and XPath; the tree is made when it is first asked for."""

from __future__ import annotations

import sys

import pytest

from lycosa.errors import LycosaError
from lycosa.features.plugins.pages import Additions, RawColumns, SeenPage
from lycosa.model.records import Answer

HTML = "<title>Ä</title><h1 class=big>Ein <b>Wort</b></h1><a href='/x'>eins</a><a href=y>zwei</a>"


def page(body: bytes, content_type: str) -> SeenPage:
    answer = Answer(200, (("Content-Type", content_type),), body, 0.0, 1.0)
    nothing = RawColumns([], [], [], [])
    return SeenPage("http://a.test/d/", answer, 0, Additions("", "", b"", ""), nothing, base="")


def test_css_and_xpath_select() -> None:
    seen = page(HTML.encode(), "text/html; charset=utf-8")
    assert seen.css("h1.big ::text").getall() == ["Ein ", "Wort"]
    assert seen.css("a::attr(href)").getall() == ["/x", "y"]
    assert seen.xpath("//title/text()").get() == "Ä"
    assert seen.xpath("//a[2]/text()").get() == "zwei"
    assert seen.selector is seen.selector


@pytest.mark.parametrize("charset", ["iso-8859-1", "shift_jis", "utf-16"])
def test_the_character_set_is_the_one_that_lycosa_reads(charset: str) -> None:
    text = "日本語の題名" if charset == "shift_jis" else "Ä und ß"
    body = f"<meta charset={charset}><title>{text}</title>".encode(charset)
    assert page(body, f"text/html; charset={charset}").css("title::text").get() == text


def test_xml_is_read_as_xml() -> None:
    seen = page(b"<?xml version='1.0'?><a><Link>x</Link></a>", "application/xml")
    assert seen.xpath("/a/Link/text()").get() == "x"


@pytest.mark.parametrize("body", [b"", b"\x00", b"<", b"no tags", b"<p" * 10_000])
def test_any_bytes_have_a_tree(body: bytes) -> None:
    assert page(body, "text/html").css("nothing") == []


def test_without_the_package_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "parsel", None)
    with pytest.raises(LycosaError, match=r"'\.\[selectors\]'"):
        page(b"<p>", "text/html").css("p")
