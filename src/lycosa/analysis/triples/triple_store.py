"""Opens the current generation of the triple store of a crawl for reading."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from lycosa._support import beneath
from lycosa.analysis.triples.generations import STORE, Generations

if TYPE_CHECKING:
    import pyoxigraph


class TripleStore(Generations):
    """The generations of the triple store of one crawl directory."""

    def __init__(self, crawl: Path) -> None:
        super().__init__(crawl, "triples", "triple index")

    @contextlib.contextmanager
    def reading(self) -> Iterator[pyoxigraph.Store]:
        """Open the current generation for reading, and keep it from being removed."""
        import pyoxigraph  # 9 MB that the web server saves, because other processes read the store

        with self.held() as folder:
            try:
                store = pyoxigraph.Store.read_only(str(beneath.checked_tree(folder / STORE)))
            except (OSError, RuntimeError) as error:
                raise self.damaged(error) from None
            yield store
