"""Profiles Lycosa: time by module, by function, and by native symbol.

py-spy samples the stacks of the same command that the race measures, from the other core and
without stopping it: when it was stopped at every sample to see native frames too, some functions
seemed to take ten times their share. A sample counts for

    a module      the innermost of ours on the stack, whatever it calls; imports apart
    a function    the innermost function of Python, whatever C and Cython code it calls
    a caller      every function of ours on the stack, once: with all that it leads to

The crawl runs without its watcher (`lycosa.cli.watch`): py-spy would sample the watcher alone, and
cProfile would write a profile of each. Samples of a thread that waits are left out. The shares are
also given in microseconds a page, by the CPU time of a run without a profiler. Below Python, and in
the kernel, `perf` looks where it is allowed. Where py-spy is not, cProfile is what is left.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.race.clients import (
    Course,
    lycosa_command,
    lycosa_pages,
    lycosa_program,
    run_folder,
)
from benchmarks.race.environments import bench_environment, lycosa_environment
from benchmarks.race.measuring import CORE, measure, started
from benchmarks.race.server import CORE as OTHER_CORE

FOLDER = Path(__file__).resolve().parents[2] / "build" / "profiles"
SAMPLES_PER_SECOND = 500
TOP = 40
WIDTH = 100
UNWATCHED = {"LYCOSA_KILL_AT": ""}
"""The environment of a crawl that is not watched, and that no fail point kills."""
WAITS = {
    "Loop._turn (lycosa/_support/loop.py)",
    "_worker (concurrent/futures/thread.py)",
    "sync_file (lycosa/storage/archive/files.py)",  # for the disk, which py-spy takes for work
}
_FRAME = re.compile(r"(?P<name>.*) \((?P<file>[^()]*?)(?::(?P<line>\d+))?\)$")


@dataclass(frozen=True)
class Frame:
    """One function on a stack."""

    name: str
    file: str

    @property
    def is_ours(self) -> bool:
        return self.file.startswith("lycosa/")

    @property
    def is_wait(self) -> bool:
        return str(self) in WAITS

    @property
    def is_import(self) -> bool:
        return self.name == "_find_and_load"

    def __str__(self) -> str:
        return f"{self.name} ({self.file})"


def frames(stack: str) -> list[Frame]:
    """Read a stack, the outermost frame first; lines within a function are not told apart."""
    found = []
    for text in stack.split(";"):
        match = _FRAME.match(text)
        name, file = (match["name"], match["file"]) if match else (text, "?")
        found.append(Frame(name, file))
    return found


def stacks(raw: Iterable[str]) -> Iterator[tuple[list[Frame], int]]:
    """Read py-spy's raw format: a stack a line, with the number of its samples."""
    for line in raw:
        stack, _, count = line.rstrip("\n").rpartition(" ")
        if stack:
            yield frames(stack), int(count)


def counted(samples: Iterable[tuple[list[Frame], int]]) -> dict[str, Counter[str]]:
    """Count samples by module, function and caller."""
    tops: dict[str, Counter[str]] = {name: Counter() for name in ("module", "function", "caller")}
    for stack, count in samples:
        if stack[-1].is_wait:
            continue
        ours = [frame for frame in stack if frame.is_ours]
        if any(frame.is_import for frame in stack):
            tops["module"]["(imports)"] += count
        else:
            tops["module"][ours[-1].file if ours else "(none of ours)"] += count
        tops["function"][str(stack[-1])] += count
        tops["caller"].update(dict.fromkeys({str(frame) for frame in ours}, count))
    return tops


def listed(counts: Counter[str], total: int, page_microseconds: float, most: int = TOP) -> str:
    """Return the top of a list: share, microseconds a page, name."""
    lines = [
        f"{count / total:7.1%} {count / total * page_microseconds:8.1f}  {name[:WIDTH]}"
        for name, count in counts.most_common(most)
    ]
    return "\n".join(lines)


