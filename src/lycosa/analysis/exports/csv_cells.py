"""Turns Arrow rows into CSV cells: every type has a text, and no text is a formula.

Arrow's CSV writer knows numbers, texts and moments. Lists, maps and structs become JSON here, and
bytes become text with escapes, so that a query never fails because of the type of its answer. A
spreadsheet that opens the file takes no text for a formula (`lycosa._support.safe_text`).
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pyarrow as pa
from pyarrow import types

from lycosa._support.safe_text import FORMULA, INVISIBLE_FIRST, NUMBER

_WRITABLE = (
    types.is_null,
    types.is_boolean,
    types.is_integer,
    types.is_floating,
    types.is_decimal,
    types.is_temporal,
    types.is_string,
    types.is_large_string,
)


def cells(batch: pa.RecordBatch, *, is_raw: bool = False) -> pa.RecordBatch:
    """Return rows that CSV can hold; unless `is_raw`, spreadsheets take no text for a formula."""
    columns = [_written(column) for column in batch.columns]
    if not is_raw:
        columns = [_guarded(column) if _is_text(column.type) else column for column in columns]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def schema_of_cells(schema: pa.Schema) -> pa.Schema:
    """Return the schema of these rows as cells."""
    return cells(pa.RecordBatch.from_pylist([], schema)).schema


def values(column: Any) -> list[Any]:
    """Return the values of a column; maps are dictionaries where their keys can be hashed."""
    try:
        found: list[Any] = column.to_pylist(maps_as_pydicts="lossy")
    except TypeError:
        found = column.to_pylist()
    return found


def json_values(column: Any) -> list[Any]:
    """Return the values of a column as JSON has them."""
    found = values(column)
    if types.is_string(column.type) or types.is_integer(column.type):  # most columns
        return found
    return [_plain(value) for value in found]


def cell_text(value: object) -> str:
    """Return the text of a value that is not null: JSON where a value has parts."""
    if isinstance(value, Decimal):
        return str(value)
    plain = _plain(value)
    return json.dumps(plain, ensure_ascii=False) if isinstance(plain, dict | list) else str(plain)


def _plain(value: object) -> Any:
    """Return a value that JSON has; sums of numbers come as decimals."""
    if isinstance(value, dict):
        return {cell_text(key): _plain(one) for key, one in value.items()}
    if isinstance(value, pa.MonthDayNano):
        return f"P{value.months}M{value.days}DT{value.nanoseconds / 1e9:g}S"
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, float) and value - value != 0:  # JSON has neither infinity nor NaN
        return str(value)
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _written(column: Any) -> Any:
    """Return a column of a type that CSV has."""
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if any(is_so(column.type) for is_so in _WRITABLE) and not types.is_interval(column.type):
        return column
    texts = [None if value is None else cell_text(value) for value in values(column)]
    return pa.array(texts, pa.string())


def _is_text(kind: pa.DataType) -> bool:
    return bool(types.is_string(kind) or types.is_large_string(kind))


def _guarded(column: Any) -> Any:
    import pyarrow.compute as pc  # 70 ms: for CSV alone

    changed = pc.replace_substring_regex(column, FORMULA, r"\1'\2")
    changed = pc.replace_substring_regex(changed, INVISIBLE_FIRST, r"'\1")
    is_number = pc.match_substring_regex(column, f"^(?:{NUMBER})$")
    return pc.if_else(is_number, column, changed)
