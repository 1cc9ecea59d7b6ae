"""A crawl whose folder is removed while it runs says so, instead of writing into nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from damage import damage_web, job_of
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.orders.live import read_frame
from lycosa_testweb.servers.server import SocketWeb


@pytest.fixture(scope="module")
def server() -> Iterator[SocketWeb]:
    with damage_web() as served:
        yield served


def eventually(is_so: Callable[[], bool], seconds: float = 60.0) -> None:
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.05)


def looked_at(folder: Path) -> float:
    """Return when the crawl last looked at itself."""
    frame = read_frame(folder)
    return frame.moment if frame is not None else 0.0


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("part", [".", "log", "pages"])
def test_a_crawl_whose_folder_is_removed_ends_with_a_sentence(
    server: SocketWeb, tmp_path: Path, part: str, workers: int
) -> None:
    folder = tmp_path / "crawl"
    slow = {"delay_seconds": 2.0}
    job = job_of(server, politeness=slow, crawl={"workers": workers})
    CrawlDirectory.create(folder, job)
    crawl = subprocess.Popen(
        [sys.executable, "-m", "lycosa", "resume", str(folder), "--quiet"],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        eventually(lambda: bool(list(folder.glob("pages/*.arrows"))))
        begun = time.time()
        eventually(lambda: looked_at(folder) > begun)  # its folders are known since then
        aside = tmp_path / "aside"
        (folder / part).rename(aside)
        _, said = crawl.communicate(timeout=60)
    finally:
        if crawl.poll() is None:
            os.kill(crawl.pid, signal.SIGKILL)
            crawl.communicate()
    assert crawl.returncode == 5, said
    assert "was removed or renamed while the crawl was running" in said and "lycosa resume" in said
