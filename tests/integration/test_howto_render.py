"""What the page on rendering tells to type gives what it shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.needs("chromium")
PAGE = Path(__file__).parents[2] / "docs" / "howto" / "render-pages.md"
BLOCK = re.compile(r"```sh\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)
WHERE = {"COLUMNS": "80", "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


def test_every_command_prints_what_the_page_shows(tmp_path: Path) -> None:
    (serve, _), *blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    assert len(blocks) == 4
    words = [sys.executable, "-m", *serve.split()]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as server:
        assert server.stdout is not None
        try:
            while (line := server.stdout.readline()) != "ready\n":
                assert line, "the test web did not start"
            for script, shown in blocks:
                done = subprocess.run(
                    ["bash", "-c", script],
                    cwd=tmp_path,
                    env=os.environ | WHERE,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                printed = "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())
                assert printed == shown, script + done.stderr
        finally:
            server.terminate()
