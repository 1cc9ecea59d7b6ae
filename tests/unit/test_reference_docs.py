"""The reference pages say what the code says: nothing is missing and nothing is made up."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest

from lycosa import errors, records
from lycosa.config import reference
from lycosa.errors import LycosaError
from lycosa.records import NO_CONNECTION, REFUSALS, STAY_AWAY, TRANSIENT, UNCOUNTED, Outcome

PAGES = Path(__file__).parents[2] / "docs" / "reference"

REGENERATE = (
    """.venv/bin/python -c "from lycosa.config import reference; print(reference(), end='')" """
    "> docs/reference/configuration.md"
)


def page(name: str) -> str:
    return (PAGES / name).read_text(encoding="utf-8")


def rows(name: str) -> list[list[str]]:
    """Return the cells of all table rows of a page, without heads and rulers."""
    lines = [line for line in page(name).splitlines() if re.match(r"\| (\d|`)", line)]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def meanings() -> dict[str, str]:
    """Return the text beneath every outcome, which Python itself does not keep."""
    (tree,) = ast.parse(inspect.getsource(records.Outcome)).body
    assert isinstance(tree, ast.ClassDef)
    found: dict[str, str] = {}
    name = ""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
        elif name and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found[name] = " ".join(str(node.value.value).split())
    return found


def exceptions() -> list[type[LycosaError]]:
    members = inspect.getmembers(errors, inspect.isclass)
    return [member for _, member in members if issubclass(member, LycosaError)]


def test_the_configuration_page_is_what_the_code_generates() -> None:
    if page("configuration.md") != reference():
        pytest.fail(f"docs/reference/configuration.md is out of date; run\n  {REGENERATE}")


def test_every_outcome_is_listed_with_its_number_and_its_meaning() -> None:
    known = meanings()
    expected = {(str(int(o)), f"`{o.name.lower()}`", known[o.name]) for o in Outcome}
    listed = {(number, name, text) for number, name, text, *_ in rows("outcomes.md")}
    assert listed == expected


def test_the_outcomes_page_tells_what_happens_next() -> None:
    then = {
        **dict.fromkeys(TRANSIENT, "again"),
        **dict.fromkeys(REFUSALS, "the host waits"),
        **dict.fromkeys(NO_CONNECTION, "the origin waits"),
        **dict.fromkeys(UNCOUNTED - STAY_AWAY, "at once"),
    }
    expected = {f"`{outcome.name.lower()}`": then.get(outcome, "") for outcome in Outcome}
    assert {name: after for _, name, _, after in rows("outcomes.md")} == expected


def test_every_exception_is_listed_with_its_exit_code_and_its_parent() -> None:
    expected = {
        (f"`{found.__name__}`", f"`{found.__bases__[0].__name__}`", str(found.exit_code))
        for found in exceptions()
    }
    listed = {(name, parent, code) for name, parent, code, _ in rows("errors.md")}
    assert listed == expected


def test_the_errors_page_uses_the_words_of_the_code() -> None:
    for name, _, _, meaning in rows("errors.md"):
        assert meaning == (getattr(errors, name.strip("`")).__doc__ or "").splitlines()[0]
