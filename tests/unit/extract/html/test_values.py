from __future__ import annotations

import pytest

from growth import is_linear
from lycosa.extract.css import scan_css
from lycosa.extract.headers import links_of_headers, robots_tag
from lycosa.extract.html.values import css_references, kind_of_relation, refresh_target, srcset_urls
from lycosa.model.records import LinkKind


@pytest.mark.parametrize(
    ("value", "urls"),
    [
        ("a.png", ["a.png"]),
        ("a.png 1x, b.png 2x", ["a.png", "b.png"]),
        (" a.png,  b.png 100w,", ["a.png", "b.png"]),
        ("a,b.png 1x", ["a,b.png"]),
        ("a (1,2) 3x, b", ["b"]),
        ("a 1q, b 2w 3h, c 1x 2x, d .5x, e -1x", ["b", "d", "e"]),
        ("a\n1x,b,c 2x", ["a", "b,c"]),
        (",, ,", []),
        ("", []),
    ],
)
def test_a_srcset_lists_urls(value: str, urls: list[str]) -> None:
    assert srcset_urls(value) == urls


@pytest.mark.parametrize(
    ("css", "found"),
    [
        ("@import 'a.css'; @import url(b.css);", [("a.css", 21), ("b.css", 21)]),
        ("b{background:url( 'a b.png' )}", [("a b.png", 20)]),
        ("b{background:URL(a\\20 b\\.png)}", [("a b.png", 20)]),
        ("/* url(no) @import 'no' */ url(yes)", [("yes", 20)]),
        ("a::before{content:'url(no)'}", []),
        ("@important 'x'; @import screen; my-url(x)", []),
        ("url('never closed\nurl(x)", [("x", 20)]),
        ("url(data:x) url(#y) url()", []),
        ("/* never closed url(x)", []),
        (
            "b{background:image-set('a' type('image/png') 1x, 'b' 2x)} i{content:'c'}",
            [("a", 20), ("b", 20)],
        ),
        ("@namespace svg url(http://w3/svg); @namespace 'u'; url(x)", [("x", 20)]),
    ],
)
def test_a_style_sheet_refers_to(css: str, found: list[tuple[str, int]]) -> None:
    assert css_references(css) == found


def test_a_style_sheet_gives_facts() -> None:
    facts = scan_css(
        b'@charset "koi8-r"; @import "\xcf"; b{background:url(x)} i{background:url(x)}'
    )
    assert (facts.hrefs, facts.times) == (["о", "x"], [1, 2])
    assert facts.kinds == [LinkKind.STYLE, LinkKind.IMAGE]
    assert facts.charset == "koi8-r"


@pytest.mark.parametrize(
    "unit",
    [
        "url(",
        "url('",
        "/*",
        "@import ",
        '"',
        "\\",
        'url("\n',
        "a, (",
        ",",
        " ",
        "<,",
        "<>;",
        "<>; a=",
    ],
)
def test_values_are_read_in_linear_time(unit: str) -> None:
    def read(size: int) -> None:
        text = unit * (size // len(unit))
        css_references(text)
        srcset_urls(text)
        refresh_target(text)
        links_of_headers((("Link", text),))

    assert is_linear(read, 100_000)


@pytest.mark.parametrize(
    ("value", "links"),
    [
        ('<https://a/b>; rel="canonical"', [("https://a/b", LinkKind.CANONICAL, "canonical")]),
        ("</n>; REL = Next , </p>;rel=prev", [("/n", 5, "next"), ("/p", 5, "prev")]),
        ('</c,d>; title="a, <b>; \\"c"; rel="alternate home"', [("/c,d", 5, "alternate home")]),
        ("</x>; rel=next; rel=canonical", [("/x", LinkKind.ALTERNATE, "next")]),
        (
            "</x>; rel=stylesheet, </y>; rel=preload; as=image, </z>",
            [("/x", LinkKind.STYLE, "stylesheet"), ("/y", LinkKind.IMAGE, "preload")],
        ),
        ("</x>; rel=preconnect", [("/x", LinkKind.HINT, "preconnect")]),
        ('</x>; rel="license"', [("/x", LinkKind.RELATED, "license")]),
        ("</x>; rel=webmention", [("/x", LinkKind.RELATION, "webmention")]),
        (
            '<>; rel=preload; as=image; imagesrcset="/a 1x, /b 2x"',
            [("/a", LinkKind.IMAGE, "preload"), ("/b", LinkKind.IMAGE, "preload")],
        ),
        ('</x>; rel=next; anchor="/other"', []),
        ("nonsense, </x>; rel=next", [("/x", LinkKind.ALTERNATE, "next")]),
        ("<>; rel=next, <never closed; rel=next", []),
        ('</x>; rel="next', [("/x", LinkKind.ALTERNATE, "next")]),
    ],
)
def test_link_headers_are_read(value: str, links: list[tuple[str, int, str]]) -> None:
    assert links_of_headers((("LINK", value), ("Other", value))) == links


def test_a_refresh_header_leads_on() -> None:
    assert links_of_headers((("refresh", "0; url=/r"), ("Refresh", "5"))) == [
        ("/r", LinkKind.REFRESH, "")
    ]


def test_the_location_of_the_content_is_recorded() -> None:
    assert links_of_headers((("Content-Location", " index.en.html "),)) == [
        ("index.en.html", LinkKind.RELATION, "content-location")
    ]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["noindex"], (False, True)),
        (["none"], (True, True)),
        (["other: none"], (False, False)),
        (["Lycosa: nofollow", "other: noindex"], (True, False)),
        (["unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow"], (True, False)),
        (["all", "noarchive"], (False, False)),
    ],
)
def test_robots_tags_are_read(values: list[str], expected: tuple[bool, bool]) -> None:
    headers = tuple(("X-Robots-Tag", value) for value in values)
    assert robots_tag(headers, "lycosa") == expected


def test_a_preloaded_document_is_no_requisite() -> None:
    assert kind_of_relation("preload", "document") == LinkKind.RELATION
