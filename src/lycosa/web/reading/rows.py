"""The tables of a crawl, page by page, as JSON, CSV or Parquet.

A cursor names a segment and a row of it: rows of a sealed segment never move. Rows of an open one
may, when it is sealed after a kill; a reader that must be exact reads after the crawl.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lycosa.api.segments import batches, schema_of, segments
from lycosa.errors import LycosaError
from lycosa.storage.archive.layout import Name
from lycosa.storage.tables.rows import OUTCOME_NAMES
from lycosa.web.reading.requests import Rows
from lycosa.web.reading.sql import csv_of, encoded
from lycosa.web.rest.records import TableRows


def read(folder: Path, asked: Rows) -> tuple[str, bytes]:
    """Return some rows; for CSV and Parquet the cursor stands after the media type."""
    if asked.outcome and asked.outcome not in OUTCOME_NAMES.values():
        known = ", ".join(OUTCOME_NAMES.values())
        raise LycosaError(f"there is no outcome `{asked.outcome}`\n  the outcomes are: {known}")
    table, following = _page(folder, asked)
    if asked.format == "csv":
        return f"text/csv; charset=utf-8\n{following}", csv_of(table)
    if asked.format == "parquet":
        file = io.BytesIO()
        pq.write_table(table, file)
        return f"application/vnd.apache.parquet\n{following}", file.getvalue()
    columns = [column.to_pylist() for column in table.columns]
    listed = [list(row) for row in zip(*columns, strict=True)]
    told = TableRows(columns=table.column_names, rows=listed, next=following)
    return "application/json", encoded(told)


def _page(folder: Path, asked: Rows) -> tuple[pa.Table, str]:
    segment, first = _cursor(asked.cursor)
    schema = schema_of(folder, asked.table)
    found: list[pa.RecordBatch] = []
    count = 0
    for name in segments(folder, asked.table):
        if name.segment < segment:
            continue
        for start, batch in _numbered(folder, asked.table, name):
            skipped = max(0, first - start) if name.segment == segment else 0
            if skipped >= len(batch):
                continue
            part = batch.slice(skipped)
            numbers = pa.array(range(start + skipped, start + len(batch)), pa.int64())
            chosen = _chosen(part, asked)
            kept = part.filter(chosen).slice(0, asked.limit - count)
            found.append(kept)
            count += len(kept)
            if count == asked.limit:
                last = numbers.filter(chosen)[len(kept) - 1].as_py()
                return _table(found, schema), f"{name.segment}.{last + 1}"
    return _table(found, schema), ""


def _cursor(text: str) -> tuple[int, int]:
    if not text:
        return -1, 0
    segment, _, first = text.partition(".")
    if not (segment.isdecimal() and first.isdecimal() and len(text) < 40):
        raise LycosaError("the cursor is invalid\n  begin without a cursor")
    return int(segment), int(first)


def _numbered(folder: Path, kind: str, name: Name) -> Iterator[tuple[int, pa.RecordBatch]]:
    start = 0
    for batch in batches(folder, kind, name):
        yield start, batch
        start += len(batch)


def _chosen(batch: pa.RecordBatch, asked: Rows) -> pa.Array:
    chosen = pa.array([True] * len(batch))
    names = batch.schema.names
    for column, value in (("host", asked.host.lower()), ("outcome", asked.outcome)):
        if value and column in names:
            chosen = pc.and_(chosen, pc.fill_null(pc.equal(batch.column(column), value), False))
    if asked.prefix:
        column = "source_url" if "source_url" in names else "url"
        starts = pc.starts_with(batch.column(column), pattern=asked.prefix)
        chosen = pc.and_(chosen, pc.fill_null(starts, False))
    return chosen


def _table(found: list[pa.RecordBatch], schema: pa.Schema) -> pa.Table:
    tables = [pa.Table.from_batches([batch]) for batch in found]
    return pa.concat_tables([schema.empty_table(), *tables], promote_options="permissive")
