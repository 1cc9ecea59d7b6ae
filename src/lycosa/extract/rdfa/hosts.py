"""Host languages of RDFa (HTML, XHTML, SVG, XML), and the terms and prefixes each predefines.

RDFa is written within another language, which decides some of its rules: HTML (any document
of type `text/html`, whatever its doctype), XHTML 1 (by its doctype, or because it says
`XHTML+RDFa`), XHTML 5 (any other XHTML), SVG, and XML of any other kind.
"""

from __future__ import annotations

import re
from typing import NamedTuple

XHTML_NAMESPACE = "http://www.w3.org/1999/xhtml"
VOCABULARY = "http://www.w3.org/1999/xhtml/vocab#"
"""The vocabulary of the empty prefix, and of the terms of XHTML."""

_PREFIXES = """
as https://www.w3.org/ns/activitystreams#
cc http://creativecommons.org/ns#
csvw http://www.w3.org/ns/csvw#
ctag http://commontag.org/ns#
dc http://purl.org/dc/terms/
dc11 http://purl.org/dc/elements/1.1/
dcat http://www.w3.org/ns/dcat#
dcterms http://purl.org/dc/terms/
dqv http://www.w3.org/ns/dqv#
duv https://www.w3.org/ns/duv#
foaf http://xmlns.com/foaf/0.1/
gr http://purl.org/goodrelations/v1#
grddl http://www.w3.org/2003/g/data-view#
ical http://www.w3.org/2002/12/cal/icaltzd#
jsonld http://www.w3.org/ns/json-ld#
ldp http://www.w3.org/ns/ldp#
ma http://www.w3.org/ns/ma-ont#
oa http://www.w3.org/ns/oa#
odrl http://www.w3.org/ns/odrl/2/
og http://ogp.me/ns#
org http://www.w3.org/ns/org#
owl http://www.w3.org/2002/07/owl#
prov http://www.w3.org/ns/prov#
qb http://purl.org/linked-data/cube#
rdf http://www.w3.org/1999/02/22-rdf-syntax-ns#
rdfa http://www.w3.org/ns/rdfa#
rdfs http://www.w3.org/2000/01/rdf-schema#
rev http://purl.org/stuff/rev#
rif http://www.w3.org/2007/rif#
rr http://www.w3.org/ns/r2rml#
schema http://schema.org/
sd http://www.w3.org/ns/sparql-service-description#
sioc http://rdfs.org/sioc/ns#
skos http://www.w3.org/2004/02/skos/core#
skosxl http://www.w3.org/2008/05/skos-xl#
sosa http://www.w3.org/ns/sosa/
ssn http://www.w3.org/ns/ssn/
time http://www.w3.org/2006/time#
v http://rdf.data-vocabulary.org/#
vcard http://www.w3.org/2006/vcard/ns#
void http://rdfs.org/ns/void#
wdr http://www.w3.org/2007/05/powder#
wdrs http://www.w3.org/2007/05/powder-s#
xhv http://www.w3.org/1999/xhtml/vocab#
xml http://www.w3.org/XML/1998/namespace
xsd http://www.w3.org/2001/XMLSchema#
"""
_WORDS = _PREFIXES.split()
PREFIXES = {":": VOCABULARY, **dict(zip(_WORDS[::2], _WORDS[1::2], strict=True))}
"""The prefixes of the RDFa 1.1 initial context (www.w3.org/2011/rdfa-context/rdfa-1.1), and
the empty one."""

_WITHOUT_END = {
    f"{scheme}:{iri.partition(':')[2].rstrip('/#')}": f"{scheme}:{iri.partition(':')[2]}"
    for iri in [*PREFIXES.values(), "http://www.schema.org/", "http://purl.org/dc/elements/1.1/"]
    for scheme in ("http", "https")
    if iri.endswith(("/", "#"))
}


def whole_vocabulary(iri: str) -> str:
    """Return the IRI of a vocabulary with the `/` or `#` that a page has left out.

    `vocab="https://schema.org"` would make `https://schema.orgname` of `name`. The vocabularies of
    the initial context are known, by both schemes.
    """
    return _WITHOUT_END.get(iri, iri)


TERMS = {
    "describedby": "http://www.w3.org/2007/05/powder-s#describedby",
    "license": VOCABULARY + "license",
    "role": VOCABULARY + "role",
}
"""The terms of the same context."""

_XHTML_TERMS = """
alternate appendix bookmark chapter cite contents copyright first glossary help icon index last
meta next p3pv1 prev previous section start stylesheet subsection top up
"""
XHTML_TERMS = TERMS | {term: VOCABULARY + term for term in _XHTML_TERMS.split()}
"""The terms with those of XHTML+RDFa 1.1 (www.w3.org/2011/rdfa-context/xhtml-rdfa-1.1)."""


class Host(NamedTuple):
    """The rules of a host language."""

    name: str
    is_xml: bool
    """It is written in XML; else in HTML."""
    is_page: bool
    """HTML or XHTML: `base`, `lang`, and the rules for `head` and `body`."""
    is_html5: bool
    """`time` and `datetime`; beside a `property`, a `rel` counts only if it is a CURIE or IRI."""
    terms: dict[str, str]


HTML = Host("html", is_xml=False, is_page=True, is_html5=True, terms=TERMS)
XHTML1 = Host("xhtml1", is_xml=True, is_page=True, is_html5=False, terms=XHTML_TERMS)
XHTML5 = Host("xhtml5", is_xml=True, is_page=True, is_html5=True, terms=TERMS)
SVG = Host("svg", is_xml=True, is_page=False, is_html5=False, terms=TERMS)
XML = Host("xml", is_xml=True, is_page=False, is_html5=False, terms=TERMS)

_FIRST_BYTES = 2048
_XHTML1 = re.compile(
    rb"<!DOCTYPE[^>]*-//W3C//DTD XHTML(?: 1\.|\+RDFa)|<html[^>]*XHTML\+RDFa", re.IGNORECASE
)
_ROOT = re.compile(rb"<(?:[A-Za-z_][\w.-]*:)?(html|svg)[\s>/]")


def host_of(body: bytes, media_type: str) -> Host:
    """Return the host language of a document in UTF-8."""
    kind = media_type.partition(";")[0].strip().lower()
    first = body[:_FIRST_BYTES]
    if kind in ("image/svg+xml", "application/svg+xml"):
        return SVG
    if kind == "application/xhtml+xml":
        return XHTML1 if _XHTML1.search(first) else XHTML5
    if not kind.endswith(("/xml", "+xml")):
        return HTML
    root = _ROOT.search(first)
    if root is None:
        return XML
    if root[1] == b"svg":
        return SVG
    return XHTML1 if _XHTML1.search(first) else XHTML5
