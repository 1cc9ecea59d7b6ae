"""RDFa 1.1: a document in, triples out.

A document in HTML or XML becomes a tree and is written out again as markup in which every tag
stands where the tree has it (`trees`). The compiled `_walk` goes over that once, from left to
right, and writes N-Triples; `plain` is its twin to be read. The host language (`hosts`) decides
some rules; `iris` and `literals` know how things are written, `copying` does what
`rdfa:copy` asks for when all else is done.

Always true:
  * any bytes give triples, or none; nothing here raises, and nothing is fetched: a vocabulary
    is named (`rdfa:usesVocabulary`), not read;
  * every line is N-Triples that any reader takes, in UTF-8;
  * the time is linear in the bytes, and so is what is written: at most `MOST_OUTPUT` times as
    many bytes as the document has, and `SPARE_OUTPUT` more.

Not here: whether a page has RDFa at all (`Facts.has_rdfa`, by the scanner), Microdata, JSON-LD.
"""

from __future__ import annotations

from lycosa.extract.charset import to_utf8
from lycosa.extract.structured.rdfa._walk import walk
from lycosa.extract.structured.rdfa.copying import COPY, with_copies
from lycosa.extract.structured.rdfa.hosts import host_of
from lycosa.extract.structured.rdfa.iris import resolve, without_fragment
from lycosa.extract.structured.rdfa.trees import html_markup, xml_markup

__all__ = ["distil"]

MOST_OUTPUT = 16
SPARE_OUTPUT = 1 << 20


def distil(
    body: bytes, base: str, media_type: str, *, charset: str | None = None, label: str = "b"
) -> bytes:
    """Return the triples of a document as lines of N-Triples.

    `base` is the URL that it came from, `charset` what the server named, or what is known by
    now. Blank nodes are `_:{label}0`, `_:{label}1` and so on: a label that no other document has
    keeps them apart. Every triple is there once.
    """
    body, _ = to_utf8(body, f"{media_type}; charset={charset}" if charset else media_type)
    host = host_of(body, media_type)
    markup, href = xml_markup(body, host) if host.is_xml else html_markup(body)
    document = base = without_fragment(base)
    if href is not None:
        base = without_fragment(resolve(document, href.strip()))
    room = MOST_OUTPUT * len(body) + SPARE_OUTPUT
    triples = walk(markup, host, document, base, label, room)
    if COPY in triples and host.is_page:
        return with_copies(triples, room)
    lines = triples.splitlines(keepends=True)
    return triples if len(set(lines)) == len(lines) else b"".join(dict.fromkeys(lines))
