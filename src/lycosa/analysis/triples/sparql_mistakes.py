"""Explains the fault of a SPARQL query that the parser refuses.

The parser lists the characters that it would have accepted, which does not help a person who
mistyped a prefix. Here the usual mistakes are named: a prefix that is not declared, a query that
ends too early, a first word that begins no query. For others the place is shown.

Prefixes of the RDFa 1.1 initial context (`schema:`, `foaf:`, `dc:`) need no declaration.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from lycosa.extract.rdfa.hosts import PREFIXES

BUILT_IN = {name: address for name, address in PREFIXES.items() if name != ":"}
"""Prefixes that a query need not declare; a declaration of its own counts instead."""

_OFTEN = ("schema", "foaf", "dc", "dcterms", "og", "rdf", "rdfs", "xsd", "owl", "skos")
_PLACE = re.compile(r"error at (\d+):(\d+): (.*)", re.DOTALL)
_FIRST_WORDS = ("SELECT", "ASK", "CONSTRUCT", "DESCRIBE", "PREFIX", "BASE")
_LONGEST = 30


def mistake_text(query: str, found: Iterable[re.Match[str]], error: str) -> str:
    """Return the fault of a query, given its tokens and the parser's message."""
    tokens = list(found)
    said = [token[0] for token in tokens]
    if unknown := _undeclared(tokens):
        common = ", ".join(f"{name}:" for name in _OFTEN)
        return (
            f"prefix `{unknown}:` is not declared\n"
            f"  write PREFIX {unknown}: <http://…> before the query;"
            f" common ones are built in: {common} …"
        )
    place = _PLACE.match(error)
    if place is None:
        return f"not a SPARQL query: {error}"
    first = re.match(r"\s*(\w+)", query)
    if first and first[1].upper() not in _FIRST_WORDS:
        return (
            f"not a SPARQL query: it begins with `{first[1][:_LONGEST]}`\n"
            "  a query begins with SELECT, ASK, CONSTRUCT or DESCRIBE, or with PREFIX"
        )
    if sum(text == "{" for text in said) > sum(text == "}" for text in said):
        return "not a SPARQL query: it ends too early\n  a closing } is missing"
    line, column = int(place[1]), int(place[2])
    text = query.split("\n")[line - 1]
    near = (text[column - 1 :].strip() or text.strip()[-_LONGEST:])[:_LONGEST]
    return f"not a SPARQL query: line {line}, column {column}: it cannot be read at `{near}`"


def _undeclared(tokens: Iterable[re.Match[str]]) -> str:
    """Return the first prefix that is used and neither declared nor built in; "" if none is."""
    declared, used = set(BUILT_IN), list[str]()
    is_declared_next = False
    for token in tokens:
        if token["skip"] is not None:
            continue
        if (prefix := token["prefix"]) is not None and prefix != "_":
            if is_declared_next:
                declared.add(prefix)
            else:
                used.append(prefix)
        is_declared_next = (token["word"] or "").upper() == "PREFIX"
    return next((prefix for prefix in used if prefix and prefix not in declared), "")
