"""A stop gives requests under way a few seconds, then cuts them; their pages stay pending."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from lycosa.frontier.facts.columns import PENDING
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.simulation.conditions import Conditions
from lycosa.simulation.simulation import Simulation
from lycosa.storage.archive.reader import table
from lycosa_testweb.webs.graph import GraphWeb
from seeds import few_of

PAGE = b'<title>A page</title><a href="/drip">drip</a><p>' + b"text " * 200
STOP_SECONDS = 1.0
ENDS_WITHIN_SECONDS = 20.0
"""A start, a stop and the sealing on a busy machine; the drip would take five minutes."""


class Dripping(BaseHTTPRequestHandler):
    """`/drip` sends a byte now and then until the server is well."""

    protocol_version = "HTTP/1.1"
    is_well: ClassVar[bool] = False
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        if self.path == "/robots.txt":
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        if self.path != "/drip" or self.is_well:
            self.wfile.write(PAGE)
            return
        try:
            for number in range(len(PAGE)):
                self.wfile.write(PAGE[number : number + 1])
                self.wfile.flush()
                time.sleep(0.1)
        except OSError:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def dripping_server() -> Iterator[str]:
    Dripping.is_well = False
    Dripping.asked.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Dripping)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()


def job_of(seed: str, **limits: object) -> Job:
    return Job.of(
        seeds=[seed],
        limits={"free_disk_bytes": 0, **limits},
        politeness={"delay_seconds": 0.0, "ip_delay_seconds": 0.0, "answer_time_factor": 0.0},
        fetch={"allow_private": True, "stop_seconds": STOP_SECONDS},
        discovery={"mining": "off"},
        robots={"sitemaps": False},
        log={"commit_seconds": 0.05},
    )


def start(directory: CrawlDirectory, workers: int) -> subprocess.Popen[str]:
    words = [sys.executable, "-m", "lycosa", "resume", str(directory.path)]
    return subprocess.Popen(
        [*words, "--quiet", "--workers", str(workers)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def wait_for_drip() -> None:
    deadline = time.monotonic() + 60
    while "/drip" not in Dripping.asked:
        assert time.monotonic() < deadline, Dripping.asked
        time.sleep(0.01)


def check_and_go_on(directory: CrawlDirectory, job: Job) -> None:
    """The page is pending, with all its tries; the next run gets it, once."""
    state = next(state for state in directory.states(job).values() if state.host_names)
    (page,) = (n for n, status in enumerate(state.pages.status) if status == PENDING)
    assert state.table.key(page).endswith("/drip")
    assert state.pages.tries[page] == 0 and state.kept_pages == 1
    Dripping.is_well = True
    directory.write_job(replace(job, limits=replace(job.limits, seconds=0.0)))
    process = start(directory, 1)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0, said
    rows = table(directory.path, "pages", ["url", "outcome"]).to_pylist()
    kept = sorted(row["url"].rpartition("/")[2] for row in rows if row["outcome"] == "kept")
    assert kept == ["", "drip"]
    assert Dripping.asked.count("/drip") == 2


@pytest.mark.parametrize(
    ("number", "workers"), few_of([(signal.SIGINT, 2), (signal.SIGTERM, 1)], 1)
)
def test_a_signal_does_not_wait_for_a_body_that_drips(
    number: int, workers: int, tmp_path: Path
) -> None:
    with dripping_server() as seed:
        job = job_of(seed)
        directory = CrawlDirectory.create(tmp_path / "crawl", job)
        process = start(directory, workers)
        wait_for_drip()
        began = time.monotonic()
        process.send_signal(number)
        said, _ = process.communicate(timeout=ENDS_WITHIN_SECONDS)
        assert process.returncode == 130, said
        assert time.monotonic() - began >= STOP_SECONDS * 0.9
        assert "1 request was still under way" in directory.messages.read_text()
        check_and_go_on(directory, job)


@pytest.mark.parametrize("workers", few_of([1, 2], 1))
def test_a_limit_of_time_does_not_wait_for_a_body_that_drips(workers: int, tmp_path: Path) -> None:
    with dripping_server() as seed:
        job = job_of(seed, seconds=1.5)
        directory = CrawlDirectory.create(tmp_path / "crawl", job)
        process = start(directory, workers)
        said, _ = process.communicate(timeout=ENDS_WITHIN_SECONDS)
        assert process.returncode == 0, said
        assert "Ended by the limit" in said
        check_and_go_on(directory, job)


SLOW, QUICK = "http://www.a.test/slow", "http://www.b.test/quick"


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("limits", "reason"), [({"seconds": 60.0}, "seconds"), ({"until": [QUICK]}, "found")]
)
def test_every_limit_cuts_what_is_under_way(
    limits: dict[str, object], reason: str, workers: int, tmp_path: Path
) -> None:
    seeds = ["http://www.a.test/", "http://www.b.test/"]
    web = GraphWeb(
        {seeds[0]: [SLOW], seeds[1]: [QUICK]},
        latency=lambda url: 100_000.0 if url == SLOW else 0.05,
    )
    job = Job.of(seeds=seeds, limits={**limits, "pages": 4}, politeness={"delay_seconds": 20.0})
    simulation = Simulation(web, job, tmp_path, workers=workers)
    result = simulation.run()
    assert (result.reason, result.breaches) == (reason, [])
    assert result.virtual_seconds < 60 + 5 + 2
    assert SLOW not in simulation.kept_urls()
    assert sum(state.pending for state in result.states.values()) >= 1


def test_a_full_disk_cuts_what_is_under_way(tmp_path: Path) -> None:
    web = GraphWeb({"http://www.a.test/": [SLOW]}, latency=lambda url: 1e6 if url == SLOW else 0.05)
    room = [1 << 62]
    job = Job.of(seeds=["http://www.a.test/"], limits={"seconds": 1e7})
    simulation = Simulation(web, job, tmp_path, conditions=Conditions(free_disk=lambda: room[0]))
    simulation.clock.call_at(simulation.clock.now() + 100.0, room.__setitem__, 0, 0)
    result = simulation.run()
    assert (result.reason, result.breaches) == ("free disk", [])
    assert result.virtual_seconds < 100 + 5 + 5
