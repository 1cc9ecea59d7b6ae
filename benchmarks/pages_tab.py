"""How quickly the list of pages answers over ten million URLs, and what its copy costs.

    python benchmarks/pages_tab.py [--rows 10000000] [--folder DIR] [--ask]

Makes a crawl directory without crawling: segments of a million fetches, one in fifty a second fetch
of a page of the segment before; titles and URLs of common words; a hundred thousand hosts. The log
is empty: rows of a queue cost as much as others once they are in the copy. Then it builds the copy
in its own process, and asks in every order and with every filter, each twice, and prints seconds by
the clock and seconds of CPU. On a machine with other work, CPU divided by two cores is the figure.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import duckdb

from lycosa.analysis.page_list import listing
from lycosa.analysis.page_list.question import SHOWN, Question
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.layout import Name, make_folders, sealed_path
from lycosa.storage.tables.rows import SCHEMAS

SEGMENT = 1_000_000
HOSTS = 100_000
WORDS = [
    *("analysis", "engine", "pattern", "river", "garden", "history", "market", "science"),
    *("report", "weather", "stone", "music", "travel", "recipe", "window", "theory"),
    *("network", "letter", "season", "bridge"),
]
_WORD = "getvariable('words')[(1 + hash(i + {}) % 20)::int]"
_VALUES = {
    "url_id": "hash(i)::hugeint::decimal(38,0) - 9223372036854775808",
    "fetch_id": "hash(n + 11)::hugeint::decimal(38,0) - 9223372036854775808",
    "fetched_at": "make_timestamptz((1700000000000000 + n * 1000)::bigint)",
    "url": "'https://www.h' || (hash(i * 3) % {hosts}) || '.example/' || {w1} || '/' || {w2}"
    " || '-' || {w3} || '/' || i",
    "host": "'www.h' || (hash(i * 3) % {hosts}) || '.example'",
    "outcome": "case when hash(i + 4) % 100 < 80 then 'kept' when hash(i + 4) % 100 < 90"
    " then 'not_found' when hash(i + 4) % 100 < 99 then 'redirected' else 'timeout' end",
    "status": "case when hash(i + 4) % 100 < 80 then 200 when hash(i + 4) % 100 < 90 then 404"
    " when hash(i + 4) % 100 < 99 then 301 else null end",
    "content_type": "case when hash(i + 5) % 10 < 8 then 'text/html; charset=utf-8'"
    " when hash(i + 5) % 10 < 9 then 'application/pdf' else 'image/png' end",
    "size_bytes": "hash(i + 8) % 200000",
    "title": "{w4} || ' ' || {w5} || ' and the ' || {w6} || ' of ' || {w7} || ' ' || i % 100000",
    "language": "case when hash(i + 9) % 3 = 0 then 'de' else 'en' end",
    "distance": "20 * (hash(i + 10) % 12)",
}


def make(folder: Path, rows: int) -> None:
    """Write the tables of a crawl that never was."""
    if (folder / "ready").exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    CrawlDirectory.create(folder, Job.of(seeds=["http://www.h0.example/"]))
    make_folders(folder)
    connection = duckdb.connect()
    connection.execute("set threads = 2")
    connection.execute("set variable words = ?", [WORDS])
    words = {f"w{number}": _WORD.format(20 + number) for number in range(1, 8)}
    columns = []
    for field in SCHEMAS["pages"]:
        value = _VALUES.get(field.name, "null").format(hosts=HOSTS, **words)
        columns.append(f"({value})::{_type(str(field.type))} as {field.name}")
    for number, low in enumerate(range(0, rows, SEGMENT)):
        path = sealed_path(folder, "pages", Name(number + 1, 0))
        count = min(SEGMENT, rows - low)
        again = f"case when n % 50 = 0 and n >= {SEGMENT} then n - {SEGMENT} else n end as i"
        connection.execute(
            f"copy (select {', '.join(columns)} from (select range as n, {again}"
            f" from range({low}, {low + count}))) to '{path}' (format parquet, compression zstd)"
        )
    (folder / "ready").touch()


def _type(name: str) -> str:
    known = {"int64": "bigint", "int32": "integer", "int16": "smallint", "bool": "boolean"}
    return "timestamptz" if name.startswith("timestamp") else known.get(name, "varchar")


def build(folder: Path) -> None:
    """Make the copy in its process."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    words = [sys.executable, "-m", "lycosa.analysis.page_list.build_process", str(folder)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    last = ""
    for line in process.stdout:
        last = line
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, last
    print(f"build: {time.monotonic() - began:.1f} s, CPU {_cpu(before, used):.1f} s,", end=" ")
    size = sum(path.stat().st_size for path in (folder / "index" / "page-list").rglob("*.parquet"))
    print(f"peak {used.ru_maxrss / 1e6:.3f} GB, on disk {size / 1e6:.0f} MB", flush=True)


