"""The page of the papers' tables and figures adds up, and names tests and pictures that exist."""

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


def test_the_tests_that_the_page_names_exist() -> None:
    names = set(re.findall(r"`((?:\w+/)?test_\w+\.py)`", PAGE))
    assert len(names) >= 10
    for name in names:
        assert list((ROOT / "tests").rglob(name)), name


def test_make_figures_makes_what_the_page_shows() -> None:
    made = (ROOT / "Makefile").read_text(encoding="utf-8")
    target = made[made.index("\nfigures:") :].partition("\n\n")[0]
    for module in (
        "figures",
        "freshness",
        "papers",
        "members",
        "bursts",
        "phases",
        "mining --single",
    ):
        assert f"benchmarks.{module}" in target
