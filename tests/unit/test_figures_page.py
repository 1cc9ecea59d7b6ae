"""The page of the papers' tables and figures adds up."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "figures.md").read_text(encoding="utf-8")


def test_all_tables_and_figures_of_the_papers_are_accounted_for() -> None:
    rows = re.findall(r"^\| ([A-Z*a-zA ]+?) \| ([\d* |]+) \|$", PAGE, re.MULTILINE)
    counts = {name.strip("* "): [int(n) for n in re.findall(r"\d+", rest)] for name, rest in rows}
    everything = counts.pop("all")
    assert len(counts) == 5
    for numbers in counts.values():
        assert numbers[0] == sum(numbers[1:])
    assert everything == [sum(column) for column in zip(*counts.values(), strict=True)]
    assert everything[0] == 48 + 8, "figures and tables"
