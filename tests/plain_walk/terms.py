"""Resolves terms, CURIEs, IRIs and blank nodes by the prefixes in scope.

Terms are strings in N-Triples: `<iri>`, `_:b0`; "" is none.
"""

from __future__ import annotations

from typing import NamedTuple

from lycosa.extract.rdfa.hosts import PREFIXES, Host
from lycosa.extract.rdfa.iris import iri_term, is_absolute, resolve
from lycosa.extract.rdfa.names import IS_TERM, SPACES, split_words
from lycosa.extract.structured.budget import LONG_NAME, Full


class Scope(NamedTuple):
    """Vocabulary, language and base in scope; prefixes are kept separately."""

    language: str
    vocabulary: str
    base: str


class Terms:
    """Resolves words to IRIs and blank nodes."""

    def __init__(self, host: Host, document: str, base: str, label: str, room: int) -> None:
        self.host = host
        self.document = document
        self.label = label
        self.prefixes: dict[str, str] = {}
        self.nodes: dict[str, str] = {}
        self.node_count = 0
        self.room = room
        self.scope = Scope("", "", base)

    def charge(self, size: int) -> None:
        """Charge the room for output; raise `Full` if it is used up."""
        self.room -= size
        if self.room < 0:
            raise Full

    def charged(self, term: str) -> str:
        """Return a term; a long one costs its length, because it is kept even if it is unused."""
        if len(term) > LONG_NAME // 4 and (size := len(term.encode())) > LONG_NAME:
            self.charge(size)
        return term

    def node(self) -> str:
        """Make a blank node."""
        self.node_count += 1
        return f"_:{self.label}{self.node_count - 1}"

    def curie(self, value: str) -> str:
        """Return the IRI or blank node of a CURIE; "" for other text."""
        prefix, colon, reference = value.partition(":")
        if not colon:
            return ""
        if prefix == "_":
            if reference not in self.nodes:
                self.nodes[reference] = self.node()
            return self.nodes[reference]
        if reference.startswith("//"):
            return ""
        prefix = prefix.lower() or ":"
        iri = self.prefixes.get(prefix) or PREFIXES.get(prefix)
        return self.charged(iri_term(resolve(self.document, iri + reference))) if iri else ""

    def term(self, value: str) -> str:
        """Resolve a term, a CURIE or an absolute IRI, or return ""."""
        if IS_TERM(value):
            if self.scope.vocabulary:
                return self.charged(iri_term(self.scope.vocabulary + value))
            terms = self.host.terms
            iri = terms.get(value) or terms.get(value.lower())
            return iri_term(iri) if iri else ""
        found = self.curie(value)
        return found or (iri_term(value) if is_absolute(value) else "")

    def terms(self, value: str | None) -> list[str]:
        """Resolve the words of a value."""
        return [term for word in split_words(value or "") if (term := self.term(word))]

    def iris(self, value: str | None) -> list[str]:
        """Return the same without blank nodes, which cannot be predicates."""
        return [term for term in self.terms(value) if term[0] == "<"]

    def reference(self, value: str | None) -> str:
        """Resolve an IRI reference."""
        return "" if value is None else iri_term(resolve(self.scope.base, value.strip(SPACES)))

    def resource(self, value: str | None) -> str:
        """Resolve a CURIE, safe or not, or an IRI; "" if it must be ignored."""
        if value is None:
            return ""
        value = value.strip(SPACES)
        if value.startswith("["):
            return self.curie(value[1:-1]) if value.endswith("]") else ""
        return self.curie(value) or self.reference(value)
