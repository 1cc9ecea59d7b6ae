"""Builds the triple store of a crawl from its segments, and replaces the graphs of refetched pages.

    index/triples/00000003/store/           pyoxigraph's files
    index/triples/00000003/ledger.sqlite    the fetches that are in it
    index/triples/current                   which of them is the index: "00000003"

An update makes the next generation (`generation_build`): RocksDB never changes a finished table, so
the tables of the last generation are linked, and the new graphs are loaded beside them.

Always true:
  * for every page the index holds the quads of its newest sealed fetch, once;
  * building again what has been built changes nothing;
  * when a segment in the index has been rewritten, because a host was forgotten, the
    index is built from scratch: otherwise the store would keep the texts of removed triples.
"""

from __future__ import annotations

import contextlib
import io
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, NamedTuple, cast

import pyoxigraph

from lycosa._support import beneath
from lycosa.analysis.triples.changes import Change, Changes, grouped
from lycosa.analysis.triples.generation_build import NextGeneration, remove_old, writing
from lycosa.analysis.triples.ledger import Ledger, LedgerEntry, SegmentFile, segment_files
from lycosa.analysis.triples.triple_store import TripleStore
from lycosa.errors import QueryError
from lycosa.storage.archive.index_lists import LEDGER

GROUP_BYTES = 30_000_000
"""Compressed size of one bulk load: some millions of quads."""

SMALL_BYTES = 2_000_000
"""Smaller loads are transactions, because every bulk load makes new files."""

PUBLISH_SECONDS = 60.0
"""Time between two generations of a long loading: a kill loses at most this much."""

_PIECE_BYTES = 100_000


class Progress(NamedTuple):
    """The progress of a loading."""

    segments: int
    of_segments: int
    pages: int
    quads: int

    def and_more(self, pages: int, quads: int) -> Progress:
        """Return the progress with these pages and quads added."""
        return self._replace(pages=self.pages + pages, quads=self.quads + quads)


class Indexed(NamedTuple):
    """The result of a loading."""

    segments: int
    pages: int
    """Number of pages whose graphs were replaced."""
    quads: int
    unreadable: int
    """Number of lines that are not quads."""
    is_anew: bool
    """Whether the index was rebuilt from scratch, because segments had changed."""
    size: int
    """Quads in the index."""


def _ignore(_: object) -> None:
    pass


class Index:
    """The triple store of one crawl directory."""

    def __init__(self, folder: Path) -> None:
        self._crawl = folder
        self._generations = TripleStore(folder)
        self.folder = self._generations.folder

    # -- reading --------------------------------------------------------------------------

    def generation(self) -> str | None:
        """Return the name of the generation in place; None when nothing has been indexed."""
        return self._generations.current()

    def reading(self) -> AbstractContextManager[pyoxigraph.Store]:
        """Open the generation in place for reading; it stays there meanwhile."""
        return self._generations.reading()

    def missing(self) -> int:
        """Return how many sealed segments are not in the index."""
        name = self.generation()
        if name is None:
            return 0
        with _ledger(self.folder / name) as ledger:
            return len(ledger.missing(segment_files(self._crawl)))

    # -- writing --------------------------------------------------------------------------

    def update(
        self,
        on_progress: Callable[[Progress], None] = _ignore,
        reach: Callable[[str], None] = _ignore,
        *,
        anew: bool = False,
    ) -> Indexed:
        """Load quads of sealed segments that are not in the index; with `anew`, all quads."""
        with writing(self._generations):
            files = segment_files(self._crawl)
            before, is_anew = self.generation(), False
            if before is not None:
                with _ledger(self.folder / before) as ledger:
                    is_anew = anew or ledger.is_outdated(files)
                    if not is_anew and not ledger.missing(files):
                        return Indexed(0, 0, 0, 0, False, ledger.total())
            total = Indexed(0, 0, 0, 0, is_anew, 0)
            is_complete = False
            while not is_complete:
                build = _Build(self.folder, None if is_anew else before, self._generations.damaged)
                try:
                    total, is_complete = build.load(files, total, on_progress)
                    reach("index.loaded")
                    build.publish(reach)
                finally:
                    build.abandon()
                before, is_anew = self.generation(), False
                remove_old(self._generations)
            return total


