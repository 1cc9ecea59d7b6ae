"""Names of attributes and elements that RDFa gives a meaning, for both walks."""

from __future__ import annotations

import re

from lycosa.extract.rdfa.hosts import VOCABULARY

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
TYPE, FIRST, REST, NIL = (f"<{RDF}{name}>" for name in ("type", "first", "rest", "nil"))
XML_LITERAL, HTML_LITERAL = f"<{RDF}XMLLiteral>", f"<{RDF}HTML>"
USES_VOCABULARY = "<http://www.w3.org/ns/rdfa#usesVocabulary>"
ROLE = f"<{VOCABULARY}role>"

ITEM_COST = 16
"""Charge for a position in a list, in bytes of output, until it is written."""
XML_COST = 8
"""Charge for a byte of an XML literal, in bytes of output: the literal is parsed again."""

_VOID = """
area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr
"""
VOID = frozenset(_VOID.split())
"""Elements of HTML that have no end tag."""

RAW = frozenset({"iframe", "noembed", "noframes", "plaintext", "script", "style", "xmp"})
"""Elements of HTML whose content is not markup."""

FIRST_LINE = frozenset({"listing", "pre", "textarea"})
"""Elements of HTML that swallow a new line at their beginning."""

SPACES = " \t\n\r\f"
_SPLIT = re.compile("[ \t\n\r\f]+")

IS_TERM = re.compile(r"[^\W\d][\w.\-/\xb7]*\Z").match
IS_PREFIX = re.compile(r"[^\W\d][\w.\-\xb7]*\Z").match


def split_words(value: str) -> list[str]:
    """Split at white space."""
    return [word for word in _SPLIT.split(value) if word]


def without_terms(value: str | None) -> str | None:
    """Drop terms from a `rel` beside a `property`; without any other word there is none."""
    if value is None:
        return None
    words = split_words(value)
    kept = [word for word in words if not IS_TERM(word)]
    return " ".join(kept) if kept or not words else None
