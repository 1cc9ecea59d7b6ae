"""A log that has lost its end is brought forward from the sealed segments, before any request."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from damage import complaints, damage_web, job_of
from lycosa.errors import LogError
from lycosa.operate.inspect.edits import block_host
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl
from lycosa_testweb.servers.server import SocketWeb
from seeds import few_of
from warm import lycosa


@pytest.fixture(scope="module")
def server() -> Iterator[SocketWeb]:
    with damage_web() as served:
        yield served


def forgetful(server: SocketWeb, folder: Path, what: str = "log") -> Path:
    """Crawl in two runs, and put the log of the first back: all of it, or SQLite's file alone."""
    directory = CrawlDirectory.create(folder, job_of(server, 15))
    run_crawl(directory)
    kept = folder.with_name("before")
    shutil.copytree(folder / "log", kept)
    directory.write_job(job_of(server, 30))
    run_crawl(directory)
    directory.write_job(job_of(server))
    if what == "log":
        shutil.rmtree(folder / "log")
        shutil.copytree(kept, folder / "log")
    else:
        shutil.copy(kept / what, folder / "log" / what)
    return folder


@pytest.mark.parametrize(("what", "workers"), few_of([("log", 1), ("log.sqlite", 2)], 2))
def test_pages_that_the_log_has_lost_are_not_asked_for_again(
    server: SocketWeb, tmp_path: Path, what: str, workers: int
) -> None:
    folder = forgetful(server, tmp_path / "crawl", what)
    before = server.requests
    done = lycosa("resume", folder, "--quiet", "--set", f"crawl.workers={workers}")
    assert done.returncode == 0, done.stderr
    assert "the log has lost its end" in done.stderr
    assert complaints(folder) == []
    # 55 pages and their redirects and dead links: those that were stored are not asked for.
    assert server.requests - before < 50
    again = lycosa("resume", folder, "--quiet")
    assert (again.returncode, again.stderr) == (0, "")
    assert lycosa("verify", folder).returncode == 0


def test_an_operator_does_not_write_to_a_log_that_has_lost_its_end(
    server: SocketWeb, tmp_path: Path
) -> None:
    folder = forgetful(server, tmp_path / "crawl")
    directory = CrawlDirectory.open(folder)
    directory.accept_here()
    with pytest.raises(LogError, match=r"verify .* --repair"):
        block_host(directory, "www.d0.test")


def test_digests_are_still_read_by_sha256sum(server: SocketWeb, tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    run_crawl(CrawlDirectory.create(folder, job_of(server, 15)))
    files = [str(path.relative_to(folder)) for path in (folder / "digests").iterdir()]
    words = ["sha256sum", "--check", "--strict", "--quiet", *files]
    subprocess.run(words, cwd=folder, check=True)
