"""Members of a cluster post each body once, also when they are killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from integration.posting_crawls import PLUGIN, POSTS, command_for
from integration.posting_site import posting_site
from item_crawls import packages
from lycosa import Crawl
from lycosa.model.job import read_job
from lycosa.runtime.directory import CrawlDirectory
from servers.fixtures import SharedNats, SharedPostgres
from warm import lycosa
from worker_crawls import eventually

KILLS = 4
Process = subprocess.Popen[bytes]


@contextmanager
def ended() -> Iterator[list[Process]]:
    """Yield a list of processes, of which those that still run are killed in the end."""
    running: list[Process] = []
    try:
        yield running
    finally:
        for process in running:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.mark.parametrize(
    "log_server", ["nats_servers", pytest.param("postgres", marks=pytest.mark.needs("postgresql"))]
)
def test_no_member_posts_what_another_has_posted(
    log_server: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server: SharedNats | SharedPostgres = request.getfixturevalue(log_server)
    plugin = packages(tmp_path / "packages")
    (plugin / "rows.py").write_text(PLUGIN)
    monkeypatch.setenv("PYTHONPATH", str(plugin))
    first, second = tmp_path / "m1", tmp_path / "m2"
    with posting_site() as site, ended() as members:
        command = [*command_for(site, first, 1), "--log", server.url]
        command += ["--set", "frontier.partitioner=url-hash", "--set", "plugins.use=rows"]
        members.append(subprocess.Popen(command, start_new_session=True))
        eventually(lambda: len(site.sent) > 3, 120)
        log = read_job(first / "crawl.toml").log
        join = [sys.executable, "-m", "lycosa", "join", f"{log.server}#{log.name[:12]}", "--quiet"]
        join += ["-o", str(second), "--set", "plugins.use=rows"]
        join += ["--set", f"plugins.post={site.url}api", "--set", "fetch.allow_private=true"]
        members.append(subprocess.Popen(join, start_new_session=True))
        eventually(lambda: CrawlDirectory(second).has_begun, 60)
        for kill in range(KILLS):
            member = members[kill % 2]
            enough = len(site.sent) + 5
            eventually(lambda enough=enough: len(site.sent) >= enough, 120)  # type: ignore[misc]
            os.killpg(member.pid, signal.SIGKILL)
            member.wait()
            again = [*command[:3], "resume", str((first, second)[kill % 2]), "--quiet"]
            members[kill % 2] = subprocess.Popen(again, start_new_session=True)
        assert [member.wait(300) for member in members] == [0, 0]
        assert set(site.times().values()) == {1}, "never twice"
        counts = json.loads(lycosa("status", first, "--json").stdout)["outcomes"]
        unknown = counts.get("unknown_post", 0)
        assert counts["kept"] - 1 + unknown == POSTS, "none is lost, and none is forgotten"
        assert unknown <= KILLS
        bodies = [
            str(item.values["of"]) for one in (first, second) for item in Crawl(one).items("answer")
        ]
        assert len(bodies) == len(set(bodies)) == POSTS - unknown
