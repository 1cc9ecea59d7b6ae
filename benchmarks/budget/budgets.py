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
"""The part by which a count may be higher: the kernel decides how often a lock is waited for."""
COUNTED_ON = ((3, 11), "aarch64")
"""The Python and the processor that the budgets are of."""
ELSEWHERE = 0.1
"""The part by which counts may be higher with others: they count calls in other ways."""
HEAD = """\
# What a page of each fixed job may cost, counted by `python -m benchmarks.budget` (calls,
# allocations, system calls; Python 3.11) and by `python -m benchmarks.budget --instructions`
# (thousands of instructions in user space; aarch64). `--write` puts the present counts here. A line
# that rises is a decision: say in the commit what the price buys.
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


def exceeded(budget: Budget, counted: Budget) -> list[str]:
    """Return the counts above their budgets, a line each."""
    here = (sys.version_info[:2], platform.machine())
    slack = 0.0 if here == COUNTED_ON else ELSEWHERE
    return [
        f"{name}: {value:g} a page, and the budget is {budget[name]:g}"
        for name, value in counted.items()
        if value > budget[name] * (1 + slack + TOLERANCE.get(name, 0.001))
    ]


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
