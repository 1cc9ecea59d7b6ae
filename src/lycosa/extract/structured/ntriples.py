"""Writes IRIs and literals found in a page as N-Triples.

Always true: any N-Triples parser can read the result, for any page. A string that cannot
be an IRI becomes None, and an invalid language tag is left out.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import quote, urljoin

import pyoxigraph

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
XSD = "http://www.w3.org/2001/XMLSchema#"

LONGEST_IRI = 4000
"""Characters; `data:` URLs are longer, and of no use in a triple store."""

_FORBIDDEN = re.compile(r'[\x00-\x20<>"{}|\\^`\x7f]')
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")
_ESCAPED = re.compile(r'["\\\n\r]')
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r"}


def is_absolute(text: str) -> bool:
    """Return whether a text begins with a scheme."""
    return _SCHEME.match(text) is not None


def resolved(reference: str, base: str) -> str | None:
    """Resolve a reference of a page (RFC 3986, 5) to an IRI; None if the result is not an IRI."""
    reference = reference.strip(" \t\n\r\f")
    try:
        full = reference if is_absolute(reference) else urljoin(base, reference)
    except ValueError:
        return None
    if reference.endswith("#") and not full.endswith("#"):
        full += "#"
    return checked(full)


def checked(text: str) -> str | None:
    """Return an IRI with forbidden characters percent-encoded; None if the result is not an IRI."""
    # The cache would keep thousands of texts as long as a page.
    return _checked(text) if len(text) <= LONGEST_IRI else None


@lru_cache(maxsize=4096)
def _checked(text: str) -> str | None:
    if not is_absolute(text):
        return None
    text = _FORBIDDEN.sub(lambda found: quote(found[0], safe=""), text)
    try:
        pyoxigraph.NamedNode(text)
    except ValueError:
        return None
    return text


def literal(text: str, language: str = "", datatype: str = "") -> str:
    """Return a literal as it is written; a datatype counts more than a language."""
    quoted = f'"{_ESCAPED.sub(_escape, text)}"' if _ESCAPED.search(text) else f'"{text}"'
    if datatype:
        return f"{quoted}^^<{datatype}>"
    if language and _LANGUAGE.fullmatch(language):
        return f"{quoted}@{language.lower()}"
    return quoted


def _escape(found: re.Match[str]) -> str:
    return _ESCAPES[found[0]]


def encoded(lines: list[str]) -> bytes:
    """Return triples, each `subject predicate object`, as N-Triples."""
    return "".join([f"{line} .\n" for line in lines]).encode("utf-8", "replace")
