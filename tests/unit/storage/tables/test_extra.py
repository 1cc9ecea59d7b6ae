"""Columns of plugins: written, sealed, kept when a host is forgotten, and read with gaps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pyarrow as pa

from lycosa.api.segments import batches, schema_of, segments
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.archive.reader import rows
from lycosa.storage.segments.removal import forget_host
from lycosa.storage.segments.sealing import seal_dead
from unit.storage.archive.exchanges import capture

COLUMNS = pa.schema([("words", pa.int64()), ("tags", pa.list_(pa.string())), ("note", pa.string())])


def write(folder: Path, columns: pa.Schema | None, captures: dict[str, tuple[Any, ...]]) -> None:
    """Write a segment, and leave it open as a kill does."""
    store = ArchiveStore(folder, extra_columns=columns)
    for number, (key, extra) in enumerate(captures.items()):
        store.append(msgspec.structs.replace(capture(number, key=key), extra=extra))
    store.flush()
    store.abandon()


def write_three(folder: Path) -> None:
    write(folder, None, {"test.a:/1": ()})
    write(folder, COLUMNS, {"test.a:/2": (5, ["x"], "n"), "test.b:/3": ()})
    write(folder, pa.schema([("words", pa.int64())]), {"test.a:/4": (7,)})


def read(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for name in segments(folder):
        for batch in batches(folder, "pages", name, ["key", *COLUMNS.names]):
            found += batch.to_pylist()
    return found


EXPECTED: list[dict[str, Any]] = [
    {"key": "test.a:/1"},
    {"key": "test.a:/2", "words": 5, "tags": ["x"], "note": "n"},
    {"key": "test.b:/3", "words": None, "tags": None, "note": None},
    {"key": "test.a:/4", "words": 7},
]


def test_an_open_segment_and_a_sealed_one_have_the_same_columns(tmp_path: Path) -> None:
    write_three(tmp_path)
    assert read(tmp_path) == EXPECTED
    open_schema = schema_of(tmp_path, "pages")
    seal_dead(tmp_path, lambda place, key: True)
    assert read(tmp_path) == EXPECTED
    assert schema_of(tmp_path, "pages") == open_schema
    assert open_schema.names[-3:] == COLUMNS.names


def test_duckdb_reads_segments_with_and_without_the_columns(tmp_path: Path) -> None:
    write_three(tmp_path)
    seal_dead(tmp_path, lambda place, key: True)
    query = f"from read_parquet('{tmp_path}/pages/*.parquet', union_by_name=true) order by key"
    found = duckdb.connect().execute(f"select key, words, tags {query}").fetchall()
    expected = [
        ("test.a:/1", None, None),
        ("test.a:/2", 5, ["x"]),
        ("test.a:/4", 7, None),
        ("test.b:/3", None, None),
    ]
    assert found == expected


def test_what_reads_our_columns_alone_knows_nothing_of_others(tmp_path: Path) -> None:
    write_three(tmp_path)
    seal_dead(tmp_path, lambda place, key: True)
    assert sum(len(batch) for batch in rows(tmp_path, "pages")) == 4


def test_the_columns_stay_when_a_host_is_forgotten(tmp_path: Path) -> None:
    write_three(tmp_path)
    seal_dead(tmp_path, lambda place, key: True)
    forget_host(tmp_path, "b.test")
    assert read(tmp_path) == [row for row in EXPECTED if row["key"] != "test.b:/3"]


def test_a_journal_that_says_nothing_yet_has_no_rows(tmp_path: Path) -> None:
    write_three(tmp_path)
    for path in (tmp_path / "pages").glob("*-00002.arrows"):
        path.write_bytes(path.read_bytes()[:10])
    assert read(tmp_path) == [EXPECTED[0], EXPECTED[3]]
