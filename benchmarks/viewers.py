"""Measures what viewers of the live page and searches cost a crawl, and how the server grows.

    python -m benchmarks.viewers [--hosts 20] [--rounds 3] [--hour 3600]

The test web, the crawl and `lycosa serve` are processes of their own. In each round the same crawl
runs twice: alone, and with ten viewers that read the stream of frames and 100 searches a minute in
an index beside it. Which one is first changes from round to round.

    cost    CPU seconds of the crawl's processes for 1,000 pages, with viewers ÷ without
    age     how old a frame is when a viewer has it: by its own moment, on the same clock
    memory  resident memory of the server and of the processes that read for it: after a minute's
            requests, and after as many as `--hour` seconds of viewing send, without pauses:
            searches, and each viewer's frame, page and list of hosts once a minute
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple
from urllib.parse import urlsplit

import psutil

VIEWERS = 10
SEARCHES_A_MINUTE = 100
MOST_PAGES = 1000
"""Of one crawl."""
WORDS = ("tree", "page", "the", "vault", "link", "test", "site", "number")
_LYCOSA = [sys.executable, "-m", "lycosa"]
_CRAWL = ["--workers", "1", "--allow-private", "--delay", "0", "--ip-delay", "0", "--quiet"]


class Serving(NamedTuple):
    """A server that runs."""

    process: psutil.Process
    host: str
    port: int
    token: str

    def get(self, path: str) -> bytes:
        """Ask for a path; fails unless it is answered."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        connection.request("GET", path, headers={"Authorization": f"Bearer {self.token}"})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status} {content[:200]!r}")
        return content

    def memory_mb(self) -> tuple[float, float]:
        """Return the resident memory of the server, and of the processes that it has started."""
        own, others = self.process.memory_info().rss, 0
        for child in self.process.children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                others += child.memory_info().rss
        return own / 1e6, others / 1e6


@contextlib.contextmanager
def started(words: list[str], until: str) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """Run a command beside us; gives it and its lines up to the one with `until` in it."""
    command, lines = [*_LYCOSA, *words], list[str]()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            while until not in "".join(lines[-1:]):
                lines.append(process.stdout.readline())
            yield process, lines
        finally:
            process.terminate()


@contextlib.contextmanager
def serving(root: Path) -> Iterator[Serving]:
    """Serve the crawls below a folder."""
    with started(["serve", str(root), "--port", "0"], "serving at") as (process, lines):
        parts = urlsplit(lines[-1].split()[-1])
        assert parts.hostname is not None and parts.port is not None
        token = parts.fragment.removeprefix("token=")
        yield Serving(psutil.Process(process.pid), parts.hostname, parts.port, token)


