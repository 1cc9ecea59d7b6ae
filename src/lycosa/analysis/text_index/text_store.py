"""Opens the current generation of the text index of a crawl for reading."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import tantivy

from lycosa._support import beneath
from lycosa.analysis.text_index.manifest import Manifest, read_manifest
from lycosa.analysis.text_index.schema import open_store
from lycosa.analysis.triples.generations import STORE, Generations


class TextStore(Generations):
    """The generations of the text index of one crawl directory."""

    def __init__(self, crawl: Path) -> None:
        super().__init__(crawl, "text", "text index")

    @contextmanager
    def reading(self) -> Iterator[tuple[tantivy.Index, Manifest]]:
        """Open the current generation for reading, and keep it from being removed."""
        with self.held() as folder:
            try:
                manifest = read_manifest(folder)
                index = open_store(beneath.checked_tree(folder / STORE))
            except (OSError, ValueError) as error:
                raise self.damaged(error) from None
            yield index, manifest
