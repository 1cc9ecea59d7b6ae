"""Measures the requests that are repeated when a crawl is killed by SIGKILL again and again.

    python -m benchmarks.kills [--kills 100] [--delays 0 0.2] [--workers 1 2]
                               [--commit-answers N] [--durability process|power] [--seed 1]
                               [--copies]

2,000 pages on 20 hosts, each with an address of its own, served on loopback to a crawl that is
killed (supervisor and workers at once) a random time after its first request and resumed, until it
ends. A crawl that ends before it was killed often enough is followed by another one.

Judged from the server's side: a request is *extra* when its URL was asked for before; it is charged
to the kill that ended the life in which it was asked for last. The referee watches pauses, overlaps
and robots files as always. Judged from what is left: every page in the tables once, and once in the
WARC files. With `--copies` four of five pages have one of ten texts, whatever their host: each is
stored a few times, and every other record of it must refer to one of these. "Resume to request" is
the time from the start of the process to its first request; a host rests for its pause and a second
after a resume (docs/decisions/0008-politeness-after-a-kill.md).
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.race.table import markdown
from fastwarc.warc import ArchiveIterator, WarcRecordType

from lycosa.model.job import Job
from lycosa.operate.inspect.audit import audit
from lycosa.runtime.directory import CrawlDirectory
from lycosa.simulation.referee_rules import referee_rules
from lycosa.storage.archive.reader import table
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.servers.server import SOCKET_TOLERANCE_SECONDS, SocketWeb
from lycosa_testweb.webs.graph import GraphWeb

HOSTS = 20
PAGES = 100
TEXTS = 10
LATENCY_SECONDS = 0.01
WAIT_SECONDS = 120.0
LIFE_SECONDS = {True: (0.0, 0.4), False: (0.0, 0.7)}
"""How long after its first request a crawl is killed, without a pause and with one."""
HEADS = [
    "pause, s",
    "workers",
    "crawls",
    "kills",
    "pages",
    "lost",
    "kept twice",
    "revisits",
    "without a payload",
    "breaches",
    "extra requests",
    "a host and kill: most",
    "mean",
    "resume to request, s: median",
    "most",
]


def url(host: int, page: int) -> str:
    return f"http://www.h{host}.test/{page or ''}"


class CopiedWeb(GraphWeb):
    """A drawing whose pages without links have a text that other hosts have, too."""

    def _page(self, url: str) -> str:
        if self.edges.get(url, True):
            return super()._page(url)
        number = int(url.rpartition("/")[2]) % TEXTS
        words = " ".join(f"word{number * 997 + word * 31 % 613}" for word in range(200))
        return f"<!doctype html><title>Copy {number}</title><p>{words}"


def drawn_web(*, has_copies: bool) -> GraphWeb:
    """Trees of a hundred pages, whose pages also link to one of the next host."""
    edges = {}
    for host in range(HOSTS):
        for page in range(PAGES):
            children = [c for c in range(5 * page + 1, 5 * page + 6) if c < PAGES]
            links = [url(host, child) for child in children]
            is_leaf = has_copies and not children
            edges[url(host, page)] = [] if is_leaf else [*links, url((host + 1) % HOSTS, page)]
    return (CopiedWeb if has_copies else GraphWeb)(edges, latency=LATENCY_SECONDS)


@dataclass
class Found:
    """What the crawls of one combination came to."""

    has_copies: bool = False
    crawls: int = 0
    kills: int = 0
    lost: int = 0
    twice: int = 0
    revisits: int = 0
    bare: int = 0
    """Revisits whose payload is not where they refer to."""
    breaches: list[str] = field(default_factory=list)
    extra: Counter[tuple[int, int, str]] = field(default_factory=Counter)
    """(crawl, kill, host) → requests that were repeated because of it."""
    at_risk: int = 0
    """Hosts times kills that were asked for something in the life that a kill ended."""
    to_request_seconds: list[float] = field(default_factory=list)


def job_of(server: SocketWeb, delay: float, workers: int, log: dict[str, object]) -> Job:
    return Job.of(
        seeds=[url(host, 0) for host in range(HOSTS)],
        rules=[{"action": "accept", "suffix": "test"}],
        limits={"free_disk_bytes": 0},
        politeness={
            "delay_seconds": delay,
            "large_site_delay_seconds": delay,
            "ip_delay_seconds": 0.0,
            "answer_time_factor": 0.0,
        },
        fetch={"allow_private": True, "hosts_file": str(server.hosts_file)},
        discovery={"mining": "off"},
        traps={"budget": 0},
        robots={"sitemaps": False},
        crawl={"workers": workers},
        log=log,
    )


def wait_for(is_so: Callable[[], object], process: subprocess.Popen[bytes]) -> bool:
    """Wait until something is so; False when the process has ended before."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not is_so():
        if process.poll() is not None:
            return False
        if time.monotonic() >= deadline:
            raise SystemExit("the crawl did nothing for two minutes")
        time.sleep(0.001)
    return True


