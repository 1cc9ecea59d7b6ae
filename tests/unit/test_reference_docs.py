"""The reference pages say what the code says: nothing is missing and nothing is made up."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import runpy
from pathlib import Path

import pytest

from lycosa import errors, features
from lycosa.crawl.points import Feature, Points
from lycosa.errors import LycosaError
from lycosa.model import records
from lycosa.model.job import reference
from lycosa.model.records import NO_CONNECTION, REFUSALS, STAY_AWAY, TRANSIENT, UNCOUNTED, Outcome

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "reference"

REGENERATE = (
    """.venv/bin/python -c "from lycosa.model.job import reference; print(reference(), end='')" """
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


def test_the_packages_page_says_what_the_heads_of_the_packages_say() -> None:
    made = runpy.run_path(str(ROOT / "tools" / "packages.py"))["page"]()
    assert page("packages.md") == made, "docs/reference/packages.md is out of date: make reference"


def feature_points() -> dict[str, list[str]]:
    """Return which features act at which point, by the methods that their classes have."""
    points = {name for name, one in vars(Points(())).items() if isinstance(one, tuple | dict)}
    others = {"topic_names"} | {name for name in points if name.endswith("_when")}
    found: dict[str, set[str]] = {point: set() for point in points - others}
    for module in pkgutil.walk_packages(features.__path__, f"{features.__name__}."):
        name = module.name.removeprefix(f"{features.__name__}.").partition(".")[0]
        for one in vars(importlib.import_module(module.name)).values():
            if isinstance(one, type) and issubclass(one, Feature) and one is not Feature:
                # A class that another module has defined is counted there.
                for point in found.keys() & set(dir(one)) if one.__module__ == module.name else ():
                    found[point].add(name)
    return {point: sorted(acting) for point, acting in found.items()}


def test_the_architecture_page_says_where_features_act() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = text[text.index("| point |") :].split("\n\n")[0]
    told: dict[str, list[str]] = {}
    for row in table.splitlines()[2:]:
        points, _, features, _ = row.strip("|").split("|")
        named, acting = re.findall(r"`(\w+)`", points), features.split(";")
        acting = acting if len(acting) == len(named) else acting * len(named)
        for point, some in zip(named, acting, strict=True):
            told[point] = sorted(re.findall(r"`(\w+)`", some))
    assert told == feature_points()


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
