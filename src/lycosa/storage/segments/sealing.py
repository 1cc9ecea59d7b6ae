"""Sealing: turns a complete segment into its final files, Parquet, CDXJ and digests.

Sealing converts rows from Arrow IPC streams to Parquet, rewrites quads in larger frames, builds the
index, and drops exchanges that do not count. Every file is written under a temporary name, synced
to the disk and renamed, the index when the disk has the names of the others; then the journals are
removed, that of `pages` last. So a segment with an index is complete, and a sealing that a kill or
a power cut ended at any moment is simply repeated. A caller hands in how far the log is
(`log_positions`), after it has brought the log to the disk: a segment that is sealed outlives a
cut, and must not know more than the log.

**What does not count.** The log names the place of every exchange that counts, and names it after
the flush. A process that dies leaves at most the exchanges since its last commit flushed and
unnamed, and every process begins a segment of its own. With one log for all partitions, where a
commit is one transaction, the exchanges that do not count are therefore the *end* of a dead
process's segment: everything after the last one that counts. The WARC file is cut there, and all
places stay the same.

Where partitions are committed one by one, or another owner took one of them over, an exchange that
does not count can lie between others that do. Which records count is therefore decided for each
partition by itself: within one, exchanges are decided on in the order in which they stand in the
segment, so those that do not count are its last ones (`frontier.fold.accounts` says why). One
record without meaning, of the same length, overwrites such an exchange in place: again all places
stay the same. Nothing refers to what is overwritten (see `archive`: revisits).

Robots files and failures always count: they are facts about a host at a moment, and a second one
is a second fact.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from lycosa._support import beneath
from lycosa._support.tuples import NamedTuple
from lycosa.errors import StoreError
from lycosa.storage.archive.files import sync_file, sync_folder, temporary, write_at, write_failure
from lycosa.storage.archive.layout import (
    CDX,
    DIGESTS,
    FLUSHES,
    ITEM_FLUSHES,
    ITEMS,
    JOURNAL,
    KINDS,
    QUAD_JOURNAL,
    TRIPLES,
    Name,
    cdx_path,
    flushes_path,
    journal_path,
    names_in,
    quad_journal_path,
    quads_path,
    sealed_path,
    warc_names,
    warc_path,
)
from lycosa.storage.segments.digests import Positions, write_digests
from lycosa.storage.segments.segment import keep_number, numbers_locked
from lycosa.storage.segments.survey import Counted, Survey, survey
from lycosa.storage.segments.survey import everything as everything
from lycosa.storage.segments.survey import journal_batches as journal_batches
from lycosa.storage.tables import arrow_functions
from lycosa.storage.tables.extra import journal_schema, sealed_schema
from lycosa.storage.tables.quads import blocks, write_sealed
from lycosa.storage.tables.rows import JOURNAL_SCHEMAS, SCHEMAS
from lycosa.storage.warc import cdx
from lycosa.storage.warc.warc_format import Ids, blank

ROW_GROUP_BYTES = 2_000_000
"""How much of the rows is in memory at a time. Twice as much costs 8 MB at the peak."""
INDEX_GROUP_BYTES = 200_000
"""The same for the index, which makes twenty times as much of them as values of Python."""

_FEW_VALUES = ["kind", "rel", "outcome", "content_type", "charset", "language", "record", "warc"]
_FEW_VALUES += ["via", "rule", "source_url", "reason", "redirect_url", "unread", "types"]
"""Columns that are worth a dictionary; for others it takes time and gives nothing."""


NOWHERE: Positions = MappingProxyType({})
"""The positions of a log that no segment is compared with."""

INDEXED = ("response", "revisit")
"""Records by which archives are replayed; what a browser has rendered is not what a server sent."""


class Sealed(NamedTuple):
    """The result of sealing a segment."""

    segment: int
    kept: int
    """Exchanges and failures that count."""
    dropped: int
    """Exchanges that do not."""


def ignore(name: str) -> None:
    """Take no notice of a fail point."""


def abandoned(folder: Path) -> list[Name]:
    """Return the unsealed segments whose writing process is gone.

    A log that is folded *after* this call names everything that counts in them.
    """
    found: list[Name] = []
    for name in _with_journals(folder):
        lock = _lock(folder, name)
        if lock is not None:
            os.close(lock)
            found.append(name)
    return found


def unsealed(folder: Path) -> list[Name]:
    """Return all unsealed segments, also those that a live process writes to.

    Journals of a sealed segment may come back by a power cut, in whatever state: they say nothing.
    """
    return [name for name in _with_journals(folder) if not cdx_path(folder, name).exists()]


def _with_journals(folder: Path) -> list[Name]:
    """Return the segments that have journals, or an empty file of records.

    A process that died early leaves an empty WARC file alone. One beside sealed files was emptied.
    """
    found = {name for kind in (ITEMS, *KINDS) for name in names_in(folder, kind, JOURNAL)}
    found |= {*names_in(folder, TRIPLES, QUAD_JOURNAL), *names_in(folder, DIGESTS, FLUSHES)}
    found.update(names_in(folder, DIGESTS, ITEM_FLUSHES))
    empty = {name for name in warc_names(folder) if _size(warc_path(folder, name)) == 0}
    return sorted(found | {name for name in empty if not _has_sealed(folder, name)})


def _has_sealed(folder: Path, name: Name) -> bool:
    sealed = [cdx_path(folder, name), *(sealed_path(folder, kind, name) for kind in KINDS)]
    return any(path.exists() for path in sealed)


def seal_dead(
    folder: Path,
    is_counted: Counted,
    reach: Callable[[str], None] = ignore,
    only: Iterable[Name] | None = None,
    positions: Positions = NOWHERE,
) -> list[Sealed]:
    """Seal the segments of a crawl directory whose writing processes are gone.

    `positions` say how far the log is on the disk. Where others crawl meanwhile, `only` must name
    the segments: one of them may have died after `is_counted` was asked for.
    """
    sealed: list[Sealed] = []
    for name in sorted(only) if only is not None else _with_journals(folder):
        lock = _lock(folder, name)
        if lock is not None:
            try:
                sealed.append(
                    seal_segment(folder, name, is_counted, reach, is_dead=True, positions=positions)
                )
            finally:
                os.close(lock)
    return sealed


def _lock(folder: Path, name: Name) -> int | None:
    """Take the lock of a segment; None when a live process holds it or has removed it."""
    path = warc_path(folder, name)
    with numbers_locked(folder):
        try:
            lock = beneath.descriptor(path, os.O_RDWR)
        except FileNotFoundError:
            if any(journal_path(folder, kind, name).exists() for kind in KINDS):
                raise StoreError(
                    f"{path} is not there, and its rows have not been sealed\n"
                    "  put the file back, or let its pages be fetched again:"
                    f" lycosa verify {folder} --repair"
                ) from None
            return None
        except OSError as error:
            raise write_failure(path, 0, error) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            return None
    return lock


def seal_segment(
    folder: Path,
    name: Name,
    is_counted: Counted,
    reach: Callable[[str], None] = ignore,
    *,
    is_dead: bool = False,
    positions: Positions = NOWHERE,
) -> Sealed:
    """Seal one segment, whose lock is ours; harmless when it has been done before.

    A segment of a dead process is not sealed while something that counts is missing from it.
    """
    path = warc_path(folder, name)
    try:
        if cdx_path(folder, name).exists():
            _remove_journals(folder, name)
            return Sealed(name.segment, 0, 0)
        # Memory that the crawl has freed is given back first: 9 MB less at the peak.
        pa.default_memory_pool().release_unused()
        found = survey(folder, name, is_counted, is_dead=is_dead)
        if found.lost:
            raise _not_whole(path, found)
        if not found.kept:
            keep_number(folder, name.segment)
            _empty(path)
            _remove_journals(folder, name)
            path.unlink(missing_ok=True)
            return Sealed(name.segment, 0, len(found.dropped))
        _drop_records(path, found)
        reach("seal.cut")
        written = _write_quads(folder, name, found)
        written += _write_items(folder, name, found)
        written += [_write_rows(folder, kind, name, found) for kind in KINDS]
        index = _write_index(folder, name, found)
        written.append(write_digests(folder, name, [*written, index], temporary, positions))
        reach("seal.written")
        items = (ITEMS,) if sealed_path(folder, ITEMS, name) in written else ()
        _name(folder, (TRIPLES, *items, *KINDS, DIGESTS), written, reach)
        _name(folder, (CDX,), [index], reach)
        _remove_journals(folder, name, reach)
    except OSError as error:
        raise _cannot_seal(path, error) from error
    return Sealed(name.segment, found.kept, len(found.dropped))


def _name(
    folder: Path, parts: Iterable[str], written: list[Path], reach: Callable[[str], None]
) -> None:
    """Give files their names, and bring these to the disk."""
    for final in written:
        temporary(final).rename(final)
        reach("seal.renamed")
    for part in parts:
        sync_folder(folder / part)


def _not_whole(path: Path, found: Survey) -> StoreError:
    return StoreError(
        f"{path}: {len(found.lost):,} records that count, or their rows, are damaged or gone\n"
        f"  rebuild what can be rebuilt, fetch the rest again: lycosa verify {path.parent.parent}"
        " --repair; nothing was changed"
    )


def _drop_records(path: Path, found: Survey) -> None:
    """Cut the file after the last exchange that counts, and blank those that do not before it."""
    descriptor = beneath.descriptor(path, os.O_RDWR)
    try:
        ids = Ids()
        for moment, start, length in found.dropped:
            if start < found.end:
                record = blank(length, ids.next(), moment / 1_000_000)
                write_at(descriptor, memoryview(record), start)
        if os.fstat(descriptor).st_size > found.end:
            os.ftruncate(descriptor, found.end)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _empty(path: Path) -> None:
    """Empty a file of records, on the disk, before its rows are removed.

    A power cut may keep the removal of the rows and lose that of the records, which would look
    sealed then. An empty file alone is a segment in which nothing counts.
    """
    try:
        descriptor = beneath.descriptor(path, os.O_RDWR)
    except FileNotFoundError:
        return
    try:
        os.ftruncate(descriptor, 0)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def rows_writer(final: Path, schema: pa.Schema) -> arrow_functions.RowsWriter:
    """Begin a file of sealed rows, under a temporary name."""
    return arrow_functions.RowsWriter(final, schema, _FEW_VALUES)


def _write_rows(folder: Path, kind: str, name: Name, found: Survey) -> Path:
    final = sealed_path(folder, kind, name)
    schema = sealed_schema(journal_path(folder, kind, name), kind)
    with rows_writer(final, schema) as writer:
        for rows in _counted(
            journal_path(folder, kind, name), kind, found, schema, ROW_GROUP_BYTES
        ):
            if "key" in schema.names:
                rows = arrow_functions.sorted_by(rows, "key")
            writer.write_table(rows)
            del rows  # or two groups would be in memory while the next is read
    sync_file(temporary(final))
    # Free the memory of one kind before the next: the peak falls from 160 MB to 140.
    pa.default_memory_pool().release_unused()
    return final


def _write_items(folder: Path, name: Name, found: Survey) -> list[Path]:
    """Write the items of the fetches that count, if there are any."""
    pages = frozenset(found.page_ids)
    batches = journal_batches(journal_path(folder, ITEMS, name), ["fetch_id"])
    if all(pages.isdisjoint(batch.column("fetch_id").to_pylist()) for batch in batches):
        return []
    return [_write_rows(folder, ITEMS, name, found)]


def _write_quads(folder: Path, name: Name, found: Survey) -> list[Path]:
    """Write the quads of the fetches that count; they are flushed before their page."""
    journal, final = quad_journal_path(folder, name), quads_path(folder, name)
    if not _size(journal):
        return []
    pages = frozenset(found.page_ids)
    counted = (block for block in blocks(journal, is_sealed=False) if block.fetch_id in pages)
    write_sealed(temporary(final), counted)
    sync_file(temporary(final))
    return [final]


def _write_index(folder: Path, name: Name, found: Survey) -> Path:
    final = cdx_path(folder, name)
    sorter = cdx.Sorter()
    columns = ["url", "began", "content_type", "status", "digest", "length", "offset", "warc"]
    columns += ["record", "outcome"]
    for kind in ("hosts", "pages"):
        schema = pa.schema([SCHEMAS[kind].field(column) for column in [*columns, "fetch_id"]])
        journal = journal_path(folder, kind, name)
        there = journal_schema(journal)
        can_withhold = there is not None and "withheld" in there.names
        if can_withhold:
            schema = schema.append(JOURNAL_SCHEMAS[kind].field("withheld"))
        for rows in _counted(journal, kind, found, schema, INDEX_GROUP_BYTES):
            if can_withhold:
                rows = arrow_functions.without(rows, "withheld")
            for row in zip(*(_values(rows, column) for column in columns), strict=True):
                *entry, record, outcome = row
                if record in INDEXED and outcome.lower() != "not_modified":
                    sorter.add(cdx.line((*entry, record == "revisit")))
    with beneath.open_new(temporary(final), "w", encoding="ascii", newline="\n") as file:
        sorter.write(file)
    sync_file(temporary(final))
    return final


def _values(rows: pa.Table, column: str) -> list[Any]:
    """Return a column as Python's values, moments as microseconds."""
    parts = rows.column(column).chunks
    if pa.types.is_timestamp(rows.schema.field(column).type):
        parts = [part.view(pa.int64()) for part in parts]
    return [value for part in parts for value in part.to_pylist()]


