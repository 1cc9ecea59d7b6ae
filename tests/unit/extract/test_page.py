from __future__ import annotations

import html

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from growth import is_linear
from lycosa.extract.facts import LONGEST_PAGE
from lycosa.extract.html.pure_links import without_fragment
from lycosa.extract.page import Facts, scan
from lycosa.records import WIDE_KINDS, Link, LinkKind
from lycosa.url import canonical_key


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
        "<![CDATA[>",
        "<!DOCTYPE html>",
        "<?php echo '<b>' ?>",
        "<style/></style>",
        "</>",
        "</ >",
        "<>",
    ],
)
def test_the_page_goes_on_after(before: str) -> None:
    assert hrefs_of(before + "<a href=/x>") == ["/x"]


@pytest.mark.parametrize(
    ("tag", "kind"),
    [
        ("<a xlink:href=/x>", LinkKind.ANCHOR),
        ("<frame src=/x>", LinkKind.FRAME),
        ("<iframe src=/x>", LinkKind.FRAME),
        ("<form action=/x>", LinkKind.FORM),
        ("<form method=' Get ' action=/x>", LinkKind.FORM),
        ("<form method=nonsense action=/x>", LinkKind.FORM),
        ("<link rel=next href=/x>", LinkKind.ALTERNATE),
        ('<link rel="alternate nofollow" href=/x>', LinkKind.ALTERNATE),
        ("<link rel='Canonical alternate' href=/x>", LinkKind.CANONICAL),
        ("<link rel=author href=/x>", LinkKind.RELATED),
        ("<link rel='privacy-policy' href=/x>", LinkKind.RELATED),
        ("<area href=/x ping=/p>", LinkKind.ANCHOR),
        ("<form><button formaction=/x>", LinkKind.FORM),
        ("<form method=post><input formaction=/x formmethod=get>", LinkKind.FORM),
        ("<isindex action=/x>", LinkKind.FORM),
        ("<layer src=/x>", LinkKind.FRAME),
        ("<math><mrow href=/x>", LinkKind.ANCHOR),
        ("<iframe srcdoc='<a href=&quot;/x&quot;>'></iframe>", LinkKind.ANCHOR),
        ("<iframe srcdoc='<base href=/b/><a href=../x>'></iframe>", LinkKind.ANCHOR),
        ("<noframes><a href=/x></noframes>", LinkKind.ANCHOR),
        ("<!--[if lt IE 9]><a href=/x><![endif]-->", LinkKind.ANCHOR),
        ("<!--[if !IE]><!--><a href=/x><!--<![endif]-->", LinkKind.ANCHOR),
    ],
)
def test_links_to_pages_have_a_kind(tag: str, kind: LinkKind) -> None:
    assert facts_of(tag).links == (Link("/x", kind),)


