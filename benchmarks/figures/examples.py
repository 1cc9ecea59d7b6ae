"""The worked examples of the papers: the tests that `docs/figures.md` names."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from benchmarks.figures.page import PAGE
from benchmarks.figures.run import Made, Run
from benchmarks.machine import ROOT


def named(page: str) -> list[Path]:
    """Return the files of tests that a page names, with or without their folder."""
    names = sorted(set(re.findall(r"`((?:\w+/)?test_\w+\.py)`", page)))
    return [path for name in names for path in sorted((ROOT / "tests").rglob(name))]


def figure(run: Run) -> Made:
    """Run them; an example that is not as the paper has it ends with its assertion."""
    paths = named(PAGE.read_text(encoding="utf-8"))
    run.say(f"{len(paths)} files of tests")
    only = ["--collect-only"] if run.is_small else []
    command = [sys.executable, "-m", "pytest", "-q", *only, *map(str, paths)]
    subprocess.run(command, cwd=ROOT, check=True)
    return Made({})
