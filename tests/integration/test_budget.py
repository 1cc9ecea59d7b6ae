"""What a page costs stays within its budget: calls, allocations and system calls."""

from __future__ import annotations

import platform
import shutil
import sys
from pathlib import Path

import pytest
from benchmarks.budget import budgets
from benchmarks.budget.counting import allocations_of, calls_of, system_calls_of
from benchmarks.budget.jobs import JOBS, TESTED
from benchmarks.budget.same import differences

SOURCE = Path(__file__).parents[2] / "src"


@pytest.mark.parametrize("job", TESTED)
def test_a_page_makes_no_more_calls_than_its_budget(job: str) -> None:
    calls = calls_of(job)
    in_c = sum(often for name, often in calls.items() if name.startswith("<"))
    counted = {"python_calls": round(sum(calls.values()) - in_c, 1), "c_calls": round(in_c, 1)}
    problems = budgets.exceeded(budgets.read()[job], counted)
    assert not problems, [*problems, *budgets.grown(budgets.read_calls(job), calls)]


def test_a_page_allocates_no_more_than_its_budget() -> None:
    counted = {"allocations": round(allocations_of("plain"), 1)}
    assert not budgets.exceeded(budgets.read()["plain"], counted)


@pytest.mark.needs("strace")
def test_a_page_makes_no_more_system_calls_than_its_budget() -> None:
    counted = {"system_calls": round(system_calls_of("plain"), 2)}
    assert not budgets.exceeded(budgets.read()["plain"], counted)


def test_two_runs_of_one_job_leave_the_same_bytes() -> None:
    assert differences("plain", SOURCE, SOURCE, pages=60) == []


def test_a_crawl_that_decides_otherwise_is_told(tmp_path: Path) -> None:
    """The comparison can fail: another order of URLs changes requests and records."""
    other = tmp_path / "src"
    shutil.copytree(SOURCE, other, ignore=shutil.ignore_patterns("__pycache__", "*.c"))
    order = other / "lycosa" / "frontier" / "schedulers" / "breadth_first.py"
    said = order.read_text()
    order.write_text(
        said.replace("self.put(page, site, self._distance[page])", "self.put(page, site, 99)")
    )
    assert order.read_text() != said
    found = differences("plain", SOURCE, other, pages=60)
    assert any(line.startswith("log/log.sqlite") for line in found)


def test_every_job_has_a_budget() -> None:
    assert list(budgets.read()) == list(JOBS)


def test_a_count_above_its_budget_is_told_with_what_grew() -> None:
    assert budgets.exceeded({"c_calls": 300.0}, {"c_calls": 300.2}) == []
    assert budgets.exceeded({"c_calls": 300.0}, {"c_calls": 340.0}) == [
        "c_calls: 340 a page, and the budget is 300"
    ]


def test_where_the_budgets_were_counted_they_are_strict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budgets, "COUNTED_ON", (sys.version_info[:2], platform.machine()))
    assert budgets.exceeded({"allocations": 300.0}, {"allocations": 300.2}) == []
    assert budgets.exceeded({"allocations": 300.0}, {"allocations": 301.0})


def test_functions_that_grew_are_told_by_how_much() -> None:
    before, after = {"a.py:f": 1.0, "<len>": 9.0}, {"a.py:f": 3.0, "<len>": 9.0, "b.py:g": 1.0}
    assert budgets.grown(before, after) == ["+2.00 a.py:f", "+1.00 b.py:g"]
