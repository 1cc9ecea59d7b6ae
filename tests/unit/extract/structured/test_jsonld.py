"""JSON-LD in scripts: triples that are read, and scripts refused for a reason."""

from __future__ import annotations

import json
import time

import pyoxigraph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.extract.structured import jsonld
from lycosa.extract.structured.counts import (
    BAD_JSON,
    BAD_JSON_LD,
    JSON_TOO_DEEP,
    JSON_TOO_LARGE,
    REASONS,
    UNKNOWN_CONTEXT,
)
from seeds import examples
from unit.extract.structured.graphs import assert_same

URL = "http://a.test/dir/page.html"


def page(*scripts: str) -> bytes:
    return "".join(
        f'<script type="application/ld+json">{script}</script>' for script in scripts
    ).encode()


def distil(*scripts: str) -> jsonld.Distilled:
    return jsonld.distil_with_reasons(page(*scripts), URL, "text/html")


CASES = {
    "schema.org is known by all its addresses": (
        [
            '{"@context": "https://schema.org", "@type": "Person", "name": "Ann"}',
            '{"@context": "http://www.schema.org/", "@type": "Person", "name": "Bob"}',
            '{"@context": ["https://schema.org/docs/jsonldcontext.jsonld", {"x": "http://x.test/"}],'
            ' "@type": "Person", "x": 1}',
        ],
        '[] a s:Person; s:name "Ann" . [] a s:Person; s:name "Bob" .'
        " [] a s:Person; <http://x.test/> 1 .",
    ),
    "addresses are addresses and moments moments": (
        [
            '{"@context": "https://schema.org", "@id": "#it", "url": "x", "sameAs": ["/z"],'
            ' "datePublished": "2020-01-02"}'
        ],
        "<http://a.test/dir/page.html#it> s:url <http://a.test/dir/x>; s:sameAs"
        ' <http://a.test/z>; s:datePublished "2020-01-02"^^s:DateTime .',
    ),
    "a graph, a list and a language": (
        [
            '{"@context": {"@vocab": "http://schema.org/"}, "@graph": [{"@id": "http://x.test/",'
            ' "name": {"@value": "N", "@language": "de"}, "l": {"@list": [1, true]}}]}'
        ],
        '<http://x.test/> s:name "N"@de; s:l (1 true) .',
    ),
    "blank nodes of two scripts are two": (
        ['{"@context": "https://schema.org", "@id": "_:a", "name": "x"}'] * 2,
        '[] s:name "x" . [] s:name "x" .',
    ),
    "line breaks in texts and wrappings are borne": (
        ['<!--\n{"@context": "https://schema.org", "name": "a\nb"}\n-->'],
        '[] s:name "a\\nb" .',
    ),
    "a graph with a name is the page's": (
        [
            '{"@context": "https://schema.org", "@id": "http://g.test/", "@graph":'
            ' [{"@id": "http://x.test/", "name": "x"}]}'
        ],
        '<http://x.test/> s:name "x" .',
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_page_says(case: str) -> None:
    scripts, expected = CASES[case]
    found = distil(*scripts)
    assert found.refused == {}
    assert_same(found.triples, expected)


REFUSED = {
    '{"@context": "https://elsewhere.test/context", "a": 1}': UNKNOWN_CONTEXT,
    '{"@context": {"@import": "https://elsewhere.test/"}, "a": 1}': UNKNOWN_CONTEXT,
    '{"@context": "https://schema.org"': BAD_JSON,
    '{"@context": "https://schema.org", "a": NaN}': BAD_JSON,
    '{"@id": 5}': BAD_JSON_LD,
    '{"a": ' * 100 + "1" + "}" * 100: JSON_TOO_DEEP,
    "[" * 100_000: JSON_TOO_DEEP,
    '"' + "x" * 2_000_001 + '"': JSON_TOO_LARGE,
    json.dumps({"@context": {f"t{n}": f"t{n + 1}:x" for n in range(5000)}}): JSON_TOO_LARGE,
}


@pytest.mark.parametrize("script", REFUSED, ids=REFUSED.values())
def test_what_is_refused_has_a_reason_and_leaves_the_rest(script: str) -> None:
    good = '{"@context": "https://schema.org", "name": "good"}'
    found = distil(script, good)
    assert found.refused == {REFUSED[script]: 1}
    assert REFUSED[script] in REASONS
    assert_same(found.triples, '[] s:name "good" .')


def test_scripts_are_found_where_a_browser_finds_them() -> None:
    script = '<script type="application/ld+json">{"n": %d}</script>'
    body = (
        f"<!-- {script % 1} --><script>'{script % 2}'</script><style>{script % 3}</style>"
        f"<textarea>{script % 4}</textarea>"
        "<SCRIPT data-x='>' TYPE = \"application/LD+JSON; charset=utf-8\" >{5}</Script >"
        "<script type=application/ld+json>{6}</script><script type=text/plain>{7}</script>"
        "<script type=application/ld+json>{8}"
    )
    assert jsonld.scripts(body.encode()) == [b"{5}", b"{6}", b"{8}"]


def test_in_xml_scripts_have_entities() -> None:
    body = page('{"@context": "https://schema.org", "name": "a &lt;&amp;"}')
    found = jsonld.distil_with_reasons(body, URL, "application/xhtml+xml").triples
    assert_same(found, '[] s:name "a <&" .')


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "@id",
                    "@type",
                    "@context",
                    "@graph",
                    "@value",
                    "@list",
                    "@language",
                    "@reverse",
                    "@index",
                    "@container",
                    "@vocab",
                    "@base",
                    "name",
                    "http://p.test/p",
                    "_:b",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=25,
)


@settings(max_examples=examples(300), deadline=None)
@given(VALUES)
def test_any_json_gives_triples_that_can_be_read_or_a_reason(value: object) -> None:
    found = distil(json.dumps(value))
    list(pyoxigraph.parse(found.triples, pyoxigraph.RdfFormat.N_TRIPLES))
    assert set(found.refused) <= set(REASONS)


SCRIPT = b'<script type="application/ld+json">%s</script>'
BOMBS = {
    "many items": page(
        json.dumps(
            {"@context": "http://schema.org", "@graph": [{"name": f"n{n}"} for n in range(60_000)]}
        )
    ),
    "many scripts": page('{"@context": "http://schema.org", "name": 1}') * 8_000,
    "unclosed": b'<script type="application/ld+json">' * 100_000,
    "comments": b"<!--" * 1_000_000,
    "attributes": b"<script " * 500_000,
    "spaces before": SCRIPT % (b" " * 1_000_000 + b"{}"),
    "spaces within": SCRIPT % (b'{"a":' + b" " * 1_000_000 + b"1}"),
    "spaces behind": SCRIPT % (b"{}]]>" + b" " * 1_000_000 + b"x"),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_no_page_takes_long(bomb: str) -> None:
    began = time.process_time()
    jsonld.distil_with_reasons(BOMBS[bomb], URL, "text/html")
    assert time.process_time() - began < 30
