"""Where payloads stand in a crawl directory: an index on the disk that its workers share.

The index is a hash table in one file, `warc/.payloads`, of pages that `_slots` reads and writes. It
is a hint: an entry may be missing, old or damaged, and a reader compares the record that it names
with the payload before it relies on it. So nothing is synced, a kill leaves nothing to repair, and
a file that cannot be used is begun again.

Entries wait in memory, where this process finds them, until there are `MOST_WAITING` or the last
ones were written `WAIT_SECONDS` ago; `finish` writes the rest. Then the process also learns whether
others have entered something: it forgets what pages of the file lack (`_slots`).

Always true:
  * the process that entered a payload finds it at once;
  * a payload that was written before the index was opened is found;
  * the other processes find a payload after a call of `add_all` that they make `WAIT_SECONDS` after
    it was written. Until then they store it again. So they do if the process that entered it was
    killed while it waited;
  * these three hold unless four pages beside each other are full;
  * the file takes at most 20 bytes an entry, once it has a few thousand: it grows by a tenth.

Two crawls alike may have files that differ: slots stand in a page in the order in which they were
written, by batches that the clock ends. Each byte is an entry's, the header's, or zero.

Cost: a look that finds nothing takes no system call in most cases (0.4 µs), else one `pread`.
Entries are sorted, so each page is read and written once (1.1 µs an entry at 20,000, 2 µs at a
million). The table is copied when it grows, in all eleven times, in the thread that enters.
Memory: 1 MB of entries that wait, 256 bytes for each page of 4 kB, 4 MB of those at most, and
300 kB while it grows.
"""

from __future__ import annotations

import fcntl
import os
import struct
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from lycosa._support import beneath
from lycosa.errors import StoreError
from lycosa.model.records import Place
from lycosa.storage.archive.files import temporary
from lycosa.storage.archive.layout import WARC
from lycosa.storage.warc._slots import PAGE_BYTES, PAGE_SLOTS, Table, packed, spread

FILE = ".payloads"
MOST_WAITING = 4096
WAIT_SECONDS = 2.0
_HEADER = struct.Struct("=16sQQ")
_MAGIC = b"lycosa payloads1"
_FIRST_PAGES = 16
_FULL = 0.88
_GROWTH = 1.1
_MOST_LATE = 10_000
"""Entries that wait while another process enters, or the disk is full."""
_LAST_TRIES, _TRY_SECONDS = 20, 0.01
"""How often, and how long apart, `finish` tries while another process enters."""


