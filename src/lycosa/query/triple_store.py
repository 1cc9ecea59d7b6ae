"""Opens the current generation of the triple store of a crawl for reading."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pyoxigraph

from lycosa.query.generations import STORE, Generations


class TripleStore(Generations):
    """The generations of the triple store of one crawl directory."""

    def __init__(self, crawl: Path) -> None:
        super().__init__(crawl, "triples", "triple index")

    @contextlib.contextmanager
    def reading(self) -> Iterator[pyoxigraph.Store]:
        """Open the current generation for reading, and keep it from being removed."""
        with self.held() as folder:
            try:
                store = pyoxigraph.Store.read_only(str(folder / STORE))
            except (OSError, RuntimeError) as error:
                raise self.damaged(error) from None
            yield store
