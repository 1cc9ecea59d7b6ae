"""All forms together: meta elements, the filter, limits, links."""

from __future__ import annotations

import pytest

from lycosa.extract.page import scan
from lycosa.extract.structured import meta
from lycosa.extract.structured.counts import DROPPED, JSON_TOO_DEEP, TOO_LARGE, TOO_MANY
from lycosa.extract.structured.distiller import Distiller, Found, Page, compiled, links_in
from lycosa.model.job import Structured
from unit.extract.structured.graphs import assert_same

URL = "http://a.test/page"
XHV = "http://www.w3.org/1999/xhtml/vocab#"


def distil(html: str, distiller: Distiller | None = None) -> Found:
    body = f"<!doctype html>{html}".encode()
    page = Page(body, URL, "text/html", scan(body, "text/html"))
    return (distiller or Distiller()).distil(page, "b")


JSON = '<script type="application/ld+json">{"@context":"https://schema.org","name":"j"}</script>'
MICRODATA = '<p itemscope itemtype="http://schema.org/T"><i itemprop="name">m</i></p>'
META = '<meta name="twitter:card" content="c">'


def test_all_forms_of_a_page_are_one_graph() -> None:
    found = distil(JSON + MICRODATA + META)
    assert found.counts == {"json-ld": 1, "microdata": 2, "meta": 1}
    expected = (
        '[] s:name "j" . [] a s:T; s:name "m" .'
        '<http://a.test/page> <https://dev.twitter.com/cards#card> "c" .'
    )
    assert_same(found.triples, expected)


@pytest.mark.parametrize("form", ["json-ld", "microdata", "meta"])
def test_only_the_forms_that_are_wanted_are_read(form: str) -> None:
    assert set(distil(JSON + MICRODATA + META, Distiller([form])).counts) == {form}


def test_a_page_without_structured_data_says_nothing() -> None:
    assert distil("<p>og: the blog: dc. x</p>") == Found()


def test_the_readers_of_a_page_never_share_blank_nodes() -> None:
    lines = distil(JSON + MICRODATA).triples.splitlines()
    assert {line[:4] for line in lines} == {b"_:bj", b"_:bm"}


META_CASES = {
    '<meta property="og:title" content="A &amp; B">': 'og:title "A & B"',
    '<html lang="en"><meta name="og:image:width" content="5">': 'og:image:width "5"@en',
    '<meta property="og:type article:author" content="x">': (
        'og:type "x"; <http://ogp.me/ns/article#author> "x"'
    ),
    '<meta name="DC.Title" content="T">': '<http://purl.org/dc/elements/1.1/title> "T"',
    '<link rel="schema.DC" href="http://purl.org/dc/terms/"><meta name="dc.date.issued" '
    'scheme="DCTERMS.W3CDTF" content="2020-01-02">': (
        '<http://purl.org/dc/terms/date> "2020-01-02"^^xsd:date'
    ),
    '<link rel="DCTERMS.license" href="/l">': "<http://purl.org/dc/terms/license> <http://a.test/l>",
    '<base href="http://b.test/"><meta property="og:url" content="x">': "",
}


@pytest.mark.parametrize("html", META_CASES)
def test_meta_elements_say(html: str) -> None:
    subject = "<http://b.test/>" if "<base" in html else f"<{URL}>"
    said = META_CASES[html] or 'og:url "x"'
    assert_same(meta.distil(html.encode(), URL, "text/html"), f"{subject} {said} .")


@pytest.mark.parametrize(
    "html",
    [
        '<!-- <meta property="og:title" content="x"> -->',
        """<script>'<meta property="og:title" content="x">'</script>""",
        '<meta property="og:title">',
        '<meta property="og:" content="x">',
        '<meta name="description" content="og:title">',
        '<meta property="og:a<b" content="x">',
    ],
)
def test_other_elements_say_nothing(html: str) -> None:
    assert meta.distil(html.encode(), URL, "text/html") == b""


def test_the_filter_drops_what_nobody_wrote_on_purpose_and_counts_it() -> None:
    lines = [
        f"<{URL}> <{XHV}stylesheet> <http://a.test/s.css> .\n",
        f"<{URL}> <{XHV}icon> <http://a.test/i.png> .\n",
        f"_:b0 <{XHV}bookmark> <{URL}> .\n",
        f"<{URL}> <https://schema.org/stylesheet> <http://a.test/s.css> .\n",
        f'<{URL}> <http://schema.org/text> "see <{XHV}icon> here" .\n',
        f"<{URL}> <{XHV}license> <http://a.test/l> .\n",
    ]
    left, dropped = compiled(Structured().drop).subn(b"", "".join(lines).encode())
    assert dropped == 4
    assert left.decode() == "".join(lines[4:])


def test_patterns_can_name_subjects_and_objects() -> None:
    html = META + '<meta property="og:title" content="t"><meta property="og:type" content="x y">'
    drop = ['* * "x*"*', "<http://a.test/*> <*cards#card> *"]
    found = distil(html, Distiller(drop=drop))
    assert found.left_out == {DROPPED: 2}
    assert_same(found.triples, f'<{URL}> og:title "t" .')


def test_a_pattern_may_be_written_with_room_between_its_parts() -> None:
    pattern = f"<{URL}>  <https://dev.twitter.com/cards#card>\t*"
    found = distil(META, Distiller(drop=[pattern]))
    assert (found.triples, found.left_out[DROPPED]) == (b"", 1)


def test_a_pattern_of_two_parts_is_none() -> None:
    with pytest.raises(ValueError, match="three parts"):
        compiled(("* <http://a.test/>",))


def test_more_than_the_most_is_cut_off_and_counted() -> None:
    html = "".join(f'<meta property="og:p{n}" content="v">' for n in range(10))
    found = distil(html, Distiller(most_triples=3))
    assert (found.size, found.left_out) == (3, {TOO_MANY: 7})
    assert found.triples.count(b" .\n") == 3


def test_what_is_too_long_or_nested_too_deeply_is_counted() -> None:
    assert distil(META, Distiller(largest_bytes=10)).left_out == {TOO_LARGE: 1}
    deep = JSON.replace('"j"', '{"a":' * 60 + "1" + "}" * 60)
    assert distil(deep).left_out == {JSON_TOO_DEEP: 1}


def test_links_are_what_is_named_as_id_url_or_same_as() -> None:
    html = (
        '<script type="application/ld+json">{"@context":"https://schema.org","@id":"/me",'
        '"url":"/home","sameAs":["http://b.test/","mailto:x@y"],"image":"/i.png","name":"/no"}'
        "</script>"
    )
    found = links_in(distil(html).triples)
    assert found == ["http://a.test/me", "http://a.test/home", "http://b.test/"]
