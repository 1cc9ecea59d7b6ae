"""A web of good pages and bombs, and what a crawl of it must come to.

A bomb is a page that makes one of its readers loop, allocate or crash (`LYCOSA_READ_BOMB`), as one
would for which there is no bound. Each links to a good page that nothing else links to.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from lycosa.model.job import Job
from lycosa.model.records import Request
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.reader import table
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.web import HTML, Reply
from lycosa_testweb.webs.bombs import marked
from lycosa_testweb.webs.graph import GraphWeb

KINDS = [
    *(("json-ld", effect) for effect in ("loop", "allocate", "crash")),
    *(("rdfa", "crash"), ("links", "crash"), ("microdata", "loop"), ("meta", "allocate")),
    *(("links", "loop"), ("rdfa", "allocate"), ("microdata", "crash")),
]


def environment(*, is_armed: bool) -> dict[str, str]:
    """Return the environment of a crawl: it has what this process has accepted by now."""
    return {**os.environ, "LYCOSA_READ_BOMB": "1" if is_armed else ""}


class BombWeb(GraphWeb):
    """Hosts with good pages, of which some link to bombs; it counts what it is asked for."""

    def __init__(self, hosts: int, good: int, bombs: int) -> None:
        """Draw so many good pages and bombs in all."""
        edges: dict[str, list[str]] = {}
        self.bombs: dict[str, tuple[str, str]] = {}
        self.asked: Counter[str] = Counter()
        homes = [f"http://www.h{n}.test/" for n in range(hosts)]
        for home in homes:
            edges[home] = []
        for number in range(good - hosts - bombs):
            home = homes[number % hosts]
            edges[home].append(f"{home}good/{number}.html")
            edges[f"{home}good/{number}.html"] = [home]
        for number in range(bombs):
            home = homes[number % hosts]
            bomb, after = f"{home}bomb/{number}.html", f"{home}after/{number}.html"
            edges[home].append(bomb)
            edges[bomb] = [after]
            self.bombs[bomb] = KINDS[number % len(KINDS)]
        super().__init__(edges, latency=0.0)
        self.homes = homes

    def answer(self, request: Request, moment: float) -> Reply:
        """Count the request, and answer it."""
        self.asked[request.url] += 1
        return super().answer(request, moment)

    def _reply(self, url: str, moment: float) -> Reply:
        if url not in self.bombs:
            return super()._reply(url, moment)
        body = marked(*self.bombs[url]).replace(b"/next", self.edges[url][0].encode())
        return Reply(200, HTML, body)

    @property
    def good(self) -> set[str]:
        """The URLs of all good pages that a crawl finds although bombs do what they do."""
        hidden = {self.edges[url][0] for url, kind in self.bombs.items() if kind[0] == "links"}
        return self._urls - set(self.bombs) - hidden


def job_of(
    web: BombWeb,
    server: SocketWeb,
    workers: int = 1,
    seconds: float = 2.0,
    stop_seconds: float = 1.0,
) -> Job:
    """Return a job that crawls the whole web."""
    return Job.of(
        seeds=web.homes,
        rules=[{"action": "accept", "suffix": "test"}],
        limits={"free_disk_bytes": 0},
        politeness={"delay_seconds": 0.02, "ip_delay_seconds": 0.0},
        robots={"sitemaps": False},
        discovery={"mining": "off"},
        fetch={
            "allow_private": True,
            "hosts_file": str(server.hosts_file),
            "stop_seconds": stop_seconds,
        },
        crawl={
            "workers": workers,
            "reading_seconds": seconds,
            "reading_memory_bytes": 400_000_000,
        },
    )


def crawl(directory: CrawlDirectory, *, is_armed: bool = True) -> None:
    """Run the crawl of a directory by its command, with the fail point armed or not."""
    command = [sys.executable, "-m", "lycosa", "resume", str(directory.path), "--quiet"]
    env = environment(is_armed=is_armed)
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def begin(words: list[str], said: Path) -> subprocess.Popen[bytes]:
    """Start a command, with the fail point armed; it writes to a file."""
    command = [sys.executable, "-m", "lycosa", *words, "--quiet"]
    with said.open("ab") as file:
        return subprocess.Popen(
            command, stdout=file, stderr=subprocess.STDOUT, env=environment(is_armed=True)
        )


def wait_for_crawl(directory: CrawlDirectory, process: subprocess.Popen[bytes]) -> None:
    """Wait until the crawl is in its server, so that others can join it."""
    while not directory.has_begun or not (directory.path / "live.json").exists():
        assert process.poll() is None
        time.sleep(0.05)


def rows(path: Path) -> dict[str, dict[str, object]]:
    """Return the last row of each page by its URL."""
    columns = ["url", "outcome", "unread", "title", "fingerprint"]
    return {row["url"]: row for row in table(path, "pages", columns).to_pylist()}


def check(web: BombWeb, paths: list[Path]) -> None:
    """Fail unless all pages are kept, and each bomb was asked for at most twice."""
    found = {url: row for path in paths for url, row in rows(path).items()}
    kept = {url for url, row in found.items() if row["outcome"] == "kept"}
    assert web.good <= kept
    assert set(web.bombs) <= kept
    assert {url: found[url]["unread"] for url in web.bombs} == {
        url: reader for url, (reader, _) in web.bombs.items()
    }
    assert all(found[url]["unread"] is None for url in web.good)
    often = {url: web.asked[url] for url in web.bombs if web.asked[url] > 2}
    assert not often
