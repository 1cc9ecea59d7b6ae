"""RDFa, case by case."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.extract.page import scan
from lycosa.extract.rdfa import distil
from seeds import examples

BASE = "http://e.test/folder/page"
PREFIXES = {
    "dc": "http://purl.org/dc/terms/",
    "e": "http://e.test/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "schema": "http://schema.org/",
    "v": "http://v.test/",
    "xhv": "http://www.w3.org/1999/xhtml/vocab#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
PAGE = "e:folder/page"


def triples(body: str, media_type: str = "text/html", base: str = BASE) -> list[str]:
    """Return the triples with our prefixes instead of theirs."""
    found = distil(body.encode(), base, media_type).decode()
    for prefix, iri in PREFIXES.items():
        found = found.replace(f"<{iri}", f"<{prefix}:")
    lines = [
        line.removesuffix(" .").replace("<", "").replace(">", "") for line in found.splitlines()
    ]
    return sorted(lines)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p property=dc:title>A <b>title</b></p>", [f'{PAGE} dc:title "A title"']),
        ("<p property=dc:title content='x &amp; y'>A</p>", [f'{PAGE} dc:title "x & y"']),
        ("<p property='dc:title dc:a' content=x>", [f'{PAGE} dc:a "x"', f'{PAGE} dc:title "x"']),
        ("<p about=#a property=dc:title>A</p>", [f'{PAGE}#a dc:title "A"']),
        ("<a rel=dc:creator href=../me>me</a>", [f"{PAGE} dc:creator e:me"]),
        ("<a rev=dc:creator href=/work>", [f"e:work dc:creator {PAGE}"]),
        ("<a property=foaf:page href=?q>", [f"{PAGE} foaf:page {PAGE}?q"]),
        ("<img property=foaf:img src=//h.test/i>", [f"{PAGE} foaf:img http://h.test/i"]),
        ("<p typeof=foaf:Person property=foaf:name>", [
            "_:b0 rdf:type foaf:Person", f"{PAGE} foaf:name _:b0"]),
        ("<div typeof=foaf:Person><p property=foaf:name>N</div>", [
            '_:b0 foaf:name "N"', "_:b0 rdf:type foaf:Person"]),
        ("<div rel=foaf:knows><p about=#a></p><p about=#b></p></div>", [
            f"{PAGE} foaf:knows {PAGE}#a", f"{PAGE} foaf:knows {PAGE}#b"]),
        ("<div rel=foaf:knows><p property=foaf:name>N</p></div>", [
            '_:b0 foaf:name "N"', f"{PAGE} foaf:knows _:b0"]),
        ("<div about=#a rel=foaf:knows resource=#b><p property=foaf:name>B</div>", [
            f"{PAGE}#a foaf:knows {PAGE}#b", f'{PAGE}#b foaf:name "B"']),
        ("<p about='[_:x]' property=dc:a>1</p><p about=_:x property=dc:b>2</p>", [
            '_:b0 dc:a "1"', '_:b0 dc:b "2"']),
        ("<p about='[unknown:x]' property=dc:a>1</p>", [f'{PAGE} dc:a "1"']),
        ("<p about='[unknown:x]' typeof=foaf:A rel=dc:b></p>", [
            "_:b0 rdf:type foaf:A", f"{PAGE} dc:b _:b0"]),
        ("<p property=unknown:x>1</p>", [f'{PAGE} unknown:x "1"']),
        ("<p property=unknown>1</p>", []),
        ("<p property=_:x>1</p>", []),
        ("<p property=:next>1</p>", [f'{PAGE} xhv:next "1"']),
        ("<a rel=license href=/l>", [f"{PAGE} xhv:license e:l"]),
        ("<a rel=next href=/l>", []),
        ("<link rel=stylesheet href=/s.css>", []),
        ("<a property=dc:a rel=license href=/l>x</a>", [f"{PAGE} dc:a e:l"]),
        ("<p lang=en property=dc:a>x</p>", [f'{PAGE} dc:a "x"@en']),
        ("<p lang=de_AT property=dc:a>x</p>", [f'{PAGE} dc:a "x"@de-at']),
        ("<p lang='no language' property=dc:a>x</p>", [f'{PAGE} dc:a "x"']),
        ("<p lang=en property=dc:a datatype=xsd:int>1</p>", [f'{PAGE} dc:a "1"^^xsd:int']),
        ("<p property=dc:a datatype=''>a<b>b</b></p>", [f'{PAGE} dc:a "ab"']),
        ("<p property=dc:a>a<template><b property=dc:b>b</b></template></p>", [f'{PAGE} dc:a "a"']),
        ("<pre property=dc:a>\n\nx</pre>", [f'{PAGE} dc:a "\\nx"']),
        ("<p property=dc:a>\"\\&#1;\u20ac\t\r</p>", [f'{PAGE} dc:a "\\"\\\\\\u0001\u20ac\\t\\n"']),
        ("<a property=dc:a href='a b|c'>", [f"{PAGE[:-4]}a%20b%7Cc".join([f"{PAGE} dc:a ", ""])]),
        ("<div role=main id=i>", [f"{PAGE}#i xhv:role xhv:main"]),
    ],
)  # fmt: skip
def test_an_element_says(body: str, expected: list[str]) -> None:
    assert triples(body) == sorted(expected)


def test_a_vocabulary_is_for_terms_and_is_named() -> None:
    body = "<div vocab=http://v.test/><p property=a>1</p><p vocab='' property=b>2</p></div>"
    uses = f"{PAGE} http://www.w3.org/ns/rdfa#usesVocabulary v:"
    assert triples(body) == [uses, f'{PAGE} v:a "1"']


def test_prefixes_end_with_their_element() -> None:
    body = (
        "<div prefix='dc: http://v.test/'><p property=dc:a>1</p>"
        "<p xmlns:DC='http://e.test/' property=dc:b>2</p><p property=dc:c>3</p></div>"
        "<p property=dc:d>4</p>"
    )
    assert triples(body) == sorted(
        [f'{PAGE} v:a "1"', f'{PAGE} e:b "2"', f'{PAGE} v:c "3"', f'{PAGE} dc:d "4"']
    )


def test_lists_keep_the_order_of_the_document() -> None:
    body = (
        "<p inlist property=dc:a><b inlist property=dc:b>inner</b></p><p inlist property=dc:a "
        "content=two></p><a inlist rel=dc:a href=/three></a>"
    )
    found = triples(body)
    assert f"{PAGE} dc:a _:b2" in found
    assert '_:b2 rdf:first "inner"' in found
    assert "_:b2 rdf:rest _:b1" in found
    assert '_:b1 rdf:first "two"' in found
    assert "_:b1 rdf:rest _:b0" in found
    assert "_:b0 rdf:first e:three" in found
    assert "_:b0 rdf:rest rdf:nil" in found
    assert triples("<p inlist rel=dc:a></p>") == [f"{PAGE} dc:a rdf:nil"]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("2024-02-29", "date"),
        ("2024-02-29T12:00:00Z", "dateTime"),
        ("2024-02-29T12:00:00.5+01:00", "dateTime"),
        ("12:00:00", "time"),
        ("2024", "gYear"),
        ("2024-02", "gYearMonth"),
        ("P1Y2M", "duration"),
        ("-PT5M0.5S", "duration"),
    ],
)
def test_a_moment_gets_the_type_that_it_looks_like(value: str, kind: str) -> None:
    expected = [f'{PAGE} dc:date "{value}"^^xsd:{kind}']
    assert triples(f"<time property=dc:date datetime='{value}'>then</time>") == expected
    assert triples(f"<time property=dc:date>{value}</time>") == expected
    body = f"<r><time property='dc:date' datetime='{value}'>then</time></r>"
    assert triples(body, "text/xml") == [f'{PAGE} dc:date "then"']


@pytest.mark.parametrize("value", ["P", "PT", "yesterday", "12:00", "2024-2-1"])
def test_any_other_moment_is_text(value: str) -> None:
    body = f"<time lang=en property=dc:date datetime='{value}'>then</time>"
    assert triples(body) == [f'{PAGE} dc:date "{value}"@en']


def test_a_base_holds_for_the_whole_page() -> None:
    body = "<html about><head><p property=dc:a>1</p><base href=/b/><link property=dc:b href=c>"
    assert triples(body) == ['e:b/ dc:a "1"', "e:b/ dc:b e:b/c"]


def test_xml_has_bases_of_its_own() -> None:
    body = (
        "<r xml:base='http://v.test/a/'><p property='dc:a'>1</p>"
        "<p about='' xml:base='../c' property='dc:b'>2</p><p about='x' property='dc:c'>3</p></r>"
    )
    assert triples(body, "text/xml") == ['v:a/ dc:a "1"', 'v:a/x dc:c "3"', 'v:c dc:b "2"']


def test_markup_is_a_literal_with_what_is_in_scope() -> None:
    body = (
        '<html xmlns="http://www.w3.org/1999/xhtml" prefix="x: http://x.test/"><p property="dc:a" '
        'datatype="rdf:XMLLiteral">a &amp; <b class="z" about="">b<br/></b><!--c--></p></html>'
    )
    scope = r"xmlns=\"http://www.w3.org/1999/xhtml\" xmlns:x=\"http://x.test/\""
    found = distil(body.encode(), BASE, "application/xhtml+xml").decode()
    literal = rf'"a &amp; <b {scope} about=\"\" class=\"z\">b<br></br></b><!--c-->"'
    assert f"{literal}^^<{PREFIXES['rdf']}XMLLiteral>" in found
    found = distil(body.encode(), BASE, "text/html").decode()
    assert f"{literal}^^<{PREFIXES['rdf']}XMLLiteral>" in found
    html = "<p property=dc:a datatype=rdf:HTML>a<b>b<br></b></p>"
    assert triples(html) == [f'{PAGE} dc:a "abb' + 'br/b"^^rdf:HTML']


def test_host_languages_have_terms_of_their_own() -> None:
    link = '<link rel="next" href="x"/>'
    page = f'<html xmlns="http://www.w3.org/1999/xhtml"><head>{link}</head></html>'
    old = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x">'
    assert triples(page, "application/xhtml+xml") == []
    assert triples(old + page, "application/xhtml+xml") == [f"{PAGE} xhv:next e:folder/x"]
    assert triples(old + page, "application/xml") == [f"{PAGE} xhv:next e:folder/x"]
    assert triples(old + page, "text/html") == []


def test_characters_that_xhtml_names_are_known() -> None:
    page = (
        '<html xmlns="http://www.w3.org/1999/xhtml"><p property="dc:a">&eacute;&lt;&no;</p></html>'
    )
    assert triples(page, "application/xhtml+xml") == [f'{PAGE} dc:a "é"']


def test_a_pattern_is_copied() -> None:
    body = (
        "<div typeof=schema:A><link property=rdfa:copy href=#p></div><div typeof=schema:B><link "
        "property=rdfa:copy href=#p></div><div resource=#p typeof=rdfa:Pattern><p property=dc:a>1"
        "</p><link property=rdfa:copy href=#q></div><div resource=#q typeof=rdfa:Pattern>"
        "<p property=dc:b>2</p></div><div resource=#r typeof=rdfa:Pattern></div>"
    )
    pattern = "http://www.w3.org/ns/rdfa#Pattern"
    assert triples(body) == [
        '_:b0 dc:a "1"',
        '_:b0 dc:b "2"',
        "_:b0 rdf:type schema:A",
        '_:b1 dc:a "1"',
        '_:b1 dc:b "2"',
        "_:b1 rdf:type schema:B",
        f"{PAGE}#r rdf:type {pattern}",
    ]


def test_what_is_said_twice_is_one_triple() -> None:
    body = (
        "<p property=dc:a>1</p>" * 2 + "<div rel=dc:b><p property=dc:c>2</p><p property=dc:d>3</p>"
    )
    said = ['_:b0 dc:c "2"', '_:b0 dc:d "3"', f'{PAGE} dc:a "1"', f"{PAGE} dc:b _:b0"]
    assert triples(body) == said


def test_blank_nodes_carry_the_label() -> None:
    found = distil(b"<p typeof=foaf:A></p><p typeof=foaf:B></p>", BASE, "text/html", label="f7x")
    assert found.startswith(b"_:f7x0 <")
    assert b"_:f7x1 <" in found


def test_the_character_set_is_the_one_that_is_known() -> None:
    body = "<p property=dc:a>é</p>".encode("latin-1")
    assert '"é"'.encode() in distil(body, BASE, "text/html", charset="iso-8859-1")
    assert '"é"'.encode() in distil(body, BASE, "text/html; charset=iso-8859-1")
    xml = '<?xml version="1.0" encoding="latin1"?><p property="dc:a">é</p>'.encode("latin-1")
    assert '"é"'.encode() in distil(xml, BASE, "text/xml")


SILENT = [
    "href=x",
    "src=y",
    "rel=next",
    "rev=up",
    "rel='a b'",
    "prefix='a: b'",
    "content=c",
    "id=i",
    "datatype=xsd:int",
    "lang=en",
    "inlist",
    "datetime=2020-01-01",
    "xmlns:a=b",
    "class=about",
]
SPEAKING = ["property=dc:a", "typeof=foaf:A", "vocab=http://v.test/", "about=#a", "resource=#b",
            "rel=license", "rev='x:y'", "PROPERTY='dc:b'", "rel='&colon;x'"]  # fmt: skip


def name_of(attribute: str) -> str:
    return attribute.partition("=")[0].lower()


attributes = st.lists(st.sampled_from(SILENT + SPEAKING), max_size=3, unique_by=name_of)


@given(st.lists(attributes, max_size=6))
@settings(max_examples=examples(150), deadline=None)
def test_no_triple_comes_of_a_page_in_which_the_scan_saw_no_rdfa(tags: list[list[str]]) -> None:
    body = "".join(f"<div {' '.join(tag)}>x" for tag in tags).encode()
    is_silent = {attribute for tag in tags for attribute in tag} <= set(SILENT)
    assert scan(body, "text/html").has_rdfa is not is_silent
    if is_silent:
        assert distil(body, BASE, "text/html") == b""


@pytest.mark.parametrize("media_type", ["text/html", "application/xhtml+xml", "text/xml"])
@pytest.mark.parametrize("body", [b"", b" ", b"<", b"<!DOCTYPE html>", b"\0", b"<p", b"\xff\xfe<"])
def test_a_document_of_nothing_says_nothing(body: bytes, media_type: str) -> None:
    assert distil(body, BASE, media_type) == b""


@pytest.mark.parametrize(
    ("vocabulary", "whole"),
    [
        ("https://schema.org", "https://schema.org/"),
        ("http://schema.org", "http://schema.org/"),
        ("http://xmlns.com/foaf/0.1", "http://xmlns.com/foaf/0.1/"),
        ("https://www.w3.org/ns/activitystreams", "https://www.w3.org/ns/activitystreams#"),
        ("http://purl.org/dc/terms/", "http://purl.org/dc/terms/"),
        ("http://unknown.test/words", "http://unknown.test/words"),
    ],
)
@pytest.mark.parametrize("media_type", ["text/html", "application/xhtml+xml"])
def test_a_known_vocabulary_needs_no_end(vocabulary: str, whole: str, media_type: str) -> None:
    body = f"<html><p vocab='{vocabulary}' property='name'>N</p></html>"
    found = distil(body.encode(), BASE, media_type).decode()
    assert f'<{whole}name> "N"' in found
    assert f"usesVocabulary> <{whole}>" in found
