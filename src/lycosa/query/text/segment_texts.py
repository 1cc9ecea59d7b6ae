"""Reads the texts of some pages of one segment, with their main texts beside them.

Row n of the file of main texts belongs to row n of the file of texts, so both are read side by
side. A database would hold all main texts of a segment in memory to join them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

SCHEMA = pa.schema(
    [
        ("fetch_id", pa.int64()),
        ("url_id", pa.int64()),
        ("text", pa.large_string()),
        ("main", pa.large_string()),
    ]
)
_BATCH_ROWS = 500


def read_ids(texts: Path) -> pa.Table:
    """Return the fetches whose texts a file has."""
    return pq.read_table(texts, columns=["fetch_id"])


def read_texts(texts: Path, mains: Path | None, wanted: pa.Array) -> Iterator[pa.Table]:
    """Yield the rows of `wanted` fetches with text and main text, some at a time."""
    columns = ["fetch_id", "url_id", "text"]
    with pq.ParquetFile(texts) as file:
        beside = _Beside(mains) if mains is not None else None
        try:
            for batch in file.iter_batches(_BATCH_ROWS, columns=columns):
                rows = pa.table(batch)
                main = beside.take(len(rows)) if beside else pa.nulls(len(rows))
                found = rows.append_column("main", main).select(SCHEMA.names).cast(SCHEMA)
                chosen = found.filter(pc.is_in(rows.column("fetch_id"), wanted))
                if len(chosen):
                    yield chosen
        finally:
            if beside:
                beside.close()


class _Beside:
    """The main texts of a segment, as many at a time as are asked for."""

    def __init__(self, path: Path) -> None:
        self._file = pq.ParquetFile(path)
        self._batches = self._file.iter_batches(_BATCH_ROWS, columns=["main"])
        self._rest = pa.chunked_array([], pa.large_string())

    def take(self, count: int) -> pa.ChunkedArray:
        """Return the next main texts."""
        while len(self._rest) < count:
            more = next(self._batches).column(0)
            self._rest = pa.chunked_array([*self._rest.chunks, more], pa.large_string())
        found, self._rest = self._rest.slice(0, count), self._rest.slice(count)
        return found

    def close(self) -> None:
        """Close the file."""
        self._file.close()
