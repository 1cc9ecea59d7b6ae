"""The list of a crawl's URLs: some rows as JSON or CSV, and numbers of rows."""

from __future__ import annotations

import msgspec
import pyarrow as pa

from lycosa._support.decoders import converted
from lycosa._support.extras import require
from lycosa.web.reading.requests import NO_COPY, PageCounts, PageRows
from lycosa.web.reading.sql import csv_of
from lycosa.web.reading.states import States
from lycosa.web.rest.records import ListedCounts, ListedRow, ListedRows

_JSON = "application/json"
_MICRO = 1_000_000


def read_rows(states: States, asked: PageRows) -> tuple[str, bytes]:
    """Return some rows; for CSV the cursor stands after the media type."""
    require("the list of pages", ("duckdb",), "serve")
    from lycosa.analysis.page_list.listing import NoCopy, PageList, Rows

    pages = states.page_list or PageList(states.directory.path, lambda: states.now().values())
    states.page_list = pages
    try:
        found: Rows = pages.rows(asked.question)
    except NoCopy as error:
        return NO_COPY, str(error).encode()
    if asked.format == "csv":
        return f"text/csv; charset=utf-8\n{found.following}", csv_of(_table(found.rows))
    rows = [converted({**row, "fetched": row["fetched"] / _MICRO}, ListedRow) for row in found.rows]
    told = ListedRows(rows=rows, next=found.following, queue_as_of=pages.queue_moment)
    return _JSON, msgspec.json.encode(told)


def read_counts(states: States, asked: PageCounts) -> tuple[str, bytes]:
    """Count the rows of some filters."""
    require("the list of pages", ("duckdb",), "serve")
    from lycosa.analysis.page_list.listing import NoCopy, PageList

    pages = states.page_list or PageList(states.directory.path, lambda: states.now().values())
    states.page_list = pages
    try:
        found = pages.counts(asked.question)
    except NoCopy as error:
        return NO_COPY, str(error).encode()
    return _JSON, msgspec.json.encode(ListedCounts(total=found.total, by=found.by))


def _table(rows: list[dict[str, object]]) -> pa.Table:
    from lycosa.analysis.page_list.columns import SCHEMA
    from lycosa.analysis.page_list.question import SHOWN

    shown = pa.schema([SCHEMA.field(name) for name in SHOWN])
    table = pa.Table.from_pylist(rows, shown)
    place = shown.get_field_index("fetched")
    moments = [row["fetched"] or None for row in rows]
    kind = pa.timestamp("us", tz="UTC")
    return table.set_column(place, pa.field("fetched", kind), pa.array(moments, kind))
