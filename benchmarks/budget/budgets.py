"""The budgets: what a page of each job may cost (`budgets.toml`), and which functions it calls.

A count may lie above its budget by the tolerance, and no more. The calls of each function are kept
in `calls/`, so that a count that is too high is told with the functions that grew.
"""

from __future__ import annotations

import platform
import sys
import tomllib
from collections.abc import Mapping

from benchmarks.budget.counting import HERE, Calls
from benchmarks.budget.jobs import TESTED

FILE = HERE / "budgets.toml"
CALLS = HERE / "calls"
TOLERANCE = {"system_calls": 0.05}
"""The part by which a count may be higher: the kernel decides how often a lock is waited for.
Others may be higher by a thousandth. Instructions of two runs differ by 0.004 % (`plain`) and by
0.016 % (`tls`, whose keys are new in each run)."""
NOISE = {"data": 0.01, "hosts": 0.005}
"""The part by which instructions of a job may be higher still: runs differ by 0.6 and 0.25 %."""
COUNTED_ON = (3, 11)
"""The Python that the budgets are of. Its counts are the same on aarch64 and x86-64."""
ELSEWHERE = 0.1
"""The part by which counts may be higher with others: they count calls in other ways."""
INSTRUCTIONS = f"kilo_instructions_{platform.machine()}"
"""Processors have instructions of their own, and so have their budgets."""
HEAD = """\
# What a page of each fixed job may cost, counted by `python -m benchmarks.budget` (calls,
# allocations, system calls; Python 3.11) and by `python -m benchmarks.budget --instructions`
# (thousands of instructions in user space, by processor). `--write` puts the present counts here.
# A line that rises is a decision: say in the commit what the price buys. Of the jobs (`jobs.py`),
# `every` has all features that can be counted, and `bare` none of those that are on by default.
"""

Budget = Mapping[str, float]


def read() -> dict[str, Budget]:
    """Return the budgets of all jobs."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def write(budgets: Mapping[str, Budget]) -> None:
    """Write the budgets of all jobs."""
    parts = [HEAD]
    for job, budget in budgets.items():
        lines = "".join(f"{name} = {value:g}\n" for name, value in budget.items())
        parts.append(f"\n[{job}]\n{lines}")
    FILE.write_text("".join(parts), encoding="utf-8")


def exceeded(budget: Budget, counted: Budget, noise: float = 0.0) -> list[str]:
    """Return the counts above their budgets, a line each; only some jobs have all budgets."""
    slack = 0.0 if sys.version_info[:2] == COUNTED_ON else ELSEWHERE
    parts = TOLERANCE | {INSTRUCTIONS: 0.001 + noise}
    return [
        f"{name}: {value:g} a page, and the budget is {budget[name]:g}"
        for name, value in counted.items()
        if name in budget and value > budget[name] * (1 + slack + parts.get(name, 0.001))
    ]


def missing(budget: Budget, counted: Budget) -> str:
    """Say that instructions were counted for which there is no budget: this proves nothing."""
    if INSTRUCTIONS not in counted or INSTRUCTIONS in budget:
        return ""
    return f"no budget of instructions for {platform.machine()}; --instructions --write makes one"


def read_calls(job: str) -> Calls:
    """Return the calls a page of each function as they were when the budget was written."""
    if job not in TESTED:
        return {}
    lines = (CALLS / f"{job}.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split(maxsplit=1) for line in lines)
    return {name: float(often) for often, name in pairs}


def write_calls(job: str, calls: Calls) -> None:
    """Keep the calls a page of each function, for jobs that the tests count."""
    if job not in TESTED:
        return
    CALLS.mkdir(exist_ok=True)
    lines = [f"{often:8.2f} {name}\n" for name, often in sorted(calls.items()) if often >= 0.05]
    (CALLS / f"{job}.txt").write_text("".join(lines), encoding="utf-8")


def grown(before: Calls, after: Calls, most: int = 12) -> list[str]:
    """Return the functions that are called more often than before, those that grew most first."""
    if not before:
        return []
    more = {name: often - before.get(name, 0.0) for name, often in after.items()}
    names = sorted((name for name in more if more[name] >= 0.01), key=lambda name: -more[name])
    return [f"+{more[name]:.2f} {name}" for name in names[:most]]
