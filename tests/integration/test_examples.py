"""Every example of the README and of the pages works: what can be typed is typed.

Some pages have tests of their own: `test_howto*.py`, `test_documents.py`, `test_forms.py` and
`test_login.py`. All others are typed here, beside the stand-in for `example.org`. A block of which
no test knows what it is fails, so no example can be added that no test types.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import yaml

from examples import GENERATED, READ, ROOT, SHOWN, TYPED, Block, Reader, blocks, fits, pages
from lycosa.errors import LycosaError
from lycosa.model.job import parse_job
from lycosa_testweb.servers.server import SocketWeb
from offenders import none_of
from seeds import soak
from stand_in import ExampleWeb, StandIn
from typed_pages import BLOCK

ELSEWHERE = {
    "docs/howto/check-before-you-crawl.md": {"sh"},
    "docs/howto/documents.md": {"sh"},
    "docs/howto/find-unlinked-pages.md": {"sh"},
    "docs/howto/keep-a-crawl-fresh.md": {"sh"},
    "docs/howto/log-in.md": {"sh"},
    "docs/howto/python-api.md": {"python", "sh"},
    "docs/howto/query-structured-data.md": {"python", "sh"},
    "docs/howto/render-pages.md": {"sh"},
    "docs/howto/report-on-a-crawl.md": {"sh"},
    "docs/howto/run-a-cluster.md": {"sh"},
    "docs/howto/search-forms.md": {"sh"},
    "docs/howto/steer-a-crawl.md": {"sh"},
    "docs/howto/study-a-crawl.md": {"sh"},
    "docs/howto/traps.md": {"sh"},
    "docs/howto/write-a-plugin.md": {"python", "sh"},
}
"""What the tests of their own type of a page."""
FRONT = "docs/index.md"
"""The front page of the site shows what the README shows."""
WRITTEN = [page for page in pages() if page not in GENERATED]
HERE = [
    page
    for page in WRITTEN
    if page not in ELSEWHERE and page != FRONT
    if any(block.language in TYPED for block in blocks(page))
]
LONG = {"docs/howto/crawl-a-topic.md"}
"""Pages that take a quarter of a minute; `test_topics.py` types most of their commands, too."""
SETTING_UP = re.compile(r"^(python3 -m venv|pip install|make) ")
FILES = {"docs/howto/test-web.md": ["seen.jsonl"]}
"""Files that a page takes for granted."""


@pytest.fixture(scope="module")
def stand_in() -> Iterator[StandIn]:
    with SocketWeb(ExampleWeb()) as server:
        yield StandIn(server)


@contextmanager
def served(script: str, folder: Path) -> Iterator[None]:
    """Serve the test web of a page in another terminal, as it says."""
    command = [sys.executable, "-m", *shlex.split(script)]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        while (line := server.stdout.readline()) != "ready\n":
            assert line, f"it did not start: {script}"
        try:
            yield
        finally:
            server.terminate()


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=[soak] if page in LONG else []) for page in HERE]
)
def test_every_example_works_and_prints_what_is_shown(
    page: str, stand_in: StandIn, tmp_path: Path
) -> None:
    for name in FILES.get(page, []):
        (tmp_path / name).touch()
    has_web = any(block.script.startswith("lycosa testweb") for block in blocks(page))
    flags = [] if has_web else stand_in.flags()
    with Reader(tmp_path, flags, stand_in.told) as reader, ExitStack() as stack:
        for block in blocks(page):
            if block.language not in TYPED:
                continue
            if block.file:
                (tmp_path / block.file).write_text(block.script, encoding="utf-8")
            elif block.script.startswith("lycosa testweb"):
                stack.enter_context(served(block.script, tmp_path))
            elif SETTING_UP.match(block.script):
                sets_up(block)
            else:
                printed = reader.types(block)
                assert block.shown is None or fits(printed, block.shown), (
                    f"{page}:{block.line} prints\n{printed}"
                )


def sets_up(block: Block) -> None:
    """Look whether an extra or a target is there; what it does takes minutes, and is done here."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for line in block.script.splitlines():
        words = shlex.split(line, comments=True)
        if words[0] == "pip":
            (what,) = words[2:]
            extras = re.fullmatch(r"\.(?:\[([\w,]+)\])?", what)
            assert extras, line
            named = set((extras[1] or "").split(",")) - {""}
            assert named <= set(project["optional-dependencies"]), line
        elif words[0] == "make":
            subprocess.run([*words, "-n"], cwd=ROOT, check=True, capture_output=True)
        else:
            activated = re.fullmatch(r"python3 -m venv (\S+) && \. (\S+)/bin/activate", line)
            assert activated and activated[1] == activated[2], line


def unknown_blocks(page: str) -> Iterator[str]:
    """Yield the blocks of a page of which no test knows what they are."""
    for block in blocks(page):
        if block.language not in (*TYPED, *READ, *SHOWN):
            yield f"{page}:{block.line} is neither an example nor an output: see tests/examples.py"
    typed = {block.language for block in blocks(page) if block.language in TYPED}
    if page in ELSEWHERE:
        yield from (f"{page}: no test types {one}" for one in sorted(typed - ELSEWHERE[page]))
        text = (ROOT / page).read_text(encoding="utf-8")
        shells = sum(block.language == "sh" for block in blocks(page))
        if (found := len(BLOCK.findall(text))) != shells:
            yield f"{page} has {shells} blocks of sh, of which its test finds {found}"
    elif page == FRONT:
        shown = {block.script for block in blocks("README.md")}
        yield from (
            f"{page}:{block.line} is not in the README"
            for block in blocks(page)
            if block.script not in shown
        )
    elif typed and page not in HERE:
        yield f"{page}: no test types its examples"


def test_a_test_knows_what_every_block_is() -> None:
    none_of(found for page in WRITTEN for found in unknown_blocks(page))


def unreadable_files(page: str) -> Iterator[str]:
    """Yield the jobs, and the files of other programs, that cannot be read."""
    for block in blocks(page):
        try:
            if block.language == "toml" and not block.file.endswith("pyproject.toml"):
                parse_job(block.script)
            elif block.language == "yaml" and not isinstance(yaml.safe_load(block.script), dict):
                yield f"{page}:{block.line} is not a mapping"
        except (LycosaError, yaml.YAMLError) as error:
            yield f"{page}:{block.line}: {error}"


def test_every_job_and_every_file_of_another_program_can_be_read() -> None:
    none_of(found for page in WRITTEN for found in unreadable_files(page))


def test_a_shown_output_may_leave_out_what_differs_each_time() -> None:
    assert fits("a 12 s\nb\nc\n", "a … s\n…\nc\n")
    assert fits("one\n", "…\none\n")
    assert not fits("a 12 s\nb\n", "a … s\nc\n")
    assert not fits("a\nb\n", "a…\n")
