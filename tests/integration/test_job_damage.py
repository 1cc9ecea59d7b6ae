"""A job file that a power cut has emptied or cut is damage, not a job with other settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from damage import damage_web, job_of
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl
from lycosa.storage.archive.reader import table
from lycosa_testweb.servers.server import SocketWeb
from warm import lycosa

LIMIT = 12


@pytest.fixture(scope="module")
def server() -> Iterator[SocketWeb]:
    with damage_web() as served:
        yield served


def limited(server: SocketWeb, folder: Path) -> Path:
    """Crawl up to a limit."""
    run_crawl(CrawlDirectory.create(folder, job_of(server, LIMIT)))
    assert len(kept(folder)) == LIMIT
    return folder


def empty(content: bytes) -> bytes:
    return b""


def zeros(content: bytes) -> bytes:
    return bytes(len(content))


def first_lines(content: bytes) -> bytes:
    return content[: content.index(b"\n[limits]") + 1]


def half_a_line(content: bytes) -> bytes:
    return content[: content.index(b"pages = ") + len(b"pages = 1")]


def without_rules(content: bytes) -> bytes:
    """Return the beginning that is a job of its own: another scope, and no mistake in it."""
    return content[: content.index(b"[[rules]]")]


@pytest.mark.parametrize("damage", [empty, zeros, first_lines, half_a_line, without_rules])
def test_a_damaged_job_is_refused_and_put_back(
    server: SocketWeb, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    folder = limited(server, tmp_path / "crawl")
    file = folder / "crawl.toml"
    before = file.read_bytes()
    file.write_bytes(damage(before))
    done = lycosa("resume", folder, "--quiet")
    assert done.returncode == 2, done
    assert "crawl.toml: is damaged" in done.stderr
    assert f"lycosa verify {folder} --repair" in done.stderr
    assert lycosa("verify", folder).returncode == 10
    assert lycosa("verify", folder, "--repair").returncode == 0
    assert file.read_bytes() == before
    assert lycosa("resume", folder, "--quiet").returncode == 0
    assert len(kept(folder)) == LIMIT


def kept(folder: Path) -> list[str]:
    rows = table(folder, "pages", ["url", "outcome"]).to_pylist()
    return [row["url"] for row in rows if row["outcome"] == "kept"]


def test_a_job_that_a_person_has_edited_is_no_damage(server: SocketWeb, tmp_path: Path) -> None:
    folder = limited(server, tmp_path / "crawl")
    file = folder / "crawl.toml"
    text = file.read_text()
    file.write_text(text.replace(f"pages = {LIMIT}", f"pages = {LIMIT + 3}"))
    assert lycosa("resume", folder, "--quiet").returncode == 0
    assert len(kept(folder)) == LIMIT + 3


def test_a_damaged_copy_is_written_again(server: SocketWeb, tmp_path: Path) -> None:
    folder = limited(server, tmp_path / "crawl")
    copy = folder / "log" / "crawl.toml"
    copy.write_bytes(b"")
    said = lycosa("verify", folder)
    assert said.returncode == 10 and "the copy of the job is damaged" in said.stdout
    assert lycosa("verify", folder, "--repair").returncode == 0
    assert copy.read_bytes() == (folder / "crawl.toml").read_bytes()


def test_two_empty_jobs_are_not_taken_for_one(server: SocketWeb, tmp_path: Path) -> None:
    folder = limited(server, tmp_path / "crawl")
    for file in (folder / "crawl.toml", folder / "log" / "crawl.toml"):
        file.write_bytes(b"")
    done = lycosa("resume", folder, "--quiet")
    assert done.returncode == 2 and "there is no copy of it" in done.stderr
    assert lycosa("verify", folder, "--repair").returncode == 10
