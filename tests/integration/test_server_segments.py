"""The archive of a crawl whose log is in a server: numbered for a cluster, sealed after a kill."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from crawls_on_servers import PAGES, Web
from crawls_on_servers import web as web
from lycosa.storage.archive.layout import MOST_IN_DIRECTORY, warc_names
from lycosa.storage.segments.sealing import unsealed
from lycosa.storage.segments.segment import owner_of
from servers.fixtures import SharedPostgres
from warm import lycosa

OWN = MOST_IN_DIRECTORY + 1
"""The first segment of the first directory."""


@pytest.mark.needs("postgresql")
def test_a_segment_of_a_killed_member_is_sealed_by_its_next_life(
    web: Web, postgres: SharedPostgres, tmp_path: Path
) -> None:
    path = tmp_path / "crawl"
    slowly = ["400ms" if flag == "1ms" else flag for flag in web.flags]
    command = ["crawl", web.seeds[0], "-o", str(path), "--log", postgres.url, *slowly]
    with subprocess.Popen([sys.executable, "-m", "lycosa", *command]) as killed:
        deadline = time.monotonic() + 60
        while _bytes_of_pages(path) < 12_000:  # some commits
            assert time.monotonic() < deadline, "no pages came in"
            time.sleep(0.05)
        killed.send_signal(signal.SIGKILL)
    assert [name.segment for name in unsealed(path)] == [OWN]
    owner = owner_of(path, unsealed(path)[0])
    assert owner is not None
    assert owner.startswith("life-1")

    done = lycosa("resume", path, "--quiet", "--json")
    assert json.loads(done.stdout)["pages"] == PAGES, done.stderr
    assert unsealed(path) == []
    names = warc_names(path)
    assert [name.segment for name in names] == [OWN, OWN + 1]
    assert owner_of(path, names[1]) != owner
    done = lycosa("verify", path)
    assert done.returncode == 0, done.stdout


def _bytes_of_pages(path: Path) -> int:
    return sum(file.stat().st_size for file in path.glob("pages/*.arrows"))