@pytest.mark.parametrize(
    ("tag", "kind"),
    [
        ("<link rel='shortcut icon' href=/x>", LinkKind.ICON),
        ("<link rel='alternate stylesheet' href=/x>", LinkKind.STYLE),
        ("<link rel=preload as=Font href=/x>", LinkKind.OBJECT),
        ("<link rel=preload as=image href=/x>", LinkKind.IMAGE),
        ("<link rel=modulepreload href=/x>", LinkKind.SCRIPT),
        ("<img src=/x>", LinkKind.IMAGE),
        ("<img srcset='/x 2x'>", LinkKind.IMAGE),
        ("<picture><source srcset=/x></picture>", LinkKind.IMAGE),
        ("<input type=IMAGE src=/x>", LinkKind.IMAGE),
        ("<video poster=/x>", LinkKind.IMAGE),
        ("<svg><image xlink:href=/x />", LinkKind.IMAGE),
        ("<script src=/x></script>", LinkKind.SCRIPT),
        ("<video src=/x>", LinkKind.MEDIA),
        ("<audio src=/x>", LinkKind.MEDIA),
        ("<source src=/x>", LinkKind.MEDIA),
        ("<track src=/x>", LinkKind.MEDIA),
        ("<object data=/x>", LinkKind.OBJECT),
        ("<embed src=/x>", LinkKind.OBJECT),
        ("<applet code=/x>", LinkKind.OBJECT),
        ("<body background=/x>", LinkKind.IMAGE),
        ("<td background=' /x '>", LinkKind.IMAGE),
        ("<img lowsrc=/x>", LinkKind.IMAGE),
        ("<img dynsrc=/x>", LinkKind.MEDIA),
        ("<bgsound src=/x>", LinkKind.MEDIA),
        ("<object classid=/x>", LinkKind.OBJECT),
        ("<object archive='/x'>", LinkKind.OBJECT),
        ("<param name=Movie value=/x>", LinkKind.OBJECT),
        ("<param name=a value=/x valuetype=REF>", LinkKind.OBJECT),
        ("<html manifest=/x>", LinkKind.MANIFEST),
        ("<link rel=manifest href=/x>", LinkKind.MANIFEST),
        ("<link rel=preload as=image imagesrcset='/x 1x'>", LinkKind.IMAGE),
        ("<link rel=prefetch href=/x>", LinkKind.OBJECT),
        ("<link rel=apple-touch-startup-image href=/x>", LinkKind.ICON),
        ("<menuitem icon=/x>", LinkKind.ICON),
        ("<svg><use xlink:href='/x#part'/>", LinkKind.IMAGE),
        ("<svg><feImage href=/x>", LinkKind.IMAGE),
        ("<svg><script xlink:href=/x></script>", LinkKind.SCRIPT),
        ("<svg><rect mask='url(/x#m)'>", LinkKind.IMAGE),
        ("<!--[if IE]><img src=/x><![endif]-->", LinkKind.IMAGE),
        ("<style>@import '/x';</style>", LinkKind.STYLE),
        ('<style>b { background: url( "/x" ) }</style>', LinkKind.IMAGE),
        ("<p style='background: url(&quot;/x&quot;)'>", LinkKind.IMAGE),
    ],
)
def test_requisites_are_found_only_if_they_are_wanted(tag: str, kind: LinkKind) -> None:
    assert scan(tag.encode(), None, wants_requisites=True).links == (Link("/x", kind),)
    assert facts_of(tag).links == ()


@pytest.mark.parametrize(
    ("tag", "kind"),
    [
        ("<blockquote cite=/x>", LinkKind.CITE),
        ("<ins cite=/x>", LinkKind.CITE),
        ("<img longdesc=/x>", LinkKind.DESCRIPTION),
        ("<img usemap='/x#m'>", LinkKind.RELATION),
        ("<link rel=shortlink href=/x>", LinkKind.RELATION),
        ("<link itemprop=url href=/x>", LinkKind.RELATION),
        ("<link rel=preload as=document href=/x>", LinkKind.RELATION),
        ("<form method=post action=/x>", LinkKind.POST),
        ("<form method=post><button formaction=/x>", LinkKind.POST),
        ("<form method=post></form><button form=f formaction=/x>", LinkKind.POST),
        ("<a ping=/x>", LinkKind.PING),
        ("<link rel=preconnect href=/x>", LinkKind.HINT),
        ("<link rel='dns-prefetch' href=/x>", LinkKind.HINT),
        ("<head profile=/x>", LinkKind.IDENTIFIER),
        ("<p itemscope itemtype=/x>", LinkKind.IDENTIFIER),
        ("<p itemscope itemid=/x>", LinkKind.IDENTIFIER),
        ("<object codebase=/x>", LinkKind.IDENTIFIER),
    ],
)
def test_what_is_recorded_alone_is_found_only_if_that_is_wanted(tag: str, kind: LinkKind) -> None:
    page = tag.encode()
    everything = scan(page, None, wants_requisites=True, wants_recorded=True)
    assert everything.links == (Link("/x", kind),)
    assert scan(page, None, wants_requisites=True).links == ()
    wide = scan(page, None, wants_requisites=True, wants_wide=True)
    assert wide.links == ((Link("/x", kind),) if kind in WIDE_KINDS else ())


@pytest.mark.parametrize(
    "tag",
    [
        "<script>load('/x')</script>",
        '<script type=application/json>{"url": "\\/x"}</script>',
        "<img data-src=/y data-original='/x'>",
        "<b onclick=\"location.href='/x'\">",
        "<a href=\"javascript:open('/x')\">",
    ],
)
def test_urls_in_scripts_are_found_by_wide_jobs_alone(tag: str) -> None:
    page = tag.encode()
    assert Link("/x", LinkKind.MENTION) in scan(page, None, wants_wide=True).links
    everything = scan(page, None, wants_requisites=True, wants_recorded=True)
    assert "/x" not in everything.hrefs


