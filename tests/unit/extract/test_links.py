from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.extract.links import Facts, scan
from lycosa.records import Link, LinkKind


def facts_of(page: str, content_type: str | None = "text/html") -> Facts:
    return scan(page.encode(), content_type)


def hrefs_of(page: str, content_type: str | None = "text/html") -> list[str]:
    return [link.href for link in facts_of(page, content_type).links]


@pytest.mark.parametrize(
    "tag",
    [
        '<a href="/x">',
        "<a href='/x'>",
        "<a href=/x>",
        "<A HREF = /x >",
        '<a\n\tclass="b"\nhref\n=\n"  /x\n">',
        '<a href="/x" href="/y">',
        '<a title="a > b" href="/x">',
        '<a disabled href="/x"/>',
        '<a class="b"href="/x">',
        "<area href=/x>",
        "<frame src=/x>",
        "<iframe src=/x>",
        '<link rel="next" href=/x>',
        '<link rel="alternate nofollow" href=/x>',
        '<p don\'t><a href="/x">',
        '<div title="<a href=/y>"><a href="/x">',
        '<img alt="<!-- "><a href="/x">',
        '<div title="a > b <a href=/y>"><a href="/x">',
        "<div title='a > b <a href=/y>' x=\"<a href='/y'>\"><a href=\"/x\">",
        '<a class="b" id="c" href="/x" rel="d">',
        '<a HREF="/x" href="/y">',
        '<a data-href="/y" href="/x" target="_blank">',
        '<a class="b" class="<a href=/y>" href="/x">',
        "< a href=/y><a href=/x>",
        "<a<b href=/y><a href=/x>",
        "<<a href=/x>",
        '<a href="/x>',
        "<abbr href=/y><a href=/x>",
    ],
)
def test_a_link_is_found_however_it_is_written(tag: str) -> None:
    assert facts_of(tag).links == (Link("/x", LinkKind.ANCHOR),)


@pytest.mark.parametrize(
    "page",
    [
        "<!-- <a href=/y> -->",
        "<!-- <a href=/y> --!>",
        "<!-- <a href=/y>",
        "<script><a href=/y></script>",
        "<SCRIPT src=/z>'<a href=/y>'</Script >",
        "<script><a href=/y>",
        "<style><a href=/y></style>",
        "<textarea><a href=/y></textarea>",
        "<title><a href=/y></title>",
        "<![CDATA[<a href=/y>]]>",
        '<a href="">',
        "<a href>",
        "<a href=/y",
        '<a href="/y',
        '<a href="/y"',
        "<a name=/y>",
        "</a href=/y>",
        '<link rel="stylesheet" href=/y>',
        '<link rel="alternate stylesheet" href=/y>',
        '<meta http-equiv="refresh" content="5">',
    ],
)
def test_what_is_no_link_is_not_found(page: str) -> None:
    assert facts_of(page).links == ()


@pytest.mark.parametrize(
    "before",
    [
        "<!-->",
        "<!--->",
        "<!-- -- -->",
        "<script></scripty></script>",
        "<![CDATA[",
        "<!DOCTYPE html>",
        "<?php echo '<b>' ?>",
        "<style/></style>",
        "</",
        "<>",
    ],
)
def test_the_page_goes_on_after(before: str) -> None:
    assert hrefs_of(before + "<a href=/x>") == ["/x"]


def test_a_short_script_tag_is_whole_in_xml_only() -> None:
    page = "<html><script src='/s'/><a href='/x'/></html>"
    assert hrefs_of(page, "application/xhtml+xml") == ["/x"]
    assert hrefs_of(page, "text/html") == []


def test_links_come_once_and_in_the_order_of_the_page() -> None:
    page = (
        "<link rel=canonical href=/c><a href=/b><a href=/a><a href=/b><a href=/c>"
        "<meta http-equiv=Refresh content=\"0; URL='/r'\">"
    )
    assert facts_of(page).links == (
        Link("/c", LinkKind.CANONICAL),
        Link("/b", LinkKind.ANCHOR),
        Link("/a", LinkKind.ANCHOR),
        Link("/c", LinkKind.ANCHOR),
        Link("/r", LinkKind.REFRESH),
    )


@pytest.mark.parametrize(
    "content",
    ["0;url=/r", "5; URL = /r", "5,/r", " 0.5 ; url='/r'", "3 /r", ";url=/r", '1;url="/r" x'],
)
def test_a_refresh_leads_to_its_url(content: str) -> None:
    page = f"<meta http-equiv=refresh content='{content}'>".replace("''", "'")
    if "'/r'" in content:
        page = f'<meta http-equiv=refresh content="{content}">'
    assert facts_of(page).links == (Link("/r", LinkKind.REFRESH),)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("/?a=1&amp;b=2", "/?a=1&b=2"),
        ("/?a=1&b=2", "/?a=1&b=2"),
        ("/?a=1&copy=2", "/?a=1&copy=2"),
        ("/?a=1&section=2", "/?a=1&section=2"),
        ("/?a=1&copy;=2", "/?a=1©=2"),
        ("/&eacute", "/é"),
        ("/&#233;&#xE9;&#xe9", "/ééé"),
        ("/&#xD800;", "/\ufffd"),
        ("/&unknown;", "/&unknown;"),
        ("/&", "/&"),
        ("/&#;", "/&#;"),
    ],
)
def test_references_in_urls_are_resolved_as_html_does_in_attributes(
    written: str, meant: str
) -> None:
    assert hrefs_of(f'<a href="{written}">') == [meant]


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


