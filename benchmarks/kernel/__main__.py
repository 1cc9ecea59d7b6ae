"""The command: measures crawls and parts, and prints tables."""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import kernel
from benchmarks.kernel.alone import microseconds, parts_alone
from benchmarks.kernel.crawl import PARTITIONS, Crawl
from benchmarks.kernel.pages import SMALL, TREE_A, MadeUpWeb, Shape

from lycosa.storage.log.memory import MemoryLog
from lycosa.storage.log.protocol import Log
from lycosa.storage.log.sqlite import SqliteLog


class Case(NamedTuple):
    """What is crawled, and what it is written to."""

    shape: Shape
    hosts: int
    log: str
    has_journal: bool = False

    def __str__(self) -> str:
        hosts = f"{self.hosts} host{'s' * (self.hosts > 1)}"
        store = "journal" if self.has_journal else "no store"
        return f"{self.shape.name}, {hosts}, {self.log}, {store}"


CASES = (
    Case(SMALL, 1, "memory"),
    Case(SMALL, 1, "sqlite"),
    Case(SMALL, 200, "memory"),
    Case(SMALL, 200, "sqlite"),
    Case(TREE_A, 1, "sqlite"),
    Case(TREE_A, 200, "sqlite"),
    Case(TREE_A, 200, "sqlite", has_journal=True),
)


def measure_crawl(case: Case, pages: int, repeats: int) -> float:
    """Return the least microseconds of CPU a page that a crawl takes."""
    web = MadeUpWeb(case.shape, case.hosts, pages)
    return min(_run_once(case, web, pages) for _ in range(repeats))


def _run_once(case: Case, web: MadeUpWeb, pages: int) -> float:
    with tempfile.TemporaryDirectory(prefix="lycosa-bench-") as name:
        folder = Path(name)
        log: Log = SqliteLog(folder, PARTITIONS) if case.log == "sqlite" else MemoryLog(PARTITIONS)
        crawl = Crawl(web, log, pages, folder if case.has_journal else None)
        start = time.process_time()
        kept = crawl.run()
        seconds = time.process_time() - start
        log.close()
    return seconds / kept * 1e6


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.kernel", description=(kernel.__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--one-host-pages", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    one_host = options.one_host_pages
    crawls = {
        str(case): measure_crawl(
            case, options.pages if case.hosts > 1 else one_host, options.repeats
        )
        for case in CASES
    }
    alone = {
        part.name: (microseconds(part, options.repeats), part.item)
        for part in parts_alone(options.pages, one_host)
    }
    if options.json:
        print(json.dumps({"crawls": crawls, "alone": alone}))
        return
    rows = [[case, f"{taken:.0f}"] for case, taken in crawls.items()]
    print(table(["crawl", "µs of CPU a page"], rows), end="\n\n")
    rows = [[name, f"{taken:.2f}", item] for name, (taken, item) in alone.items()]
    print(table(["part alone", "µs of CPU", "a"], rows))


if __name__ == "__main__":
    main()
