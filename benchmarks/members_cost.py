"""Compares the CPU time of a page in a cluster of members with that of one worker.

    python -m benchmarks.members_cost [--members 1 3] [--log nats] [--hosts 8] [--runs 3]

The web is that of `benchmarks.workers`: tree A behind several host names, one link a page to the
next host, so that links cross from partition to partition and from member to member. One worker
with the log in a file, and clusters with the log in servers (three of NATS with three copies, or
one PostgreSQL), crawl it in turns. All share this machine, so the wall clock says little; the CPU
time of members and servers counts, each by itself. Pages are counted in all directories: the same
page in two of them would be a page that was fetched twice.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.processes import cpu_seconds
from benchmarks.race import server, table, trees
from benchmarks.race.clients import lycosa_names_pages, run_folder
from benchmarks.shared_logs import Place, placed
from benchmarks.workers import command, host_names

from lycosa.runtime.directory import CrawlDirectory

MOST_SECONDS = 900.0
LOGS = {"nats": "jetstream", "postgresql": "postgres"}
PARTITIONS = 64
"""Of all crawls: by default a log in a server has more than one in a file."""


class Cost(NamedTuple):
    """What one crawl has cost."""

    pages: int
    twice: int
    """Pages that more than one directory has."""
    members_seconds: float
    servers_seconds: float
    wall_seconds: float

    @property
    def milliseconds_a_page(self) -> float:
        return self.members_seconds / self.pages * 1000


def crawl(members: int, place: Place, port: int, hosts: Sequence[str]) -> Cost:
    """Crawl to the end, with so many members or, without servers, with one worker."""
    folder = Path(tempfile.mkdtemp(prefix=f"members-{members}-", dir=run_folder()))
    words = command(folder, trees.TREES["A"], port, hosts)
    words += ["--workers", "1", "--depth", "3000", "--set", "limits.host_pages=0"]
    words += ["--set", f"frontier.partitions={PARTITIONS}"]
    words += ["--log", place.address] if place.address else []
    servers, began = sum(map(cpu_seconds, place.pids)), time.monotonic()
    try:
        processes = [_start(words, folder)]
        first = CrawlDirectory(folder / "crawl")
        while members > 1 and not first.has_begun:
            if processes[0].poll() is not None or time.monotonic() - began > MOST_SECONDS:
                raise SystemExit((folder / "said").read_text()[-3000:])
            time.sleep(0.1)
        for number in range(1, members):
            joining = [words[0], "join", place.address, "-o", str(folder / str(number) / "crawl")]
            processes.append(_start([*joining, "--workers", "1", "--quiet"], folder))
        seconds = sum(_used(process, folder) for process in processes)
        wall = time.monotonic() - began
        pages = Counter(
            url
            for place_of_one in [folder, *(folder / str(n) for n in range(1, members))]
            for url in set(lycosa_names_pages(place_of_one))
        )
        twice = sum(times > 1 for times in pages.values())
        servers = sum(map(cpu_seconds, place.pids)) - servers
        return Cost(len(pages), twice, seconds, servers, wall)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _start(words: Sequence[str], folder: Path) -> subprocess.Popen[bytes]:
    with (folder / "said").open("ab") as said:
        return subprocess.Popen(words, stdout=said, stderr=said)


def _used(process: subprocess.Popen[bytes], folder: Path) -> float:
    """Wait for a process; return the CPU time of it and of its children."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit((folder / "said").read_text()[-3000:])
    return usage.ru_utime + usage.ru_stime


def row(title: str, costs: Sequence[Cost], alone: float) -> list[str]:
    """Return the medians of some crawls."""

    def middle(values: Sequence[float]) -> float:
        return statistics.median(values)

    rates = [cost.milliseconds_a_page for cost in costs]
    return [
        title,
        f"{costs[0].pages:,}",
        f"**{middle(rates):.3f}** ({min(rates):.3f}-{max(rates):.3f})",
        f"{middle(rates) / alone:.2f}",
        f"{middle([cost.servers_seconds / cost.pages * 1000 for cost in costs]):.3f}",
        f"{middle([cost.wall_seconds for cost in costs]):.0f}",
    ]


def main() -> int:
    """Crawl in turns and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--members", type=int, nargs="+", default=[1, 3])
    parser.add_argument("--log", choices=sorted(LOGS), default="nats")
    parser.add_argument("--hosts", type=int, default=8)
    parser.add_argument("--runs", type=int, default=3)
    asked = parser.parse_args()
    hosts = host_names(asked.hosts)
    nginx, tree = trees.program("nginx", "nginx"), trees.prepare(trees.TREES["A"])
    found: dict[int, list[Cost]] = {number: [] for number in (0, *asked.members)}
    with server.serving(nginx, tree, names=True, maps=server.linked(hosts)) as port:
        for turn in range(asked.runs):
            for number, costs in found.items():
                kind = LOGS[asked.log] if number else "sqlite"
                with placed(kind) as place:
                    costs.append(crawl(max(number, 1), place, port, hosts))
                print(f"run {turn + 1}, {number} members: {costs[-1]}", file=sys.stderr, flush=True)
    alone = statistics.median(cost.milliseconds_a_page for cost in found[0])
    heads = ["", "pages", "ms a page, CPU of members", "of one worker", "of servers", "wall, s"]
    titles = {0: "one worker, log in a file"}
    rows = [
        row(titles.get(n, f"{n} members, {asked.log}"), costs, alone) for n, costs in found.items()
    ]
    print(table.markdown(heads, rows))
    every = [cost for costs in found.values() for cost in costs]
    same = len({cost.pages for cost in every}) == 1
    print("\nAll crawls have the same number of pages." if same else "\nTHE CRAWLS DIFFER.")
    print(f"Pages in more than one directory: {sum(cost.twice for cost in every)}.")
    return 0 if same else 1


if __name__ == "__main__":
    raise SystemExit(main())
