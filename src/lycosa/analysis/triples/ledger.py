"""Records which segments a reader has processed, and which fetch of every page.

It is a small SQLite file beside the data that it describes.

Always true: the moment recorded for a page never goes back, so segments may come in any order.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from xxhash import xxh3_64_intdigest

from lycosa._support import beneath
from lycosa.model.url.key import key_of
from lycosa.storage.archive.layout import Name, quad_names, quads_path
from lycosa.storage.log.sqlite_files import connected
from lycosa.storage.tables.missing_tables import require_quads
from lycosa.storage.tables.rows import signed, url_id

VERSION = 1

_PEEKED_BYTES = 65_536
_BUSY_SECONDS = 5.0

_TABLES = """
CREATE TABLE IF NOT EXISTS pages (
    page INTEGER PRIMARY KEY, fetched_at INTEGER NOT NULL, fetch INTEGER NOT NULL,
    quads INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS segments (
    segment INTEGER PRIMARY KEY, size_bytes INTEGER NOT NULL, digest INTEGER NOT NULL
);
"""


class SegmentFile(NamedTuple):
    """A sealed file of quads as it stands on the disk."""

    name: Name
    path: Path
    size_bytes: int
    digest: int
    """The hash of its first and last bytes; with the size it shows whether it was rewritten."""


class LedgerEntry(NamedTuple):
    """The fetch of a page that its graph is from."""

    fetched_at: int
    fetch_id: int
    quads: int
    """The number of quads."""


def page_id(url: str) -> int:
    """Return the number of a page: its `url_id`, as in the tables."""
    return signed(url_id(key_of(url)))


def segment_files(folder: Path) -> list[SegmentFile]:
    """Return the sealed files of quads of a crawl, in order."""
    found: list[SegmentFile] = []
    require_quads(folder)
    for name in quad_names(folder):
        path = quads_path(folder, name)
        found.append(SegmentFile(name, path, *_identity(path)))
    return found


def _identity(path: Path) -> tuple[int, int]:
    with beneath.open_file(path, "rb") as file:
        first = file.read(_PEEKED_BYTES)
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _PEEKED_BYTES))
        return size, signed(int(xxh3_64_intdigest(first + file.read(_PEEKED_BYTES))))


class Ledger:
    """The record of one reader of segments: which files and fetches it has processed."""

    def __init__(self, path: Path, *, is_busy: bool = False) -> None:
        """Open the file, or create it.

        A ledger that is written page by page is `is_busy`: it uses a write-ahead log, which is
        ten times as fast.
        """
        self._books = connected(path, _BUSY_SECONDS)
        try:
            self._books.execute(f"PRAGMA journal_mode = {'WAL' if is_busy else 'DELETE'}")
            self._books.execute("PRAGMA synchronous = NORMAL")
            self._books.executescript(_TABLES)
            self._books.execute(f"PRAGMA user_version = {VERSION}")
        except sqlite3.Error:
            self._books.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._books.close()

    def is_outdated(self, files: Iterable[SegmentFile]) -> bool:
        """Return whether a processed file is gone or has changed since."""
        now = {file.name.segment: (file.size_bytes, file.digest) for file in files}
        return any(now.get(number) != (size, digest) for number, size, digest in self._segments())

    def missing(self, files: Iterable[SegmentFile]) -> list[SegmentFile]:
        """Return the files that have not been processed."""
        known = {number for number, _, _ in self._segments()}
        return [file for file in files if file.name.segment not in known]

    def entry(self, page: int) -> LedgerEntry | None:
        """Return the fetch of a page that was processed."""
        row = self._books.execute(
            "SELECT fetched_at, fetch, quads FROM pages WHERE page = ?", (page,)
        ).fetchone()
        return LedgerEntry(*row) if row else None

    def total(self) -> int:
        """Return the number of quads of all pages."""
        (count,) = self._books.execute("SELECT coalesce(sum(quads), 0) FROM pages").fetchone()
        return int(count)

    def note_pages(self, entries: Iterable[tuple[int, LedgerEntry]]) -> None:
        """Record pages, all or none of them."""
        with self._books:
            self._books.execute("BEGIN")
            self._books.executemany(
                "INSERT INTO pages VALUES (?, ?, ?, ?) ON CONFLICT (page) DO UPDATE SET"
                " fetched_at = excluded.fetched_at, fetch = excluded.fetch,"
                " quads = excluded.quads WHERE excluded.fetched_at >= fetched_at",
                ((page, *entry) for page, entry in entries),
            )

    def note_segments(self, files: Iterable[SegmentFile]) -> None:
        """Record that files were processed as they are now."""
        with self._books:
            self._books.execute("BEGIN")
            self._books.executemany(
                "INSERT OR REPLACE INTO segments VALUES (?, ?, ?)",
                ((file.name.segment, file.size_bytes, file.digest) for file in files),
            )

    def forget_segments(self) -> None:
        """Forget which files were processed; the entries of pages stay."""
        self._books.execute("DELETE FROM segments")

    def _segments(self) -> Iterator[tuple[int, int, int]]:
        yield from self._books.execute("SELECT segment, size_bytes, digest FROM segments")
