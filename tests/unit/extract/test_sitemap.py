from __future__ import annotations

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.extract import sitemap
from lycosa.extract.page import scan
from lycosa.extract.sitemap import changes_listed, scan_sitemap
from lycosa.model.records import Link, LinkKind

URLSET = b"""<?xml version="1.0"?><urlset><url><loc>https://e.org/a?b&amp;c</loc></url>
<url><loc> <![CDATA[https://e.org/d]]></loc></url><!-- <loc>https://e.org/no</loc> -->
<url><loc>https://e.org/d</loc></url></urlset>"""
RSS = b"""<?xml version="1.0"?><rss version="2.0"><channel><link>https://e.org/</link>
<atom:link href="https://e.org/feed" rel="self"/><item><title>x</title>
<link>https://e.org/1</link></item><item><link><![CDATA[https://e.org/2]]></link></item></rss>"""
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><link rel="self" href="/feed"/>
<entry><link href='https://e.org/1?a=1&amp;b=2'/></entry><entry><link rel="alternate" href="/2"/>
<link rel="enclosure" href="/no.mp3"/></entry></feed>"""


def test_a_sitemap_lists_its_locations_once() -> None:
    assert scan_sitemap(URLSET) == ["https://e.org/a?b&c", "https://e.org/d"]


def test_a_compressed_sitemap_is_unpacked() -> None:
    assert scan_sitemap(gzip.compress(URLSET)) == scan_sitemap(URLSET)
    assert scan_sitemap(gzip.compress(URLSET)[:-20]) != []
    assert scan_sitemap(b"\x1f\x8bnonsense") == []


def test_a_compressed_sitemap_is_unpacked_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemap, "LARGEST_BYTES", 1000)
    packer = zlib.compressobj(wbits=31)
    body = packer.compress(b"https://e.org/\n" * 1_000_000) + packer.flush()
    assert len(sitemap._unpacked(body)) == 1000


def test_a_text_sitemap_has_one_url_a_line() -> None:
    body = "\ufeffhttps://e.org/1\r\n\nnot a url\n https://e.org/2 \nhttps://e.org/1\n".encode()
    assert scan_sitemap(body) == ["https://e.org/1", "https://e.org/2"]


def test_feeds_list_their_pages() -> None:
    assert scan_sitemap(RSS) == ["https://e.org/", "https://e.org/1", "https://e.org/2"]
    assert scan_sitemap(ATOM) == ["https://e.org/1?a=1&b=2", "/2"]
    assert scan(RSS, "application/rss+xml").links[1] == Link("https://e.org/1", LinkKind.SITEMAP)


@given(st.binary() | st.binary().map(gzip.compress))
def test_any_bytes_are_some_list(body: bytes) -> None:
    assert all(scan_sitemap(body))


def test_a_sitemap_says_when_its_pages_changed() -> None:
    body = b"""<?xml version="1.0"?><s:urlset xmlns:s="x">
    <s:url><s:loc>https://e.org/a?b&amp;c</s:loc><s:lastmod>2023-11-14</s:lastmod></s:url>
    <s:url><s:lastmod>2023-11-14T22:13:20Z</s:lastmod><s:loc>https://e.org/b</s:loc></s:url>
    <s:url><s:loc>https://e.org/c</s:loc><s:lastmod>2023-11-14T23:13:20+01:00</s:lastmod></s:url>
    <s:url><s:loc>https://e.org/d</s:loc><s:lastmod>yesterday</s:lastmod></s:url>
    <s:url><s:loc>https://e.org/e</s:loc></s:url></s:urlset>"""
    moment = 1_700_000_000.0
    expected = {
        "https://e.org/a?b&c": moment - (22 * 3600 + 13 * 60 + 20),
        "https://e.org/b": moment,
        "https://e.org/c": moment,
    }
    assert changes_listed(body) == expected
    assert changes_listed(gzip.compress(body)) == expected


def test_what_stands_in_a_comment_says_nothing_of_changes() -> None:
    body = b"""<urlset><url><loc>https://e.org/a</loc><!-- <lastmod>2023-11-14</lastmod> --></url>
    <!-- <url><loc>https://e.org/b</loc><lastmod>2023-11-14</lastmod></url> --></urlset>"""
    assert scan_sitemap(body) == ["https://e.org/a"]
    assert changes_listed(body) == {}


@given(st.binary(max_size=400))
def test_any_bytes_can_be_looked_through_for_changes(body: bytes) -> None:
    assert isinstance(changes_listed(b"<urlset><url><loc>" + body), dict)
