"""What the how-to on checking tells to type gives what it shows."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "check-before-you-crawl.md"
BLOCK = re.compile(r"```sh\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)
ROW = re.compile(r"\| `check (\w+) --batch` \| (.*?) \| (.*?) \|")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder beside which the test web is served, as the page says."""
    folder = tmp_path_factory.mktemp("howto")
    command = [sys.executable, "-m", "lycosa", "testweb", "--no-tls", "--folder", "web"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as server:
        assert server.stdout is not None
        while (line := server.stdout.readline()) != "ready\n":
            assert line, "the test web did not start"
        yield folder
        server.terminate()


def typed(script: str, folder: Path) -> str:
    """Run what a reader would paste; returns what is printed, without spaces at the ends."""
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
    return "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())


def test_every_command_prints_what_the_page_shows(folder: Path) -> None:
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    assert len(blocks) >= 9
    for script, shown in blocks:
        assert typed(script, folder) == shown, script


def test_the_table_of_batches_names_every_member(folder: Path) -> None:
    (folder / "p").write_text("<title>t</title>")
    rows = ROW.findall(PAGE.read_text(encoding="utf-8"))
    assert [kind for kind, _, _ in rows] == ["url", "robots", "page", "scope"]
    values = {"file": "p", "robots_latin1": "", "agent": "x", "content_type": "text/html"}
    for kind, asked, answered in rows:
        given = {name: values.get(name, "http://a.test/") for name in re.findall(r"`(\w+)`", asked)}
        (folder / "line").write_text(json.dumps(given))
        answer = json.loads(typed(f"lycosa check {kind} --batch line", folder))
        assert list(answer) == re.findall(r"`(\w+)`", answered)
