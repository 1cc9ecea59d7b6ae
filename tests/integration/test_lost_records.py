"""What a crash took from an open segment or from the log is asked for again, counted and said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from damage import complaints, cut, damage_web, killed
from lycosa_testweb.servers.server import SocketWeb
from seeds import few_of
from warm import lycosa


@pytest.fixture(scope="module")
def server() -> Iterator[SocketWeb]:
    with damage_web() as served:
        yield served


def open_warc(folder: Path) -> Path:
    return max((folder / "warc").glob("*.warc.gz"))


def test_an_open_warc_that_lost_its_end_is_asked_for_again(
    server: SocketWeb, tmp_path: Path
) -> None:
    folder = killed(server, tmp_path / "crawl")
    cut(open_warc(folder), 0.5)
    done = lycosa("resume", folder, "--quiet")
    assert done.returncode == 0, done.stderr
    assert "lost" in done.stderr
    assert complaints(folder) == []


@pytest.mark.parametrize("kind", few_of(["links", "pages", "text", "hosts"], 1))
def test_rows_that_lost_their_end_are_asked_for_again(
    server: SocketWeb, tmp_path: Path, kind: str
) -> None:
    folder = killed(server, tmp_path / "crawl")
    cut(max((folder / kind).glob("*.arrows")), 0.5)
    done = lycosa("resume", folder, "--quiet")
    assert done.returncode == 0, done.stderr
    assert "lost" in done.stderr
    assert complaints(folder) == []


def test_several_workers_ask_for_it_again_too(server: SocketWeb, tmp_path: Path) -> None:
    folder = killed(server, tmp_path / "crawl")
    cut(open_warc(folder), 0.5)
    done = lycosa("resume", folder, "--quiet", "--set", "crawl.workers=2")
    assert done.returncode == 0, done.stderr
    assert "lost" in done.stderr
    assert complaints(folder) == []


def test_an_archive_that_is_ahead_of_the_log_is_said_at_once(
    server: SocketWeb, tmp_path: Path
) -> None:
    folder = killed(server, tmp_path / "crawl", at="trim.archived:3")
    cut(folder / "log" / "log.sqlite-wal", 0.5)
    for snapshot in (folder / "log" / "snapshots").iterdir():
        snapshot.unlink()
    done = lycosa("resume", folder, "--quiet")
    assert done.returncode == 4
    assert f"lycosa verify {folder} --repair" in done.stderr
