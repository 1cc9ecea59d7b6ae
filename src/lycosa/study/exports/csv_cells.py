"""Guards Arrow rows for CSV, so that a spreadsheet takes no text for a formula."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lycosa.spreadsheets import FORMULA, INVISIBLE_FIRST, NUMBER


def guarded(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return rows whose texts are cells (`lycosa.spreadsheets.cell`)."""
    columns = [
        _guarded(column) if pa.types.is_string(column.type) else column for column in batch.columns
    ]
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)


def _guarded(column: Any) -> Any:
    changed = pc.replace_substring_regex(column, FORMULA, r"\1'\2")
    changed = pc.replace_substring_regex(changed, INVISIBLE_FIRST, r"'\1")
    is_number = pc.match_substring_regex(column, f"^(?:{NUMBER})$")
    return pc.if_else(is_number, column, changed)