def _has_more(server: SocketWeb, requests: int) -> bool:
    return server.requests > requests


def _has_come(moment: float) -> bool:
    return time.monotonic() >= moment


def kill_all(directory: CrawlDirectory, process: subprocess.Popen[bytes]) -> None:
    """Kill the supervisor and its workers, and wait until all are gone."""
    holder = directory.holder()
    pids = [process.pid, *(holder.workers if holder and holder.pid == process.pid else [])]
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    process.wait()
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.001)


def crawl(
    folder: Path,
    delay: float,
    workers: int,
    kills: int,
    log: dict[str, object],
    chance: random.Random,
    found: Found,
) -> None:
    """Crawl once to the end, through at most so many kills."""
    web = drawn_web(has_copies=found.has_copies)
    referee = Referee(referee_rules(Job()), web, keep_history=True)
    killed_at: list[float] = []
    with SocketWeb(web, referee=referee, time_scale=1.0, tls=False) as server:
        job = job_of(server, delay, workers, log)
        # How long an answer waits for a starved process says nothing: how many do is judged.
        referee.rules = replace(
            referee_rules(job),
            tolerance_seconds=SOCKET_TOLERANCE_SECONDS,
            forget_window_seconds=float("inf"),
            demand_window_seconds=float("inf"),
        )
        directory = CrawlDirectory.create(folder / "crawl", job)
        command = [sys.executable, "-m", "lycosa", "resume", str(directory.path), "--quiet"]
        while True:
            before, began = server.requests, time.monotonic()
            with (folder / "said").open("wb") as said:
                process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
            if len(killed_at) == kills:
                process.wait(timeout=600)
                break
            if not wait_for(partial(_has_more, server, before), process):
                break
            if killed_at:
                found.to_request_seconds.append(time.monotonic() - began)
            until = time.monotonic() + chance.uniform(*LIFE_SECONDS[delay == 0])
            if not wait_for(partial(_has_come, until), process):
                break
            kill_all(directory, process)
            server.client_killed()  # what was sent before the kill arrives here
            killed_at.append(server.now())
        if process.returncode:
            raise SystemExit((folder / "said").read_text())
        server.settle()
    judge(directory, web, referee, killed_at, found)


