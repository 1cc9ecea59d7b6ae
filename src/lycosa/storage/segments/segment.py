"""An open segment: one WARC file and its journals of rows, written together.

The process that writes a segment locks its WARC file, and the kernel releases the lock when that
process dies, however it dies. So a process that gets the lock of an unsealed segment knows that its
writer is gone.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from lycosa._support import beneath
from lycosa.errors import StoreError
from lycosa.model.records import Capture
from lycosa.storage.archive.files import Appendable, sync_file, sync_folder
from lycosa.storage.archive.layout import (
    DIGESTS,
    FLUSHES,
    ITEM_FLUSHES,
    ITEMS,
    JOURNAL,
    KINDS,
    MOST_IN_DIRECTORY,
    QUAD_JOURNAL,
    TRIPLES,
    WARC,
    Name,
    highest_segment,
    is_in,
    journal_path,
    make_folders,
    quad_journal_path,
    warc_path,
)
from lycosa.storage.segments.ends import End, OpenEnds
from lycosa.storage.segments.flushes import Flushes
from lycosa.storage.tables._rows import Pending
from lycosa.storage.tables.extra import extra_fields, with_values
from lycosa.storage.tables.quads import QuadJournal
from lycosa.storage.tables.rows import JOURNAL_SCHEMAS, SCHEMAS, Row
from lycosa.storage.warc.record_reader import members
from lycosa.storage.warc.warc_format import Ids


class Segment:
    """One segment that this process writes."""

    def __init__(
        self,
        folder: Path,
        worker: int,
        is_synced: bool,
        schemas: Mapping[str, pa.Schema] = JOURNAL_SCHEMAS,
        directory: int = 0,
    ) -> None:
        """Begin a segment with a number that is not in use."""
        self._extra = extra_fields(schemas)
        self._is_synced = is_synced
        self._folder = folder
        self._named: set[str] = set()
        """Kinds of rows whose files are known to the disk by their names."""
        self._flushing = threading.Lock()
        self.lock = threading.Lock()
        """Held while a fetch is appended: its records and rows are flushed together."""
        self.blocks: list[bytes] = []
        """Quads that have not been flushed (`quads`)."""
        self.items: list[Row] = []
        """Rows of items that have not been flushed."""
        self.ids = Ids()
        self.is_closed = False
        self.lost: dict[int, int] = {}
        """Partitions whose last decisions may not count, and the last sequence known of each."""
        self.leans_on: set[str] = set()
        """WARC files that have payloads of this segment's revisits."""
        try:
            make_folders(folder)
            self.name, self.warc = _begin(folder, worker, directory)
        except OSError as error:
            raise cannot_begin(folder, error) from error
        self.number = self.name.segment
        self.file_name = self.warc.path.name
        """Of the file of records."""
        self.pending = Pending(self.file_name, len(self._extra))
        self.flushed_pages = self.decided_pages = 0
        """Rows of `pages` that were flushed, and that a commit has decided on."""
        self.journals: dict[str, Appendable] = {}
        """The rows of each kind: an Arrow IPC stream that grows by a record batch a flush."""
        self.quads: QuadJournal | None = None
        self._flushes: Flushes | None = None
        self._item_flushes: Flushes | None = None
        try:
            self.quads = QuadJournal(quad_journal_path(folder, self.name))
            self._flushes = Flushes(folder, self.name)
            for kind in KINDS:
                self.journals[kind] = file = Appendable(
                    journal_path(folder, kind, self.name), is_digested=True
                )
                file.append(schemas[kind].serialize().to_pybytes())
        except OSError as error:
            self.close()
            raise cannot_begin(folder, error) from error

    def begin_items(self) -> None:
        """Make the table of items: few segments have one. The disk gets its name with a flush."""
        if ITEMS in self.journals:
            return
        try:
            (self._folder / ITEMS).mkdir(exist_ok=True)
            file = Appendable(journal_path(self._folder, ITEMS, self.name), is_digested=True)
            self._item_flushes = Flushes(self._folder, self.name, ITEM_FLUSHES)
        except OSError as error:
            raise cannot_begin(self._folder, error) from error
        file.append(SCHEMAS[ITEMS].serialize().to_pybytes())
        # Before the others: a row of `pages` has its items.
        self.journals = {ITEMS: file, **self.journals}

    def add_items(self, capture: Capture) -> None:
        """Take the rows of a page's items; the lock is held."""
        from lycosa.storage.tables.items import rows_of  # few crawls have any

        if capture.items[0].kind:
            self.items += rows_of(capture)

    def cut(self) -> None:
        """Note which fetches of pages the commit that begins now has decided on."""
        with self.lock:
            self.decided_pages = self.flushed_pages + self.pending.page_count

    def flush(self) -> OpenEnds:
        """Hand all that was appended to the operating system, the rows of `pages` last.

        Returns how far the journals reach then. The first time it brings the names of the files
        to the disk. After a power cut the log may name records of this segment: its number must
        not be given again, and what is lost of its files must not look like files that were moved
        away.
        """
        with self._flushing:
            # Only the exchange of buffers holds up the writer; the rest goes on beside it.
            with self.lock:
                pending, self.pending = (
                    self.pending,
                    Pending(self.file_name, len(self._extra)),
                )
                self.flushed_pages += pending.page_count
                blocks, self.blocks = self.blocks, []
                items, self.items = self.items, []
                journals = self.journals
            if self._named != journals.keys():
                for part in (WARC, TRIPLES, DIGESTS, *journals, "."):
                    sync_folder(self._folder / part)
                self._named = set(journals)
            messages = pending.messages()
            if self._extra and pending.extra:
                messages["pages"] = with_values(messages["pages"], self._extra, pending.extra)
            for kind, some in messages.items():
                journals[kind].extend(some)
            assert self.quads is not None and self._flushes is not None
            self.quads.append(blocks)
            # The first flush is noted even if no row came: it says that the journals end there.
            if messages or not self._flushes.file.end:
                self._flushes.note(journals)
            if self._item_flushes is not None and ITEMS in journals:
                if items:
                    journals[ITEMS].append(items_as_message(items))
                if items or not self._item_flushes.file.end:
                    self._item_flushes.note(journals)
            for file in self._files(journals):
                file.flush(self._is_synced)
            files = {TRIPLES: self.quads.file, **journals}
            ends = {part: End(one.flushed, one.digest.intdigest()) for part, one in files.items()}
            return OpenEnds(self.name.worker, self.number, ends, self.decided_pages)

    def close(self) -> None:
        """Close the files; unflushed bytes are lost."""
        with self.lock:
            if not self.is_closed:
                self.is_closed = True
                for file in self._files(self.journals):
                    file.close()

    def _files(self, journals: Mapping[str, Appendable]) -> list[Appendable]:
        """Return the files in the order in which they are flushed."""
        quads = [self.quads.file] if self.quads is not None else []
        flushes = [self._flushes.file] if self._flushes is not None else []
        if self._item_flushes is not None:
            flushes.append(self._item_flushes.file)
        return [self.warc, *quads, *journals.values(), *flushes]


