"""The few of Arrow's functions that sealing needs, asked for by name.

`pyarrow.compute` makes a Python function of each of Arrow's 250 when it is imported. That takes
70 ms of every start, as long as the whole of the rest of Arrow; the functions themselves are in
`pyarrow._compute`, and are called here. Columns are reinterpreted with `view` rather than
`cast` for the same reason.
"""

from __future__ import annotations

import pyarrow as pa
from pyarrow._compute import FilterOptions, SetLookupOptions, SortOptions, call_function


def with_ids(rows: pa.Table, ids: pa.Array) -> pa.Table:
    """Return the rows whose `fetch_id` is among these."""
    return _filtered(rows, _is_in(rows, ids))


def without_ids(rows: pa.Table, ids: pa.Array) -> pa.Table:
    """Return the rows whose `fetch_id` is not among these."""
    return _filtered(rows, call_function("invert", [_is_in(rows, ids)]))


def sorted_by(rows: pa.Table, column: str) -> pa.Table:
    """Return the rows in the order of a column."""
    order = call_function("sort_indices", [rows], SortOptions([(column, "ascending")]))
    return call_function("take", [rows, order])


def _is_in(rows: pa.Table, ids: pa.Array) -> pa.ChunkedArray:
    options = SetLookupOptions(value_set=ids, skip_nulls=False)
    return call_function("is_in", [rows.column("fetch_id")], options)


def _filtered(rows: pa.Table, mask: pa.ChunkedArray) -> pa.Table:
    if not any(part.false_count for part in mask.chunks):
        return rows  # as it nearly always is: nothing need be copied
    return call_function("filter", [rows, mask], FilterOptions("drop"))
