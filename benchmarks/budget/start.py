"""Counts what a start costs: the modules that a crawl and a resume load, and their calls.

    python -m benchmarks.budget.start [--write]

The job is the plain one, of one page. `crawl` begins it; `resume` goes on with it after it has
ended by its limit. Modules of Lycosa are named one by one and those of others by their package:
the standard library differs from one Python to the next, and loads what it likes. `start.toml` has
the budgets.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import NamedTuple

from benchmarks.budget import budgets
from benchmarks.budget.counting import HERE, crawl, profiled, warm

FILE = HERE / "start.toml"
KINDS = ("crawl", "resume")
HEAD = """\
# What a crawl of one page and its resume may load and call, counted by
# `python -m benchmarks.budget.start`; `--write` puts the present counts here. A module more is a
# decision: a feature that is off is loaded where it is turned on.
"""


class Start(NamedTuple):
    """What one kind of start costs."""

    modules: frozenset[str]
    calls: dict[str, float]
    """Of Python and of C, imports included."""


def count(source: Path | None = None) -> dict[str, Start]:
    """Count both kinds, of this checkout or of another one's `src` folder."""
    warm("plain", source)
    found = {}
    with tempfile.TemporaryDirectory() as passing:
        folder, told = Path(passing) / "crawl", Path(passing)
        folder.mkdir()
        for kind in KINDS:
            behind = ["--modules", str(told / "modules")]
            behind += ["--count", str(told / "calls")]
            behind += ["--resume"] if kind == "resume" else []
            pages = 1 + KINDS.index(kind)
            crawl("plain", pages, source, behind=behind, folder=folder)
            calls = profiled(told / "calls")
            in_c = sum(often for name, often in calls.items() if name.startswith("<"))
            names = frozenset((told / "modules").read_text(encoding="utf-8").split())
            counted = {"python_calls": float(sum(calls.values()) - in_c), "c_calls": float(in_c)}
            found[kind] = Start(names, counted)
    return found


def read() -> dict[str, Start]:
    """Return the budgets."""
    tables = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {kind: Start(frozenset(table.pop("modules")), table) for kind, table in tables.items()}


def write(starts: dict[str, Start]) -> None:
    """Make counts the budgets."""
    parts = [HEAD]
    for kind, start in starts.items():
        calls = "".join(f"{name} = {often:.0f}\n" for name, often in start.calls.items())
        modules = "".join(f'    "{name}",\n' for name in sorted(start.modules))
        parts.append(f"\n[{kind}]\n{calls}modules = [\n{modules}]\n")
    FILE.write_text("".join(parts), encoding="utf-8")


def exceeded(budget: Start, counted: Start) -> list[str]:
    """Return what is above its budget, a line each: new modules by name, then calls."""
    more = sorted(counted.modules - budget.modules)
    return [f"{name}: is loaded and was not" for name in more] + [
        line.replace(" a page", "") for line in budgets.exceeded(budget.calls, counted.calls)
    ]


def main() -> int:
    """Count, show, and tell what is above its budget."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.budget.start", description=__doc__)
    parser.add_argument("--source", type=Path, help="the `src` folder of another checkout, built")
    parser.add_argument("--write", action="store_true", help="make the counts the budgets")
    asked = parser.parse_args()
    found = count(asked.source)
    for kind, start in found.items():
        ours = sum(name.startswith("lycosa.") for name in start.modules)
        calls = ", ".join(f"{often:,.0f} {name}" for name, often in start.calls.items())
        print(f"{kind}: {ours} modules of Lycosa, {calls}".replace("_", " "))
    if asked.write:
        write(found)
        return 0
    known = read()
    problems = [f"{kind}: {line}" for kind in KINDS for line in exceeded(known[kind], found[kind])]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