def write(course: Course) -> None:
    """Measure, profile, and leave the lists in `build/profiles`."""
    seconds, pages = _plain_run(course)
    page = seconds / pages * 1e6
    parts = [
        f"Lycosa on tree {course.tree.name}: {pages:,} pages, {seconds:.2f} s of CPU without a "
        f"profiler, {page:.0f} µs a page.\nColumns: share of samples, µs a page, where."
    ]
    parts += _spied(course, page)
    parts += _perf(course)
    text = "\n\n".join(parts) + "\n"
    FOLDER.mkdir(parents=True, exist_ok=True)
    file = FOLDER / f"tree-{course.tree.name}.txt"
    file.write_text(text)
    print(text)
    print(f"written to {file}", file=sys.stderr)


def _plain_run(course: Course) -> tuple[float, int]:
    with tempfile.TemporaryDirectory(dir=run_folder()) as name:
        folder = Path(name)
        command = lycosa_command(lycosa_program(), course, folder)
        usage = measure(command, folder=folder, environment={}, most_seconds=900)
        return usage.cpu_seconds, len(frozenset(lycosa_pages(folder)))


def _spied(course: Course, page: float) -> list[str]:
    spy = str(bench_environment() / "bin" / "py-spy")
    options = ["record", "--nonblocking", "--format", "raw", "--rate", str(SAMPLES_PER_SECOND)]
    with tempfile.TemporaryDirectory(dir=run_folder()) as name:
        raw = Path(name) / "raw"
        failed = _crawl(course, Path(name), [spy, *options, "--output", str(raw), "--"])
        if failed or not raw.exists():
            return [f"py-spy may not look: {failed}", _profiled(course)]
        tops = counted(stacks(raw.read_text().splitlines()))
    total = tops["function"].total()
    heads = {
        "module": "By module of ours, with all that it calls outside",
        "function": "By function of Python, with the C and Cython code that it calls",
        "caller": "By function of ours, with all that it leads to",
    }
    return [f"## {head}\n\n{listed(tops[name], total, page)}" for name, head in heads.items()] + [
        f"{total:,} samples by py-spy."
    ]


def _profiled(course: Course) -> str:
    with tempfile.TemporaryDirectory(dir=run_folder()) as name:
        file = Path(name) / "profile"
        failed = _crawl(course, Path(name), options=["-m", "cProfile", "-o", str(file)])
        show = (
            f"import pstats; pstats.Stats({str(file)!r}).sort_stats('tottime').print_stats({TOP})"
        )
        return f"cProfile: {failed}\n{_output([sys.executable, '-c', show])}"


def _perf(course: Course) -> list[str]:
    perf = shutil.which("perf")
    if perf is None:
        return ["perf is not installed: no view of the kernel."]
    with tempfile.TemporaryDirectory(dir=run_folder()) as name:
        data = str(Path(name) / "perf.data")
        record = [perf, "record", "--quiet", "-e", "cpu-clock", "-F", "1000", "-o", data, "--"]
        failed = _crawl(course, Path(name), record)
        if failed:
            return [f"perf may not look: {failed}"]
        report = [perf, "report", "-i", data, "--stdio", "--quiet", "--percent-limit", "0.3"]
        by_file = _output([*report, "--sort", "dso"])
        by_symbol = _output([*report, "--sort", "dso,symbol"])
    return [
        f"## By file, kernel included (perf)\n\n{by_file}",
        f"## By symbol, kernel included (perf)\n\n{by_symbol}",
    ]


def _crawl(
    course: Course, folder: Path, under: Sequence[str] = (), options: Sequence[str] = ()
) -> str:
    """Run the crawl under a profiler, which has the other core; the value is what went wrong."""
    script, *rest = lycosa_command(lycosa_program(), course, folder)
    python = str(lycosa_environment() / "bin" / "python")
    pinned = ["taskset", "-c", str(CORE), python, *options, script, *rest]
    with started(["taskset", "-c", str(OTHER_CORE), *under, *pinned], folder, UNWATCHED) as process:
        code = process.wait(timeout=900)
    said = (folder / "output").read_text(errors="replace").strip()
    return "" if code == 0 else (said or str(code))[-500:]


def _output(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    shown = [line.removesuffix(" - -") for line in lines if line and not line.startswith("#")]
    return "\n".join(line[:WIDTH] for line in shown[: TOP + 10])