def _counted(
    journal: Path, kind: str, found: Survey, schema: pa.Schema, most_bytes: int
) -> Iterator[pa.Table]:
    """Yield the rows that count, in tables of a size that fits into memory; at least one.

    Links and text are flushed before their page: when the flush failed or the process died
    in between, they are there and it is not.
    """
    dropped, pages = frozenset(found.dropped_ids), frozenset(found.page_ids)
    batches = journal_batches(
        journal, schema.names, is_trusted=not found.is_dead, has_dictionaries=True
    )
    for rows in _gathered(batches, schema, most_bytes):
        if kind in ("links", "text", ITEMS):
            rows = arrow_functions.with_ids(rows, pages)
        elif dropped:
            rows = arrow_functions.without_ids(rows, dropped)
        yield rows
        del rows


def _gathered(
    batches: Iterable[pa.RecordBatch], schema: pa.Schema, most_bytes: int
) -> Iterator[pa.Table]:
    """Yield batches as tables of a size that fits into memory; at least one."""
    some: list[pa.RecordBatch] = []
    size_bytes = 0
    offset_bytes = -1
    for batch in batches:
        if offset_bytes < 0:
            offset_bytes = _offset_bytes(batch.schema)
        some.append(batch)
        size_bytes += batch.get_total_buffer_size() - offset_bytes
        if size_bytes >= most_bytes:
            yield _as_table(some, schema)
            some, size_bytes = [], 0
    yield _as_table(some, schema)


