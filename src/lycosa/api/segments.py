"""Reads the rows of a crawl directory segment by segment, while a crawl writes and seals them.

Sealing replaces a segment's journal by Parquet files. A reader that has opened the journal reads
it to its end; a reader that finds the journal gone opens the Parquet file.

Rows of an open segment are preliminary: after a kill, those of the last half second may be
written again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from lycosa._support import beneath
from lycosa.storage.archive.layout import JOURNAL, SEALED, Name, journal_path, names_in, sealed_path
from lycosa.storage.archive.reader import respelled
from lycosa.storage.tables.document_texts import TEXT_COLUMNS, documents_beside
from lycosa.storage.tables.extra import journal_schema
from lycosa.storage.tables.missing_tables import damage_told
from lycosa.storage.tables.parquet_files import rows_file
from lycosa.storage.tables.rows import JOURNAL_SCHEMAS, SCHEMAS, plain

_BATCH_ROWS = 5_000


def segments(folder: Path, kind: str = "pages") -> list[Name]:
    """Return the segments that have rows of a kind, in their order."""
    return sorted({*names_in(folder, kind, SEALED), *names_in(folder, kind, JOURNAL)})


def schema_of(folder: Path, kind: str) -> pa.Schema:
    """Return all columns that any segment has, ours first."""
    import pyarrow.parquet as pq  # loads the file systems of three clouds: not for those who crawl

    found = [SCHEMAS[kind]]
    ours = {*SCHEMAS[kind].names, *JOURNAL_SCHEMAS[kind].names}
    for name in segments(folder, kind):
        try:
            with damage_told(folder, sealed_path(folder, kind, name)):
                schema = pq.read_schema(beneath.checked(sealed_path(folder, kind, name)))
        except FileNotFoundError:
            schema = journal_schema(journal_path(folder, kind, name)) or pa.schema([])
        found.append(pa.schema([field for field in schema if field.name not in ours]))
    return pa.unify_schemas(found, promote_options="permissive")


def batches(
    folder: Path, kind: str, name: Name, columns: Sequence[str] | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of one segment, with those of the named columns that it has, or all."""
    sealed, journal = sealed_path(folder, kind, name), journal_path(folder, kind, name)
    for _ in range(2):
        try:
            with damage_told(folder, sealed), rows_file(sealed) as file:
                names = _those(file.schema_arrow, kind, columns)
                yield from map(respelled, file.iter_batches(_BATCH_ROWS, columns=names))
            return
        except FileNotFoundError:
            pass
        try:
            yield from _journal(journal, kind, columns)
            return
        except FileNotFoundError:
            continue  # the segment was sealed meanwhile, or was empty and has been removed


def document_texts(folder: Path, name: Name) -> Iterator[dict[str, Any]]:
    """Yield the rows of texts of the documents of a segment, if they have been read."""
    path = documents_beside(folder, sealed_path(folder, "text", name))
    if path is not None:
        with damage_told(folder, path), rows_file(path) as file:
            for batch in file.iter_batches(_BATCH_ROWS, columns=TEXT_COLUMNS):
                yield from (row for row in batch.to_pylist() if row["text"])


def _journal(path: Path, kind: str, columns: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
    """Yield the rows of an open segment so far; an incomplete last batch is dropped."""
    with pa.OSFile(str(beneath.checked(path))) as file:
        try:
            with pa.ipc.open_stream(file) as stream:
                names = _those(stream.schema, kind, columns)
                for batch in stream:
                    yield respelled(plain(batch.select(names)))
        except pa.ArrowInvalid:
            return
        except OSError as error:
            if error.errno is not None:  # Arrow's own "this is not all of it" has no number.
                raise


def _those(schema: pa.Schema, kind: str, columns: Sequence[str] | None) -> list[str]:
    hidden = set(JOURNAL_SCHEMAS[kind].names) - set(SCHEMAS[kind].names)
    wanted = schema.names if columns is None else columns
    return [name for name in wanted if name in schema.names and name not in hidden]