def _cpu(before: resource.struct_rusage, after: resource.struct_rusage) -> float:
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    return user + system


QUESTIONS = {
    "first screen": {},
    "outcome": {"outcome": "timeout"},
    "outcome, by URL": {"outcome": "not_found", "sort": "url", "is_descending": False},
    "type": {"type": "image/png"},
    "type and outcome, by size": {"type": "application/pdf", "outcome": "kept", "sort": "size"},
    "host": {"host": "www.h77.example"},
    "host and outcome": {"host": "www.h4242.example", "outcome": "kept"},
    "a common word": {"text": "bridge"},
    "two words": {"text": "bridge stone"},
    "a rare number": {"text": "stone 4242"},
    "nothing": {"text": "zebra"},
    "a word, by size": {"text": "garden", "sort": "size"},
    "a word of kept ones": {"text": "garden", "outcome": "kept"},
}


def ask(folder: Path) -> None:
    """Ask, and print how long the answers took."""
    asked = dict(QUESTIONS)
    for name in SHOWN:
        for is_descending in (False, True):
            order = "down" if is_descending else "up"
            asked[f"by {name}, {order}"] = {"sort": name, "is_descending": is_descending}
    began = time.monotonic()
    pages = listing.PageList(folder, list)
    pages.rows(Question())
    print(f"opening: {time.monotonic() - began:.3f} s")
    clocks, cpus = [], []
    for name, values in asked.items():
        figures = []
        following = ""
        for cursor in ("", "next"):
            question = Question(cursor=following if cursor else "", **values)  # type: ignore[arg-type]
            before, began = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
            following = pages.rows(question).following
            clock = time.monotonic() - began
            figures.append((clock, _cpu(before, resource.getrusage(resource.RUSAGE_SELF))))
            if not following:
                break
        clocks += [clock for clock, _ in figures]
        cpus += [cpu for _, cpu in figures]
        print(f"  {name:28}", *(f"{clock:.3f} s (CPU {cpu:.3f})" for clock, cpu in figures))
    for title, values in (("clock", clocks), ("CPU", cpus)):
        p95 = statistics.quantiles(values, n=20)[-1]
        print(f"{title}: median {statistics.median(values):.3f} s, p95 {p95:.3f} s")
    for name, values in (
        ("all", {}),
        ("a host", {"host": "www.h77.example"}),
        ("a word", {"text": "bridge"}),
    ):
        before, began = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
        total = pages.counts(Question(**values)).total  # type: ignore[arg-type]
        cpu = _cpu(before, resource.getrusage(resource.RUSAGE_SELF))
        print(f"  counts of {name}: {total:,} in {time.monotonic() - began:.3f} s (CPU {cpu:.3f})")
    print(f"peak of the reader: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.3f} GB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--folder", type=Path, default=Path("/tmp/lycosa-pages-tab"))
    parser.add_argument("--ask", action="store_true", help="ask the copy that is there")
    given = parser.parse_args()
    make(given.folder, given.rows)
    if not given.ask:
        build(given.folder)
    ask(given.folder)


if __name__ == "__main__":
    main()
