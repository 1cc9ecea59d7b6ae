"""With `durable = "cluster"` a machine that is lost for good takes no page with it."""

from __future__ import annotations

import json
import shutil
import signal
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from integration.fetch_starts import start, web_of
from lycosa.model.job import read_job
from servers.fixtures import SharedPostgres
from warm import lycosa

PAGES = 19
"""Of the library."""


@pytest.mark.soak
@pytest.mark.needs("postgresql")
def test_pages_of_a_lost_machine_are_in_the_store(
    postgres: SharedPostgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LYCOSA_RUNTIME_DIR", str(tmp_path))
    store, path = tmp_path / "store", tmp_path / "one"
    store.mkdir()
    with web_of("library", tmp_path) as web:
        flags = [*web.flags(store), "--log", postgres.url, "--set", "store.durable=cluster"]
        flags += ["--set", "store.seal_seconds=3600", "--delay", "300ms"]
        with start("crawl", *web.seeds, "-o", path, *flags) as machine:
            while len(list(store.glob("*/open/*/*"))) < 4:
                assert machine.poll() is None, machine.stderr and machine.stderr.read()
                time.sleep(0.05)
            machine.send_signal(signal.SIGKILL)
        job = read_job(path / "crawl.toml")
        shutil.rmtree(path)  # the machine is gone
        assert not list(store.glob("*/manifests/*"))

        place = f"{postgres.url}#{job.log.name}"
        asked = lycosa("cluster", "forget", place, "1")  # nobody answers the question
        assert asked.returncode != 0
        assert "0 fetches (0 of them kept pages) in 0 segments will be lost" in asked.stderr
        done = lycosa("cluster", "forget", place, "1", "--yes", "--json")
        assert done.returncode == 0, done.stderr
        forgotten = json.loads(done.stdout)
        assert (forgotten["segments_lost"], forgotten["pages"]) == ([], 0)
        assert forgotten["segments_safe"]

        two = tmp_path / "two"
        done = lycosa("join", postgres.url, job.log.name, "-o", two, "--quiet")
        assert done.returncode == 0, done.stderr
    copy = tmp_path / "copy"
    assert lycosa("fetch", job.store.place, copy).returncode == 0
    rows = pq.read_table(copy / "pages", columns=["url", "outcome"]).to_pylist()
    kept = [row["url"] for row in rows if row["outcome"].lower() == "kept"]
    assert (len(kept), len(set(kept))) == (PAGES, PAGES)
