"""Where in a page links are found, and what kind each of them is."""

from __future__ import annotations

import html

import pytest

from lycosa.extract.page import scan
from lycosa.model.records import WIDE_KINDS, Link, LinkKind
from lycosa.model.url import canonical_key
from plain_links import without_fragment
from unit.extract.scanned import facts_of, hrefs_of


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