def judge(
    directory: CrawlDirectory,
    web: GraphWeb,
    referee: Referee,
    killed_at: Sequence[float],
    found: Found,
) -> None:
    found.crawls += 1
    found.kills += len(killed_at)
    found.breaches += [str(breach) for breach in referee.breaches]
    verdict = audit(directory)
    found.breaches += [f"audit: {breach}" for breach in verdict.breaches]
    last: dict[str, int] = {}
    asked: set[tuple[int, str]] = set()
    for exchange in sorted(referee.history, key=lambda exchange: exchange.began):
        life = sum(moment <= exchange.began for moment in killed_at)
        asked.add((life, exchange.host))
        if exchange.url in last:
            found.extra[found.crawls, last[exchange.url], exchange.host] += 1
        last[exchange.url] = life
    found.at_risk += sum(life < len(killed_at) for life, _ in asked)
    wanted = web.all_pages()
    rows = table(directory.path, "pages", ["url", "outcome"]).to_pylist()
    in_tables = Counter(row["url"] for row in rows if row["outcome"] == "kept")
    records = archived(directory.path)
    for kept in (in_tables, Counter(record.url for record in records if record.is_page)):
        found.lost += len(wanted - set(kept))
        found.twice += sum(times - 1 for times in kept.values())
    payloads = {(one.file, one.offset): one.digest for one in records if not one.refers_to}
    revisits = [(one.refers_to, one.digest) for one in records if one.refers_to]
    found.revisits += len(revisits)
    found.bare += sum(payloads.get(place) != digest for place, digest in revisits)


class Archived(NamedTuple):
    """The record of an answer, as others read it."""

    url: str
    file: str
    offset: int
    digest: str | None
    refers_to: tuple[str, int] | None = None

    @property
    def is_page(self) -> bool:
        return not self.url.endswith("/robots.txt")


def archived(path: Path) -> list[Archived]:
    """Return the records of all answers in the WARC files."""
    found: list[Archived] = []
    kinds = WarcRecordType.response | WarcRecordType.revisit
    for file in (path / "warc").glob("*.warc.gz"):
        with file.open("rb") as stream:
            for record in ArchiveIterator(stream, record_types=kinds):
                of = record.headers
                one = Archived(
                    of["WARC-Target-URI"],
                    file.name,
                    record.stream_pos,
                    of.get("WARC-Payload-Digest"),
                )
                if "WARC-Refers-To-Filename" in of:
                    place = int(of["WARC-Refers-To-File-Offset"])
                    one = one._replace(refers_to=(of["WARC-Refers-To-Filename"], place))
                found.append(one)
    return found


def row(delay: float, workers: int, found: Found) -> list[str]:
    extra = sum(found.extra.values())
    return [
        f"{delay:g}",
        str(workers),
        str(found.crawls),
        str(found.kills),
        f"{found.crawls * HOSTS * PAGES:,}",
        str(found.lost),
        str(found.twice),
        str(found.revisits),
        str(found.bare),
        str(len(found.breaches)),
        str(extra),
        str(max(found.extra.values(), default=0)),
        f"{extra / max(found.at_risk, 1):.2f}",
        f"{statistics.median(found.to_request_seconds):.2f}",
        f"{max(found.to_request_seconds):.2f}",
    ]


def measure(
    delay: float,
    workers: int,
    kills: int,
    log: dict[str, object],
    seed: int,
    *,
    has_copies: bool = False,
) -> Found:
    """Crawl until there were so many kills."""
    chance, found = random.Random(seed), Found(has_copies)
    while found.kills < kills:
        folder = Path(tempfile.mkdtemp(prefix="kills-"))
        try:
            crawl(folder, delay, workers, kills - found.kills, log, chance, found)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        print(
            f"pause {delay:g} s, {workers} workers: {found.kills} kills in {found.crawls} crawls;"
            f" load {os.getloadavg()[0]:.1f}",
            file=sys.stderr,
            flush=True,
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--delays", type=float, nargs="+", default=[0.0, 0.2])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--commit-answers", type=int)
    parser.add_argument("--durability", default="process")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--copies", action="store_true", help="many pages have the same text")
    options = parser.parse_args()
    log: dict[str, object] = {"durability": options.durability}
    if options.commit_answers is not None:
        log["commit_answers"] = options.commit_answers
    rows, breaches = [], []
    for delay in options.delays:
        for workers in options.workers:
            found = measure(
                delay, workers, options.kills, log, options.seed, has_copies=options.copies
            )
            rows.append(row(delay, workers, found))
            breaches += found.breaches
    print(markdown(HEADS, rows))
    for breach in breaches[:20]:
        print(breach)
    if breaches or any({cells[5], cells[6], cells[8]} != {"0"} for cells in rows):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