def test_documents_within_documents_are_read_three_deep() -> None:
    page = "<a href=/4>"
    for depth in (3, 2, 1, 0):
        page = f"<a href=/{depth}><iframe srcdoc='{html.escape(page)}'></iframe>"
    assert facts_of(page).hrefs == ["/0", "/1", "/2", "/3"]


def test_what_a_plug_in_loads_is_relative_to_its_codebase() -> None:
    page = b"<applet codebase=java/ code=A.class archive='a.jar,b.jar'></applet><object data=d>"
    found = scan(page, None, wants_requisites=True).hrefs
    assert found == ["java/A.class", "java/a.jar", "java/b.jar", "d"]


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


@pytest.mark.parametrize(
    "tag",
    [
        "<img src='DATA:image/png;base64,x'>",
        "<svg><use href='#icon'/>",
        "<img usemap='#map'>",
        "<form method=post action=/y>",
        "<form method=dialog action=/y>",
        "<link rel=preload href=/y>",
        "<link href=/y>",
        "<img srcset='/y 1q'>",
        "<input src=/y>",
        "<img src='  '>",
        "<p style='color: red'>",
        "<style>b { background: url(data:image/png;base64,x) url(#y) }</style>",
    ],
)
def test_what_needs_no_request_is_no_link(tag: str) -> None:
    assert scan(tag.encode(), None, wants_requisites=True).links == ()


def test_the_text_of_a_link_is_what_a_reader_sees() -> None:
    facts = facts_of(
        "<a href=/1> One <b>and</b>\n<div>more</div></a><a href=/2><img alt='A &lt; B'></a>"
        "<a href=/3>one<a href=/4>two</a> after<area href=/5 alt=Area>"
        "<a href=/6><script>x</script></a>" + "<a href=/7>" + "word " * 100 + "</a>"
    )
    assert facts.texts[:6] == ["One and more", "A < B", "one", "two", "Area", ""]
    assert facts.texts[6] == ("word " * 40).strip()


def test_the_first_text_of_a_repeated_link_counts() -> None:
    facts = facts_of("<a href=/1></a><a href=/1>one</a><a href=/1>two</a><a href=/1 rel=x></a>")
    assert (facts.hrefs, facts.texts, facts.times, facts.rels) == (["/1"], ["one"], [4], [""])


def test_relations_are_kept_in_lower_case() -> None:
    assert facts_of("<a href=/x rel=' NoFollow\n UGC '>").rels == ["nofollow ugc"]


@pytest.mark.parametrize(
    ("rels", "left"),
    [
        (("nofollow", ""), ""),
        (("", "nofollow"), ""),
        (("NoFollow", "next", "prev"), "next"),
        (("nofollow", "ugc nofollow"), "nofollow"),
        (("no&#102;ollow", "no&#102;ollow", "author"), "author"),
        (("next", "nofollow", "prev"), "next"),
    ],
)
def test_a_link_that_is_nofollow_in_one_place_only_is_followed(
    rels: tuple[str, ...], left: str
) -> None:
    page = "".join(f"<a href=/x#{n} rel='{rel}'>" for n, rel in enumerate(rels))
    assert (facts_of(page).rels, facts_of(page).times) == ([left], [len(rels)])


def test_links_beyond_the_limit_are_left_out_and_that_is_said() -> None:
    page = b"<a href=/1>x</a><a href=/2><a href=/1><a href=/3>y</a>"
    facts = scan(page, None, most_links=2)
    assert (facts.hrefs, facts.times, facts.texts) == (["/1", "/2"], [2, 1], ["x", ""])
    assert facts.is_truncated_links
    assert not scan(page, None, most_links=3).is_truncated_links
    sitemap = b"<urlset><url><loc>/1</loc><loc>/2</loc><loc>/1</loc>"
    assert scan(sitemap, "text/xml", most_links=1).times == [2]
    assert scan(sitemap, "text/xml", most_links=1).is_truncated_links


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