def _offset_bytes(schema: pa.Schema) -> int:
    """Return by how much a batch's `nbytes` is less than its buffers, which a journal's uses whole.

    `nbytes` leaves the last offset of each string column out, and costs a fiftieth of a page: it
    looks for the range that each column uses. Row groups end where `nbytes` would end them.
    """
    is_text = [kind == pa.string() or isinstance(kind, pa.DictionaryType) for kind in schema.types]
    return 4 * is_text.count(True)


def _as_table(batches: list[pa.RecordBatch], schema: pa.Schema) -> pa.Table:
    """Return batches as a table with one dictionary a column: Parquet takes that as it is."""
    return pa.Table.from_batches(batches, schema).unify_dictionaries()


def _remove_journals(folder: Path, name: Name, reach: Callable[[str], None] = ignore) -> None:
    quad_journal_path(folder, name).unlink(missing_ok=True)
    for ending in (FLUSHES, ITEM_FLUSHES):
        flushes_path(folder, name, ending).unlink(missing_ok=True)
    journal_path(folder, ITEMS, name).unlink(missing_ok=True)
    for kind in KINDS:
        journal_path(folder, kind, name).unlink(missing_ok=True)
        reach("seal.removed")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _cannot_seal(path: Path, error: OSError) -> StoreError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StoreError(
            f"{path}: the disk has no room to seal the segment\n"
            "  make room; nothing is lost, and the next run seals it"
        )
    return StoreError(
        f"{path}: its tables cannot be written: {error.strerror or error}\n"
        "  check who owns the folder, and the disk; nothing is lost, and the next run writes them"
    )
