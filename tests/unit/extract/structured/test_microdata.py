"""Microdata as triples: our own cases; the W3C's are in `make conformance`."""

from __future__ import annotations

import time

import pyoxigraph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.extract.structured import microdata
from seeds import examples
from unit.extract.structured.graphs import assert_same

URL = "http://a.test/dir/page.html"


def distil(html: str, label: str = "b") -> bytes:
    return microdata.distil(f"<!doctype html>{html}".encode(), URL, "text/html", label=label)


CASES = {
    "an item with a type and a text": (
        '<p itemscope itemtype="http://schema.org/Thing"><b itemprop="name">It</b></p>',
        '[] a s:Thing; s:name "It" .',
    ),
    "an item within an item takes over its vocabulary": (
        '<div itemscope itemtype="http://schema.org/A"><p itemprop="part" itemscope>'
        '<i itemprop="name">x</i></p></div>',
        '[] a s:A; s:part [ s:name "x" ] .',
    ),
    "a reference leads to what is elsewhere": (
        '<div itemscope itemref="n" itemtype="http://schema.org/A"></div>'
        '<div id="n"><i itemprop="name">x</i><p itemscope><u itemprop="own">no</u></p></div>',
        '[] a s:A; s:name "x" . [] <http://a.test/dir/page.html#own> "no" .',
    ),
    "references in a circle end": (
        '<div itemscope id="a" itemprop="p" itemref="b" itemtype="http://schema.org/A"></div>'
        '<div itemscope id="b" itemprop="p" itemref="a" itemtype="http://schema.org/B"></div>'
        '<div itemscope itemref="a" itemtype="http://schema.org/C"></div>',
        "[] a s:C; s:p _:a . _:a a s:A; s:p _:b . _:b a s:B; s:p _:a .",
    ),
    "an item refers to itself": (
        '<div itemscope id="a" itemprop="p" itemref="a" itemtype="http://schema.org/A"></div>'
        '<div itemscope itemref="a" itemtype="http://schema.org/C"></div>',
        "[] a s:C; s:p _:a . _:a a s:A; s:p _:a .",
    ),
    "the base of the page counts": (
        '<base href="/else/"><div itemscope itemid="me"><a itemprop="http://x.test/p" href="y">'
        "</a></div>",
        "<http://a.test/else/me> <http://x.test/p> <http://a.test/else/y> .",
    ),
    "languages are inherited and can end": (
        '<html lang="DE"><div itemscope itemtype="http://schema.org/A"><i itemprop="name">x</i>'
        '<i itemprop="name" lang="">y</i><i itemprop="name" lang="not a language">z</i></div>',
        '[] a s:A; s:name "x"@de, "y", "z" .',
    ),
    "moments and numbers have their types": (
        '<div itemscope itemtype="http://schema.org/A"><time itemprop="d">2020-02-30</time>'
        '<time itemprop="d" datetime="PT1H">x</time><data itemprop="n" value="3">three</data>'
        '<meter itemprop="n" value="1e3"></meter></div>',
        '[] a s:A; s:d "2020-02-30"^^xsd:date, "PT1H"^^xsd:duration; s:n 3, "1e3"^^xsd:double .',
    ),
    "what may not stand in a name is encoded": (
        '<div itemscope itemtype="http://schema.org/A"><a itemprop="url" href="/a b<c>"></a>'
        '<a itemprop="url" href="http://[bad/">x</a></div>',
        '[] a s:A; s:url <http://a.test/a%20b%3Cc%3E>, "http://[bad/" .',
    ),
    "quotes and line breaks are escaped": (
        '<div itemscope itemtype="http://schema.org/A"><p itemprop="t">a "b" \\ c\nd</p></div>',
        '[] a s:A; s:t "a \\"b\\" \\\\ c\\nd" .',
    ),
    "a property of no item says nothing": ('<p itemprop="name">x</p>', ""),
}


@pytest.mark.parametrize("case", CASES)
def test_a_page_says(case: str) -> None:
    html, expected = CASES[case]
    assert_same(distil(html), expected)


def test_blank_nodes_begin_with_the_label() -> None:
    found = distil('<p itemscope itemtype="http://schema.org/A"></p>', "f7m")
    assert found.startswith(b"_:f7m")


def test_a_page_in_another_charset_is_read_as_it_is_meant() -> None:
    body = '<p itemscope itemtype="http://schema.org/A"><b itemprop="name">Ünï</b>'.encode(
        "latin-1"
    )
    expected = '[] a s:A; s:name "Ünï" .'
    assert_same(microdata.distil(body, URL, "text/html; charset=iso-8859-1"), expected)
    assert_same(microdata.distil(body, URL, "text/html", charset="windows-1252"), expected)


ATTRIBUTES = st.sampled_from(
    [
        "itemscope",
        'itemprop="a b"',
        'itemprop-reverse="r"',
        'itemtype="http://t.test/T"',
        'itemref="x y"',
        'id="x"',
        'id="y"',
        'itemid="\\"',
        'href="::"',
        "lang=q💩",
    ]
)
PIECES = st.one_of(
    st.tuples(
        st.sampled_from(["p", "a", "time", "meta", "table", "b", "svg"]), st.lists(ATTRIBUTES)
    ).map(lambda made: f"<{made[0]} {' '.join(made[1])}>"),
    st.sampled_from(["</p>", "</a>", "</table>", "<!--", "-->", "\0", "&#0;", "x"]),
)


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(PIECES, max_size=30))
def test_whatever_a_page_holds_what_comes_out_can_be_read(pieces: list[str]) -> None:
    found = distil("".join(pieces))
    list(pyoxigraph.parse(found, pyoxigraph.RdfFormat.N_TRIPLES))


BOMBS = {
    "nested items": b"<div itemscope itemprop=p>" * 10_000,
    "nested properties": b"<i itemprop=p>" * 10_000,
    "deep": b"<div>" * 1_000_000,
    "formatting": b"".join(b"<b a%d>" % n for n in range(2000)) + b"<p>" * 300_000,
    "one reference to many": b"<p itemscope itemref=x>" * 2000
    + b"<div id=x>"
    + b"<i itemprop=p>v</i>" * 2000,
    "long": b"<p itemscope itemtype=http://a.test/T><i itemprop=p>v</i></p>" * 40_000,
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_no_page_takes_long(bomb: str) -> None:
    began = time.process_time()
    found = microdata.distil(b"<p itemscope>" + BOMBS[bomb], URL, "text/html")
    assert time.process_time() - began < 30
    assert len(found) < 40_000_000
