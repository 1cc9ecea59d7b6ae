"""RDFa 1.1: reads the RDFa of an HTML or XML document as triples.

A document is parsed to a tree and written out again, as markup in which every tag stands where
the tree has it (`trees`). The walk goes over that markup once, from left to right, and writes
N-Triples. The host language decides some rules. `rdfa:copy` is carried out last.

    trees      parses a document and writes its normalised markup
    hosts      host languages: HTML, XHTML, SVG, XML
    names      names of attributes and elements that RDFa uses
    iris       resolves references, writes IRIs and literals
    literals   dates, times and XML literals
    copying    `rdfa:copy` and patterns
    _walk      the walk over the markup, compiled; its head lists its `.pxi` files in reading order

Always true:
  * any bytes give triples, or none; nothing here raises, and nothing is fetched: a vocabulary
    is named (`rdfa:usesVocabulary`), not read;
  * every line is valid N-Triples in UTF-8;
  * time, memory and output are linear in the bytes (`structured.budget`, `html.trees`).

Not here: whether a page has RDFa at all (`Facts.has_rdfa`, by the scanner), Microdata, JSON-LD.
"""

from __future__ import annotations

from collections import Counter

from lycosa.extract.html.trees import Overgrown
from lycosa.extract.rdfa._walk import walk
from lycosa.extract.rdfa.copying import COPY, with_copies
from lycosa.extract.rdfa.hosts import host_of
from lycosa.extract.rdfa.iris import near_base, without_fragment
from lycosa.extract.rdfa.trees import html_markup, xml_markup
from lycosa.extract.structured.budget import note, room_of
from lycosa.extract.text.charset import to_utf8

__all__ = ["distil"]


def distil(
    body: bytes,
    base: str,
    media_type: str,
    *,
    charset: str | None = None,
    label: str = "b",
    left_out: Counter[str] | None = None,
) -> bytes:
    """Return the triples of a document as lines of N-Triples.

    `base` is the URL that it came from, `charset` what the server named, or what is known by
    now. Blank nodes are `_:{label}0`, `_:{label}1` and so on: a label that no other document has
    keeps them apart. Every triple is there once. A document that takes too much is counted in
    `left_out`; the triples found before that are returned.
    """
    body, _ = to_utf8(body, f"{media_type}; charset={charset}" if charset else media_type)
    host = host_of(body, media_type)
    try:
        markup, href = xml_markup(body, host) if host.is_xml else html_markup(body)
    except Overgrown:
        note(left_out)
        return b""
    document = base = without_fragment(base)
    if href is not None:
        base = near_base(document, href.strip())
    room = room_of(len(body))
    triples, is_cut = walk(markup, host, document, base, label, room=room)
    if is_cut:
        note(left_out)
    if COPY in triples and host.is_page:
        return with_copies(triples, room)
    lines = triples.splitlines(keepends=True)
    return triples if len(set(lines)) == len(lines) else b"".join(dict.fromkeys(lines))
