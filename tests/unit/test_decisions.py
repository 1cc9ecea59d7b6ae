"""Every decision says when it was made and whether it still holds; one page lists them all."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import NamedTuple

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "decisions"
FILES = {path.name: path for path in sorted(FOLDER.glob("[0-9]*.md"))}
TITLE = re.compile(r"# (\d+)\. (.+)")
STATUS = re.compile(
    r"\*Decided (\d{4}-\d\d-\d\d)\. "
    r"Status: (accepted|(?:amended|superseded) by \[(\d+)\]\((\d{4}-[\w-]+\.md)\))\.\*"
)


class Decision(NamedTuple):
    number: int
    title: str
    day: date
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
    day, text, number, successor = told.groups()
    assert not number or int(number) == int(successor[:4]), f"{name}: {text}"
    return Decision(int(titled[1]), titled[2], date.fromisoformat(day), text, successor or "")


@pytest.mark.parametrize("name", FILES)
def test_a_decision_has_its_number_a_date_and_a_status(name: str) -> None:
    read = decision(name)
    assert read.number == int(name[:4])
    if read.successor:
        assert decision(read.successor).number > read.number, "only a later one can change it"


def test_numbers_have_no_gap() -> None:
    assert [int(name[:4]) for name in FILES] == list(range(1, len(FILES) + 1))


def test_the_list_of_decisions_says_what_the_pages_say() -> None:
    rows = [
        f"| {read.number} | [{read.title}]({name}) | {read.day} | {read.status} |"
        for name in FILES
        for read in [decision(name)]
    ]
    listed = (FOLDER / "README.md").read_text(encoding="utf-8").split("\n")
    assert [line for line in listed if re.match(r"\| \d", line)] == rows
