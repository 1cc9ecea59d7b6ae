"""Literals that are not just text: dates, times, and XML literals.

The type of a date or time is the one whose lexical form it has (HTML+RDFa 1.1, 3.1). An XML literal
carries the namespaces and prefixes that are in scope around it, in the order of canonical XML, so
that it can be read on its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import turbohtml
from lxml import etree

from lycosa.extract.html.trees import is_overgrown
from lycosa.extract.rdfa.hosts import XHTML_NAMESPACE

MOST_NAMESPACES = 200
XSD = "http://www.w3.org/2001/XMLSchema#"
_DATE = r"-?\d{4,}-\d\d-\d\d"
_TIME = r"\d\d:\d\d:\d\d(?:\.\d+)?"
_ZONE = r"(?:Z|[+-]\d\d:\d\d)?"
_DAYS = r"(?:\d+Y)?(?:\d+M)?(?:\d+D)?"
_HOURS = r"(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?"
_MOMENT = re.compile(
    rf"(?:(?P<dateTime>{_DATE}T{_TIME}{_ZONE})|(?P<date>{_DATE}{_ZONE})|(?P<time>{_TIME}{_ZONE})"
    rf"|(?P<gYearMonth>-?\d{{4,}}-\d\d{_ZONE})|(?P<gYear>-?\d{{4,}}{_ZONE})"
    rf"|(?P<duration>-?P(?=[\dT]){_DAYS}{_HOURS}))\Z",
    re.ASCII,
)


def moment_type(value: str) -> str:
    """Return the datatype of a `datetime`, as a term, or "" if it has the form of none."""
    found = _MOMENT.match(value)
    return f"<{XSD}{found.lastgroup}>" if found else ""


def xml_literal(markup: str, prefixes: Mapping[str, str], is_xml: bool) -> str:
    """Return a piece of markup as canonical XML with what is in scope.

    `prefixes` has the prefixes and namespaces in scope, the default one under "". Markup that is
    not XML is returned as it is, and so is markup with more than `MOST_NAMESPACES` in scope,
    because canonical XML takes the square of their number for every element.
    """
    if not _is_markup(markup):
        return markup
    scope = prefixes if is_xml else {**prefixes, "": XHTML_NAMESPACE}
    if len(scope) > MOST_NAMESPACES:
        return markup
    declared = "".join(
        f' xmlns{":" + name if name else ""}="{_quoted(iri)}"'
        for name, iri in scope.items()
        if iri and name not in (":", "xml", "xmlns")
    )
    try:
        if not is_xml and is_overgrown(markup.encode()):
            return markup
        inner = markup if is_xml else turbohtml.parse_fragment(markup).inner_xml
        root = etree.fromstring(f"<x{declared}>{inner}</x>".encode(), _parser())
        return _text(root.text) + "".join(map(_canonical, root))
    except (etree.LxmlError, ValueError):
        return markup


def scope_cost(markup: str, prefixes: Mapping[str, str]) -> int:
    """Return the most bytes of declarations that `xml_literal` may write: all, for each element."""
    if not prefixes or not _is_markup(markup):
        return 0
    declared = sum(len(name) + len(iri) + 10 for name, iri in prefixes.items())
    return declared * (1 + markup.count("<"))


def _is_markup(text: str) -> bool:
    return "<" in text or "&" in text


def _parser() -> etree.XMLParser:
    return etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)


def _canonical(node: etree._Element) -> str:
    # Of a comment or an instruction alone, lxml makes no canonical form: it crashes.
    method = "c14n" if isinstance(node.tag, str) else "xml"
    written: bytes = etree.tostring(node, method=method, with_tail=False)
    return written.decode() + _text(node.tail)


def _text(text: str | None) -> str:
    if not text:
        return ""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return escaped.replace("\r", "&#xD;")


def _quoted(value: str) -> str:
    return value.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
