"""Items of a machine that is lost for good: from the object store, or fetched again."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from item_crawls import command_for, counted, environment_with, item_web, killed_once, packages
from lycosa.model.job import read_job
from servers.fixtures import SharedNats, SharedPostgres
from warm import lycosa

HOSTS, PAGES, LINKS = 6, 8, 47
"""Each host has eight pages that are kept; 47 links are found on all of them."""


@pytest.mark.parametrize("durable", ["cluster", "machine"])
@pytest.mark.parametrize(
    "log_server", ["nats_servers", pytest.param("postgres", marks=pytest.mark.needs("postgresql"))]
)
def test_items_of_a_lost_machine_are_there_once(
    log_server: str,
    durable: str,
    request: pytest.FixtureRequest,
    s3_store: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server: SharedNats | SharedPostgres = request.getfixturevalue(log_server)
    monkeypatch.setenv("LYCOSA_RUNTIME_DIR", str(tmp_path))
    environment = environment_with(packages(tmp_path / "packages"))
    one, two, copy = (tmp_path / name for name in ("one", "two", "copy"))
    with item_web(HOSTS) as web:
        store = ["--store", s3_store]
        setting = f"store.durable={durable}"
        command = [*command_for(web, one, 1, setting), "--log", server.url, *store]
        killed_once(command, one, environment)
        job = read_job(one / "crawl.toml")
        place = f"{job.log.server}#{job.log.name}"
        shutil.rmtree(one)

        done = lycosa("cluster", "forget", place, "1", "--yes", "--json")
        assert done.returncode == 0, done.stderr
        forgotten = json.loads(done.stdout)
        assert bool(forgotten["pages"]) == (durable == "machine"), forgotten

        join = [sys.executable, "-m", "lycosa", "join", place, "-o", str(two), "--quiet", *store]
        for setting in (
            "plugins.use=rows",
            "fetch.allow_private=true",
            f"fetch.hosts_file={web.hosts_file}",
        ):
            join += ["--set", setting]
        subprocess.run(join, env=environment, check=True, timeout=300)
    assert lycosa("fetch", job.store.place, copy).returncode == 0
    found = counted(copy)
    assert (found.pages, found.items) == (HOSTS * PAGES, HOSTS * PAGES + LINKS)
    assert (found.lost, found.twice, found.stray) == (0, 0, 0)
