"""Pages that overload a reader do not keep a crawl from its end, nor good pages from being kept."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from lycosa.extract.structured.counts import TOO_COSTLY
from lycosa.model.job import Job
from lycosa.model.records import Outcome, Request
from lycosa.model.url import url_of
from lycosa.runtime.directory import CrawlDirectory
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.web import HTML, Reply
from lycosa_testweb.webs.bombs import BOMBS, packed
from lycosa_testweb.webs.graph import GraphWeb
from seeds import soak

MOST_MEMORY_BYTES = 300_000_000
HOST = "http://www.a.test"

CRAWL = r"""
import json, re, sys
from pathlib import Path
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl
ended = run_crawl(CrawlDirectory.open(Path(sys.argv[1])))
peak = int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) * 1024
print(json.dumps({"reason": ended.reason, "peak_bytes": peak}))
"""


class BombWeb(GraphWeb):
    """Good pages, and among them bombs, which are sent packed."""

    def __init__(self, good: int, bombs: int) -> None:
        self.good = [f"{HOST}/good/{n}" for n in range(good)]
        self.bombs = {f"{HOST}/bomb/{n}": n for n in range(bombs)}
        # A tree of good pages, with a bomb beside every tenth of them or so.
        edges = {f"{HOST}/": self.good[:1]}
        for n, url in enumerate(self.good):
            edges[url] = self.good[10 * n + 1 : 10 * n + 11]
        for url, n in self.bombs.items():
            edges[self.good[n * good // bombs]].append(url)
            edges[url] = [f"{HOST}/next"]
        super().__init__(edges, latency=0.0)

    def answer(self, request: Request, moment: float) -> Reply:
        """Answer with a bomb where one lies; the later ones are larger."""
        number = self.bombs.get(request.url)
        if number is None:
            return super().answer(request, moment)
        kinds = list(BOMBS.values())
        make, size_bytes, _ = kinds[number % len(kinds)]
        page = packed(make(size_bytes * (2 + number // len(kinds)) // 2))
        return Reply(200, (*HTML, ("Content-Encoding", "gzip")), page, 0.0)


def _crawled(folder: Path, web: BombWeb) -> tuple[CrawlDirectory, int]:
    with SocketWeb(web, tls=False) as server:
        job = Job.of(
            seeds=[f"{HOST}/"],
            crawl={"workers": 1},
            limits={"free_disk_bytes": 0},
            politeness={"delay_seconds": 0.0, "ip_delay_seconds": 0.0, "answer_time_factor": 0.0},
            fetch={
                "allow_private": True,
                "hosts_file": str(server.hosts_file),
            },
        )
        directory = CrawlDirectory.create(folder, job)
        command = [sys.executable, "-c", CRAWL, str(directory.path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=550, check=False)
    assert done.returncode == 0, done.stderr
    ended = json.loads(done.stdout)
    assert ended["reason"] == "exhausted"
    return directory, ended["peak_bytes"]


@pytest.mark.parametrize(("good", "bombs"), [(100, 25), pytest.param(1000, 100, marks=soak)])
def test_a_crawl_with_bombs_ends_with_all_good_pages(tmp_path: Path, good: int, bombs: int) -> None:
    web = BombWeb(good, bombs)
    directory, peak_bytes = _crawled(tmp_path / "crawl", web)
    print(f"peak {peak_bytes / 1e6:.0f} MB")
    states = directory.states(directory.job()).values()
    outcomes = {
        url_of(state.table.key(page)): state.outcome_of(page)
        for state in states
        for page in range(len(state.table))
    }
    assert {outcomes[url] for url in (*web.good, *web.bombs)} == {Outcome.KEPT}
    assert peak_bytes < MOST_MEMORY_BYTES
    counted = sum(state.structured.get(TOO_COSTLY, 0) for state in states)
    assert counted > bombs // 2
