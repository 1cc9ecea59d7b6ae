"""What the how-tos with a web of their own tell to type gives what they show; so does checking."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from typed_pages import BLOCK, HOWTO, served, typed

PAGE = HOWTO / "check-before-you-crawl.md"
MINING_PAGE = HOWTO / "find-unlinked-pages.md"
TRAPS_PAGE = HOWTO / "traps.md"
FRESH_PAGE = HOWTO / "keep-a-crawl-fresh.md"
ROW = re.compile(r"\| `check (\w+) --batch` \| (.*?) \| (.*?) \|")


@pytest.fixture(autouse=True)
def narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with served(tmp_path_factory.mktemp("howto")) as folder:
        yield folder


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
