"""Pages with structured data about things of a type, from the triple store (`a:Person`).

A type is named by its last word, whatever the vocabulary: `a:Person` are things of
`http://schema.org/Person`, `http://xmlns.com/foaf/0.1/Person` and others; a whole IRI means itself.
"""

from __future__ import annotations

import re
from pathlib import Path

import pyoxigraph

from lycosa.analysis.triples.ledger import page_id
from lycosa.analysis.triples.triple_store import TripleStore
from lycosa.errors import QueryError

_TYPE = pyoxigraph.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
_LAST = re.compile(r"[^/#:]*$")


class Things:
    """The types of things on the pages of a crawl."""

    def __init__(self, crawl: Path) -> None:
        self._index = TripleStore(crawl)

    def pages_about(self, name: str) -> list[int]:
        """Return the ids of the pages with a thing of this type."""
        if self._index.current() is None:
            raise QueryError(
                f"{self._index.crawl}: a:{name} needs the triple index\n"
                f"  build it: lycosa index {self._index.crawl} --only triples"
            )
        wanted = name.lower()
        pages: set[str] = set()
        types: dict[str, bool] = {}
        with self._index.reading() as store:
            for quad in store.quads_for_pattern(None, _TYPE, None, None):
                if not isinstance(quad.object, pyoxigraph.NamedNode):
                    continue
                if not isinstance(quad.graph_name, pyoxigraph.NamedNode):
                    continue
                found = quad.object.value
                if found not in types:
                    types[found] = found == name or _last_word(found) == wanted
                if types[found]:
                    pages.add(quad.graph_name.value)
            del store
        return sorted(map(page_id, pages))


def _last_word(iri: str) -> str:
    found = _LAST.search(iri.rstrip("/#"))
    return found[0].lower() if found else ""