def test_plain_text_has_text_alone() -> None:
    facts = scan(b"One  two\r\n\r\n<a href=/x>\n", "text/plain")
    assert (facts.text, facts.hrefs) == ("One two\n<a href=/x>", [])


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
    assert hrefs_of(f'<a href="{written}">') == [without_fragment(meant)]


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("/x#part", "/x"),
        ("/x#", "/x"),
        ("/x?y#z?#", "/x?y"),
        ("#", "#"),
        ("#part", "#"),
        (" #part ", "#"),
        ("/x #part", "/x #part"),
        ("/x&#35;part", "/x"),
    ],
)
def test_fragments_are_cut_where_that_changes_nothing(written: str, kept: str) -> None:
    assert hrefs_of(f'<a href="{written}">') == [kept]
    assert canonical_key(kept, "http://e.org/a/b?c") == canonical_key(
        html.unescape(written), "http://e.org/a/b?c"
    )


def test_references_that_differ_in_their_fragments_are_one_link() -> None:
    facts = facts_of('<a href="/x#1"></a><a href="/x#2">two</a><a href="/x">three</a>')
    assert (facts.hrefs, facts.texts, facts.times) == (["/x"], ["two"], [3])


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


@pytest.mark.parametrize(
    "unit",
    ["<", "<a ", "<!--", "<!-- -", "<a href=\"", "<a href='", "<a x=", "<p ", "<p x=\"", "<loc>",
     "<loc", "<![CDATA[", "<script>", "<script", "<title>", "</", "&", "<a href=&", " ", "<a\n",
     "=", "<meta http-equiv=refresh content=' 1 ", "<p =' ", "--", "<a/", "</title", "<b>", "]]>",
     "\"'", "&amp", "&#", "&#x", "<a href=/", "<style>@import", "<img srcset='a, (",
     "<p style='url(",
     "<svg><a ", "<noscript>", "<template>", "\xa0", "<a href=x>y", "<div>"],
)  # fmt: skip
@pytest.mark.parametrize("before", ["", "<urlset>", "<script>", "<title>", "<![CDATA[", '<a x="'])
def test_the_time_is_linear_whatever_comes(before: str, unit: str) -> None:
    def read(size: int) -> None:
        body = (before + unit * (size // len(unit))).encode()
        scan(body, "text/html", wants_requisites=True)
        scan(body, "application/xhtml+xml")

    assert is_linear(read, 200_000)


@pytest.mark.parametrize(
    "unit",
    ["<!--[if", "<!--[if]>", "<!--[if]><a href=x>-->", "<noframes>", "<noframes></noframes>", "]",
     "<iframe srcdoc='", "<iframe srcdoc='<a href=x>'>", "<p itemtype='a ", "<p ping='a b' ", "'",
     "<script>'", "<script>\"/a\" + ", "<b onclick='", " on='", " data-a=\"", "<b data-a='[\"/a\",",
     "<b fill='url(", "<object archive=',", "<param name=src value=", "`", "//", "/*", "\\",
     "<script>x='a/b.html'", "</script>", "<link rel=x href=y imagesrcset='a, ", "<use href=#"],
)  # fmt: skip
@pytest.mark.parametrize("before", ["", "<script>", "<b onclick='", '<b data-x="'])
def test_the_time_is_linear_also_for_wide_jobs(before: str, unit: str) -> None:
    def read(size: int) -> None:
        body = (before + unit * (size // len(unit))).encode()
        scan(body, "text/html", wants_requisites=True, wants_recorded=True, wants_wide=True)

    assert is_linear(read, 100_000)


def test_depth_and_length_cost_nothing_but_their_bytes() -> None:
    nested = b"<div>" * 100_000 + b"<a href=/bottom>deep</a>" + b"</div>" * 100_000
    assert scan(nested, "text/html").links == (Link("/bottom"),)
    line = b"x" * 10_000_000 + b"<a href=/end>"
    facts = scan(line, "text/html")
    assert facts.links == (Link("/end"),)
    assert len(facts.text) == LONGEST_PAGE


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


@given(st.binary() | st.lists(pieces).map(b"".join), content_types, st.booleans())
@settings(max_examples=300, deadline=None)
def test_any_bytes_give_facts(body: bytes, content_type: str | None, everything: bool) -> None:
    facts = scan(body, content_type, wants_requisites=everything)
    columns = (facts.kinds, facts.texts, facts.rels, facts.times)
    assert all(len(column) == len(facts.hrefs) for column in columns)
    assert len(set(facts.links)) == len(facts.links)
    assert all(link.href.strip() for link in facts.links)


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
