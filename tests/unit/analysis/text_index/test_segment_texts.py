"""Texts and main texts of a segment, read side by side."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.analysis.text_index.segment_texts import SegmentTexts, read_ids
from lycosa.analysis.text_index.words import TOKEN, distinct

ROWS = 1_300


def written(folder: Path, name: str, columns: dict[str, object], rows_in_group: int) -> Path:
    path = folder / name
    pq.write_table(pa.table(columns), path, row_group_size=rows_in_group)
    return path


@pytest.mark.parametrize("rows_in_group", [70, 500, 10_000])
def test_every_text_comes_with_its_own_main_text(tmp_path: Path, rows_in_group: int) -> None:
    numbers = list(range(ROWS))
    texts = written(
        tmp_path,
        "texts",
        {"fetch_id": numbers, "url_id": numbers, "text": [f"text {n}" for n in numbers]},
        333,
    )
    mains = [f"main {n}" if n % 3 else None for n in numbers]
    beside = written(tmp_path, "mains", {"main": pa.array(mains, pa.large_string())}, rows_in_group)
    wanted = [n for n in numbers if n % 7 == 0 or n > 1_200]
    ids = read_ids(texts)
    assert ids.column("row").to_pylist() == ids.column("fetch_id").to_pylist() == numbers
    reader = SegmentTexts(texts, beside)
    for some in (wanted[:1], wanted[1:5], [], wanted[5:150], wanted[150:]):
        text, main = reader.take(some)
        assert text.to_pylist() == [f"text {n}" for n in some]
        assert main.to_pylist() == [mains[n] for n in some]
    reader.close()


def test_without_main_texts_the_texts_come_alone(tmp_path: Path) -> None:
    texts = written(tmp_path, "texts", {"fetch_id": [1], "url_id": [2], "text": ["a"]}, 10)
    reader = SegmentTexts(texts, None)
    assert [column.to_pylist() for column in reader.take([0])] == [["a"], [None]]
    reader.close()


def test_what_was_read_of_a_segment_is_not_kept(tmp_path: Path) -> None:
    chance = random.Random(1)
    rows, of_group = list(range(10_000)), 500
    text = [chance.randbytes(400).hex() for _ in rows]
    texts = written(tmp_path, "texts", {"fetch_id": rows, "url_id": rows, "text": text}, of_group)
    reader, before = SegmentTexts(texts, None), pa.total_allocated_bytes()
    for first in range(0, len(rows), of_group):
        taken, _ = reader.take(rows[first : first + of_group])
    assert taken.to_pylist() == text[-of_group:]
    del taken
    assert pa.total_allocated_bytes() - before < texts.stat().st_size / 2
    reader.close()


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_the_different_words_of_a_text_are_those_that_the_expression_finds(text: str) -> None:
    assert {word.decode() for word in distinct(text)} == set(TOKEN.findall(text))
