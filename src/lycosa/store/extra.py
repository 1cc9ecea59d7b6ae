"""Columns of `pages` that are not ours: those that plugins add.

A segment has the columns of the process that began it, at the end of its rows; another segment of
the same crawl may have others or none. So whoever seals reads them from the journal, and whoever
reads takes what is missing for null.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from lycosa.store.rows import JOURNAL_SCHEMAS, SCHEMAS


def with_extra(columns: pa.Schema | None) -> dict[str, pa.Schema]:
    """Return the schemas of an open segment with these columns of plugins."""
    if columns is None or not len(columns):
        return JOURNAL_SCHEMAS
    return JOURNAL_SCHEMAS | {"pages": pa.schema([*JOURNAL_SCHEMAS["pages"], *columns])}


def sealed_schema(journal: Path, kind: str) -> pa.Schema:
    """Return the schema in which the rows of a journal are sealed.

    One that an earlier version began lacks the columns that are younger.
    """
    found = journal_schema(journal) if kind == "pages" else None
    if found is None:
        return SCHEMAS[kind]
    ours = JOURNAL_SCHEMAS[kind].names
    extra = [field for field in found if field.name not in ours]
    return pa.schema([*(field for field in SCHEMAS[kind] if field.name in found.names), *extra])


def journal_schema(journal: Path) -> pa.Schema | None:
    """Return what columns a journal has; None when it has not even said that."""
    try:
        with pa.OSFile(str(journal)) as file, pa.ipc.open_stream(file) as stream:
            return stream.schema
    except (FileNotFoundError, pa.ArrowInvalid):
        return None
    except OSError as error:
        if error.errno is not None:  # Arrow's own "this is not all of it" has no number.
            raise
        return None
