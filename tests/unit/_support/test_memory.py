"""A crawl's process is started with large pages, and only where they can be had."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lycosa._support.memory import TUNABLES, are_given, with_large_pages

SCRIPT = """\
import os, sys
from lycosa.cli.watch import watch
from lycosa._support.memory import restore_environment, told
sys.stderr.write("begun\\n")
restore_environment()
watch(with_large_pages=True)
print(os.getpid(), told(), *sys.argv[1:])
print(sorted(os.environ.items()))
"""


def run(folder: Path, tunables: str | None, *options: str) -> tuple[int, list[str], int]:
    """Run the script; returns how often it was begun, what it said, and its first process."""
    path = folder / "script.py"
    path.write_text(SCRIPT)
    environment = {name: value for name, value in os.environ.items() if name != TUNABLES}
    if tunables is not None:
        environment[TUNABLES] = tunables
    process = subprocess.Popen(
        [sys.executable, *options, str(path), "an argument", "--flag"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    said, begun = process.communicate(timeout=60)
    assert process.returncode == 0, begun
    first, second = said.splitlines()
    assert second == str(sorted(environment.items()))  # whatever happened, nothing is left of it
    return begun.count("begun"), first.split(" ", 2), process.pid


@pytest.mark.parametrize("before", [None, "", "glibc.malloc.perturb=0"])
def test_the_child_of_the_watcher_is_started_once(tmp_path: Path, before: str | None) -> None:
    begun, (number, tunables, rest), process = run(tmp_path, before, "-X", "utf8")
    assert rest == "an argument --flag"
    assert int(number) != process
    expected = with_large_pages(before or "") if are_given() else before or ""
    assert (begun, tunables) == (2 if are_given() else 1, expected)


def test_who_has_decided_is_not_overruled(tmp_path: Path) -> None:
    begun, (_, tunables, _), _ = run(tmp_path, "glibc.malloc.hugetlb=0")
    assert (begun, tunables) == (1, "glibc.malloc.hugetlb=0")


def test_a_profiler_is_not_left_behind(tmp_path: Path) -> None:
    begun, said, _ = run(tmp_path, None, "-m", "cProfile", "-o", str(tmp_path / "profile"))
    assert begun == 1
    assert said[1] == ""


def test_what_the_library_is_told() -> None:
    blocks = "glibc.malloc.mmap_threshold"
    assert with_large_pages("") == f"glibc.malloc.hugetlb=1:{blocks}=1048576"
    assert with_large_pages("a.b=1") == f"a.b=1:glibc.malloc.hugetlb=1:{blocks}=1048576"
    assert with_large_pages(f"{blocks}=5") == f"{blocks}=5:glibc.malloc.hugetlb=1"
    assert with_large_pages("glibc.malloc.hugetlb=2") is None
