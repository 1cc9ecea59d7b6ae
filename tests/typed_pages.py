"""The commands that a page tells to type, run beside a test web as the page says."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from examples import Command, plain_commands
from warm import in_full, lycosa

HOWTO = Path(__file__).parents[1] / "docs" / "howto"
BLOCK = re.compile(r"```sh\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)


@contextmanager
def served(folder: Path, *flags: str) -> Iterator[Path]:
    """Serve a test web beside a folder, as the pages say."""
    command = [sys.executable, "-m", "lycosa", "testweb", *flags, "--no-tls", "--folder", "web"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as server:
        assert server.stdout is not None
        try:
            while (line := server.stdout.readline()) != "ready\n":
                assert line, "the test web did not start"
            yield folder
        finally:
            server.terminate()


def typed(script: str, folder: Path) -> str:
    """Run what a reader would paste; returns what is printed, without spaces at the ends."""
    if commands := plain_commands(script):
        printed = "".join(run(command, folder) for command in commands)
    else:
        printed = in_shell(script, folder)
    return "".join(f"{line.rstrip()}\n" for line in printed.splitlines())


begun_in_full: set[str] = set()


def run(command: Command, folder: Path) -> str:
    """Run a command: the first of its name from nothing, others where everything is loaded."""
    words = command.words
    name = " ".join(words[:2]) if words[0] == "check" else words[0]
    runner = lycosa if name in begun_in_full else in_full
    begun_in_full.add(name)
    done = runner(*words, cwd=folder)
    assert done.returncode in (0, 1), f"{shlex.join(words)}\n{done.stderr}"
    return command.printed(done.stdout, folder)


def in_shell(script: str, folder: Path) -> str:
    where = {"COLUMNS": "80", "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=os.environ | where,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout
