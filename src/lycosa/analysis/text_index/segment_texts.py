"""Reads the texts of some pages of one segment, with their main texts beside them.

Row n of the file of main texts belongs to row n of the file of texts, so both are read side by
side, once, from the first row that is wanted to the last. A database would hold all texts of a
segment in memory to join them, or look through all pages for every few texts.
"""

from __future__ import annotations

from bisect import bisect_left
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from lycosa._support import beneath
from lycosa.storage.tables.parquet_files import rows_file

_BATCH_ROWS = 500

_BUFFER_BYTES = 1_000_000
"""Read at once: a row group's texts are read piece by piece."""


def read_ids(texts: Path) -> pa.Table:
    """Return the fetches and URLs whose texts a file has, with the numbers of their rows."""
    ids = pq.read_table(beneath.checked(texts), columns=["fetch_id", "url_id"])
    return ids.append_column("row", pa.array(range(len(ids)), pa.int64()))


class SegmentTexts:
    """The texts of a segment by their rows, which must be asked for in rising order."""

    def __init__(self, texts: Path, mains: Path | None) -> None:
        self._texts = _Column(texts, "text")
        self._mains = _Column(mains, "main") if mains is not None else None

    def take(self, rows: list[int]) -> tuple[pa.Array, pa.Array]:
        """Return texts and main texts of these rows; no main text is null."""
        texts = self._texts.take(rows)
        if self._mains is None:
            return texts, pa.nulls(len(rows), pa.large_string())
        return texts, self._mains.take(rows)

    def close(self) -> None:
        """Close the files."""
        self._texts.close()
        if self._mains is not None:
            self._mains.close()


class _Column:
    """A column of strings, read once from front to back."""

    def __init__(self, path: Path, name: str) -> None:
        # Arrow would keep all that it has read ahead until the file is closed.
        self._file = rows_file(path, _BUFFER_BYTES)
        self._batches = self._file.iter_batches(_BATCH_ROWS, columns=[name])
        self._values: pa.Array = pa.nulls(0, pa.large_string())
        self._start = 0

    def take(self, rows: list[int]) -> pa.Array:
        """Return the values of these rows."""
        parts, at = [pa.nulls(0, pa.large_string())], 0
        while at < len(rows):
            end = self._start + len(self._values)
            if rows[at] >= end:
                self._values, self._start = next(self._batches).column(0), end
                continue
            after = bisect_left(rows, end, at)
            places = pa.array([row - self._start for row in rows[at:after]], pa.int64())
            parts.append(self._values.take(places).cast(pa.large_string()))
            at = after
        return pa.concat_arrays(parts)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
