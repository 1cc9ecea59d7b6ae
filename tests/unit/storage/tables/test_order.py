"""Rows in order: the compiled way against Arrow's own functions."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.storage.tables.arrow_functions import sorted_by, with_ids, without
from seeds import examples

SCHEMA = pa.schema(
    [
        ("key", pa.string()),
        ("fetch_id", pa.int64()),
        ("status", pa.int16()),
        ("noindex", pa.bool_()),
        ("title", pa.string()),
        ("began", pa.timestamp("us", "UTC")),
    ]
)
TEXTS = st.none() | st.text("aé\U0001f578\x00", max_size=3)
ROW = st.tuples(
    TEXTS,
    st.integers(-3, 3),
    st.none() | st.integers(-9, 9),
    st.none() | st.booleans(),
    TEXTS,
    st.none() | st.integers(0, 9),
)
ROWS = st.lists(ROW, max_size=20)


def table(*batches: list[tuple[Any, ...]]) -> pa.Table:
    made = []
    for rows in batches:
        columns = zip(*rows, strict=True) if rows else [[] for _ in SCHEMA]
        arrays = [pa.array(list(c), f.type) for c, f in zip(columns, SCHEMA, strict=True)]
        made.append(pa.RecordBatch.from_arrays(arrays, schema=SCHEMA))
    return pa.Table.from_batches(made, SCHEMA)


@settings(max_examples=examples(100))
@given(ROWS, ROWS, st.integers(0, 5))
def test_rows_are_in_the_order_that_arrow_gives_them(
    first: list[tuple[Any, ...]], second: list[tuple[Any, ...]], begin: int
) -> None:
    for rows in (table(first, second), table(first).slice(begin)):
        found = sorted_by(rows, "key")
        found.validate(full=True)
        expected = rows.take(pc.sort_indices(rows, sort_keys=[("key", "ascending")]))
        assert found.equals(expected)
        assert [column.num_chunks for column in found.columns] == [1] * len(SCHEMA)


@settings(max_examples=examples(100))
@given(ROWS, ROWS, st.frozensets(st.integers(-3, 3)))
def test_rows_of_known_fetches_are_those_that_arrow_finds(
    first: list[tuple[Any, ...]], second: list[tuple[Any, ...]], known: frozenset[int]
) -> None:
    rows = table(first, second)
    found = with_ids(rows, known)
    assert found.to_pylist() == [row for row in rows.to_pylist() if row["fetch_id"] in known]
    marked = rows.filter(pc.is_valid(rows.column("noindex")))
    unmarked = [row for row in marked.to_pylist() if not row["noindex"]]
    assert without(marked, "noindex").to_pylist() == unmarked


def test_columns_of_other_types_are_left_to_arrow() -> None:
    rows = pa.table({"key": ["b", "a"], "words": [["x"], ["y", "z"]]})
    assert sorted_by(rows, "key").to_pylist() == [
        {"key": "a", "words": ["y", "z"]},
        {"key": "b", "words": ["x"]},
    ]


@pytest.mark.parametrize("count", [0, 1, 5000])
def test_any_number_of_rows_is_put_in_order(count: int) -> None:
    rows = table([(f"k{n * 7919 % 5003}", n, None, n % 2 == 0, None, n) for n in range(count)])
    numbers = sorted(range(count), key=lambda n: f"k{n * 7919 % 5003}")
    assert sorted_by(rows, "key").column("fetch_id").to_pylist() == numbers