class PayloadIndex:
    """The index of one crawl directory. One thread enters, another may look meanwhile."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        """Open the index, if there is one; it is made by the first entry."""
        self._path = folder / WARC / FILE
        self._clock = clock
        self._table: Table | None = None
        self._waiting: dict[int, Place] = {}
        self._due = clock()
        with suppress(OSError, StoreError):
            self._table = self._opened()

    def find(self, tag: int) -> Place | None:
        """Return where a payload of this tag may stand; the place may have no length."""
        place = self._waiting.get(tag)
        table = self._table
        if place is not None or table is None:
            return place
        try:
            found = table.find(tag)
        except OSError:
            return None
        return Place(*found, 0) if found is not None else None

    def add_all(self, places: Mapping[int, Place]) -> None:
        """Enter places by their tags; later ones take the place of earlier ones.

        While another process enters, or the disk is full, they wait on: no commit waits here. To be
        called regularly, without places too: others may have entered something.
        """
        self._waiting.update(places)
        now = self._clock()
        if now >= self._due or len(self._waiting) >= MOST_WAITING:
            self._due = now + WAIT_SECONDS
            # Without an index all payloads are stored: a full disk ends no crawl from here.
            with suppress(OSError, StoreError):
                self._write_waiting()
        while len(self._waiting) > _MOST_LATE:
            del self._waiting[next(iter(self._waiting))]

    def finish(self) -> None:
        """Write what waits; other processes that end at the same time are waited for."""
        for _ in range(_LAST_TRIES if self._waiting else 0):
            try:
                self._write_waiting()
                break
            except BlockingIOError:
                time.sleep(_TRY_SECONDS)
            except (OSError, StoreError):
                break

    def close(self) -> None:
        """Close the file; what is looked for is not found any more."""
        self._table, self._waiting = None, {}

    # -- inside ---------------------------------------------------------------------------

    def _write_waiting(self) -> None:
        """Write what waits into the file; raises `BlockingIOError` while another process does."""
        try:
            table = self._with_room(self._locked(), len(self._waiting))
            slots = packed(self._waiting)
            # By parts, so that the worker's thread never stands still for long.
            added = sum(
                table.enter(slots[start : start + PAGE_BYTES])
                for start in range(0, len(slots), PAGE_BYTES)
            )
            if added:
                _write_header(table, table.count + added)
            self._waiting = {}
        finally:
            if self._table is not None:
                fcntl.flock(self._table.descriptor, fcntl.LOCK_UN)

    def _locked(self) -> Table:
        """Return the newest file, locked against other processes that enter."""
        table = self._table or self._opened(os.O_CREAT)
        while True:
            self._table = table
            fcntl.flock(table.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(table.descriptor), self._path.lstat()):
                    return self._begun(table)
            # Another process has put a larger file in its place. The lock goes with the old one,
            # which is closed when no thread looks into it any more.
            table = self._opened(os.O_CREAT)

    def _begun(self, table: Table) -> Table:
        """Return a locked file with as many pages as its header says; begin one that has none."""
        pages, count = _header(table.descriptor)
        if not pages:
            os.ftruncate(table.descriptor, 0)
            pages = _FIRST_PAGES
        if pages != table.pages:
            table = self._table = Table(os.dup(table.descriptor), pages, count)
            _write_header(table, count)
        if count != table.count:  # others have entered something
            table.forget()
            table.count = count
        return table

    def _opened(self, flags: int = 0) -> Table:
        descriptor = beneath.descriptor(self._path, os.O_RDWR | flags)
        try:
            pages, count = _header(descriptor)
        except OSError:
            os.close(descriptor)
            raise
        return Table(descriptor, pages, count)

    def _with_room(self, table: Table, more: int) -> Table:
        """Return a locked file with room for more entries: this, or a larger one in its place."""
        wanted = table.count + more
        if wanted <= _FULL * table.pages * PAGE_SLOTS:
            return table
        pages = max(int(table.pages * _GROWTH) + 1, int(wanted / _FULL / PAGE_SLOTS) + 1)
        target = temporary(self._path)
        new = Table(beneath.descriptor(target, os.O_RDWR | os.O_CREAT | os.O_TRUNC), pages, 0)
        fcntl.flock(new.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _write_header(new, spread(table.descriptor, table.pages, new.descriptor, pages))
        target.rename(self._path)
        fcntl.flock(table.descriptor, fcntl.LOCK_UN)
        self._table = new
        return new


def _header(descriptor: int) -> tuple[int, int]:
    """Return how many pages and slots in use a file says it has; no pages if it is not an index."""
    header = os.pread(descriptor, _HEADER.size, 0)
    if len(header) < _HEADER.size:
        return 0, 0
    magic, pages, count = _HEADER.unpack(header)
    # Holes at the end are pages without entries; a far larger number is damage.
    most = max(_FIRST_PAGES, 2 * os.fstat(descriptor).st_size // PAGE_BYTES)
    if magic != _MAGIC or not 0 < pages <= most:
        return 0, 0
    # The file may be a stranger's: a count beyond its slots would make the next one as large.
    return pages, min(count, pages * PAGE_SLOTS)


def _write_header(table: Table, count: int) -> None:
    os.pwrite(table.descriptor, _HEADER.pack(_MAGIC, table.pages, count), 0)
    table.count = count
