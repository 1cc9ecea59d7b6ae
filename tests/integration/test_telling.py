"""What a crawl tells: figures for Prometheus, and events to a webhook; with real servers."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.orders.live import Frame, read_frame
from lycosa.runtime.orders.metrics import CONTENT_TYPE, metrics
from lycosa.runtime.processes.run import run_crawl
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.servers.server import SocketWeb
from structured_webs import job_of
from unit.runtime.webhooks import webhook
from warm import lycosa

DASHBOARD = Path(__file__).parents[2] / "deploy" / "grafana" / "lycosa.json"


@pytest.mark.parametrize("workers", [1, 2])
def test_a_crawl_tells_its_end_once_and_leaves_its_figures(tmp_path: Path, workers: int) -> None:
    web = GeneratedWeb.tree(2, 4)
    folder = tmp_path / "crawl"
    with SocketWeb(web, tls=False) as server, webhook() as (url, posted):
        told = {"webhook": url, "disk_bytes": 0}
        job = job_of(server, web.home(0), notify=told, crawl={"workers": workers})
        ended = run_crawl(CrawlDirectory.create(folder, job))
    (end,) = posted
    assert (end["event"], end["reason"], end["pages"]) == ("end", "exhausted", ended.progress.pages)
    frame = read_frame(folder)
    assert frame is not None
    figures = frame.figures()
    assert sum(figures.durations) == figures.requests > 0
    assert figures.free_disk_bytes > 0 and abs(figures.last_commit - time.time()) < 300

    done = lycosa("status", folder, "--format", "prometheus")
    assert done.returncode == 0, done.stderr
    found = {
        (sample.name, sample.labels.get("outcome", "")): sample.value
        for family in text_string_to_metric_families(done.stdout)
        for sample in family.samples
    }
    assert found["lycosa_fetches_total", "kept"] == ended.progress.pages
    assert found["lycosa_fetch_duration_seconds_count", ""] == figures.requests
    assert found["lycosa_up", ""] == 0


def test_a_crawl_that_never_ran_says_that_it_has_no_figures(tmp_path: Path) -> None:
    web = GeneratedWeb.tree(1, 2)
    with SocketWeb(web, tls=False) as server:
        CrawlDirectory.create(tmp_path / "crawl", job_of(server, web.home(0)))
    done = lycosa("status", tmp_path / "crawl", "--format", "prometheus")
    assert done.returncode == 1 and "has no live.json" in done.stderr


def queries() -> list[str]:
    """Return the queries of the dashboard, for all crawls."""
    panels = json.loads(DASHBOARD.read_text())["panels"]
    every = [target["expr"] for panel in panels for target in panel["targets"]]
    return [query.replace("$crawl", ".*") for query in every]


def test_the_dashboard_asks_for_figures_that_there_are(tmp_path: Path) -> None:
    frame = Frame(1, 1.0, "running", _busy(1))
    named = set(re.findall(r"\blycosa_\w+", metrics(frame, "a").decode()))
    asked = {name for query in queries() for name in re.findall(r"\blycosa_\w+", query)}
    assert asked <= named and len(asked) > 10


def _busy(step: int) -> dict[str, Any]:
    """Return the progress of a crawl that has run for a while."""
    return {
        "seconds": 10.0 * step,
        "pages": 20 * step,
        "bytes": 3_000 * step,
        "requests": 30 * step,
        "pages_per_second": 2.0,
        "pending": 6,
        "in_flight": 7,
        "hosts": {"idle": 1, "taken": 2},
        "outcomes": {"kept": 20 * step, "not_found": 4 * step},
        "refusals": {"scope": 5 * step},
        "seconds_left": 8.0,
        "commits": step,
        "commit_write_seconds": 0.1 * step,
        "durations": [step] * 14,
        "durations_seconds": 20.0 * step,
        "free_disk_bytes": 10**9,
        "last_commit": time.time(),
    }


@contextmanager
def exporter() -> Iterator[str]:
    """Offer the figures of a crawl that gets on, at a free port."""
    asked = 0

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            nonlocal asked
            asked += 1
            content = metrics(Frame(1, time.time(), "running", _busy(asked)), "a")
            self.send_response(200)
            self.send_header("Content-Type", CONTENT_TYPE)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def answered(address: str, query: str) -> list[Any]:
    words = urllib.parse.urlencode({"query": query})
    with urllib.request.urlopen(f"http://{address}/api/v1/query?{words}", timeout=10) as answer:
        found: list[Any] = json.load(answer)["data"]["result"]
    return found


@pytest.mark.soak
def test_prometheus_scrapes_the_figures_and_answers_every_query(tmp_path: Path) -> None:
    assert shutil.which("prometheus"), "Prometheus is missing: apt-get install prometheus"
    content = metrics(Frame(1, time.time(), "running", _busy(1)), "a")
    checked = subprocess.run(
        ["promtool", "check", "metrics"], input=content, capture_output=True, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    with (
        exporter() as target,
        ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as free,
    ):
        address = f"127.0.0.1:{free.server_address[1]}"
        free.server_close()
        (tmp_path / "prometheus.yml").write_text(
            "global: {scrape_interval: 1s}\n"
            f"scrape_configs: [{{job_name: lycosa, static_configs: [{{targets: ['{target}']}}]}}]\n"
        )
        words = [f"--config.file={tmp_path}/prometheus.yml", f"--storage.tsdb.path={tmp_path}/data"]
        command = ["prometheus", *words, f"--web.listen-address={address}", "--log.level=error"]
        with subprocess.Popen(command) as process:
            try:
                assert _soon(lambda: len(answered(address, "lycosa_up[1m]")[0]["values"]) >= 4)
                for query in queries():
                    found = answered(address, query)
                    assert found, query
                    assert all(one["value"][1] != "NaN" for one in found), query
            finally:
                process.terminate()


def _soon(is_so: Any) -> bool:
    """Ask until it is so, for half a minute."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            if is_so():
                return True
        except (OSError, IndexError):
            pass
        time.sleep(0.2)
    return False
