"""The compiled walk and the pure Python one write the same triples for any markup."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lycosa.extract.rdfa._walk import walk
from lycosa.extract.rdfa.hosts import HTML, SVG, XHTML1, XHTML5, XML, Host
from plain_walk.walk import walk as walk_in_python
from seeds import examples

HOSTS = [HTML, XHTML1, XHTML5, SVG, XML]
BASES = ["http://e.test/a/b?q", "http://e.test", "http://e.test/a/../b/", "urn:x"]

TAGS = """<p> <p </p> <div <div> </div> <span> </span> <a </a> <head> <body> </body> <time> <time
</time> <link <meta /> > <br> <pre> </pre> <script> </script> <style> <template> </template> <svg>
<svg </svg> <!-- --> <? ?> <! </ <html </html>""".split()  # noqa: SIM905
ATTRIBUTES = re.findall(
    r"""\S+?=(?:"[^"]*"|'[^']*'|\S+)""",
    """
    about="" about="#a" about="[_:x]" about="_:x" about="[]" about="[foaf:x" about="dc:a" about='q'
    about=" http://x.test/a&amp;b " property="name" property="foaf:name dc:title" property=""
    property="_:p" property="&#102;oaf:n" rel="foaf:knows" rel="next foaf:x" rel="" rel="license"
    rev="dc:y" rev=":up" rel="x:y" typeof="" typeof="foaf:Person _:t" typeof="T" resource="#r"
    resource="[dc:]" resource="../r?x#y" href="/x/./y" href="?q" href="//h/p" href="a b" src="s.png"
    href="\u00e9|" inlist="" content="c" content="&quot;&lt;\u20ac" datatype="" datatype="xsd:date"
    datatype="rdf:XMLLiteral" datatype="rdf:HTML" datatype="_:d" datatype="x" datetime="2020-01-01"
    datetime="P1D" dateTime="12:00:00" lang="en" lang="de_AT" lang="!" xml:lang="fr" vocab=""
    vocab="http://v.test/#" vocab="v#" prefix="x: http://x.test/ y: rel/" prefix=": http://d.test/"
    prefix="_: no FOAF: http://other.test/" xmlns:z="http://z.test/" xmlns="http://n.test/"
    xml:base="http://base.test/c/" xml:base="d/#e" role="main" role="foaf:x nav" id="i" rel="a&amp;"
    property="x:a" property="z:b" property="http://abs.test/p" rel="foaf://x" class="c" typeof="y:T"
    about=unquoted property="ver/y" rel="DC:Up \u00e9" resource="x:" resource="." resource=".."
    datatype=" xsd:int x " property="foaf:a&amp;b" content=" 2020-01-01 " role="" id=" j "
    """,
)
TEXT = ["text ", "\n", "&amp;", "&lt;", "&nbsp;", "&#13;", "&copy;", "&#x41;", "&", "\u20ac", '"\\',
        "2020-01-01", "\t\x7f", "&#:;", "]]>", "]"]  # fmt: skip
PIECES = [*TAGS, *TEXT, *(f" {attribute} " for attribute in ATTRIBUTES)]
WHOLE = [f"<{name} {attribute}>" for name in ("p", "a", "div") for attribute in ATTRIBUTES]

markup = st.lists(st.sampled_from(PIECES) | st.sampled_from(WHOLE), max_size=40).map("".join)


def assert_alike(text: str, host: Host, base: str = BASES[0], room: int = 1 << 20) -> None:
    data = text.encode()
    native = walk(data, host, "http://e.test/doc", base, "b", room=room)
    twin = walk_in_python(data, host, "http://e.test/doc", base, "b", room=room)
    assert native == twin


@given(markup, st.sampled_from(HOSTS), st.sampled_from(BASES), st.sampled_from([1 << 20, 400]))
@settings(max_examples=examples(500), deadline=None)
@example("<p property=x", HTML, BASES[0], 1000)
@example("<p about='[' resource='x", XML, BASES[0], 1000)
def test_the_walk_equals_its_twin(text: str, host: Host, base: str, room: int) -> None:
    assert_alike(text, host, base, room)


def drawn(chance: random.Random) -> str:
    """Draw a tree of elements with some attributes."""
    parts: list[str] = []
    stack: list[str] = []
    for _ in range(chance.randrange(1, 40)):
        choice = chance.random()
        if choice < 0.5:
            name = chance.choice(["p", "div", "span", "a", "time", "body", "head", "li", "svg"])
            parts.append(f"<{name} {' '.join(chance.sample(ATTRIBUTES, chance.randrange(5)))}>")
            stack.append(name)
        elif choice < 0.75 and stack:
            parts.append(f"</{stack.pop()}>")
        else:
            parts.append(chance.choice(TEXT))
    return "".join(parts) + "".join(f"</{name}>" for name in reversed(stack))


def fuzz(seed: int, rounds: int) -> None:
    chance = random.Random(seed)
    for _ in range(rounds):
        assert_alike(drawn(chance), chance.choice(HOSTS), chance.choice(BASES))


def test_trees_are_walked_alike() -> None:
    fuzz(seed=1, rounds=1500)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 12))
def test_many_trees_are_walked_alike(seed: int) -> None:
    fuzz(seed, rounds=50_000)
