"""Does `check-site` find the broken links that LinkChecker finds, and how long does each take?

    python -m benchmarks.check_site DOCS --linkchecker PATH [--boost FOLDER FOLDER]

DOCS has Debian documentation packages, unpacked by `dpkg -x` (as for `doc_sites`); three of them
are served on loopback, one at a time. LinkChecker is installed elsewhere (`pip install
LinkChecker`); it runs with ten threads and reads pages of any size, and the server sends the header
by which it leaves out its pauses; the crawl has no pauses here either.
With `--boost` the two unpacked packages libboost1.74-doc and libboost1.81-doc are crawled and
compared.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from lycosa.analysis.checks.registry import BY_NAME
from lycosa.analysis.checks.run import check_site
from lycosa.analysis.comparison.run import compared
from lycosa.analysis.comparison.sides import Mapping, Side
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl

SITES = {"git": "git-doc", "sqlite": "sqlite3", "python": "python3.11/html"}
BOOST = "usr/share/doc/libboost-doc/doc/html"


class _Quiet(SimpleHTTPRequestHandler):
    """Serves a folder and says nothing about it."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    """Else each answer on a kept connection would wait 40 ms for an acknowledgement."""

    def end_headers(self) -> None:
        self.send_header("LinkChecker", "may ask without pauses")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Found(NamedTuple):
    """What one program found on a site."""

    pairs: set[tuple[str, str]]
    """Page and target of every broken link, without fragments."""
    seconds: float
    cpu_seconds: float

    @property
    def targets(self) -> set[str]:
        """What the broken links lead to; LinkChecker names one link for each."""
        return {target for _, target in self.pairs}


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on loopback; yields the URL of its top."""
    handler = partial(_Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def crawl(seed: str, folder: Path, *, requisites: bool = True) -> None:
    """Crawl a site on loopback without pauses."""
    job = Job.of(
        [seed],
        (),
        limits={"free_disk_bytes": 0, "depth_static": 100, "depth_dynamic": 100},
        politeness={"delay_seconds": 0.0, "ip_delay_seconds": 0.0, "answer_time_factor": 0.0},
        fetch={"allow_private": True, "content_types": ["*/*"], "retries": 0},
        extract={"requisites": requisites},
        crawl={"workers": 1},
        robots={"sitemaps": False},
        discovery={"mining": "off"},
    )
    run_crawl(CrawlDirectory.create(folder, job))


def by_lycosa(seed: str, folder: Path) -> tuple[Found, int]:
    """Crawl in a process of its own and check; returns what is broken, and the pages."""
    began, used = time.monotonic(), _cpu_of_children()
    command = [sys.executable, "-m", "benchmarks.check_site", "--crawl", seed, str(folder)]
    subprocess.run(command, check=True)
    checking = time.process_time()
    checked = check_site(folder, [BY_NAME["broken"]])
    checking = time.process_time() - checking
    seconds = time.monotonic() - began
    pairs = {(_plain(one.url), _plain(one.target_url or "")) for one in checked.findings}
    print(f"  check-site itself: {checking:.2f} s of CPU")
    return Found(pairs, seconds, _cpu_of_children() - used + checking), checked.pages


def by_linkchecker(program: str, seed: str) -> Found:
    """Run LinkChecker on the same site."""
    began, used = time.monotonic(), _cpu_of_children()
    with tempfile.NamedTemporaryFile("w", suffix=".ini") as settings:
        settings.write("[checking]\nmaxrequestspersecond=100000\nmaxfilesizeparse=50000000\n")
        settings.flush()
        flags = ["--threads", "10", "--no-status", "--recursion-level", "-1", "-o", "csv/utf_8"]
        command = [program, *flags, "--config", settings.name, seed]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    seconds = time.monotonic() - began
    lines = done.stdout.splitlines()
    rows = csv.DictReader((line for line in lines if not line.startswith("#")), delimiter=";")
    pairs = {
        (_plain(row["parentname"]), _plain(row["url"].partition("#")[0]))
        for row in rows
        if row["valid"] == "False"
    }
    return Found(pairs, seconds, _cpu_of_children() - used)


def _plain(url: str) -> str:
    return unquote(url)


def _cpu_of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def beside(docs: Path, program: str) -> None:
    """Print what both find on each site, and where they differ."""
    for name, path in SITES.items():
        with served(docs / path) as seed, tempfile.TemporaryDirectory() as scratch:
            ours, pages = by_lycosa(seed, Path(scratch) / "crawl")
            theirs = by_linkchecker(program, seed)
        both = ours.targets & theirs.targets
        print(f"{name}: {pages:,} pages")
        for who, found in (("lycosa", ours), ("linkchecker", theirs)):
            print(
                f"  {who:<12} {len(found.targets):>6,} broken URLs, {len(found.pairs):,} links,"
                f" {found.seconds:.1f} s, {found.cpu_seconds:.1f} s of CPU"
            )
        print(f"  both         {len(both):>6,}")
        for who, found in (("lycosa", ours), ("linkchecker", theirs)):
            only = Counter(page for page, target in found.pairs if target not in both)
            for page, count in only.most_common(5):
                print(f"  only {who}: {count:,} links of {page}")


def boost(old: Path, new: Path) -> None:
    """Crawl and compare two versions of the Boost documentation."""
    with tempfile.TemporaryDirectory() as scratch, served(old) as first, served(new) as second:
        folders = Path(scratch) / "old", Path(scratch) / "new"
        for seed, folder in zip((first, second), folders, strict=True):
            command = [sys.executable, "-m", "benchmarks.check_site", "--pages", seed, str(folder)]
            subprocess.run(command, check=True)
        began = time.process_time()
        with compared(Side(folders[0]), Side(folders[1]), [Mapping(first, second)]) as found:
            print(f"compared in {time.process_time() - began:.1f} s of CPU: {found.totals}")
            for name, count in found.counts.items():
                print(f"  {name:<15} {count:>8,}")


def main() -> None:
    """Run what the flags say."""
    parser = argparse.ArgumentParser()
    parser.add_argument("docs", nargs="?", type=Path, help="/usr/share/doc of unpacked packages")
    parser.add_argument("--linkchecker", metavar="PATH")
    parser.add_argument("--boost", nargs=2, type=Path, metavar="FOLDER")
    parser.add_argument("--crawl", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--pages", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    for given, requisites in ((options.crawl, True), (options.pages, False)):
        if given:
            crawl(given[0], Path(given[1]), requisites=requisites)
            return
    if options.docs and options.linkchecker:
        beside(options.docs, options.linkchecker)
    if options.boost:
        boost(*(folder / BOOST for folder in options.boost))


if __name__ == "__main__":
    main()
