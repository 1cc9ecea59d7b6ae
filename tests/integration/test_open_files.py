"""A crawl that may open too few files is refused at its start, with the number that it needs."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.servers.server import SocketWeb

NEEDED = 64 + 64


def crawl(path: Path, limits: tuple[int, int], *words: str) -> subprocess.CompletedProcess[str]:
    """Crawl in a process that may open so many files: the soft limit and the hard one."""
    command = [sys.executable, "-m", "lycosa", "crawl", "-o", str(path), *words]
    return subprocess.run(
        [*command, "--allow-private", "--json"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limits),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("most", [16, 40, NEEDED - 1])
def test_too_few_files_are_refused_with_the_number_that_is_needed(
    most: int, tmp_path: Path
) -> None:
    refused = crawl(tmp_path / "c", (most, most), "http://a.test/")
    assert refused.returncode == 2
    assert f"a process may open {most} files here" in refused.stderr
    assert f"ulimit -n {NEEDED}" in refused.stderr
    assert ("--connections 63" in refused.stderr) is (most == NEEDED - 1)
    assert not (tmp_path / "c").exists()


def test_as_many_files_as_are_said_to_be_needed_suffice(tmp_path: Path) -> None:
    with SocketWeb(GeneratedWeb.tree(2, 70, 0, 1), tls=False) as server:
        words = ["http://www.s0.test/", "--set", f"fetch.hosts_file={server.hosts_file}"]
        words += ["--delay", "0", "--ip-delay", "0", "--set", "log.snapshot_batches=1"]
        done = crawl(tmp_path / "c", (20, NEEDED), *words)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["is_complete"]
