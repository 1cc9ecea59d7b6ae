"""Every test is run by one of the targets, and none by both `make test` and `make test-all`."""

from __future__ import annotations

import re
import tomllib
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import pytest

from tiers import is_slow

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
MARKS = ("slow", "soak", "conformance", "hypothesis")
"""By these tests are chosen; Hypothesis sets its own."""


def recipe(target: str) -> str:
    """Return the commands of a target, with variables of the Makefile in their place."""
    found = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    assert found, target
    return re.sub(r"\$\((\w+)\)", lambda named: variable(named[1]), found[1])


def variable(name: str) -> str:
    found = re.search(rf"^{name} :?\??= (.*)$", MAKEFILE, re.MULTILINE)
    return found[1] if found else ""


def choices(target: str) -> list[str]:
    """Return what a target gives to `-m`, once for every run."""
    found = re.findall(r' -m "?([a-z ]+?)"?(?: -|\n)', recipe(target))
    assert found, target
    return found


def is_run_by(target: str, marks: tuple[str, ...]) -> bool:
    known = {mark: mark in marks for mark in MARKS}
    return any(eval(choice, {}, known) for choice in choices(target))


COMBINED = list(chain.from_iterable(combinations(MARKS, count) for count in range(5)))


@pytest.mark.parametrize("marks", COMBINED, ids=" ".join)
def test_every_test_is_run_by_some_target(marks: tuple[str, ...]) -> None:
    ordinary = [is_run_by(target, marks) for target in ("tested", "test-all")]
    if "soak" not in marks and "conformance" not in marks:
        assert sum(ordinary) == 1
    else:
        assert sum(ordinary) == 0
        assert is_run_by("conformance" if "conformance" in marks else "soak", marks)


def test_test_all_runs_what_make_test_runs_first() -> None:
    assert re.search(r"^test-all: test$", MAKEFILE, re.MULTILINE)
    assert "tested" in recipe("test").split()


def test_nothing_else_leaves_a_test_out() -> None:
    """What is ignored by its folder is conformance, and nothing is deselected by name."""
    runs = "".join(recipe(target) for target in ("tested", "test-all", "soak", "conformance"))
    assert set(re.findall(r"--ignore (\S+)", runs)) <= {"tests/conformance"}
    assert not re.search(r"--deselect| -k |--ignore-glob|--last-failed", runs)
    for path in sorted((ROOT / "tests" / "conformance").glob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        assert re.search(r"^pytestmark = .*mark\.conformance", text, re.MULTILINE), path.name
    settings: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    options = settings["pytest"]["ini_options"]
    assert options["testpaths"] == ["tests"]
    assert not re.search(r"(?:^| )-(?:m|k|-ignore|-deselect)", options["addopts"])


def test_the_tiers_are_what_readme_and_ci_type() -> None:
    assert re.search(r"^make test  ", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert (ROOT / ".ci" / "run").read_text().endswith("\nmake test test-all\n")


class Item:
    """As much of a collected test as `is_slow` looks at."""

    def __init__(
        self, folder: str, *, own: str = "", module: str = "", fixtures: str = "", **params: object
    ) -> None:
        self.path = ROOT / "tests" / folder / "test_it.py"
        self.own_markers = [getattr(pytest.mark, name).mark for name in own.split()]
        self._marks = {*own.split(), *module.split()}
        self.fixturenames = fixtures.split()
        if params:
            self.callspec = type("CallSpec", (), {"params": params})

    def get_closest_marker(self, name: str) -> object:
        return name if name in self._marks else None


@pytest.mark.parametrize(
    ("item", "slow"),
    [
        (Item("unit"), False),
        (Item("contract", fixtures="tmp_path log", crawl="sqlite", seed=1), False),
        (Item("contract", fixtures="tmp_path log", crawl="jetstream"), True),
        (Item("unit/log", fixtures="tmp_path postgres"), True),
        (Item("unit/render", module="needs"), True),
        (Item("unit/render", own="quick", module="needs"), False),
        (Item("integration"), True),
        (Item("power"), True),
        (Item("integration", module="quick"), False),
        (Item("integration", module="quick", fixtures="nats_servers"), True),
        (Item("integration", own="needs", module="quick"), True),
        (Item("integration", own="quick"), False),
    ],
)
def test_whole_crawls_and_what_needs_a_program_are_slow(item: pytest.Item, slow: bool) -> None:
    assert is_slow(item) is slow
