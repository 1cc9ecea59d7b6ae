"""Every decision says when it was made and whether it still holds; one page lists them all.

A page may hold several decisions: it keeps the number of the first, and its third line names all.
So each number that was ever given leads to one page, and a text may name only numbers of pages.
"""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "decisions"
FILES = {path.name: path for path in sorted(FOLDER.glob("[0-9]*.md"))}
TITLE = re.compile(r"# (\d+)\. (.+)")
STATUS = re.compile(
    r"\*Decided (\d{4}-\d\d-\d\d)\. "
    r"(?:Merged from ((?:\d+, )*\d+ and \d+)\. )?"
    r"Status: (accepted|(?:amended|superseded) by \[(\d+)\]\((\d{4}-[\w-]+\.md)\))\.\*"
)
MOST_LINES = 60
FIRST_UNMERGED = 109
"""Pages from this number on are still being written, and to be merged with their neighbours."""

TEXTS = [
    *ROOT.glob("*.md"),
    *(
        path
        for folder in ("src", "tests", "docs", "benchmarks", "tools", "examples", "deploy")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".pyx", ".pxd", ".pxi", ".md", ".toml", ".sh", ".c")
        and not (path.suffix == ".c" and path.with_suffix(".pyx").exists())
    ),
]
MENTIONED = re.compile(r"\b[Dd]ecisions?\s+(\d+(?:(?:, | and |, and )\d+)*)")
LINKED = re.compile(r"\b(\d{4}-[a-z][a-z0-9-]+\.md)\b")
LINK_OF_A_NUMBER = re.compile(r"\[(?:[Dd]ecision )?(\d+)\]\([^)\s]*?(\d{4})-[\w-]+\.md")


class Decision(NamedTuple):
    number: int
    title: str
    day: date
    merged: list[int]
    """The numbers of all decisions that the page holds, its own among them."""
    status: str
    successor: str
    """The file of the decision that changes this one; empty if none does."""


def decision(name: str) -> Decision:
    """Read the head of a page: title, empty line, status, empty line."""
    title, empty, status, other, *_ = FILES[name].read_text(encoding="utf-8").split("\n")
    titled, told = TITLE.fullmatch(title), STATUS.fullmatch(status)
    assert titled, f"{name}: the first line is not `# NUMBER. TITLE`"
    assert told, f"{name}: the third line is not `*Decided DATE. Status: accepted.*` or alike"
    assert (empty, other) == ("", ""), f"{name}: no empty line around the status"
    day, merged, text, number, successor = told.groups()
    assert not number or int(number) == int(successor[:4]), f"{name}: {text}"
    numbers = [int(one) for one in re.findall(r"\d+", merged or titled[1])]
    return Decision(
        int(titled[1]), titled[2], date.fromisoformat(day), numbers, text, successor or ""
    )


DECISIONS = {name: decision(name) for name in FILES}
NUMBERS = {read.number for read in DECISIONS.values()}


def test_a_decision_has_its_number_a_date_and_a_status() -> None:
    for name, read in DECISIONS.items():
        assert read.number == int(name[:4]) == min(read.merged), name
        if read.successor:
            assert DECISIONS[read.successor].number > read.number, f"{name}: only a later one can"


def test_every_number_that_was_given_leads_to_one_page() -> None:
    held = sorted(number for read in DECISIONS.values() for number in read.merged)
    assert held == list(range(1, len(held) + 1))


def test_a_decision_is_read_on_one_page() -> None:
    lengths = {name: path.read_text(encoding="utf-8").count("\n") for name, path in FILES.items()}
    long = {name: lines for name, lines in lengths.items() if lines > MOST_LINES}
    assert {name for name in long if DECISIONS[name].number < FIRST_UNMERGED} == set()


def test_the_list_of_decisions_says_what_the_pages_say() -> None:
    rows = [
        f"| {read.number} | [{read.title}]({name}) | {read.day} | {read.status} |"
        for name, read in DECISIONS.items()
    ]
    listed = (FOLDER / "README.md").read_text(encoding="utf-8").split("\n")
    assert [line for line in listed if re.match(r"\| \d", line)] == rows


def test_every_decision_that_a_text_names_has_a_page() -> None:
    wrong = []
    for path in TEXTS:
        text = path.read_text(encoding="utf-8")
        named = [int(one) for some in MENTIONED.findall(text) for one in re.findall(r"\d+", some)]
        wrong += [f"{path}: decision {number}" for number in named if number not in NUMBERS]
        if path != Path(__file__):
            wrong += [f"{path}: {name}" for name in LINKED.findall(text) if name not in FILES]
        wrong += [
            f"{path}: [{said}] leads to {meant}"
            for said, meant in LINK_OF_A_NUMBER.findall(text)
            if int(said) != int(meant)
        ]
    assert wrong == []
