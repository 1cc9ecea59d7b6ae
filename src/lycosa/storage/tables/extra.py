"""Columns that plugins add to `pages`.

A segment has the columns that the process which began it declared, after our own; another segment
of the same crawl may have different ones or none. So sealing takes the columns from the journal,
and readers fill a missing column with null.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from lycosa._support import beneath
from lycosa.storage.tables.rows import JOURNAL_SCHEMAS, SCHEMAS, Row

DAMAGE = (pa.ArrowException, ValueError, KeyError, OverflowError, MemoryError, OSError)
"""Exceptions of Arrow when bytes were changed or are missing; an OSError of its own has no
number."""


def with_extra(columns: pa.Schema | None) -> dict[str, pa.Schema]:
    """Return the schemas of an open segment with these columns of plugins."""
    if columns is None or not len(columns):
        return JOURNAL_SCHEMAS
    return JOURNAL_SCHEMAS | {"pages": pa.schema([*JOURNAL_SCHEMAS["pages"], *columns])}


def extra_fields(schemas: Mapping[str, pa.Schema]) -> list[pa.Field]:
    """Return the columns of plugins among those of an open segment."""
    return list(schemas["pages"])[len(JOURNAL_SCHEMAS["pages"]) :]


def with_values(
    messages: list[bytes], fields: Sequence[pa.Field], rows: Sequence[Row]
) -> list[bytes]:
    """Return messages of `pages` with columns of plugins, whose types only Arrow knows."""
    batch = pa.ipc.read_record_batch(pa.py_buffer(b"".join(messages)), JOURNAL_SCHEMAS["pages"])
    columns = zip(fields, zip(*rows, strict=True), strict=True)
    added = [pa.array(values, field.type) for field, values in columns]
    schema = pa.schema([*batch.schema, *fields])
    whole = pa.RecordBatch.from_arrays([*batch.columns, *added], schema=schema)
    return [whole.serialize().to_pybytes()]


def sealed_schema(journal: Path, kind: str) -> pa.Schema:
    """Return the schema in which the rows of a journal are sealed.

    A journal that an earlier version began lacks the columns that are younger.
    """
    found = journal_schema(journal)
    if found is None:
        return SCHEMAS[kind]
    ours = JOURNAL_SCHEMAS[kind].names
    names = [name for name in SCHEMAS[kind].names if name in found.names]
    names += [name for name in found.names if name not in ours]
    return pa.schema([found.field(name) for name in names])


def journal_schema(journal: Path) -> pa.Schema | None:
    """Return the columns of a journal; None when it ends before its schema does."""
    try:
        with pa.OSFile(str(beneath.checked(journal))) as file, pa.ipc.open_stream(file) as stream:
            schema = stream.schema
            return schema if schema.names else None  # a name that is not text raises here
    except FileNotFoundError:
        return None
    except DAMAGE as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        return None
