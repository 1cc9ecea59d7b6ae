"""Checks that the memory of a long crawl grows only by what the design allows.

    python benchmarks/memory.py [--pages 50000 200000] [--hosts 1000] [--roll-mb 50]
                                [--trace] [--json]

The real worker, with the real archive, the SQLite log and its snapshots, crawls the wide test
web without pauses in a process of its own. The clock is virtual and the requests do not leave
the process, so that 200,000 pages take minutes and not a day; all else is as in a real run:
commits every half second of its time, segments that are rolled, sealing at the end.

When it has kept the first and when it has kept the last number of pages the garbage collector
runs and the resident set is read. Meanwhile it may grow by what the URLs, hosts and pages
that came in between cost by the design, and by 20 MB. The bytes per URL are those that
`resume.py` measures for the URL table.

Rows and records on their way to the disk, and what SQLite and Arrow keep for later, are in
the resident set as well. With `--trace` tracemalloc says which lines hold what came in
between; that takes several times as long, and the resident set then means nothing.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lycosa.crawl.budget import Budget
from lycosa.crawl.ending import Ending
from lycosa.crawl.ports import Ports
from lycosa.crawl.scope import JobScope
from lycosa.crawl.worker.worker import Worker
from lycosa.features.of_job import features_of
from lycosa.frontier.partitioners import make_partitioner
from lycosa.model.clock import VirtualClock
from lycosa.model.job import Job
from lycosa.runtime.seeds import plant
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.log.snapshot import SnapshotFolder
from lycosa.storage.log.sqlite import SqliteLog
from lycosa_testweb.carrier import InProcessCarrier
from lycosa_testweb.generated.web import GeneratedWeb

SEED = 1
BYTES_A_URL = 202
"""What `resume.py` measured by resident set (RESULTS.md, "Resume and memory")."""
BYTES_A_HOST = 64
BYTES_A_PAGE = 24
CONSTANT_BYTES = 20_000_000


class Point(NamedTuple):
    """What there is at one moment of a crawl."""

    pages: int
    urls: int
    hosts: int
    requests: int
    resident_bytes: int
    log_bytes: int
    """On disk, the log and its snapshots."""
    store_bytes: int
    """On disk, records and rows."""
    seconds: float


class LongCrawl:
    """A crawl that can be stopped on its way to be looked at."""

    def __init__(self, folder: Path, hosts: int, pages: int, roll_bytes: int) -> None:
        web = GeneratedWeb.wide(SEED, hosts, addresses=hosts)
        job = Job.of(
            [web.home(number) for number in range(hosts)],
            politeness={
                "delay_seconds": 0.0,
                "large_site_delay_seconds": 0.0,
                "ip_delay_seconds": 0.0,
                "answer_time_factor": 0.0,
            },
            limits={"pages": pages, "host_pages": 0, "depth_static": 3000},
        )
        partitions = job.frontier.partitions
        self._began = time.monotonic()
        self._folder = folder
        self._clock = VirtualClock()
        self._log = SqliteLog(folder / "log", partitions, job.log.durability)
        self._store = ArchiveStore(folder, durability=job.log.durability, roll_bytes=roll_bytes)
        self._budget = Budget(job)
        self._reasons: list[str] = []
        parts = Ports(
            job=job,
            scope=JobScope(job, self._log, stays_on_seeds=False),
            clock=self._clock,
            log=self._log,
            snapshots=SnapshotFolder(folder / "log" / "snapshots"),
            store=self._store,
            transport=InProcessCarrier(web, self._clock),
            partitioner=make_partitioner(job.frontier.partitioner, partitions),
            budget=self._budget,
            ending=Ending(partitions),
            owner="bench",
            random=random.Random(SEED),
            poll_seconds=float("inf"),
        )
        plant(job.seeds, parts.scope, parts.partitioner, self._log, self._clock.now())
        self._worker = Worker(parts, self._reasons.append, features_of)
        self._worker.open(range(partitions))
        self._worker.begin()

    def run_to(self, pages: int) -> Point:
        """Crawl until so many pages are kept, and look."""
        self._clock.run(stop=lambda: self._budget.kept_pages >= pages or bool(self._reasons))
        if self._budget.kept_pages < pages:
            raise SystemExit(f"the crawl ended with {self._reasons} before it had {pages:,} pages")
        return self.look()

    def look(self) -> Point:
        """Collect garbage and read the resident set."""
        gc.collect()
        states = self._worker.states().values()
        disk = {
            part: sum(file.stat().st_size for file in (self._folder / part).rglob("*"))
            for part in ("log", "warc", "pages", "links", "text", "hosts", "cdx")
        }
        log_bytes = disk.pop("log")
        return Point(
            sum(state.kept_pages for state in states),
            sum(len(state.table) for state in states),
            sum(len(state.host_names) for state in states),
            self._worker.requests,
            resident_bytes(),
            log_bytes,
            sum(disk.values()),
            time.monotonic() - self._began,
        )

    def finish(self) -> Point:
        """Let the limit end the crawl, and seal, as a real run does; then look."""
        self._clock.run(stop=lambda: bool(self._reasons))
        self._store.flush()
        self._store.seal(lambda place, key: True)
        point = self.look()
        self._store.close()
        self._log.close()
        return point


def resident_bytes() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise SystemExit("/proc/self/status has no VmRSS: this needs Linux")


def crawl_and_look(arguments: argparse.Namespace) -> list[Point]:
    """Run the crawl in this process; returns what there was at every stop."""
    with tempfile.TemporaryDirectory(prefix="lycosa-memory-") as name:
        pages = arguments.pages
        crawl = LongCrawl(Path(name), arguments.hosts, pages[-1], arguments.roll_mb * 1_000_000)
        if arguments.trace:
            tracemalloc.start(3)
        points = [crawl.run_to(pages[0])]
        before = tracemalloc.take_snapshot() if arguments.trace else None
        points += [crawl.run_to(number) for number in pages[1:]]
        if before is not None:
            after = tracemalloc.take_snapshot()
            for statistic in after.compare_to(before, "lineno")[:25]:
                print(statistic, file=sys.stderr)
            tracemalloc.stop()
        points.append(crawl.finish())
    return points


def allowed_growth(first: Point, last: Point) -> int:
    """Return by how many bytes the design lets a crawl grow between two points."""
    return (
        BYTES_A_URL * (last.urls - first.urls)
        + BYTES_A_HOST * (last.hosts - first.hosts)
        + BYTES_A_PAGE * (last.pages - first.pages)
        + CONSTANT_BYTES
    )


def run_aside(words: Sequence[str]) -> list[Point]:
    command = [sys.executable, __file__, "--inside", *words]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [Point(*values) for values in json.loads(output)]


def print_table(points: Sequence[Point]) -> None:
    print("| pages | URLs | hosts | requests | resident, MB | log, MB | store, MB | s |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for number, point in enumerate(points):
        name = f"{point.pages:,}" + (" and sealed" if number == len(points) - 1 else "")
        sizes = (point.resident_bytes, point.log_bytes, point.store_bytes)
        cells = [name, *(f"{count:,}" for count in (point.urls, point.hosts, point.requests))]
        cells += [*(f"{size / 1e6:.1f}" for size in sizes), f"{point.seconds:.0f}"]
        print(f"| {' | '.join(cells)} |")


def report(points: Sequence[Point]) -> dict[str, Any]:
    first, last = points[0], points[-2]
    grown, allowed = last.resident_bytes - first.resident_bytes, allowed_growth(first, last)
    print(
        f"\nIt grew by {grown / 1e6:.1f} MB; {last.urls - first.urls:,} URLs,"
        f" {last.hosts - first.hosts:,} hosts, {last.pages - first.pages:,} pages and 20 MB are"
        f" allowed {allowed / 1e6:.1f} MB: {'within' if grown <= allowed else 'BEYOND'} the design."
    )
    return {"grown_bytes": grown, "allowed_bytes": allowed}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pages", type=int, nargs="+", default=[50_000, 200_000])
    parser.add_argument("--hosts", type=int, default=1000)
    parser.add_argument("--roll-mb", type=int, default=50)
    parser.add_argument("--trace", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        print(json.dumps(crawl_and_look(arguments)))
        return 0
    points = run_aside(sys.argv[1:])
    if arguments.json:
        print(json.dumps([point._asdict() for point in points], indent=2))
        return 0
    print_table(points)
    figures = report(points)
    return 0 if figures["grown_bytes"] <= figures["allowed_bytes"] else 1


if __name__ == "__main__":
    raise SystemExit(main())
