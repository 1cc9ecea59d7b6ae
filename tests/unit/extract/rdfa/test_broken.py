"""Broken documents and hostile ones: no exception, no hang, only lines of N-Triples."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from growth import is_linear
from lycosa.extract.rdfa import distil
from lycosa.extract.structured.budget import MOST_OUTPUT, SPARE_OUTPUT
from seeds import examples

BASE = "http://e.test/folder/page"
MEDIA_TYPES = ["text/html", "application/xhtml+xml", "image/svg+xml", "application/xml"]
IRI = r'<[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>"{}|\\^`\x7f]*>'
NODE = r"_:b\d+"
LITERAL = (
    r'"(?:[^\x00-\x1f"\\\x7f]|\\[nrtbf"\\]|\\u[0-9A-F]{4})*"'
    rf"(?:\^\^{IRI}|@[a-z]{{1,8}}(?:-[a-z0-9]{{1,8}})*)?"
)
LINE = re.compile(rf"(?:{IRI}|{NODE}) {IRI} (?:{IRI}|{NODE}|{LITERAL}) \.")

PAGE = """<!DOCTYPE html><html lang="en" prefix="x: http://x.test/"><head><title>A page</title>
<base href="/b/"><meta property="og:title" content="T &amp; t"><link rel="license" href="l"></head>
<body vocab="http://v.test/#"><div about="#a" typeof="T x:U" rel="x:r"><p property="name dc:title"
datatype="xsd:string">text <b>bold</b></p><a href="c d" property="x:q" inlist="">z</a></div>
<table><tr><td property="cell">1<td rel="x:s"><span typeof="S"><i property="deep">d</i></span>
</table><time property="when" datetime="2020-01-01T00:00:00Z">then</time><svg>
<desc property="x:d">e</desc><style>p{}</style></svg>
<ul inlist rel="x:list"><li resource="_:n">1</li><li about="[x:y]">2</li></ul>
<p property="x:m" datatype="rdf:XMLLiteral">a<em xmlns:q="http://q.test/">b</em><!-- c --></p>
<p property="x:h" datatype="rdf:HTML">a<br>b</p><div role="main" id="m"><template><p property="no">
</template></div><div typeof="V"><link property="rdfa:copy" href="#p"></div><div resource="#p"
typeof="rdfa:Pattern"><p property="x:copied">y</p></div></body></html>"""
PIECES = ["<p property=dc:a>", "</p>", "<table>", "</div>", "<b>", "</b>", "<template>", "<!--",
          "]]>", "<![CDATA[", "&", "&#x0;", "&#55296;", "<svg>", "</svg>", "<math>", "<style>",
          "\0", "\ud7ff", "<a rel='' rev=dc:b href=':'>", "lang='\u00e9'", " about=[", "&e;",
          " prefix=': :'", " vocab='a b'", " xmlns:a=''", " inlist", " typeof", "<?x",
          "<!DOCTYPE x [<!ENTITY e '&e;'>]>", "<base href='%zz:'>", "\"", "'", "<html", "<body",
          "<form>", "<select>"]  # fmt: skip


def assert_sound(body: bytes, media_type: str) -> None:
    found = distil(body, BASE, media_type)
    assert len(found) <= 2 * (MOST_OUTPUT * 4 * len(body) + SPARE_OUTPUT)
    for line in found.decode().split("\n")[:-1]:
        assert LINE.fullmatch(line), (line, body)


def mutated(chance: random.Random) -> bytes:
    page = PAGE
    for _ in range(chance.randrange(1, 10)):
        at = chance.randrange(len(page) + 1)
        match chance.randrange(4):
            case 0:
                page = page[:at] + chance.choice(PIECES) + page[at:]
            case 1:
                page = page[:at] + page[at + chance.randrange(1, 40) :]
            case 2:
                start = chance.randrange(len(PAGE))
                page = page[:at] + PAGE[start : start + chance.randrange(200)] + page[at:]
            case _:
                page = (
                    page[:at] + chr(chance.choice([0, 9, 13, 34, 60, 92, 0xA0, 0xFFFF])) + page[at:]
                )
    return page.encode()


def fuzz(seed: int, rounds: int) -> None:
    chance = random.Random(seed)
    for _ in range(rounds):
        assert_sound(mutated(chance), chance.choice(MEDIA_TYPES))


def test_mutations_of_a_page_give_sound_triples() -> None:
    fuzz(seed=1, rounds=800)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 12))
def test_many_mutations_of_a_page_give_sound_triples(seed: int) -> None:
    fuzz(seed, rounds=30_000)


@given(st.binary(max_size=200), st.sampled_from(MEDIA_TYPES))
@settings(max_examples=examples(150), deadline=None)
def test_any_bytes_give_sound_triples(body: bytes, media_type: str) -> None:
    assert_sound(body, media_type)
    assert_sound(b"<p property='dc:a' about='" + body + b"'>" + body + b"</p>", media_type)


def test_ten_thousand_nested_elements_are_walked() -> None:
    # Browsers, too, let elements that are nested too deeply stand side by side.
    found = distil(b"<div rel=dc:a>" * 10_000 + b"<p about=#x>", BASE, "text/html")
    assert found.count(b"\n") > 500
    body = b"".join(b"<div property=dc:a%d>" % number for number in range(10_000))
    found = distil(body + b"x", BASE, "text/html")
    assert found.count(b"\n") == 10_000
    assert found.count(b'"x"') > 500


def test_output_is_bounded_where_nesting_would_multiply_it() -> None:
    body = b"<div property=dc:a>" * 5_000 + b"text " * 20_000
    found = distil(body, BASE, "text/html")
    assert len(found) <= MOST_OUTPUT * len(body) + SPARE_OUTPUT
    assert found.endswith(b" .\n")


SHAPES: dict[str, Callable[[int], bytes]] = {
    "flat": lambda n: b"<p property=dc:a>some words of text</p>" * n,
    "nested": lambda n: b"<div>" * n + b"<p property=dc:a>x",
    "nested properties": lambda n: b"<div property=dc:a>" * n,
    "nested prefixes": lambda n: b"<div prefix='a: http://a.test/ b: c' property=a:b>" * n,
    "nested vocabularies": lambda n: b"<div vocab=http://v.test/ property=b>" * n,
    "nested lists": lambda n: b"<div about=#a rel=dc:a inlist>" * n,
    "nested markup": lambda n: b"<div property=dc:a datatype=rdf:XMLLiteral>" * (n // 10),
    "misnested": lambda n: b"<b property=dc:a><p about=#x></b>" * (n // 10),
    "tables": lambda n: b"<table property=dc:a><td>" * n,
    "attributes": lambda n: b"<p property=dc:a " + b"".join(b" a%d=b" % i for i in range(n)) + b">",
    "prefixes": lambda n: b"<p prefix='" + b"".join(b" a%d: b" % i for i in range(n)) + b"'>",
    "words": lambda n: b"<p property='" + b"".join(b" dc:a%d" % i for i in range(n)) + b"'>",
    "long prefix": lambda n: b"<p prefix='a: x:" + b"y" * n + b"'>" + b"<p property=a:b>" * n,
    "waiting": lambda n: b"<div rel='" + b"dc:a " * n + b"'>" + b"<p about=#x></p>" * n,
    "copies": lambda n: b"<p about=#p typeof=rdfa:Pattern>" + b"<a property=rdfa:copy href=#p>" * n,
    "quotes": lambda n: b"<p a='" * n + b"<p a=\"" * n,
    "text": lambda n: b"<p property=dc:a>" + b"a &amp; b &copy; " * n,
    "comments": lambda n: b"<p property=dc:a>" + b"<!-- <p" * n,
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_time_is_linear_in_the_size(shape: str) -> None:
    assert is_linear(lambda size: distil(SHAPES[shape](size), BASE, "text/html"), 16_000)


@pytest.mark.parametrize("media_type", MEDIA_TYPES)
def test_five_megabytes_are_read(media_type: str) -> None:
    rows = [b"<p property='dc:a'>some words of text %d</p>" % number for number in range(110_000)]
    body = b"<r>" + b"".join(rows) + b"</r>"
    assert len(body) > 5_000_000
    assert distil(body, BASE, media_type).count(b"\n") == 110_000
