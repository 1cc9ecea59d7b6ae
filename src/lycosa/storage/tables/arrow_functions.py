"""The few Arrow functions that sealing needs, called without importing `pyarrow.compute`.

`pyarrow.compute` builds a Python function for each of Arrow's 250 when it is imported. That takes
70 ms of every start, as long as the whole rest of Arrow. The functions themselves are in
`pyarrow._compute`, whose import takes 16 ms and 8 MB, and are called here by name. A crawl without
plugins, damage or records that do not count calls none of them: its rows are put in order by
`_order`. For the same reason columns are reinterpreted with `view` rather than `cast`.
`pyarrow.parquet` loads the file systems of three clouds for another 20 ms; the Parquet writer
itself is in `pyarrow._parquet`.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
from pyarrow._parquet import ParquetWriter

from lycosa._support import beneath, lean_arrow
from lycosa.storage.archive.files import temporary
from lycosa.storage.tables._order import Column

_FIRST_MOMENT, _LAST_MOMENT = -62_135_596_800_000_000, 253_402_300_799_999_999
"""Microseconds of what `datetime` can tell."""
NAME_KEY = b"lycosa.table"
"""Under which the footer of a table says which one it is."""


def name_of(path: Path) -> bytes:
    """Return the name of a table: its kind and its segment."""
    return f"{path.parent.name}/{path.stem}".encode()


class RowsWriter:
    """A Parquet file under way: what `pyarrow.parquet.ParquetWriter` makes by default, in zstd.

    The columns in `few_values` get a dictionary, and those that come with one. For readers all are
    strings: so the file does not say of which type they were here. Each row group says what its
    smallest and largest numbers, moments and keys are. Rows are in no order of their other strings,
    so of those it would tell readers nothing. The footer has the name of the table, and every page
    a checksum (2 % of the time that writing takes).
    """

    def __init__(self, final: Path, schema: pa.Schema, few_values: list[str]) -> None:
        """Begin a file under the temporary name of the `final` one."""
        self._schema = schema
        repeated = [field.name for field in schema if pa.types.is_dictionary(field.type)]
        self._writer = ParquetWriter(
            str(beneath.new_place(temporary(final))),
            schema,
            version="2.6",
            compression="zstd",
            use_dictionary=[*few_values, *repeated],
            write_statistics=[field.name for field in schema if _has_bounds(field)],
            writer_engine_version="V2",
            data_page_version="1.0",
            use_compliant_nested_type=True,
            store_schema=not repeated,
            write_page_checksum=True,
        )
        self._writer.add_key_value_metadata({NAME_KEY: name_of(final)})

    def __enter__(self) -> RowsWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: object, trace: TracebackType | None
    ) -> None:
        self._writer.close()

    def write_table(self, rows: pa.Table) -> None:
        """Write a row group."""
        if not rows.schema.equals(self._schema, check_metadata=False):
            raise ValueError(f"rows of another schema:\n{rows.schema}\n{self._schema}")
        self._writer.write_table(rows, row_group_size=None)


def _has_bounds(field: pa.Field) -> bool:
    """Tell whether readers are told the smallest and the largest value of a column."""
    is_text = pa.types.is_string(field.type) or pa.types.is_dictionary(field.type)
    return field.name == "key" or not is_text


def refuse_moments(rows: pa.RecordBatch) -> None:
    """Raise `ValueError` if a moment lies in no year of a calendar: its bytes were changed."""
    for column in rows.columns:
        if pa.types.is_timestamp(column.type) and column.type.unit == "us":
            bounds = call("min_max", column.view(pa.int64()))
            least, most = bounds["min"].as_py(), bounds["max"].as_py()
            if least is not None and (least < _FIRST_MOMENT or most > _LAST_MOMENT):
                raise ValueError("a moment in it lies beyond the years 1 to 9999")


def counted(column: pa.Array) -> dict[int, int]:
    """Return how often each number occurs in a column."""
    found = call("value_counts", column)
    values, counts = found.field(0).to_pylist(), found.field(1).to_pylist()
    return dict(zip(values, counts, strict=True))


def with_ids(rows: pa.Table, ids: frozenset[int]) -> pa.Table:
    """Return the rows whose `fetch_id` is among these."""
    for part in rows.column("fetch_id").chunks:
        if not Column(part).is_among(ids):
            return _filtered(rows, _is_in(rows, ids))
    return rows  # as it nearly always is: nothing need be copied


def without_ids(rows: pa.Table, ids: frozenset[int]) -> pa.Table:
    """Return the rows whose `fetch_id` is not among these."""
    return _filtered(rows, call("invert", _is_in(rows, ids)))


def without(rows: pa.Table, mark: str) -> pa.Table:
    """Return the rows that a column of booleans does not mark."""
    marks = rows.column(mark)
    if not any(part.true_count for part in marks.chunks):
        return rows
    return _filtered(rows, call("invert", marks))


def sorted_by(rows: pa.Table, column: str) -> pa.Table:
    """Return the rows in the order of a column of strings."""
    if not rows.num_rows or not all(_is_simple(field.type) for field in rows.schema):
        options = lean_arrow.functions().SortOptions([(column, "ascending")])
        return call("take", rows, call("sort_indices", rows, options=options))
    order = Column(rows.column(column).combine_chunks()).order()
    return pa.Table.from_arrays(
        [_taken(values.combine_chunks(), order) for values in rows.columns], schema=rows.schema
    )


def _is_simple(kind: pa.DataType) -> bool:
    """Tell whether `_order` knows a type: all columns but those of plugins are of such types."""
    types = pa.types
    return bool(
        types.is_integer(kind)
        or types.is_string(kind)
        or types.is_boolean(kind)
        or types.is_timestamp(kind)
    )


def _taken(values: pa.Array, order: bytes) -> pa.Array:
    kind, column = values.type, Column(values)
    if pa.types.is_string(kind):
        content = list(column.strings(order))
    elif pa.types.is_boolean(kind):
        content = [column.bools(order)]
    else:
        content = [column.numbers(order, kind.bit_width // 8)]
    buffers = [column.validity(order) if values.null_count else None, *content]
    return pa.Array.from_buffers(
        kind,
        len(values),
        [None if buffer is None else pa.py_buffer(buffer) for buffer in buffers],
        values.null_count,
    )


def call(function: str, *values: Any, options: object = None) -> Any:
    """Call a function of Arrow by its name."""
    return lean_arrow.functions().call_function(function, list(values), options)


def _is_in(rows: pa.Table, ids: frozenset[int]) -> pa.ChunkedArray:
    values = pa.array(ids, pa.int64())
    options = lean_arrow.functions().SetLookupOptions(value_set=values, skip_nulls=False)
    return call("is_in", rows.column("fetch_id"), options=options)


def _filtered(rows: pa.Table, mask: pa.ChunkedArray) -> pa.Table:
    if not any(part.false_count for part in mask.chunks):
        return rows
    options = lean_arrow.functions().FilterOptions("drop")
    return call("filter", rows, mask, options=options)
