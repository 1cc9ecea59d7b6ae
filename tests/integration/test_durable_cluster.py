"""With `durable = "cluster"` a machine that is lost for good takes no page with it."""

from __future__ import annotations

import shutil
import signal
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from integration.test_fetch import start, web_of
from lycosa.cluster.board.opening import open_board
from lycosa.config import read_job
from lycosa.crawl.copying.rescue import rescue_segment
from lycosa.crawl.recovery.lost_machines import forget_machine
from lycosa.log.opening import open_log
from lycosa.objects.opening import open_objects
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

        objects = open_objects(job.store.place, job.log.name)
        opened = partial(
            open_log, job.log.server, job.frontier.partitions, crawl=job.log.name, may_begin=False
        )
        with closing(opened()) as log, closing(open_board(job.log.server, job.log.name)) as board:
            rescue = partial(rescue_segment, job, opened, objects)
            forgotten = forget_machine(log, board, objects, 1, rescue=rescue)
        assert forgotten.segments_lost == ()
        assert forgotten.segments_safe
        assert forgotten.pages == 0

        two = tmp_path / "two"
        done = lycosa("join", postgres.url, job.log.name, "-o", two, "--quiet")
        assert done.returncode == 0, done.stderr
    copy = tmp_path / "copy"
    assert lycosa("fetch", job.store.place, copy).returncode == 0
    rows = pq.read_table(copy / "pages", columns=["url", "outcome"]).to_pylist()
    kept = [row["url"] for row in rows if row["outcome"].lower() == "kept"]
    assert (len(kept), len(set(kept))) == (PAGES, PAGES)
