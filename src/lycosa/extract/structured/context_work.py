"""Predicts the work that the contexts of a JSON-LD document make, before it is parsed.

A parser keeps the terms in force for each node. A node with a context of its own gets a copy of
them, and so do all members of a list of contexts; a context that belongs to a term is applied
wherever the term occurs. An IRI in a context can be written with terms of that context and of those
around it, so that its length can grow with each of them, and every name of the document with it.

Always true: the prediction is an upper bound, in terms of ordinary length that are copied; it is
linear in the size of the contexts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

ORDINARY_LENGTH = 256
"""Characters of an IRI that count as one term."""
_SHORTEST_NAME = 4
"""Characters of a name with its quotes and the mark behind it."""


def context_work(layers: list[list[Any]], size: int) -> int:
    """Return how many terms the contexts of a document of this size copy.

    Contexts stand by the depth of their nodes, because those at one depth are not within each
    other.
    """
    terms: set[str] = set()
    copies = longest = 0
    is_scoped = False
    known: dict[int, int] = {}
    for layer in layers:
        longest_here = 0
        for context in layer:
            grown = 0
            for part in _parts(context):
                copies += 1
                # A well-known context is one object, however often it is mentioned.
                if id(part) not in known:
                    terms.update(part)
                    known[id(part)] = _growth(part)
                    is_scoped |= _has_scoped(part)
                grown += known[id(part)]
            longest_here = max(longest_here, grown)
        longest += longest_here
    if is_scoped:
        # Any name in the document, of a property or of a type, can bring a context with it.
        copies += size // _SHORTEST_NAME
    lengths = longest // ORDINARY_LENGTH
    return copies * (1 + len(terms)) * (1 + lengths) + size // _SHORTEST_NAME * lengths


def _parts(context: Any) -> Iterator[dict[str, Any]]:
    """Yield the single contexts of a list, which may hold lists."""
    waiting = [context]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting += one
        elif isinstance(one, dict):
            yield one


def _growth(context: dict[str, Any]) -> int:
    """Return by how many characters a context can lengthen the IRIs that are made with it."""
    named: dict[str, str] = {}
    for term, value in context.items():
        given = value.get("@id") if isinstance(value, dict) else value
        named[term] = given if isinstance(given, str) else term
    # Only terms that others are written with lengthen those; a chain has each of them once.
    used = {name.partition(":")[0] for name in named.values()} | {
        term.partition(":")[0] for term in named if ":" in term
    }
    chain = sum(len(named[term]) for term in used & named.keys())
    spaces = sum(len(named.get(key, "")) for key in ("@vocab", "@base"))
    return chain + spaces + max(map(len, named.values()), default=0)


def _has_scoped(context: dict[str, Any]) -> bool:
    return any("@context" in value for value in context.values() if isinstance(value, dict))
