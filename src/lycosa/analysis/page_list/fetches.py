"""The fetches of a crawl: files of sealed segments, and rows of open ones.

Rows of an open segment count as far as a commit has decided on them: what stands behind that has no
event yet, and is cut off or written again after a kill. A log in a server names no ends; then all
rows count.

Always true: each segment is read once, even if it is sealed meanwhile.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from lycosa._support import beneath
from lycosa.analysis.page_list.columns import SOURCE
from lycosa.storage.archive.layout import JOURNAL, SEALED, Name, journal_path, names_in, sealed_path
from lycosa.storage.log.told_segments import told_in
from lycosa.storage.segments.ends import OpenEnds, unpack
from lycosa.storage.tables.missing_tables import damage_told, require_table
from lycosa.storage.tables.parquet_files import footer_of, require_types
from lycosa.storage.tables.rows import plain

KIND = "pages"
OPEN_SCHEMA = pa.schema(list(SOURCE.items()))


class Fetches(NamedTuple):
    """All fetches at one moment."""

    sealed: dict[str, Path]
    """Files of sealed segments, by the names of the segments."""
    opened: pa.Table
    """Rows of open segments."""


def signature(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Return a value that changes with the tables of fetches; costs a look at each file."""
    found = []
    for ending in (SEALED, JOURNAL):
        for name in names_in(folder, KIND, ending):
            try:
                state = (folder / KIND / f"{name}{ending}").stat()
            except FileNotFoundError:
                continue
            found.append((f"{name}{ending}", state.st_size, state.st_mtime_ns))
    return tuple(found)


def fetches_now(folder: Path) -> Fetches:
    """Return the fetches that the log counts now."""
    told = told_in(folder / "log").ends
    ends = unpack(told) if told else None
    require_table(folder, KIND)
    sealed: dict[str, Path] = {}
    opened = [OPEN_SCHEMA.empty_table()]
    for name in sorted({*names_in(folder, KIND, SEALED), *names_in(folder, KIND, JOURNAL)}):
        path = sealed_path(folder, KIND, name)
        rows = None if path.exists() else _open_rows(folder, name, ends)
        if rows is not None:
            opened.append(rows)
        elif path.exists():  # perhaps sealed since the listing
            with damage_told(folder, path):
                require_types(footer_of(path), OPEN_SCHEMA, may_lack=True)
            sealed[str(name)] = path
    return Fetches(sealed, pa.concat_tables(opened))


def _open_rows(folder: Path, name: Name, ends: list[OpenEnds] | None) -> pa.Table | None:
    """Return the committed rows of an open segment; None if it is sealed by now."""
    path = journal_path(folder, KIND, name)
    committed, decided = _committed(name, ends)
    try:
        with beneath.open_file(path, "rb") as file:
            content = file.read(committed)
    except FileNotFoundError:
        return None
    batches: list[pa.RecordBatch] = []
    with damage_told(folder, path):
        if len(content) < committed:
            raise pa.ArrowInvalid("its rows end too early")
        if not content:
            return OPEN_SCHEMA.empty_table()
        try:
            with pa.ipc.open_stream(io.BytesIO(content)) as stream:
                for batch in stream:
                    batch.validate(full=True)  # a changed byte may point beyond the batch
                    batches.append(_narrow(plain(batch)))
        except pa.ArrowInvalid:
            if committed >= 0:  # else a kill, or a write under way, has left half a batch
                raise
    return pa.Table.from_batches(batches, OPEN_SCHEMA).slice(0, decided)


def _committed(name: Name, ends: list[OpenEnds] | None) -> tuple[int, int | None]:
    """Return how many bytes and rows of an open segment are committed; -1, None if no log tells.

    A segment that the log does not name has been begun since the last commit.
    """
    if ends is None:
        return -1, None
    named = [one for one in ends if one.name == name]
    if not named or KIND not in named[0].ends:
        return 0, 0
    return named[0].ends[KIND].size_bytes, named[0].decided


def _narrow(batch: pa.RecordBatch) -> pa.RecordBatch:
    columns = []
    for name, kind in SOURCE.items():
        is_there = name in batch.schema.names
        column = batch.column(name).cast(kind) if is_there else pa.nulls(batch.num_rows, kind)
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, schema=OPEN_SCHEMA)
