"""Compares the same crawl by two checkouts: every request, event, record and row.

    python -m benchmarks.budget.same SRC OTHER_SRC [JOB...]

In a fixed run nothing depends on chance, so crawls of two commits that decide alike leave the same
bytes. Files of the archive and of tables are compared byte for byte, the log row by row.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.budget.counting import crawl
from benchmarks.budget.jobs import JOBS

PAGES = 600
PASSING = (".lock", ".writing", "live.json")
"""Endings of files that say nothing of the crawl, or how full the disk is."""


def differences(job: str, source: Path, other: Path, pages: int = PAGES) -> list[str]:
    """Return what differs between the crawls of two checkouts, a line each."""
    with tempfile.TemporaryDirectory() as name:
        one, two, present = (Path(name) / side for side in ("one", "two", "present"))
        for folder, tree in ((one, source), (two, other)):
            present.mkdir()  # at the same path, which is part of the job
            crawl(job, pages, tree, folder=present)
            present.rename(folder)
        return list(_compared(one / "crawl", two / "crawl"))


def _compared(one: Path, two: Path) -> Iterator[str]:
    names = {path.relative_to(top) for top in (one, two) for path in _files(top)}
    for name in sorted(names):
        paths = (one / name, two / name)
        missing = [path for path in paths if not path.exists()]
        if missing:
            yield f"{name}: only in the {'first' if missing[0] == paths[1] else 'second'}"
        elif name.suffix == ".sqlite":
            yield from (f"{name}: {line}" for line in _rows_differing(*paths))
        elif paths[0].read_bytes() != paths[1].read_bytes():
            sizes = " and ".join(str(path.stat().st_size) for path in paths)
            yield f"{name}: other content, {sizes} bytes"


def _files(top: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(top):
        yield from (Path(folder) / name for name in names if not name.endswith(PASSING))


def _rows_differing(one: Path, two: Path) -> Iterator[str]:
    dumps = []
    for path in (one, two):
        with sqlite3.connect(path) as base:
            dumps.append(list(base.iterdump()))
    for number, (first, second) in enumerate(zip(*dumps, strict=False)):
        if first != second:
            yield f"row {number}: {first[:120]} | {second[:120]}"
            return
    if len(dumps[0]) != len(dumps[1]):
        yield f"{len(dumps[0])} and {len(dumps[1])} rows"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.budget.same", description=__doc__)
    parser.add_argument("source", type=Path, help="the `src` folder of a checkout, built")
    parser.add_argument("other", type=Path, help="that of another one")
    parser.add_argument("jobs", nargs="*", metavar="JOB", help=f"of {', '.join(JOBS)}; default all")
    options = parser.parse_args()
    found = 0
    for name in options.jobs or JOBS:
        lines = differences(name, options.source, options.other)
        found += len(lines)
        print(f"{name}: {len(lines)} differences" if lines else f"{name}: the same")
        print("".join(f"  {line}\n" for line in lines), end="")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
