"""Tests that lack something of the machine are left out and counted, but never under CI."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

TESTS = Path(__file__).parents[1]
TWO = """
import pytest

def test_free():
    pass

@pytest.mark.needs("chromium")
def test_with_a_browser():
    raise RuntimeError("it ran")
"""

MARKERS = "markers=needs: of the machine\nslow: left to make test-all\nquick: not so"


def run(folder: Path, *flags: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run the two tests on a machine that has no programs at all."""
    for name in ("conftest.py", "needs.py", "seeds.py", "tiers.py", "times.py"):
        shutil.copy(TESTS / name, folder)
    shutil.copytree(TESTS / "servers", folder / "servers")
    (folder / "test_two.py").write_text(TWO, encoding="utf-8")
    options = ["-p", "no:cacheprovider", "-c", os.devnull, "-o", MARKERS]
    environment = {key: value for key, value in os.environ.items() if key != "CI"}
    return subprocess.run(
        [sys.executable, "-m", "pytest", *options, *flags, "--rootdir", folder, folder],
        env=environment | {"PATH": str(folder), "PYTHONPATH": str(folder)} | more,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@pytest.mark.parametrize("flags", [(), ("-n", "2")])
def test_what_is_left_out_is_counted_at_the_end(tmp_path: Path, flags: tuple[str, ...]) -> None:
    done = run(tmp_path, *flags)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
    line = "left out: 1 test that needs chromium (apt-get install chromium fonts-liberation)"
    assert line in done.stdout.splitlines()


def test_under_ci_nothing_is_left_out(tmp_path: Path) -> None:
    done = run(tmp_path, CI="true")
    assert done.returncode == 1
    assert "left out" not in done.stdout
    assert "it ran" in done.stdout
