"""What a page costs stays within its budget: calls, allocations and system calls."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from benchmarks.budget import budgets, start
from benchmarks.budget.counting import (
    allocations_of,
    calls_of,
    instructions_of,
    system_calls_of,
)
from benchmarks.budget.jobs import DECISIVE, JOBS, TESTED
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
    budget = budgets.read()["plain"]
    problems: list[str] = []
    # On a busy machine threads wait for each other, which only adds calls: least of three counts.
    for _ in range(3):
        problems = budgets.exceeded(budget, {"system_calls": round(system_calls_of("plain"), 2)})
        if not problems:
            break
    assert not problems


def test_a_start_loads_and_calls_no_more_than_its_budget() -> None:
    found, known = start.count(), start.read()
    assert {kind: start.exceeded(known[kind], found[kind]) for kind in known} == {
        "crawl": [],
        "resume": [],
    }


def test_a_module_that_a_start_did_not_load_before_is_told_by_name() -> None:
    budget = start.Start(frozenset({"lycosa.a", "click"}), {"c_calls": 300.0})
    more = start.Start(frozenset({"lycosa.a", "lycosa.b", "rich"}), {"c_calls": 400.0})
    assert start.exceeded(budget, more) == [
        "lycosa.b: is loaded and was not",
        "rich: is loaded and was not",
        "c_calls: 400, and the budget is 300",
    ]


@pytest.mark.soak
@pytest.mark.needs("valgrind")
@pytest.mark.parametrize("job", DECISIVE)
def test_a_page_takes_no_more_instructions_than_its_budget(job: str) -> None:
    counted = {budgets.INSTRUCTIONS: round(instructions_of(job) / 1000, 1)}
    budget = budgets.read()[job]
    assert not budgets.missing(budget, counted)
    assert not budgets.exceeded(budget, counted, budgets.NOISE.get(job, 0.0))


def test_the_jobs_that_decide_have_a_budget_of_instructions() -> None:
    for processor in ("aarch64", "x86_64"):
        assert all(f"kilo_instructions_{processor}" in budgets.read()[job] for job in DECISIVE)


def test_a_processor_without_a_budget_of_instructions_is_told() -> None:
    counted = {budgets.INSTRUCTIONS: 1500.0}
    assert "--instructions --write makes one" in budgets.missing({"c_calls": 1.0}, counted)
    assert not budgets.missing({budgets.INSTRUCTIONS: 1400.0}, counted)
    assert not budgets.missing({}, {"c_calls": 1.0})


@pytest.mark.parametrize("job", ["plain", "tls"])
def test_two_runs_of_one_job_leave_the_same_bytes(job: str) -> None:
    assert differences(job, SOURCE, SOURCE, pages=60) == []


def test_calls_of_the_server_are_not_counted() -> None:
    """The server speaks TLS by `SSLObject`, the crawl by `SSLSocket`; both call the same C."""
    calls = calls_of("tls")
    assert 1.0 <= calls["<method 'read' of '_ssl._SSLSocket' objects>"] < 1.5
    assert 0.02 <= calls["<method 'do_handshake' of '_ssl._SSLSocket' objects>"] < 0.1
    assert not any("MemoryBIO" in name or "benchmarks/" in name for name in calls)


def test_a_crawl_that_decides_otherwise_is_told(tmp_path: Path) -> None:
    """The comparison can fail: another distance of seeds changes what is admitted."""
    other = tmp_path / "src"
    shutil.copytree(SOURCE, other, ignore=shutil.ignore_patterns("__pycache__", "*.c"))
    distance = other / "lycosa" / "frontier" / "distance.py"
    said = distance.read_text()
    distance.write_text(said.replace("SEED = 0", "SEED = 1"))
    assert distance.read_text() != said
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
    monkeypatch.setattr(budgets, "COUNTED_ON", sys.version_info[:2])
    assert budgets.exceeded({"allocations": 300.0}, {"allocations": 300.2}) == []
    assert budgets.exceeded({"allocations": 300.0}, {"allocations": 301.0})


def test_only_a_job_with_noise_may_take_more_instructions() -> None:
    budget, counted = {budgets.INSTRUCTIONS: 2000.0}, {budgets.INSTRUCTIONS: 2300.0}
    assert budgets.exceeded(budget, counted, noise=0.01)
    assert budgets.exceeded({budgets.INSTRUCTIONS: 2300.0}, counted) == []


def test_functions_that_grew_are_told_by_how_much() -> None:
    before, after = {"a.py:f": 1.0, "<len>": 9.0}, {"a.py:f": 3.0, "<len>": 9.0, "b.py:g": 1.0}
    assert budgets.grown(before, after) == ["+2.00 a.py:f", "+1.00 b.py:g"]