def crawled(web: Path, folder: Path) -> tuple[float, int]:
    """Crawl the test web; return the CPU seconds of all processes of the crawl, and its pages."""
    words = ["crawl", "--seeds", str(web / "seeds.txt"), "-o", str(folder), *_CRAWL]
    words += ["--set", f"fetch.hosts_file={web / 'hosts'}", "--max-pages", str(MOST_PAGES)]
    with subprocess.Popen([*_LYCOSA, *words], stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    status_words = [*_LYCOSA, "status", str(folder), "--json"]
    told = json.loads(subprocess.run(status_words, capture_output=True, check=True).stdout)
    return usage.ru_utime + usage.ru_stime, int(told["pages"])


class Viewers:
    """Ten readers of the stream of frames, and somebody who searches."""

    def __init__(self, server: Serving, crawl: str, indexed: str) -> None:
        self._server = server
        self._crawl = crawl
        self._indexed = indexed
        self._over = threading.Event()
        self.ages: list[float] = []
        self.searches = 0
        self._threads = [threading.Thread(target=self._view) for _ in range(VIEWERS)]
        self._threads.append(threading.Thread(target=self._search))

    def __enter__(self) -> Viewers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _view(self) -> None:
        while not self._over.wait(0.2):  # the crawl's folder may not be there yet
            with contextlib.suppress(OSError, http.client.HTTPException):
                self._stream()

    def _stream(self) -> None:
        server = self._server
        connection = http.client.HTTPConnection(server.host, server.port, timeout=20)
        headers = {"Authorization": f"Bearer {server.token}"}
        connection.request("GET", f"/api/v1/crawls/{self._crawl}/events", headers=headers)
        answer = connection.getresponse()
        while answer.status == 200 and not self._over.is_set():
            line = answer.readline()
            if not line:
                break
            if line.startswith(b"id:"):
                self.ages.append(time.time() - int(line[3:]) / 1000)
        connection.close()

    def _search(self) -> None:
        for word in itertools.cycle(WORDS):
            if self._over.wait(60 / SEARCHES_A_MINUTE):
                return
            self._server.get(f"/api/v1/crawls/{self._indexed}/search?q={word}")
            self.searches += 1


def view_for(server: Serving, crawl: str, seconds: int) -> int:
    """Send what viewers and searches send in a time, without pauses; return how many requests."""
    minutes = seconds // 60
    api = f"/api/v1/crawls/{crawl}"
    paths = [f"{api}/search?q={word}" for word in WORDS]
    asked = list(itertools.islice(itertools.cycle(paths), SEARCHES_A_MINUTE * minutes))
    page = [f"{api}/progress", f"/crawl/{crawl}/now", f"{api}/hosts"]
    for minute in range(minutes):
        for path in asked[SEARCHES_A_MINUTE * minute :][:SEARCHES_A_MINUTE]:
            server.get(path)
        for path in page * VIEWERS:
            server.get(path)
    return len(asked) + minutes * len(page) * VIEWERS


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hosts", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--hour", type=int, default=3600, metavar="SECONDS")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        measure(Path(name), given.hosts, given.rounds, given.hour)


def measure(folder: Path, hosts: int, rounds: int, hour: int) -> None:
    """Crawl, view and count."""
    web, root = folder / "web", folder / "crawls"
    root.mkdir()
    words = ["testweb", "--kind", "tree", "--hosts", str(hosts), "--no-tls", "--folder", str(web)]
    with started(words, "ready") as (_, lines):
        seeds = [line.split()[1] for line in lines if line.startswith("seed ")]
        (web / "seeds.txt").write_text("\n".join(seeds))
        crawled(web, root / "indexed")
        subprocess.run([*_LYCOSA, "index", str(root / "indexed")], check=True, capture_output=True)
        costs: dict[bool, list[float]] = {False: [], True: []}
        ages: list[float] = []
        with serving(root) as server:
            view_for(server, "indexed", 60)
            before = server.memory_mb()
            for number in range(rounds):
                for is_viewed in (False, True) if number % 2 else (True, False):
                    crawl = f"{'viewed' if is_viewed else 'alone'}-{number}"
                    with contextlib.ExitStack() as stack:
                        viewers = Viewers(server, crawl, "indexed")
                        if is_viewed:
                            stack.enter_context(viewers)
                        seconds, kept = crawled(web, root / crawl)
                    costs[is_viewed].append(1000 * seconds / kept)
                    ages += viewers.ages
                    print(
                        f"{crawl}: {kept:,} pages, {1000 * seconds / kept:.3f} CPU s a thousand,"
                        f" {len(viewers.ages):,} frames, {viewers.searches} searches",
                        flush=True,
                    )
            began = time.monotonic()
            count = view_for(server, "indexed", hour)
            took = time.monotonic() - began
            after = server.memory_mb()
    ratio = median(costs[True]) / median(costs[False])
    ages.sort()
    print(f"cost of viewers to the crawl: {ratio - 1:+.1%} CPU a page")
    if ages:
        print(f"age of a frame: {median(ages):.2f} s, {ages[int(0.99 * len(ages))]:.2f} s at p99")
    print(f"{count:,} requests, as many as {hour:,} s of viewing send, in {took:.0f} s")
    print(f"server: {before[0]:.0f} MB, then {after[0]:.0f} MB")
    print(f"its readers: {before[1]:.0f} MB, then {after[1]:.0f} MB")


if __name__ == "__main__":
    main()
