"""SQL queries over the tables of a crawl."""

from __future__ import annotations

import io
from decimal import Decimal
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.csv

from lycosa.web.reading.requests import Sql
from lycosa.web.rest.records import Answer


def read(folder: Path, asked: Sql) -> tuple[str, bytes]:
    """Answer a query as JSON or CSV."""
    from lycosa._support.extras import require_study

    require_study("lycosa sql")
    from lycosa.analysis.study.sql import asked as answered

    with answered(folder, asked.query) as answer:
        found: pa.Table = answer.limit(asked.limit + 1).to_arrow_table()
    rows = found.slice(0, asked.limit)
    if asked.format == "csv":
        return "text/csv; charset=utf-8", csv_of(rows)
    columns = [column.to_pylist() for column in rows.columns]
    listed = [list(row) for row in zip(*columns, strict=True)]
    is_cut = found.num_rows > asked.limit
    told = Answer(columns=found.column_names, rows=listed, is_cut=is_cut)
    return "application/json", encoded(told)


def csv_of(rows: pa.Table) -> bytes:
    """Write rows as CSV that no spreadsheet runs."""
    from lycosa.analysis.exports.csv_cells import cells, schema_of_cells

    file = io.BytesIO()
    with pyarrow.csv.CSVWriter(file, schema_of_cells(rows.schema)) as writer:
        for batch in rows.to_batches():
            writer.write_batch(cells(batch))
    return file.getvalue()


def encoded(record: object) -> bytes:
    """Write a record as JSON; numbers that a browser would round become text."""
    return msgspec.json.encode(_plain(msgspec.to_builtins(record, enc_hook=_own, builtin_types=())))


_LARGEST = 1 << 53


def _own(value: object) -> object:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return str(value)


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _LARGEST:
        return str(value)
    if isinstance(value, float) and value - value != 0:  # JSON has neither infinity nor NaN
        return str(value)
    return value