class _Build:
    """The next generation, while it is made."""

    def __init__(
        self, folder: Path, before: str | None, damaged: Callable[[Exception], QueryError]
    ) -> None:
        self._next = NextGeneration(folder)
        if before is not None:
            self._next.link_store(before, lambda path: path.suffix == ".sst")
            (self._next.store / "LOCK").unlink(missing_ok=True)
            shutil.copyfile(beneath.checked(folder / before / LEDGER), self._next.path / LEDGER)
        try:
            self.store: pyoxigraph.Store | None = pyoxigraph.Store(
                str(beneath.checked_tree(self._next.store))
            )
        except (OSError, RuntimeError) as error:
            raise damaged(error) from None
        self.ledger = Ledger(self._next.path / LEDGER)

    def load(
        self, files: list[SegmentFile], total: Indexed, on_progress: Callable[[Progress], None]
    ) -> tuple[Indexed, bool]:
        """Load missing quads for a while; return whether all are loaded."""
        began = time.monotonic()
        missing = self.ledger.missing(files)
        done = len(files) - len(missing)
        for group in grouped(missing, GROUP_BYTES):
            loading = _Loading(self, Changes(group, self.ledger))
            before = Progress(done, len(files), total.pages, total.quads)
            loading.run(before, on_progress)
            done += len(group)
            total = total._replace(
                segments=total.segments + len(group),
                pages=total.pages + loading.pages,
                quads=total.quads + loading.quads,
                unreadable=total.unreadable + loading.unreadable,
            )
            on_progress(Progress(done, len(files), total.pages, total.quads))
            if time.monotonic() - began >= PUBLISH_SECONDS:
                break
        return total._replace(size=self.ledger.total()), done == len(files)

    def publish(self, reach: Callable[[str], None] = _ignore) -> None:
        """Put the generation in place."""
        assert self.store is not None
        self.store.flush()
        self._close()
        self._next.publish(reach)

    def abandon(self) -> None:
        """Close all files, and delete the generation unless it was published."""
        self._close()
        self._next.abandon()

    def _close(self) -> None:
        self.store = None
        self.ledger.close()


class _Loading:
    """A batch of files that is loaded into a store."""

    def __init__(self, build: _Build, changes: Changes) -> None:
        assert build.store is not None
        self._store = build.store
        self._ledger = build.ledger
        self._changes = changes
        self._entries: list[tuple[int, LedgerEntry]] = []
        self.pages = self.quads = self.unreadable = 0

    def run(self, before: Progress, on_progress: Callable[[Progress], None]) -> None:
        """Replace the graphs that have changed, and record it."""

        def tell() -> None:
            on_progress(before.and_more(self.pages, self.quads))

        if self._changes.has_replacements:
            self._remove(change for change in self._changes if change.replaces)
        is_small = self._changes.size_bytes < SMALL_BYTES
        load = self._store.load if is_small else self._store.bulk_load
        try:
            load(self._stream(tell, is_careful=False), pyoxigraph.RdfFormat.N_QUADS)
        except SyntaxError:
            # A line is not a quad: remove what was loaded, and check every line.
            self._remove(self._changes)
            load(self._stream(tell, is_careful=True), pyoxigraph.RdfFormat.N_QUADS)
        self._ledger.note_pages(self._entries)
        self._ledger.note_segments(self._changes.files)

    def _remove(self, changes: Iterable[Change]) -> None:
        for change in changes:
            self._store.remove_graph(pyoxigraph.NamedNode(change.block.url))

    def _stream(self, tell: Callable[[], None], *, is_careful: bool) -> IO[bytes]:
        self.pages = self.quads = self.unreadable = 0
        self._entries = []

        def quads() -> Iterator[bytes]:
            for change in self._changes:
                text, entry = change.block.quads, change.entry
                if is_careful:
                    text = self._readable(text)
                    entry = entry._replace(quads=text.count(b"\n"))
                self._entries.append((change.page, entry))
                self.pages += not change.is_silent
                self.quads += entry.quads
                if len(self._entries) % 1000 == 0:
                    tell()
                yield text

        return cast(IO[bytes], _Stream(quads()))

    def _readable(self, quads: bytes) -> bytes:
        """Return the lines that are quads."""
        lines = quads.splitlines(keepends=True)
        kept = [line for line in lines if _is_quad(line)]
        self.unreadable += len(lines) - len(kept)
        return b"".join(kept)


def _is_quad(line: bytes) -> bool:
    try:
        list(pyoxigraph.parse(line, pyoxigraph.RdfFormat.N_QUADS))
    except SyntaxError:
        return False
    return True


class _Stream(io.RawIOBase):
    """Pieces of bytes as a file to read from."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._some = b""
        self._position = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Return some bytes; none at the end."""
        if self._position == len(self._some):
            pieces: list[bytes] = []
            length = 0
            while length < _PIECE_BYTES and (piece := next(self._pieces, None)) is not None:
                pieces.append(piece)
                length += len(piece)
            self._some, self._position = b"".join(pieces), 0
        end = len(self._some) if size < 0 else self._position + size
        found = self._some[self._position : end]
        self._position += len(found)
        return found


@contextlib.contextmanager
def _ledger(generation: Path) -> Iterator[Ledger]:
    ledger = Ledger(generation / LEDGER)
    try:
        yield ledger
    finally:
        ledger.close()
