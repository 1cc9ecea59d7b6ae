"""Where payloads stand in a crawl directory: an index on the disk that its workers share.

The index is a hash table in one file, `warc/.payloads`, of pages that `_slots` reads and writes. It
is a hint: an entry may be missing, old or damaged, and a reader compares the record that it names
with the payload before it relies on it. So nothing is synced, a kill leaves nothing to repair, and
a file that cannot be used is begun again.

Always true:
  * what was entered is found, by every process that has called `add_all` since, unless four pages
    beside each other are full;
  * the file takes at most 20 bytes an entry, once it has a few thousand: it grows by a tenth.

Cost: a look takes one `pread` (under a microsecond if the page is in the cache of the system),
an entry two calls. The table is copied when it grows, in all eleven times, in the thread that
enters. Memory: 300 kB while it grows, none else.
"""

from __future__ import annotations

import fcntl
import os
import struct
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from lycosa import beneath
from lycosa.errors import StoreError
from lycosa.records import Place
from lycosa.store.files import temporary
from lycosa.store.layout import WARC
from lycosa.store.warc._slots import PAGE_BYTES, PAGE_SLOTS, add, find, spread

FILE = ".payloads"
LARGEST_OFFSET = (1 << 32) - 1
_HEADER = struct.Struct("=16sQQ")
_MAGIC = b"lycosa payloads1"
_FIRST_PAGES = 16
_FULL = 0.88
_GROWTH = 1.1
_MOST_LATE = 10_000
"""Entries that wait while another process enters."""


class _Table(NamedTuple):
    """A file that is open."""

    descriptor: int
    pages: int


class PayloadIndex:
    """The index of one crawl directory. One thread enters, another may look meanwhile."""

    def __init__(self, folder: Path) -> None:
        """Open the index, if there is one; it is made by the first entry."""
        self._path = folder / WARC / FILE
        self._table: _Table | None = None
        self._old: list[_Table] = []
        """Files that another thread may still be reading; closed a while later."""
        self._late: list[tuple[int, int, int]] = []
        with suppress(OSError, StoreError):
            self._open()

    def find(self, tag: int) -> Place | None:
        """Return where a payload of this tag may stand; the place has no length."""
        table = self._table
        if table is None or not table.pages:
            return None
        try:
            found = find(table.descriptor, table.pages, tag)
        except OSError:
            return None
        return Place(*found, 0) if found is not None else None

    def add_all(self, entries: Iterable[tuple[int, int, int]]) -> None:
        """Enter tags with segment and offset; later ones take the place of earlier ones.

        While another process enters, they wait for the next call: no commit waits here.
        """
        self._close_old()
        self._late += entries
        # Without an index all payloads are stored: a full disk ends no crawl from here.
        with suppress(OSError, StoreError):
            table = self._locked()
            try:
                entered, self._late = self._late, []
                self._enter(self._with_room(table, len(entered)), entered)
            finally:
                self._unlock()
        del self._late[:-_MOST_LATE]

    def _enter(self, table: _Table, entries: list[tuple[int, int, int]]) -> None:
        count = _count(table)
        for tag, segment, offset in entries:
            if tag and offset <= LARGEST_OFFSET:
                count += add(table.descriptor, table.pages, tag, segment, offset)
        _write_header(table, count)

    def close(self) -> None:
        """Close the files; what is looked for is not found any more."""
        table, self._table = self._table, None
        self._old += [table] if table is not None else []
        self._close_old()

    # -- inside ---------------------------------------------------------------------------

    def _locked(self) -> _Table:
        """Return the newest file, locked against other processes that enter."""
        while True:
            if self._table is None:
                self._open(os.O_CREAT)
            table = self._table
            assert table is not None
            fcntl.flock(table.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(table.descriptor), self._path.lstat()):
                    return self._begun(table)
            # Another process has put a larger file in its place.
            self._unlock()
            self._old.append(table)
            self._table = None

    def _begun(self, table: _Table) -> _Table:
        """Return a locked file with as many pages as its header says; begin one that has none."""
        pages = _pages(table.descriptor)
        if not pages:
            os.ftruncate(table.descriptor, 0)
            pages = _FIRST_PAGES
            _write_header(_Table(table.descriptor, pages), 0)
        self._table = _Table(table.descriptor, pages)
        return self._table

    def _open(self, flags: int = 0) -> None:
        descriptor = beneath.descriptor(self._path, os.O_RDWR | flags)
        self._table = _Table(descriptor, _pages(descriptor))

    def _with_room(self, table: _Table, more: int) -> _Table:
        """Return a locked file with room for more entries: this, or a larger one in its place."""
        wanted = _count(table) + more
        if wanted <= _FULL * table.pages * PAGE_SLOTS:
            return table
        pages = max(int(table.pages * _GROWTH) + 1, int(wanted / _FULL / PAGE_SLOTS) + 1)
        target = temporary(self._path)
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC
        new = _Table(beneath.descriptor(target, flags), pages)
        fcntl.flock(new.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _write_header(new, spread(table.descriptor, table.pages, new.descriptor, pages))
        target.rename(self._path)
        self._unlock()
        self._old.append(table)
        self._table = new
        return new

    def _unlock(self) -> None:
        if self._table is not None:
            fcntl.flock(self._table.descriptor, fcntl.LOCK_UN)

    def _close_old(self) -> None:
        while self._old:
            os.close(self._old.pop().descriptor)


def _pages(descriptor: int) -> int:
    """Return how many pages a file says it has; 0 if it is not an index."""
    header = os.pread(descriptor, _HEADER.size, 0)
    if len(header) < _HEADER.size:
        return 0
    magic, pages, _ = _HEADER.unpack(header)
    # Holes at the end are pages without entries; a far larger number is damage.
    is_sound = magic == _MAGIC and 0 < pages <= _most_pages(descriptor)
    return int(pages) if is_sound else 0


def _most_pages(descriptor: int) -> int:
    return max(_FIRST_PAGES, 2 * os.fstat(descriptor).st_size // PAGE_BYTES)


def _count(table: _Table) -> int:
    header = os.pread(table.descriptor, _HEADER.size, 0)
    count = int(_HEADER.unpack(header)[2]) if len(header) == _HEADER.size else 0
    # The file may be a stranger's: a count beyond its slots would make the next one as large.
    return min(count, table.pages * PAGE_SLOTS)


def _write_header(table: _Table, count: int) -> None:
    os.pwrite(table.descriptor, _HEADER.pack(_MAGIC, table.pages, count), 0)