def items_as_message(rows: Sequence[Row]) -> bytes:
    """Return rows of items as a message of an Arrow stream."""
    from lycosa.storage.tables.items import batch_of  # few crawls have any

    message: bytes = batch_of(rows).serialize().to_pybytes()
    return message


def sync_open(folder: Path, warc_files: Iterable[str]) -> None:
    """Bring those of some segments to the disk that are still open, records and rows.

    A segment that is sealed outlives a power cut; so must the payloads of its revisits.
    """
    for file in warc_files:
        stem = file.removesuffix(".warc.gz")
        rows = [folder / kind / f"{stem}{JOURNAL}" for kind in (ITEMS, *KINDS)]
        if rows[-1].exists():
            rows += [
                folder / TRIPLES / f"{stem}{QUAD_JOURNAL}",
                folder / DIGESTS / f"{stem}{FLUSHES}",
                folder / DIGESTS / f"{stem}{ITEM_FLUSHES}",
            ]
            for path in (folder / WARC / file, *rows):
                with contextlib.suppress(FileNotFoundError):  # it was sealed meanwhile
                    sync_file(path)


def cannot_begin(folder: Path, error: OSError) -> StoreError:
    """Return the error that says why a segment's files cannot be made, and what to do."""
    return StoreError(
        f"{folder}: no file of the archive can be made there: {error.strerror}\n"
        "  check who owns the folder, and the disk; what was committed is safe"
    )


_LONGEST_NUMBER = 10


def _no_number(folder: Path, directory: int) -> StoreError:
    return StoreError(
        f"{folder}: no number is left for another segment of directory {directory}\n"
        "  join the crawl with an empty directory: it gets another number"
    )


OWNER = "lycosa-owner"
"""The field of the `warcinfo` record that names the life of a cluster that writes the segment."""


def owner_of(folder: Path, name: Name) -> str | None:
    """Return the life that has written a segment: "" on one machine, None if it cannot be read."""
    path = warc_path(folder, name)
    if not path.exists() or not path.stat().st_size:
        return ""
    _, _, record = next(members(path), (0, 0, None))
    if record is None:
        return None if name.segment > MOST_IN_DIRECTORY else ""
    lines = record.block.decode("utf-8", "replace").splitlines()
    fields = dict(line.split(": ", 1) for line in lines if ": " in line)
    return fields.get(OWNER, "")


@contextlib.contextmanager
def numbers_locked(folder: Path) -> Iterator[int]:
    """Keep others from beginning a segment, and from taking one for abandoned, meanwhile.

    Yields the descriptor of the file that remembers the last number.
    """
    descriptor = beneath.descriptor(folder / WARC / ".numbers", os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


def keep_number(folder: Path, segment: int) -> None:
    """See that the number of a segment is not given again when its files are removed.

    The disk gets it, too: after a power cut the log may say of its places that they are lost.
    """
    with numbers_locked(folder) as numbers:
        last = os.pread(numbers, _LONGEST_NUMBER, 0)
        if not last.isdigit() or int(last) < segment:
            os.ftruncate(numbers, os.pwrite(numbers, b"%d" % segment, 0))
        os.fsync(numbers)


def _begin(folder: Path, worker: int, directory: int) -> tuple[Name, Appendable]:
    """Create and lock the file of the records, one process after the other.

    A number is never given twice, also if the files of its segment are gone: the log may say of
    its places that they are lost.
    """
    with numbers_locked(folder) as numbers:
        last = os.pread(numbers, _LONGEST_NUMBER, 0)
        known = int(last) if last.isdigit() and is_in(directory, int(last)) else 0
        before = max(highest_segment(folder, directory), known, directory * MOST_IN_DIRECTORY)
        name = Name(before + 1, worker)
        if not is_in(directory, name.segment):
            raise _no_number(folder, directory)
        os.ftruncate(numbers, os.pwrite(numbers, b"%d" % name.segment, 0))
        file = Appendable(warc_path(folder, name))
        fcntl.flock(file.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return name, file
