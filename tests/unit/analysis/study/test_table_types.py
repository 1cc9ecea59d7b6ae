"""A sealed table whose columns have other types is damaged, and named before any query runs."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lycosa.analysis.study.tables import rows_now
from lycosa.errors import StoreError
from lycosa.storage.archive.layout import SEALED
from unit.analysis.study.drawn_crawl import Fetch, write

FETCHES = [Fetch("test.a:/", ["test.a:/b"]), Fetch("test.a:/b", depth=1)]


@pytest.mark.parametrize(
    ("column", "values", "told"),
    [
        ("status", ["200", "404"], "'status' is of type BYTE_ARRAY, not INT32"),
        ("url", [1, 2], "'url' is of type INT64, not BYTE_ARRAY"),
    ],
)
def test_a_table_of_other_types_is_named(
    tmp_path: Path, column: str, values: list[object], told: str
) -> None:
    write(tmp_path, FETCHES, is_sealed=True)
    (path,) = (tmp_path / "pages").glob(f"*{SEALED}")
    rows = pq.read_table(path)
    at = rows.schema.get_field_index(column)
    pq.write_table(rows.set_column(at, column, pa.array(values)), path)
    with pytest.raises(StoreError) as raised:
        rows_now(tmp_path, "pages")
    assert path.name in str(raised.value) and told in str(raised.value)


def test_columns_of_plugins_and_of_older_versions_are_taken_as_they_are(tmp_path: Path) -> None:
    write(tmp_path, FETCHES, is_sealed=True)
    (path,) = (tmp_path / "pages").glob(f"*{SEALED}")
    rows = pq.read_table(path).drop_columns(["noindex"])
    pq.write_table(rows.append_column("my_column", pa.array(["a", "b"])), path)
    assert rows_now(tmp_path, "pages").sealed == [path]
