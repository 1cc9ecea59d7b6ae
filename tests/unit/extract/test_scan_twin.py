"""The compiled scanner and the pure Python one return the same facts for any bytes."""

from __future__ import annotations

import random
from html.entities import html5

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import plain_scan
from lycosa.extract.facts import Facts
from lycosa.extract.html import _scan
from lycosa.extract.text.charset import to_utf8
from lycosa.model.records import RECORDED_KINDS, REQUISITE_KINDS, LinkKind
from seeds import examples

PIECES = [
    b"<", b">", b"</", b"/>", b"/", b"=", b'"', b"'", b" ", b"\n", b"\t\r\f", b"\x0b", b"\x1c",
    b"<!--", b"-->", b"--!>", b"<!-->", b"<!", b"<?", b"<![CDATA[", b"]]>", b"-", b"x", b"word",
    b"<a ", b"</a>", b"<A HREF=", b"href=", b"HREF = ", b"xlink:href='#s'", b"src=", b"alt=alt ",
    b"rel='Nofollow  NEXT'", b"rel=canonical ", b"rel=stylesheet ", b"rel=icon ", b"as=script ",
    b"rel=preload ", b"style='background:url(bg.png)'", b"srcset='a.png 1x, b.png 2x'", b"method=",
    b"post ", b"get ", b"action=/f ", b"type=image ", b"poster=p.png ", b"data=o ", b"code=c ",
    b"<img ", b"<area ", b"<base ", b"<link ", b"<meta ", b"<form ", b"<iframe ", b"</iframe>",
    b"<frame ", b"<input ", b"<image ", b"<video ", b"<source ", b"<object ", b"<svg>", b"<br>",
    b"<script>", b"<script ", b"</script>", b"<style>", b"</style ", b"@import 'i.css';",
    b"url(u.png)", b"<title>", b"</title>", b"<textarea>", b"</TEXTAREA>", b"<noscript>",
    b"</noscript>", b"<template>", b"</template>", b"<template/>", b"<p>", b"</p>", b"<td>",
    b"<div class='a>b'>", b"<b>", b"</b>", b"<blockquote>", b"<averyveryverylongname ", b"<html ",
    b"lang=en-GB ", b"xml:lang='de'", b"name=robots ", b"name=Lycosa ", b"content=none ",
    b"content='noindex, x' ", b"name=description ", b"content=' a  b ' ", b"http-equiv=refresh ",
    b"content='0;url=/r' ", b"http-equiv=Content-Language ", b"content=fr ", b"&", b"&amp;",
    b"&amp", b"&lt", b"&nbsp;", b"&notit;", b"&notin;", b"&copy=", b"&copy1", b"&unknown;", b"&#",
    b"&#x", b"&#65;", b"&#x41", b"&#128;", b"&#0;", b"&#xD800;", b"&#1114112;", b"&#x110000000000",
    b"&#32;", b"&Tab;", b"&NewLine;", b"&nGt;", b"&CounterClockwiseContourIntegral;", b";", b"9",
    b"#", b"\xc3\xa9", b"\xc2\xa0", b"\xc2\xa9", b"\xe2\x82\xac", b"\xf0\x9f\x98\x80", b"\xff",
    b"\xc2", b"\xe2\x82", b"\x00", b"w" * 210, b"<li>\xc3\xa4" * 120, b"<a href=/x>",
    b"<a href=/y>", b"<a href='/z&amp;'>", b"<a href='/z&#38;'>", b"property=og:x ", b"ABOUT ",
    b"typeof", b"vocab=", b"resource ", b"rel='dc:x' ", b"rev=License ", b"REL=RoLe ", b"itemscope",
    b"rel='&#x3a;' ", b"rel=describedby ", b"type=' application/LD+json ; x' ", b"type=text/x ",
    b"type='application/ld+json'", b"cite=/c ", b"BACKGROUND=b.png ", b"longdesc=#l ", b"<body ",
    b"usemap='#m' ", b"usemap=/maps#m ", b"itemtype='https://a/T  https://b/&amp;T' ",
    b"itemid=/i ",
    b"ping='/p1\n/p2' ", b"profile=/pr ", b"lowsrc=l ", b"dynsrc=d ", b"fill='url(#g)' ",
    b"</form>",
    b"mask='url(m.svg#x)' ", b"<button ", b"formaction=/go ", b"formmethod=post ", b"form=f ",
    b"<use ", b"href='#i' ", b"<feImage ", b"<mrow ", b"<object ", b"codebase='/cb/' ",
    b"archive='a.jar, b.jar' ", b"classid='java:x' ", b"<applet ", b"<param ", b"name=movie ",
    b"value=/m.swf ", b"valuetype=ref ", b"<!--[if IE]>", b"<![endif]-->", b"<!--[IF lt IE 9",
    b"srcdoc='<a href=/in>x</a>' ", b'srcdoc="<base href=/b/><iframe srcdoc=&#39;<a href=y&#39;>" ',
    b"<noframes>", b"</noframes>", b"<noembed>", b"manifest=/app.webmanifest ", b"<command icon=i ",
    b"imagesrcset='a 1x, b 2x' ", b"rel=manifest ", b"rel=author ", b"rel=pingback ",
    b"rel=preconnect ",
    b"<?xml-stylesheet href='/s.xsl'?>", b"src='data:image/png,x' ", b"background='DATA:x' ",
    b"onclick=\"location='/on'\" ", b"data-src='/lazy' ", b"var u = '/in/script';",
    b'"https:\\/\\/a.b\\/c"',
    b"style='background:image-set(&quot;x&quot; 1x)' ", b"style='color:red' ",
    b"content='http://og/i' ",
    b"\xe2\x80\xa8", b"<script src=s href=h></script>", b"<dialog>", b"method=dialog ",
]  # fmt: skip


