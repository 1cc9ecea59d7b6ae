"""What a machine lacks is told with the command that mends it (tools/prerequisites.sh)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "tools" / "prerequisites.sh"
BROWSER = "    sudo apt-get install --no-install-recommends chromium fonts-liberation"
POSTGRESQL = "    sudo apt-get install --no-install-recommends postgresql"


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the script where nothing may be installed."""
    return subprocess.run(
        ["/bin/sh", SCRIPT, *words],
        env={"PATH": os.defpath, "INSTALL": "no"} | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_interpreter_that_is_named_is_taken() -> None:
    done = run("python", PYTHON=sys.executable)
    assert (done.returncode, done.stdout) == (0, f"{sys.executable}\n")


def test_the_newest_supported_interpreter_is_taken(tmp_path: Path) -> None:
    for name in ("python3.11", "python3.13", "python3"):
        (tmp_path / name).symlink_to("/bin/false" if name == "python3.13" else sys.executable)
    done = run("python", PATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (0, f"{tmp_path / 'python3.11'}\n")


@pytest.mark.parametrize(
    ("said", "told"), [("echo 3.10", "is Python 3.10."), ("exit 1", "is not there.")]
)
def test_a_wrong_interpreter_is_refused_by_name(tmp_path: Path, said: str, told: str) -> None:
    other = tmp_path / "python"
    other.write_text(f"#!/bin/sh\n{said}\n", encoding="ascii")
    other.chmod(0o755)
    done = run("build", PYTHON=str(other))
    assert done.returncode == 1
    assert f"PYTHON={other} {told} Lycosa needs Python 3.11, 3.12 or 3.13" in done.stderr


def test_without_a_browser_the_command_is_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    done = run("test", PATH=str(tmp_path))
    assert done.returncode == 0
    assert BROWSER in done.stderr.splitlines()


def test_under_ci_a_missing_browser_is_an_error(tmp_path: Path) -> None:
    done = run("test", PATH=str(tmp_path), CI="true")
    assert done.returncode == 1
    assert BROWSER in done.stderr.splitlines()


def test_without_postgresql_the_command_is_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    done = run("test-all", PATH=f"{tmp_path}:/bin:/usr/bin", POSTGRESQL=str(tmp_path))
    assert done.returncode == 0
    assert POSTGRESQL in done.stderr.splitlines()
    assert "The tests that need PostgreSQL are left out and counted at the end." in done.stderr


def test_under_ci_a_missing_postgresql_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "chromium").symlink_to("/bin/true")
    path = f"{tmp_path}:/bin:/usr/bin"
    done = run("test-all", PATH=path, POSTGRESQL=str(tmp_path), CI="true")
    assert done.returncode == 1
    assert POSTGRESQL in done.stderr.splitlines()


@pytest.mark.parametrize(("environment", "code"), [({}, 0), ({"CI": "true"}, 1)])
def test_without_valgrind_the_long_runs_tell_the_command(
    tmp_path: Path, environment: dict[str, str], code: int
) -> None:
    done = run("soak", PATH=str(tmp_path), **environment)
    assert done.returncode == code
    assert "    sudo apt-get install --no-install-recommends valgrind" in done.stderr.splitlines()
