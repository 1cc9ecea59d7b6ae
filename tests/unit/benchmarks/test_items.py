"""The sites and programs of the benchmark of items."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from benchmarks.items import LYCOSA, SCRAPY, Figures, lines, listing, measured, tutorial


@pytest.mark.parametrize("program", [LYCOSA, SCRAPY])
def test_a_program_is_whole_for_each_site(program: str) -> None:
    for task in (tutorial(), listing(2)):
        text = task.program(program)
        compile(text, "program.py", "exec")
        assert lines(text) == text.count("\n") - text.count("\n\n")


def test_rows_that_are_wrong_missing_or_twice_are_counted(tmp_path: Path) -> None:
    task = listing(3)
    assert task.rows.total() == len(task.rows) == 60
    rows = [dict(zip(task.names, row, strict=True)) for row in task.rows]
    rows[0] = rows[1]
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    write = f"open('rows.jsonl', 'w').write({text!r})"
    found: Figures = measured(task, [[sys.executable, "-c", write]], tmp_path)
    assert (found.rows, found.wrong) == (60, 2)
