"""A running crawl shows its moment once a second, however seldom its listener looks."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from lycosa.crawl.status.progress import Listener
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.orders.live import read_frame
from lycosa.runtime.processes.run import run_crawl
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.servers.server import SocketWeb
from structured_webs import job_of

pytestmark = pytest.mark.quick


def test_the_moment_and_the_figures_are_kept_up_to_date_for_a_listener_that_seldom_looks(
    tmp_path: Path,
) -> None:
    web = GeneratedWeb.tree(4, 5)
    folder, figures = tmp_path / "crawl", tmp_path / "figures.csv"
    seen: set[float] = set()
    is_over = threading.Event()

    def look() -> None:
        while not is_over.wait(0.05):
            if frame := read_frame(folder):
                seen.add(frame.moment)

    watcher = threading.Thread(target=look)
    with SocketWeb(web, tls=False) as server:
        often = {"file": str(figures), "every_seconds": 1.0, "figures": ["pages"]}
        slow: dict[str, object] = {"delay_seconds": 0.2}
        limits: dict[str, object] = {"seconds": 4}
        job = job_of(server, web.home(0), statistics=often, limits=limits, politeness=slow)
        directory = CrawlDirectory.create(folder, job)
        watcher.start()
        try:
            ended = run_crawl(directory, listener=Listener(progress_seconds=5.0))
        finally:
            is_over.set()
            watcher.join()
    assert ended.reason == "seconds"
    # The first, the last, and one a second between them; a busy machine may miss one.
    assert len(seen) >= 4
    assert len(figures.read_text().splitlines()) >= 5
