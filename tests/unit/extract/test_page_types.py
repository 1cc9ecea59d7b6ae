"""What is read from documents of each type: pages, XML, sitemaps, manifests, pictures, text."""

from __future__ import annotations

import pytest

from lycosa.extract.page import scan
from lycosa.model.records import Link, LinkKind
from unit.extract.scanned import facts_of, hrefs_of


def test_a_picture_in_svg_links_as_a_page_does() -> None:
    body = b"<?xml-stylesheet href='s.css'?><svg><a href='/x'><image href='i.png'/></a></svg>"
    facts = scan(body, "image/svg+xml", wants_requisites=True)
    assert facts.links == (
        Link("s.css", LinkKind.STYLE),
        Link("/x", LinkKind.ANCHOR),
        Link("i.png", LinkKind.IMAGE),
    )
    assert facts.text == ""


def test_the_manifest_of_an_application_names_pages_and_pictures() -> None:
    manifest = b"""{"start_url": "/app", "icons": [{"src": "i.png"}], "screenshots": [{"src": "s"}],
        "shortcuts": [{"url": "/new", "icons": [{"src": "n.png"}]}, 7], "serviceworker": "x",
        "share_target": {"action": "/share", "method": "POST"}}"""
    links = scan(manifest, "application/manifest+json").links
    assert set(links) == {
        Link("/app", LinkKind.ANCHOR),
        Link("i.png", LinkKind.IMAGE),
        Link("s", LinkKind.IMAGE),
        Link("/new", LinkKind.ANCHOR),
        Link("n.png", LinkKind.IMAGE),
        Link("/share", LinkKind.POST),
    }
    assert scan(b"[" * 100_000, "application/manifest+json").links == ()
    assert scan(b'{"start_url": "/app"}', "application/json").hrefs == ["/app"]


def test_plain_text_has_text_alone() -> None:
    facts = scan(b"One  two\r\n\r\n<a href=/x>\n", "text/plain")
    assert (facts.text, facts.hrefs) == ("One two\n<a href=/x>", [])


def test_a_short_script_tag_is_whole_in_xml_only() -> None:
    page = "<html><script src='/s'/><a href='/x'/></html>"
    assert hrefs_of(page, "application/xhtml+xml") == ["/x"]
    assert hrefs_of(page, "text/html") == []


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


RDFA = [
    "<p property='name'>",
    "<p TypeOf=x>",
    "<p vocab='https://schema.org/'>",
    "<p about=#x>",
    "<p resource>",
    "<a rel='foaf:knows' href=x>",
    "<a rev='foaf&colon;knows' href=x>",
    "<a class=x rel='License' href=x>",
]


NO_RDFA = [
    "<p class=about title=property>",
    "</p property=x>",
    "<!-- <p property=x> -->",
    "<p data-property=x prefix='a: b'>",
    "<a rel='next nofollow' rel='foaf:knows' href=x>",
    "<script>'<p property=x>'</script>",
    "<p property=x",
]


@pytest.mark.parametrize("tag", RDFA)
def test_what_rdfa_makes_triples_of_is_seen(tag: str) -> None:
    assert facts_of("<div>" + tag).has_rdfa
    assert not facts_of(tag).has_microdata
    assert facts_of(f"<svg>{tag}</svg>", "image/svg+xml").has_rdfa


@pytest.mark.parametrize("tag", NO_RDFA)
def test_what_only_looks_like_rdfa_is_not(tag: str) -> None:
    assert not facts_of("<div>" + tag).has_rdfa


def test_microdata_and_json_ld_are_seen() -> None:
    assert facts_of("<div itemscope itemtype=x>").has_microdata
    assert not facts_of("<div itemprop=x>").has_microdata
    assert not facts_of("<div itemscope>").has_rdfa
    script = "<script type='Application/LD+JSON; charset=utf-8'>{}</script>"
    assert facts_of(script).has_json_ld
    assert not facts_of("<script type='application/json'>").has_json_ld
    assert not facts_of("<p type='application/ld+json'>").has_json_ld
