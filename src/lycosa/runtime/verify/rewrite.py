"""Rewrite a segment without its damaged parts.

Whole records never move. Damaged bytes between them are overwritten by one blank record, or cut off
at the end of the file, after the file was copied to `damaged/`. Whole tables lose the rows of
removed records. Damaged tables are made again from the records (`rebuild`); index and digests
always are.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lycosa._support import beneath
from lycosa.model.job import Job
from lycosa.runtime.verify.rebuild import Source, reindex
from lycosa.runtime.verify.segments import Segment
from lycosa.storage.archive.files import sync_file, temporary, write_at
from lycosa.storage.archive.layout import (
    ITEMS,
    KINDS,
    cdx_path,
    digests_path,
    make_folders,
    quads_path,
    sealed_path,
    warc_path,
)
from lycosa.storage.archive.quarantine import copy_aside, move_aside
from lycosa.storage.segments.digests import guarded, write_digests
from lycosa.storage.segments.sealing import INDEXED, rows_writer
from lycosa.storage.tables import arrow_functions
from lycosa.storage.tables.quads import Block, blocks, write_sealed
from lycosa.storage.warc import cdx
from lycosa.storage.warc.warc_format import Ids, blank

_INDEX = ["url", "began", "content_type", "status", "digest", "length", "offset", "warc"]
_INDEX += ["record", "outcome"]


def rewrite(folder: Path, found: Segment, sources: list[Source], job: Job) -> None:
    """Rewrite the files of a segment without damaged and given-up records."""
    path = warc_path(folder, found.name)
    files = guarded(folder, found.name)
    if found.is_gone:
        move_aside(folder, [path, *files, digests_path(folder, found.name)])
        return
    make_folders(folder)
    gone = {one.place.offset for one in found.lost} | found.stale
    _overwrite(folder, path, found, gone)
    kept = [source for source in sources if source.place.offset not in gone]
    parts = {*KINDS, ITEMS, "quads"}
    made = reindex(folder, found, kept, job) if found.damaged & parts else None
    tables: dict[str, pa.Table] = {}
    # Pages come first: rows of the other tables are dropped with those of their pages.
    for kind in (*reversed(KINDS), ITEMS):
        is_whole = kind not in found.damaged
        if is_whole and kind == ITEMS and not sealed_path(folder, ITEMS, found.name).exists():
            continue  # few segments have items
        if is_whole:
            tables[kind] = pq.read_table(beneath.checked(sealed_path(folder, kind, found.name)))
        else:
            assert made is not None
            tables[kind] = made.tables[kind]
        tables[kind] = _without(tables[kind], kind, gone, tables)
    pages = set(tables["pages"].column("fetch_id").to_pylist())
    written: list[Path] = []
    removed: list[Path] = []
    said = _blocks(folder, found, made.blocks if made is not None else [], pages)
    if said is not None:
        write_sealed(temporary(quads_path(folder, found.name)), said)
        written.append(quads_path(folder, found.name))
    for kind, rows in tables.items():
        final = sealed_path(folder, kind, found.name)
        if kind == ITEMS and not rows.num_rows:
            removed.append(final)
            continue
        final.parent.mkdir(exist_ok=True)
        with rows_writer(final, rows.schema.remove_metadata()) as writer:
            rows = rows.replace_schema_metadata(None)
            writer.write_table(
                arrow_functions.sorted_by(rows, "key") if "key" in rows.schema.names else rows
            )
        written.append(final)
    written.append(_write_index(folder, found, tables, job))
    written.append(write_digests(folder, found.name, written, temporary))
    damaged = [path for path in files if _part(path) in found.damaged]
    move_aside(folder, damaged)
    if "digests" in found.damaged:
        move_aside(folder, [digests_path(folder, found.name)])
    for final in written:
        sync_file(temporary(final))
        temporary(final).rename(final)
    for final in removed:
        final.unlink(missing_ok=True)


def _part(path: Path) -> str:
    part = path.parent.name
    return "quads" if part == "triples" else part


def _without(rows: pa.Table, kind: str, gone: set[int], tables: dict[str, pa.Table]) -> pa.Table:
    """Return a table without the rows of removed records."""
    if kind in ("pages", "hosts"):
        offsets = rows.column("offset").to_pylist()
        lengths = rows.column("length").to_pylist()
        keep = [not (length and at in gone) for at, length in zip(offsets, lengths, strict=True)]
        return rows if all(keep) else rows.filter(pa.array(keep))
    return arrow_functions.with_ids(rows, frozenset(tables["pages"].column("fetch_id").to_pylist()))


def _blocks(
    folder: Path, found: Segment, made: list[Block], pages: set[int]
) -> Iterable[Block] | None:
    path = quads_path(folder, found.name)
    if "quads" in found.damaged:
        return made
    if not path.exists():
        return None
    return [block for block in blocks(path) if block.fetch_id in pages]


def _write_index(folder: Path, found: Segment, tables: dict[str, pa.Table], job: Job) -> Path:
    final = cdx_path(folder, found.name)
    sorter = cdx.Sorter()
    for kind in ("hosts", "pages"):
        rows = tables[kind]
        if job.extract.obey_noarchive and "noarchive" in rows.schema.names:
            rows = rows.filter(pc.fill_null(pc.invert(rows.column("noarchive")), True))
        rows = rows.select(_INDEX)
        began = rows.column("began").cast(pa.int64())
        rows = rows.set_column(1, "began", began)
        for row in rows.to_pylist():
            *entry, record, outcome = row.values()
            if record in INDEXED and outcome.lower() != "not_modified":
                sorter.add(cdx.line(cdx.IndexEntry._make((*entry, record == "revisit"))))
    with beneath.open_new(temporary(final), "w", encoding="ascii", newline="\n") as file:
        sorter.write(file)
    return final


def _overwrite(folder: Path, path: Path, found: Segment, gone: set[int]) -> None:
    """Overwrite damaged and uncounted records with blank ones; cut torn bytes off at the end.

    A record at the end is overwritten too. The log has named its end, and a check of sizes alone
    (`verify --quick`, `resume`) would report the file as too short.
    """
    ranges = [(start, start + length) for start, length in found.damage]
    ranges += [(found.mains[at].start, found.mains[at].end) for at in gone if at in found.mains]
    if not ranges:
        return
    copy_aside(folder, path)
    size, ids = path.stat().st_size, Ids()
    ends = {one.end for one in found.mains.values()}
    descriptor = beneath.descriptor(path, os.O_RDWR)
    try:
        for start, end in _merged(ranges):
            if end >= size and end not in ends:
                os.ftruncate(descriptor, start)
            else:
                record = blank(end - start, ids.next(), time.time())
                write_at(descriptor, memoryview(record), start)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _merged(ranges: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Join ranges that touch."""
    start, end = -1, -1
    for first, last in sorted(ranges):
        if first > end:
            if end > 0:
                yield start, end
            start = first
        end = max(end, last)
    if end > 0:
        yield start, end
