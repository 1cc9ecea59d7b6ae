"""Measures the CPU time per page against the number of known URLs.

    python -m benchmarks.size [--urls 10000 100000 1000000] [--pages 5000] [--runs 3]
                              [--small] [--logs FOLDER] [--no-results]

A log is written that admits the given number of URLs on 200 hosts and fetches none. A worker
resumes it in a process of its own, with the archive, the SQLite log and its snapshots as in a
real run, and crawls on in virtual time with a transport that hands over prepared bodies. The
first pages are not counted, nor is the opening; then the CPU time of the next pages is measured.

The pages are those of `benchmarks.kernel` that are like tree A (with `--small` its small ones).
Their links decide how much of the table is touched, so there are two kinds, and each page
does the same work at all sizes:

    near    known pages of the same folder, as most links of a site do. Resolved references are
            cached, and the table is asked for little
    far     any known page of the host, and nothing is cached: every link is resolved and
            looked up in the table, anywhere in memory

On both one or two links are new and one leads to another host. The crawls of all sizes are open at
once and take turns, some pages each, so that other work on the machine slows all of them alike; of
several runs the median counts.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from benchmarks.kernel.crawl import COMMIT_SECONDS, CONNECTIONS, NO_PAUSES, InstantTransport
from benchmarks.kernel.pages import SMALL, TREE_A, Shape, host_name, running_text
from benchmarks.race import table

from lycosa.crawl.budget import Budget
from lycosa.crawl.ending import Ending
from lycosa.crawl.ports import Ports
from lycosa.crawl.scope import JobScope
from lycosa.crawl.worker.worker import Worker
from lycosa.features.of_job import features_of
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partitioners import make_partitioner
from lycosa.model.clock import VirtualClock
from lycosa.model.job import Job
from lycosa.model.records import Admitted, AnyEvent, Configured, RobotsLearned, RobotsState, Taken
from lycosa.runtime.processes.machine import collect_seldom
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.log.fold import replay
from lycosa.storage.log.format import encode
from lycosa.storage.log.protocol import Take, Write
from lycosa.storage.log.snapshot import SnapshotFolder
from lycosa.storage.log.sqlite import SqliteLog

RESULTS = Path(__file__).resolve().parent / "RESULTS.md"
BEGIN = "<!-- size: begin, written by benchmarks/size.py -->"
END = "<!-- size: end -->"
KINDS = ("near", "far")
AIM = 0.10
SEED = 1
HOSTS = 200
PARTITIONS = 64
FOLDER_PAGES = 50
WARM_PAGES = 1000
START = 1_700_000_000.0
SEEDS_AT, LINKS_AT = 0, 21


# -- what is known, and what the pages are ----------------------------------------------------


def path_of(page: int) -> str:
    return f"/docs/api/package-{page // FOLDER_PAGES:05d}/class-{page:07d}.html"


def key_of(host: int, page: int) -> str:
    return f"example.site{host:05d}.www:{path_of(page)}"


def new_pages(page: int) -> range:
    """Pages have one new link or two, in turn; the numbers count from the last known page."""
    return range(page + page // 2, page + 1 + (page + 1) // 2)


class LinkedWeb:
    """The first pages of every host, whose links lead to what is known and a little on."""

    def __init__(self, shape: Shape, kind: str, known: int, pages: int) -> None:
        self.hosts = HOSTS
        self.bodies: dict[str, bytes] = {}
        for page in range(pages):
            hrefs = self._hrefs(page, shape.different, kind, known)
            links = "\n".join(
                f'<li><a href="{hrefs[n % len(hrefs)]}" class="link">class</a></li>'
                for n in range(shape.links)
            )
            head = f"<!doctype html><html><head><title>{page}</title></head><body>"
            self.bodies[path_of(page)] = f"{head}\n<ul>\n{links}\n</ul>".encode()
        longest = max(map(len, self.bodies.values()))
        self.rest = f"<p>{running_text(max(0, shape.size_bytes - longest))}</p></body>".encode()

    def _hrefs(self, page: int, different: int, kind: str, known: int) -> list[str]:
        chance = random.Random(f"{SEED} {page}")
        new = [known + number for number in new_pages(page)]
        first = page // FOLDER_PAGES * FOLDER_PAGES
        near = range(first, min(first + FOLDER_PAGES, known))
        old = chance.sample(near if kind == "near" else range(known), different - 1 - len(new))
        host = host_name(chance.randrange(HOSTS))
        return [
            *(f"../..{path_of(target).removeprefix('/docs')}" for target in [*new, *old]),
            f"http://{host}{path_of(chance.choice(old))}",
        ]


def job_of(pages: int, kind: str = "near") -> Job:
    return Job.of(
        [f"http://{host_name(host)}{path_of(0)}" for host in range(HOSTS)],
        politeness=NO_PAUSES,
        limits={"pages": pages, "host_pages": 0, "depth_static": 3000},
        fetch={"connections": CONNECTIONS},
        frontier={"partitions": PARTITIONS},
        discovery={"mining": "off"},
        caches={"references": 1} if kind == "far" else {},
        traps={"budget": 0},  # many of its pages say the same
        log={"commit_seconds": COMMIT_SECONDS, "commit_answers": 0},
    )


def write_log(folder: Path, urls: int, job: Job) -> None:
    """Write the log of a crawl that has seen its seeds' links: all snapshotted and archived.

    The batches are larger than those of a crawl, so they must not stay in the log: SQLite
    compares a new row with rows beside it, and reads all of them for that.
    """
    log = SqliteLog(folder / "log", PARTITIONS)
    snapshots = SnapshotFolder(folder / "log" / "snapshots")
    partitioner = make_partitioner("domain", PARTITIONS)
    hosts: list[list[int]] = [[] for _ in range(PARTITIONS)]
    for host in range(HOSTS):
        hosts[partitioner.partition_of(key_of(host, 0))].append(host)
    expires = START + 1e9
    for number in range(PARTITIONS):
        opening: list[AnyEvent] = [Taken(START, "before"), Configured(START, job.digest())]
        log.take("before", [Take(number, 0, encode(opening))])
        events: list[AnyEvent] = []
        for site, host in enumerate(hosts[number]):
            keys = [key_of(host, page) for page in range(urls // HOSTS)]
            events.append(Admitted(START, "", keys[:1], [SEEDS_AT]))
            events.append(Admitted(START, keys[0], keys[1:], [LINKS_AT] * (len(keys) - 1)))
            known = RobotsState.KNOWN
            events.append(RobotsLearned(START, site, known, b"", 0.0, expires, START))
        log.commit([Write(number, 1, encode(events), (), 0)])
        state = PartitionState()
        replay(state, log.read(number, 0))
        snapshots.write(number, state.sequence, state.pack(state.sequence))
        log.trim(number, state.sequence)
    log.close()
    with closing(sqlite3.connect(folder / "log" / "log.sqlite")) as connection:
        connection.execute("VACUUM")  # or every run copies the room of what was trimmed


# -- crawling on ------------------------------------------------------------------------------


def crawl_on(folder: Path, urls: int, kind: str, asked: argparse.Namespace) -> float:
    """Resume the crawl of a folder in this process, and measure."""
    shape = SMALL if asked.small else TREE_A
    pages: int = asked.pages
    collect_seldom()
    job = job_of(WARM_PAGES + pages + CONNECTIONS, kind)
    log = SqliteLog(folder / "log", PARTITIONS, job.log.durability)
    store = ArchiveStore(folder, durability=job.log.durability)
    clock, budget, reasons = VirtualClock(START + 10.0), Budget(job), list[str]()
    known = urls // HOSTS
    web = LinkedWeb(shape, kind, known, min(known, 3 * (WARM_PAGES + pages) // HOSTS))
    parts = Ports(
        job=job,
        scope=JobScope(job, log, stays_on_seeds=False),
        clock=clock,
        log=log,
        snapshots=SnapshotFolder(folder / "log" / "snapshots"),
        store=store,
        transport=InstantTransport(web, clock),
        partitioner=make_partitioner("domain", PARTITIONS),
        budget=budget,
        ending=Ending(PARTITIONS),
        owner="bench",
        random=random.Random(SEED),
        poll_seconds=float("inf"),
    )
    worker = Worker(parts, reasons.append, features_of)
    worker.open(range(PARTITIONS))
    worker.begin()

    def run_to(wanted: int) -> None:
        clock.run(stop=lambda: budget.kept_pages >= wanted or bool(reasons))
        if budget.kept_pages < wanted:
            raise SystemExit(f"{budget.kept_pages:,} of {wanted:,} pages, then {reasons}")

    run_to(WARM_PAGES)
    seconds = 0.0
    for done in range(0, pages, asked.turn):
        wait_for_turn()
        began = time.process_time()
        run_to(WARM_PAGES + min(done + asked.turn, pages))
        seconds += time.process_time() - began
    print(flush=True)
    store.close()
    log.close()
    return seconds / pages * 1e6


def wait_for_turn() -> None:
    """Say that the last turn is over, and wait for the next."""
    print(flush=True)
    sys.stdin.readline()


def crawl_aside(
    folders: Mapping[int, Path], kind: str, asked: argparse.Namespace
) -> dict[int, float]:
    """Crawl on from copies, each in a fresh process; they take turns."""
    with tempfile.TemporaryDirectory(prefix="lycosa-size-") as name, ExitStack() as begun:
        crawls = {}
        for urls, folder in folders.items():
            copy = Path(name) / str(urls)
            shutil.copytree(folder, copy)
            words = [sys.executable, "-m", "benchmarks.size", "--inside", str(copy)]
            words += ["--kind", kind, "--urls", str(urls), "--pages", str(asked.pages)]
            words += ["--turn", str(asked.turn)]
            words += ["--small"] if asked.small else []
            pipe = subprocess.PIPE
            crawl = subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True, bufsize=1)
            crawls[urls] = begun.enter_context(crawl)
            if crawl.stdout is not None:
                crawl.stdout.readline()
        for _ in range(0, asked.pages, asked.turn):
            for crawl in crawls.values():
                assert crawl.stdin is not None and crawl.stdout is not None
                crawl.stdin.write("\n")
                crawl.stdout.readline()
        return {urls: float(crawl.communicate()[0]) for urls, crawl in crawls.items()}


# -- the tables -------------------------------------------------------------------------------


Measured = Mapping[tuple[int, str], Sequence[float]]


def measure(folders: Mapping[int, Path], asked: argparse.Namespace) -> dict[Any, list[float]]:
    found: dict[Any, list[float]] = {}
    for run in range(asked.runs):
        for kind in KINDS:
            for urls, one in crawl_aside(folders, kind, asked).items():
                found.setdefault((urls, kind), []).append(one)
                print(
                    f"run {run + 1}, {kind}, {urls:,} URLs: {one:.0f} µs a page;"
                    f" load {os.getloadavg()[0]:.1f}",
                    file=sys.stderr,
                    flush=True,
                )
    return found


def section(found: Measured, pages: int) -> str:
    sizes = sorted({urls for urls, _ in found})
    middle = {one: statistics.median(runs) for one, runs in found.items()}
    rows = []
    for kind in KINDS:
        least = middle[sizes[0], kind]
        for urls in sizes:
            totals = found[urls, kind]
            rows.append(
                [
                    kind,
                    f"{urls:,}",
                    f"**{middle[urls, kind]:.0f}**",
                    f"{min(totals):.0f}-{max(totals):.0f}",
                    f"{1e6 / middle[urls, kind]:,.0f}",
                    f"{middle[urls, kind] / least - 1:+.1%}",
                ]
            )
    heads = ["links", "URLs known", "µs a page", "lowest to highest", "pages per CPU-second"]
    parts = [
        "## Size",
        "    python -m benchmarks.size",
        f"CPU of {pages:,} pages when so many URLs of {HOSTS} hosts are known, with archive, "
        "SQLite log and snapshots, by the virtual clock and without sockets; opening not counted. "
        "Near: links lead to the page's folder, and what they became is remembered. Far: to any "
        "known page of the host, and nothing is remembered. Medians of "
        f"{len(next(iter(found.values())))} runs, in each of which the sizes took turns of some "
        f"pages; load {os.getloadavg()[1]:.1f} at "
        f"the end; {time.strftime('%Y-%m-%d')}. The aim is at most {AIM:.0%} apart.",
        table.markdown([*heads, "against the smallest"], rows),
    ]
    return "\n\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--urls", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--pages", type=int, default=5000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--turn", type=int, default=250, help="pages of a turn")
    parser.add_argument("--small", action="store_true", help="small pages")
    parser.add_argument("--logs", type=Path, help="keep the logs here, and use what is there")
    parser.add_argument("--no-results", action="store_true", help="leave RESULTS.md as it is")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--kind", choices=KINDS, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.inside:
        print(crawl_on(asked.inside, asked.urls[0], asked.kind, asked))
        return
    with tempfile.TemporaryDirectory(prefix="lycosa-size-") as name:
        folders = {urls: (asked.logs or Path(name)) / str(urls) for urls in sorted(asked.urls)}
        for urls, folder in folders.items():
            if not folder.exists():
                write_log(folder, urls, job_of(0))
        found = measure(folders, asked)
    text = section(found, asked.pages)
    print(text)
    if not asked.no_results:
        RESULTS.write_text(table.placed(RESULTS.read_text(), text, BEGIN, END))


if __name__ == "__main__":
    main()