WANTED = [
    sum(1 << kind for kind in kinds)
    for kinds in (
        set(LinkKind) - REQUISITE_KINDS - RECORDED_KINDS,
        set(LinkKind) - RECORDED_KINDS,
        set(LinkKind) - {LinkKind.MENTION},
        set(LinkKind),
    )
]


def both(body: bytes, most_links: int = 0, flags: int = 0) -> tuple[Facts, Facts]:
    body, _ = to_utf8(body, "text/html; charset=utf-8")
    is_xml, wanted = bool(flags & 1), WANTED[flags >> 1]
    native = _scan.gather(body, is_xml=is_xml, most_links=most_links, wanted=wanted, agent="Lycosa")
    twin = plain_scan.gather(
        body, is_xml=is_xml, most_links=most_links, wanted=wanted, agent="Lycosa"
    )
    return native, twin


@given(
    st.lists(st.sampled_from(PIECES), max_size=60).map(b"".join) | st.binary(max_size=300),
    st.sampled_from([0, 0, 1, 2, 5]),
    st.integers(0, 7),
)
@settings(max_examples=examples(1500), deadline=None)
@example(b"<a href='/x' rel=b><li>\xc3\xa4" * 120, 0, 7)
@example(b"<p title='&nGt;&nGt;&nGt;'>" + b"&nGt;" * 1000, 0, 7)
def test_the_scanner_equals_its_twin(body: bytes, most_links: int, flags: int) -> None:
    native, twin = both(body, most_links, flags)
    assert native == twin


@given(st.text('abcdefgh   !"\x1f\0\n\t&<;\xa0\xa1\xc2\xe9', max_size=60))
@settings(max_examples=examples(1500), deadline=None)
@example("seven b ! two  spaces, a !b !")
@example("eight by tes and a tail")
def test_text_is_copied_as_its_twin_does_character_by_character(text: str) -> None:
    native, twin = both(f"<p>{text}</p>".encode())
    assert native == twin


@given(st.lists(st.sampled_from(sorted(html5)), max_size=20))
@settings(max_examples=examples(200), deadline=None)
def test_every_named_reference_is_known(names: list[str]) -> None:
    text = "".join(f"&{name}x &{name}= <a href='&{name}x&{name}'>" for name in names)
    native, twin = both(text.encode())
    assert native == twin


PAGE = b"""<!DOCTYPE html><html lang=en-GB><head><meta charset=utf-8><title>A &amp; b</title>
<base href=/b/><link rel=canonical href=/c><link rel="stylesheet preload" as=style href=s.css>
<meta name=robots content="noindex"><meta name=description content="What it is">
<meta http-equiv=refresh content="5; url='/next'"><style>@import "x.css";
b{background:url(i)}</style>
</head><body><nav><ul><li><a href="/one" rel="nofollow">One</a><li><a href='/two?a=1&amp;b=2'>Two
words</a></ul></nav><p>Text &lt;here&gt; &copy; caf\xc3\xa9<img src=i.png alt="An image"
srcset="a 1x, b 2x">
<script>if (a < b) document.write("<a href=/no>")</script><!-- <a href=/no> --><form action=/find>
<select><option>1<option>2</select></form><table><tr><td>1<td>2</table><noscript>off</noscript>
<template><a href=/t>hidden</a></template><svg><image xlink:href=v.svg /></svg><video
poster=p src=v><a href=/img><img src=x alt='Picture'></a><iframe src=/frame></iframe>
</body></html>"""


def mutated(chance: random.Random) -> bytes:
    page = bytearray(PAGE)
    for _ in range(chance.randrange(1, 12)):
        at = chance.randrange(len(page) + 1)
        match chance.randrange(5):
            case 0:
                page[at : at + chance.randrange(1, 4)] = chance.randbytes(chance.randrange(4))
            case 1:
                page[at:at] = chance.choice(PIECES)
            case 2:
                del page[at : at + chance.randrange(1, 40)]
            case 3:
                start = chance.randrange(len(PAGE))
                page[at:at] = PAGE[start : start + chance.randrange(1, 200)]
            case _:
                del page[at:]
        if not page:
            page = bytearray(b"<")
    return bytes(page)


def fuzz(seed: int, rounds: int) -> None:
    chance = random.Random(seed)
    for number in range(rounds):
        body = mutated(chance)
        native, twin = both(body, chance.choice([0, 0, 3]), chance.randrange(8))
        assert native == twin, (seed, number, body)


def test_mutations_of_a_page_are_read_alike() -> None:
    fuzz(seed=1, rounds=3000)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 12))
def test_many_mutations_of_a_page_are_read_alike(seed: int) -> None:
    fuzz(seed, rounds=50_000)
