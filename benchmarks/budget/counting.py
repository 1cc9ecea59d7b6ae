"""Counts what a page of a job costs: calls, allocations, system calls and instructions.

Each figure is the difference of two crawls of the fixed web, divided by the pages between them.
"""

from __future__ import annotations

import marshal
import os
import pstats
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from benchmarks.budget.fixed_web import Shape, whole_web
from benchmarks.budget.jobs import JOBS
from benchmarks.budget.prepared import ROOT, files_of

FEW_PAGES, MANY_PAGES = 200, 600
"""The pages of the two crawls. The first has all that happens once, the second 400 pages more."""
HERE = Path(__file__).parent
_HARNESS = "benchmarks/budget/"
_SERVER = (f"{_HARNESS}server.py", f"{_HARNESS}fixed_web.py")

Calls = Mapping[str, float]
"""Calls a page of each function, by its module and name; functions of C have no module."""


class Counted(NamedTuple):
    """What a page costs, apart from instructions, whose counting takes minutes."""

    python_calls: float
    c_calls: float
    allocations: float
    system_calls: float


def count(job: str, source: Path | None = None) -> tuple[Counted, Calls]:
    """Count one job, of this checkout or of another one's `src` folder."""
    calls = calls_of(job, source)
    in_c = sum(often for name, often in calls.items() if name.startswith("<"))
    whole = sum(calls.values())
    return (
        Counted(
            round(whole - in_c, 1),
            round(in_c, 1),
            round(allocations_of(job, source), 1),
            round(system_calls_of(job, source), 2),
        ),
        calls,
    )


def calls_of(job: str, source: Path | None = None) -> Calls:
    """Return the calls a page of each function, without those of the harness."""
    warm(job, source)
    few, many = (_profile(job, pages, source) for pages in (FEW_PAGES, MANY_PAGES))
    between = MANY_PAGES - FEW_PAGES
    each = {name: (many.get(name, 0) - few.get(name, 0)) / between for name in many.keys() | few}
    return {name: often for name, often in each.items() if abs(often) >= 0.005}


def allocations_of(job: str, source: Path | None = None) -> float:
    """Return how often a page allocates memory, of Python and of C."""

    def counted(pages: int) -> int:
        with tempfile.TemporaryDirectory() as told:
            file = Path(told) / "allocations"
            more = {"PYTHONMALLOC": "malloc", "LD_PRELOAD": str(_counter())}
            crawl(job, pages, source, environment={**more, "LYCOSA_ALLOCATIONS": str(file)})
            return int(file.read_text())

    return _a_page(counted(FEW_PAGES), counted(MANY_PAGES))


def system_calls_of(job: str, source: Path | None = None) -> float:
    """Return how many system calls a page takes, the server's two included."""

    def counted(pages: int) -> int:
        with tempfile.TemporaryDirectory() as told:
            file = Path(told) / "calls"
            crawl(job, pages, source, before=["strace", "-f", "-c", "-U", "calls,name", "-o", file])
            return int(file.read_text().split()[-2])

    return _a_page(counted(FEW_PAGES), counted(MANY_PAGES))


def instructions_of(job: str, source: Path | None = None) -> float:
    """Return the instructions of user space a page, the server's included, by cachegrind."""

    def counted(pages: int) -> int:
        with tempfile.TemporaryDirectory() as told:
            file = Path(told) / "counted"
            valgrind = ["valgrind", "--quiet", "--tool=cachegrind", "--cache-sim=no"]
            crawl(job, pages, source, before=[*valgrind, f"--cachegrind-out-file={file}"])
            found = re.search(r"^summary: (\d+)", file.read_text(), re.MULTILINE)
            assert found is not None, "cachegrind has counted nothing"
            return int(found[1])

    return _a_page(counted(FEW_PAGES), counted(MANY_PAGES))


def _a_page(few: int, many: int) -> float:
    return (many - few) / (MANY_PAGES - FEW_PAGES)


def _profile(job: str, pages: int, source: Path | None) -> dict[str, int]:
    """Return how often each function was called in a crawl of so many pages."""
    with tempfile.TemporaryDirectory() as told:
        file = Path(told) / "profile"
        crawl(job, pages, source, behind=["--count", str(file)])
        return profiled(file)


def profiled(file: Path) -> dict[str, int]:
    """Return how often each function was called by a profile, without those of the harness."""
    # The type of `stats` is not declared: function to counts and callers.
    entries = cast("dict[Any, Any]", pstats.Stats(str(file)).stats)  # type: ignore[attr-defined]
    served = _of_the_server(entries)
    found: dict[str, int] = {}
    for function, (_, often, _, _, callers) in entries.items():
        module, _, name = function
        if function in served or _HARNESS in module:
            continue
        # What the harness does in the crawl's place (jobs of threads) calls the crawl's functions.
        ours = {one for one in callers if module == "~" and _HARNESS in one[0]} | served
        others = sum(told[1] for caller, told in callers.items() if caller in ours)
        known = _name(module, name)
        found[known] = found.get(known, 0) + often - others
    return found


def _of_the_server(entries: dict[Any, Any]) -> set[Any]:
    """Return the functions of the server, and those that it alone calls."""
    found = {function for function in entries if function[0].endswith(_SERVER)}
    while more := {
        function
        for function, (*_, callers) in entries.items()
        if callers and function not in found and found.issuperset(callers)
    }:
        found |= more
    return found


def _name(module: str, name: str) -> str:
    """Return a name that is the same in every checkout and on every machine."""
    if module == "~":
        return re.sub(r" at 0x[0-9a-f]+", "", name if name.startswith("<") else f"<{name}>")
    return f"{re.sub(r'.*/(?=lycosa/)|.*/(?:lib|site-packages)/', '', module)}:{name}"


def crawl(
    job: str,
    pages: int,
    source: Path | None,
    *,
    before: list[Any] | None = None,
    behind: list[str] | None = None,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> None:
    """Run the fixed crawl in a process of its own, with nothing of this machine's."""
    with tempfile.TemporaryDirectory() as passing:
        folder = folder or Path(passing)
        name = str(folder)
        source = source or ROOT / "src"
        (folder / "web").write_bytes(_web(JOBS[job].shape))
        for kind in JOBS[job].files:
            for file, content in files_of(kind, source).items():
                (folder / file).parent.mkdir(exist_ok=True)
                (folder / file).write_bytes(content)
        path = os.pathsep.join([str(source), str(ROOT)])
        run = [sys.executable, "-m", "benchmarks.budget.fixed_run", job, str(pages), name]
        done = subprocess.run(
            [*map(str, before or []), *run, *(behind or [])],
            env={
                "PATH": os.environ["PATH"],
                "PYTHONHASHSEED": "0",
                "PYTHONPATH": path,
                **dict.fromkeys(("HOME", "TMPDIR", "XDG_RUNTIME_DIR"), name),
                **(environment or {}),
            },
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise RuntimeError(f"job {job}, {pages} pages: ended with {done.returncode}\n{done.stderr}")


@cache
def warm(job: str, source: Path | None) -> None:
    """Crawl a page, so that no counted run writes the byte code that others find."""
    crawl(job, 1, source)


@cache
def _web(shape: Shape) -> bytes:
    return marshal.dumps(tuple(whole_web(shape)))


@cache
def _counter() -> Path:
    """Return the compiled library that counts allocations."""
    target = Path(tempfile.mkdtemp()) / "allocations.so"
    command = [os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", "-o", str(target)]
    subprocess.run([*command, str(HERE / "allocations.c")], check=True)
    return target
