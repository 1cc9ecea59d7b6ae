"""The how-to pages on Python and on studying: every block is run, and prints what is shown."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Self

import pytest

from examples import Command, TypedPython, plain_commands
from tree_web import served_web
from warm import lycosa

ROOT = Path(__file__).parents[2]
HOWTO = ROOT / "docs" / "howto"
EXAMPLE = ROOT / "examples" / "wordcount-plugin"
BLOCK = re.compile(r"```(python|sh|toml)\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)


class Block(NamedTuple):
    kind: str
    script: str
    shown: str


def blocks(page: str) -> list[Block]:
    """Return the blocks of a page but for the one that serves the test web."""
    found = [Block(*match) for match in BLOCK.findall((HOWTO / page).read_text(encoding="utf-8"))]
    assert found[0].script.startswith("lycosa testweb")
    return found[1:]


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("served") / "web"
    with served_web(folder, "--kind", "tree", "--hosts", "2"):
        yield folder


@pytest.fixture
def folder(web: Path, tmp_path: Path) -> Path:
    (tmp_path / "web").symlink_to(web)
    return tmp_path


class Reader:
    """Somebody who types the blocks of a page, one after the other."""

    def __init__(self, folder: Path, python: str, path: str = "") -> None:
        self._folder = folder
        self._environment = os.environ | {
            "PATH": f"{path or Path(python).parent}:{os.environ['PATH']}",
        }
        self.python = TypedPython(folder, python)
        self._is_ours = python == sys.executable

    def __enter__(self) -> Self:
        return self

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        self.python.leave(is_failed=failure is not None)

    def types(self, block: Block) -> str:
        if block.kind != "sh":
            return self.python.runs(block.script)
        if self._is_ours and (commands := plain_commands(block.script)):
            return without_spaces("".join(map(self._lycosa, commands)))
        return without_spaces(self._bash(block.script))

    def _lycosa(self, command: Command) -> str:
        done = lycosa(*command.words, cwd=self._folder)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return command.printed(done.stdout, self._folder)

    def _bash(self, script: str) -> str:
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", script],
            cwd=self._folder,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
        return done.stdout


def without_spaces(printed: str) -> str:
    """Return lines without spaces at their ends."""
    return "".join(f"{line.rstrip()}\n" for line in printed.splitlines())


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


def test_every_block_on_crawling_and_reading_prints_what_the_page_shows(folder: Path) -> None:
    found = blocks("python-api.md")
    assert len(found) >= 8
    with Reader(folder, sys.executable) as reader:
        for block in found:
            assert reader.types(block) == block.shown, block.script


def test_every_block_on_studying_prints_what_the_page_shows(folder: Path) -> None:
    found = blocks("study-a-crawl.md")
    assert len(found) >= 6
    with Reader(folder, sys.executable) as reader:
        for block in found:
            assert reader.types(block) == block.shown, block.script


def test_every_block_on_reports_prints_what_the_page_shows(folder: Path) -> None:
    found = [block for block in blocks("report-on-a-crawl.md") if block.kind != "toml"]
    assert len(found) == 2
    with Reader(folder, sys.executable) as reader:
        for block in found:
            assert reader.types(block) == block.shown, block.script


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """A Python of its own that has Lycosa and can build packages without the network."""
    home = tmp_path / "env"
    venv.create(home, symlinks=True)
    ours = [path for path in sys.path if path.endswith("site-packages")]
    (packages,) = (home / "lib").glob("python3*/site-packages")
    lines = [f"import site; site.addsitedir({path!r})\n" for path in ours]
    (packages / "ours.pth").write_text("".join(lines))
    for name, main in {"lycosa": "lycosa.cli.main", "pip": "pip._internal.cli.main"}.items():
        program = home / "bin" / name
        program.write_text(f"#!{home}/bin/python\nfrom {main} import main\nexit(main())\n")
        program.chmod(0o755)
    return home


def test_a_plugin_is_written_installed_and_used_as_the_page_says(
    folder: Path, environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip reads it the other way round
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_QUIET": "1",
    }.items():
        monkeypatch.setenv(name, value)
    shutil.copytree(EXAMPLE, folder / "wordcount-plugin")
    found = blocks("write-a-plugin.md")
    files = {path.read_text(encoding="utf-8") for path in EXAMPLE.iterdir() if path.is_file()}
    assert files <= {block.script for block in found}, "the page and the example differ"
    with Reader(folder, str(environment / "bin" / "python")) as reader:
        for block in found:
            if block.kind == "toml":
                (folder / "job.toml").write_text(block.script)
            elif block.script not in files:
                assert reader.types(block) == block.shown, block.script


def test_a_page_that_fails_leaves_no_process(tmp_path: Path) -> None:
    hangs = "import threading, time; threading.Thread(target=time.sleep, args=(600,)).start()"
    reader = Reader(tmp_path, sys.executable)
    with pytest.raises(AssertionError, match="shown"), reader:
        assert reader.types(Block("python", hangs, "")) == "shown"
    assert reader.python.process is not None
    assert not Path(f"/proc/{reader.python.process.pid}").exists()


def test_the_example_is_short() -> None:
    lines = (EXAMPLE / "lycosa_wordcount.py").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 20
