"""Counts what a page of each fixed job costs, and holds it against the budgets."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks.budget import budgets
from benchmarks.budget.counting import Counted, count, instructions_of
from benchmarks.budget.jobs import DECISIVE, JOBS


def main() -> int:
    """Count, show, and tell what is above its budget."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.budget", description=__doc__)
    parser.add_argument("jobs", nargs="*", metavar="JOB", help=f"of {', '.join(JOBS)}; default all")
    parser.add_argument("--source", type=Path, help="the `src` folder of another checkout, built")
    parser.add_argument("--instructions", action="store_true", help="by valgrind; takes minutes")
    parser.add_argument("--write", action="store_true", help="make the counts the budgets")
    parser.add_argument("--json", action="store_true", help="print counts as JSON")
    asked = parser.parse_args()
    if unknown := [job for job in asked.jobs if job not in JOBS]:
        parser.error(f"no job is called {unknown[0]}: choose from {', '.join(JOBS)}")
    known = budgets.read() if budgets.FILE.exists() else {}
    found: dict[str, dict[str, float]] = {}
    problems: list[str] = []
    for job in asked.jobs or JOBS:
        print(f"counting {job} …", file=sys.stderr, flush=True)
        counts, calls = count(job, asked.source)
        found[job] = dict(zip(Counted._fields, counts, strict=True))
        if asked.instructions and not JOBS[job].needs_numpy:
            found[job][budgets.INSTRUCTIONS] = round(instructions_of(job, asked.source) / 1000, 1)
        if asked.write:
            budgets.write_calls(job, calls)
        elif job in known and (lines := _exceeded(job, known[job], found[job])):
            problems += [f"{job}: {line}" for line in lines]
            problems += [f"  {line}" for line in budgets.grown(budgets.read_calls(job), calls)]
        budget = known.get(job, {})
        if job in DECISIVE and not asked.write and (line := budgets.missing(budget, found[job])):
            problems.append(f"{job}: {line}")
    if asked.write:
        budgets.write({job: {**known.get(job, {}), **found.get(job, {})} for job in JOBS})
    print(json.dumps(found, indent=2) if asked.json else _table(found))
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


def _exceeded(job: str, budget: budgets.Budget, counted: budgets.Budget) -> list[str]:
    return budgets.exceeded(budget, counted, budgets.NOISE.get(job, 0.0))


def _table(found: dict[str, dict[str, float]]) -> str:
    names = list(dict.fromkeys(name for counts in found.values() for name in counts))
    lines = [f"| a page of | {' | '.join(name.replace('_', ' ') for name in names)} |"]
    lines.append("|---" * (len(names) + 1) + "|")
    for job, counts in found.items():
        lines.append(f"| {job} | {' | '.join(_shown(counts.get(name)) for name in names)} |")
    return "\n".join(lines)


def _shown(count: float | None) -> str:
    return "–" if count is None else f"{count:,.10g}"


if __name__ == "__main__":
    sys.exit(main())
