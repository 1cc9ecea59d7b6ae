"""A crawl for replays, and a server that replays it."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.webs.papers import TABLE_7
from structured_webs import job_of


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    web = next(row for row in TABLE_7 if row.pages > 20).web()
    folder = tmp_path_factory.mktemp("wacz") / "crawl"
    with SocketWeb(web, tls=False) as server:
        job = job_of(server, web.home())
        assert run_crawl(CrawlDirectory.create(folder, job)).progress.pages > 20
    return folder


@contextmanager
def replaying(folder: Path, player: Path) -> Iterator[int]:
    """Run `lycosa replay`; gives the port."""
    words = ["replay", str(folder), "--player", str(player), "--port", "0"]
    command = [sys.executable, "-m", "lycosa", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            assert "http://replay.localhost:" in line, line
            yield int(line.rstrip("/\n").rpartition(":")[2])
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=30) == 0