SITEMAP = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc> https://example.org/a?b&amp;c </loc><image:loc>https://example.org/i.png</image:loc></url>
<!-- <url><loc>https://example.org/old</loc></url> -->
<url><loc><![CDATA[https://example.org/d]]></loc></url>
</urlset>"""


def test_a_sitemap_gives_its_locations() -> None:
    expected = (
        Link("https://example.org/a?b&c", LinkKind.SITEMAP),
        Link("https://example.org/d", LinkKind.SITEMAP),
    )
    assert facts_of(SITEMAP, "application/xml").links == expected
    assert facts_of(SITEMAP, "text/html").links == expected
    index = "<s:sitemapindex xmlns:s=''><s:sitemap><s:loc>/s.xml</s:loc>"
    assert facts_of(index, "text/xml").links == (Link("/s.xml", LinkKind.SITEMAP),)


@pytest.mark.parametrize("content_type", ["image/png", "text/plain", "application/json", ""])
def test_other_kinds_of_body_have_no_links(content_type: str) -> None:
    expected = ["/x"] if content_type == "" else []
    assert hrefs_of("<a href=/x>", content_type) == expected


def test_xml_is_scanned_for_links_only_if_it_is_a_page() -> None:
    assert hrefs_of("<rss><a href='/x'/></rss>", "application/xml") == []
    assert hrefs_of("<html><a href='/x'/></html>", "application/xml") == ["/x"]


def test_the_charset_of_the_content_type_is_used() -> None:
    page = "<title>Ж</title><a href=/é>"
    assert scan(page.encode(), "text/html") == scan(page.encode("utf-16"), "text/html")
    for charset in ("utf-8", "utf-16-le", "UTF-16", "gb18030"):
        content_type = f'text/html; charset="{charset}"'
        assert scan(page.encode(charset), content_type).links == (Link("/é"),)
        assert scan(page.encode(charset), content_type).title == "Ж"


def test_what_is_not_utf_8_is_taken_for_latin_1() -> None:
    assert scan(b"<a href=/\xe9><a href=/\xc3\xa9x>", None).links == (Link("/é"), Link("/éx"))
    assert scan(b"<a href=/\xe9>", "text/html; charset=zip").links == (Link("/é"),)


@pytest.mark.parametrize(
    "unit",
    ["<", "<a ", "<!--", "<!-- -", "<a href=\"", "<a href='", "<a x=", "<p ", "<p x=\"", "<loc>",
     "<loc", "<![CDATA[", "<script>", "<script", "<title>", "</", "&", "<a href=&", " ", "<a\n",
     "=", "<meta http-equiv=refresh content=' 1 ", "<p =' ", "--", "<a/", "</title", "<b>", "]]>",
     "\"'"],
)  # fmt: skip
@pytest.mark.parametrize("before", ["", "<urlset>", "<script>", "<title>", "<![CDATA[", '<a x="'])
def test_the_time_is_linear_whatever_comes(before: str, unit: str) -> None:
    body = (before + unit * (200_000 // len(unit))).encode()
    began = time.perf_counter()
    scan(body, "text/html")
    assert time.perf_counter() - began < 1


pieces = st.sampled_from(
    [b"<", b">", b"<a ", b"href", b"=", b'"', b"'", b"/", b" ", b"<!--", b"-->", b"<script", b"</",
     b"script>", b"<title>", b"</title>", b"<![CDATA[", b"]]>", b"&amp", b"&#", b"9", b";",
     b"<base ", b"<meta ", b"http-equiv=refresh ", b"content=", b"url=", b"name=robots ",
     b"<link rel=canonical ", b"<urlset>", b"<loc>", b"\xff", b"\xc3\xa9", b"\x00", b"x"]
)  # fmt: skip
charsets = st.sampled_from(
    ["utf-16", "utf-32", "utf-7", "hz", "iso-2022-jp", "shift_jis", "big5hkscs", "gbk", "euc-kr",
     "koi8-r", "cp1252", "mac-roman", "unicode_escape", "idna", "rot13", "zip", "hex", "x",
     "undefined"]
)  # fmt: skip
content_types = (
    st.none()
    | st.sampled_from(["text/html", "application/xhtml+xml", "text/xml"])
    | charsets.map(lambda charset: f"text/html; charset={charset}")
    | st.text()
)


@given(st.binary() | st.lists(pieces).map(b"".join), content_types)
@settings(max_examples=300)
def test_any_bytes_give_facts(body: bytes, content_type: str | None) -> None:
    facts = scan(body, content_type)
    assert len(set(facts.links)) == len(facts.links)
    assert all(link.href.strip() for link in facts.links)
