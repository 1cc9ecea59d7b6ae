"""What the how-tos with a web of their own tell to type gives what they show; so does checking."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from examples import Command, plain_commands
from warm import in_full, lycosa

HOWTO = Path(__file__).parents[2] / "docs" / "howto"
PAGE = HOWTO / "check-before-you-crawl.md"
MINING_PAGE = HOWTO / "find-unlinked-pages.md"
TRAPS_PAGE = HOWTO / "traps.md"
FRESH_PAGE = HOWTO / "keep-a-crawl-fresh.md"
BLOCK = re.compile(r"```sh\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)
ROW = re.compile(r"\| `check (\w+) --batch` \| (.*?) \| (.*?) \|")


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


@pytest.fixture(autouse=True)
def narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with served(tmp_path_factory.mktemp("howto")) as folder:
        yield folder


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


@pytest.mark.parametrize(("page", "count"), [(MINING_PAGE, 4), (TRAPS_PAGE, 4), (FRESH_PAGE, 3)])
def test_the_pages_with_a_web_of_their_own_show_what_is_printed(
    page: Path, count: int, tmp_path: Path
) -> None:
    first, *blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    words = first[0].split()
    assert words[:2] == ["lycosa", "testweb"]
    assert words[4:] == ["--no-tls", "--folder", "web"]
    with served(tmp_path, *words[2:4]) as folder:
        assert len(blocks) == count
        for script, shown in blocks:
            assert typed(script, folder) == shown, script
