"""The four commands from a site to an answer, as the how-to tells to type them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lycosa.model.job import parse_job
from typed_pages import BLOCK, typed

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "query-structured-data.md"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder beside which the library is served, as the page says."""
    (words,) = re.findall(r"```console\n\$ lycosa (testweb .*)\n```", PAGE.read_text())
    command = [sys.executable, "-m", "lycosa", *words.split()]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as server:
        assert server.stdout is not None
        while (line := server.stdout.readline()) != "ready\n":
            assert line, "the library did not open"
        try:
            yield tmp_path
        finally:
            server.terminate()


def test_every_command_prints_what_the_page_shows(folder: Path) -> None:
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    assert [bool(shown) for _, shown in blocks] == [False, True, True, True, True, True]
    for script, shown in blocks:
        found = typed(script, folder)
        assert found == shown or not shown, script
    (program,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    counting = [sys.executable, "-c", f"{program}\nprint(len(set(pages)), 'pages')"]
    done = subprocess.run(counting, cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout == "16 pages\n"


def test_the_job_on_the_page_is_one() -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert parse_job(text).structured.links
