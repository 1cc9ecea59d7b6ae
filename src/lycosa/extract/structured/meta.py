"""Reads Open Graph, Twitter cards and Dublin Core from `meta` and `link` elements, as triples.

    <meta property="og:title" content="…">        <page> <http://ogp.me/ns#title> "…"
    <meta name="twitter:card" content="…">        <page> <https://dev.twitter.com/cards#card> "…"
    <meta name="DC.title" content="…">            <page> <http://purl.org/dc/elements/1.1/title> "…"
    <meta name="DCTERMS.issued" content="…">      <page> <http://purl.org/dc/terms/issued> "…"
    <link rel="DCTERMS.license" href="…">         <page> <http://purl.org/dc/terms/license> <…>

`property` and `name` are treated alike, as authors and readers of such pages do. A
`link rel="schema.DC"` can give Dublin Core's prefix another meaning (DC-HTML, 2008). Twitter
never published a vocabulary; the prefix is ours. Open Graph's triples are those that RDFa gives,
so that a page on which both are found says nothing twice.

The elements are found without a tree.
"""

from __future__ import annotations

import re
from collections import Counter

from lycosa.extract.structured import ntriples
from lycosa.extract.structured.budget import note, room_of
from lycosa.extract.structured.meta_names import has_meta
from lycosa.extract.structured.ntriples import XSD, literal, resolved
from lycosa.extract.structured.tags import attributes_at, document_base, next_element
from lycosa.extract.text.charset import in_utf8

MOST_TRIPLES = 1000

OPEN_GRAPH = {
    "og": "http://ogp.me/ns#",
    "article": "http://ogp.me/ns/article#",
    "book": "http://ogp.me/ns/book#",
    "fb": "http://ogp.me/ns/fb#",
    "music": "http://ogp.me/ns/music#",
    "product": "http://ogp.me/ns/product#",
    "profile": "http://ogp.me/ns/profile#",
    "video": "http://ogp.me/ns/video#",
    "twitter": "https://dev.twitter.com/cards#",
}
DUBLIN_CORE = {
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
}

_NAMES = b"!--", b"meta", b"link", b"script", b"style", b"html"
_ELEMENT = re.compile(rb"<!--|<(meta|link|script|style|html)(?=[\s/>])", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_:.-]*")
_SCHEMES = {"w3cdtf": f"{XSD}date", "dcterms.w3cdtf": f"{XSD}date"}


def distil(
    body: bytes,
    base: str,
    media_type: str,
    *,
    charset: str | None = None,
    left_out: Counter[str] | None = None,
) -> bytes:
    """Return the triples of a page as N-Triples; it has no blank nodes.

    A page that takes too much is counted in `left_out`; its first triples are returned.
    """
    text = in_utf8(body, media_type, charset)
    if not has_meta(text):
        return b""
    page = document_base(text, base)
    subject = ntriples.checked(page)
    if subject is None:
        return b""
    found, schemas, language = _elements(text)
    lines: dict[str, None] = {}
    room = room_of(len(text))
    for name, attributes in found:
        value = _value(attributes, page, attributes.get("lang", language))
        for word in name.split() if value is not None else ():
            predicate = _predicate(word, schemas)
            if predicate is not None:
                line = f"<{subject}> <{predicate}> {value}"
                room -= len(line)
                lines[line] = None
            if room < 0:
                note(left_out)
                return ntriples.encoded(list(lines))
        if len(lines) >= MOST_TRIPLES:
            break
    return ntriples.encoded(list(lines))


def _elements(body: bytes) -> tuple[list[tuple[str, dict[str, str]]], dict[str, str], str]:
    """Return names and attributes, the prefixes that the page itself gives, its language."""
    found: list[tuple[str, dict[str, str]]] = []
    schemas = dict(DUBLIN_CORE)
    language = ""
    position = 0
    while element := next_element(body, position, _NAMES, _ELEMENT):
        position = element.end()
        tag = element[1].lower() if element[1] else b"!"
        if tag == b"!":
            end = body.find(b"-->", position - 2)
            position = len(body) if end < 0 else end + 3
            continue
        attributes, position = attributes_at(body, position)
        if tag in (b"script", b"style"):
            closing = re.compile(b"</" + tag, re.IGNORECASE).search(body, position)
            position = closing.end() if closing else len(body)
        elif tag == b"html":
            language = attributes.get("lang", "")
        elif tag == b"meta":
            found += [
                (attributes[key], attributes) for key in ("property", "name") if key in attributes
            ]
        elif (relation := attributes.get("rel", "")).lower().startswith("schema."):
            # No IRI begins with a longer one, and every name would be as long.
            schemas[relation[7:].lower()] = attributes.get("href", "")[: ntriples.LONGEST_IRI + 1]
        elif relation:
            found.append((relation, attributes))
    return found, schemas, language


def _predicate(word: str, schemas: dict[str, str]) -> str | None:
    prefix, mark, name = word.partition(":")
    if mark and (vocabulary := OPEN_GRAPH.get(prefix.lower())) and _NAME.fullmatch(name):
        return ntriples.checked(vocabulary + name)
    prefix, mark, name = word.partition(".")
    if mark and (schema := schemas.get(prefix.lower())) and _NAME.fullmatch(name):
        # Qualifiers ("DC.date.issued") refine what is said, and may be left out.
        first = name.partition(".")[0]
        return ntriples.checked(schema + first[:1].lower() + first[1:])
    return None


def _value(attributes: dict[str, str], base: str, language: str) -> str | None:
    if (content := attributes.get("content")) is not None:
        datatype = _SCHEMES.get(attributes.get("scheme", "").lower(), "")
        is_day = re.fullmatch(r"\d{4}-\d\d-\d\d", content) is not None
        return literal(content, language, datatype if is_day else "")
    target = resolved(attributes["href"], base) if "href" in attributes else None
    return f"<{target}>" if target else None
