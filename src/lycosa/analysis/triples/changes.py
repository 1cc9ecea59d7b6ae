"""Finds the newest fetch of each page in segments that a ledger does not know yet.

Files are read twice: first to find the newest fetch of each page, then to read its quads. So
memory holds a few numbers for each page of these files, and never their quads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from lycosa.analysis.triples.ledger import Ledger, LedgerEntry, SegmentFile, page_id
from lycosa.storage.tables.quads import Block, blocks


class Change(NamedTuple):
    """The newest fetch of a page that was not known."""

    page: int
    block: Block
    replaces: bool
    """Whether the page already has a graph, which is replaced."""

    @property
    def is_silent(self) -> bool:
        """Whether the page had no quads before and has none now."""
        return not self.replaces and not self.block.quads

    @property
    def entry(self) -> LedgerEntry:
        """The entry for the ledger."""
        return LedgerEntry(
            self.block.fetched_at, self.block.fetch_id, self.block.quads.count(b"\n")
        )


class Changes:
    """The new fetches in some files, compared with the ledger; can be iterated repeatedly."""

    def __init__(self, files: Sequence[SegmentFile], ledger: Ledger) -> None:
        self.files = files
        self._newest: dict[int, tuple[int, int]] = {}
        """Pages with their newest fetch, as moment and number."""
        self._with_graph: set[int] = set()
        self.size_bytes = 0
        """The approximate size of the new quads."""
        known: dict[int, tuple[int, int]] = {}
        for block in self._blocks():
            page, fetch = page_id(block.url), (block.fetched_at, block.fetch_id)
            before = self._newest.get(page) or known.get(page)
            if before is None:
                entry = ledger.entry(page)
                if entry is None:
                    before = (-1, 0)
                else:
                    before = known[page] = (entry.fetched_at, entry.fetch_id)
                    if entry.quads:
                        self._with_graph.add(page)
            if fetch > before:
                self._newest[page] = fetch
                self.size_bytes += len(block.quads)

    @property
    def has_replacements(self) -> bool:
        """Whether any of the pages has a graph already."""
        return not self._with_graph.isdisjoint(self._newest)

    def __len__(self) -> int:
        return len(self._newest)

    def __iter__(self) -> Iterator[Change]:
        """Yield the changed pages, each once."""
        done: set[int] = set()
        for block in self._blocks():
            page = page_id(block.url)
            if page in done or self._newest.get(page) != (block.fetched_at, block.fetch_id):
                continue
            done.add(page)
            yield Change(page, block, page in self._with_graph)

    def _blocks(self) -> Iterator[Block]:
        for file in self.files:
            yield from blocks(file.path)


def grouped(files: Iterable[SegmentFile], most_bytes: int) -> Iterator[list[SegmentFile]]:
    """Yield files in groups of about that size."""
    group: list[SegmentFile] = []
    size = 0
    for file in files:
        group.append(file)
        size += file.size_bytes
        if size >= most_bytes:
            yield group
            group, size = [], 0
    if group:
        yield group
