"""Measures bytes and microseconds per known URL, in the URL table and in other structures.

    python -m benchmarks.bench_urltable [file of URLs, one a line; .xz is unpacked]
                                        [--generated 10000000] [--frontier 10000000] [--no-rivals]

The URLs of the file (or as many made-up ones as `--generated` says) are shuffled, added one by
one, looked up in another order, and asked for by number in a third. In each case the table is
called from a Python loop, the least of several runs is taken, and it is the time of the
processor that counts. Bytes hold URL → number, number → URL and the counts, where a rival has
them at all; what it lacks is a dash.

The rivals are in `urltable_rivals.py`; the papers' own trees are given a part of the list.

`--frontier` gives 64 partitions that number of URLs on a hundredth as many hosts, and measures
resident memory, the snapshots of all, and the resume from them.
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.urltable_rivals import (
    avl,
    characters,
    marisa,
    python_dict,
    python_set,
    rocks,
    sqlite,
)
from benchmarks.urltable_rows import WORDS, Row, each, keys_of_file, made_up, show, shuffled, spent

from lycosa.cluster.partitioners import make_partitioner
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.memory_limit import LEAST_URLS
from lycosa.frontier.urltable import CompactUrlTable, FileVault
from lycosa.log.snapshot import SnapshotFolder
from lycosa.records import Admitted

REPEATS = 3


LARGE = 2_000_000
"""Longer lists are measured once, and are not spilled."""


SMALL = 50_000
"""How many URLs the plain trees of the papers are given."""


def lycosa(keys: list[str]) -> Row:
    best = Row("Lycosa", 1e9, 1e9, 1e9, 1e9)
    wanted, numbers = shuffled(keys, 7), shuffled(range(len(keys)), 8)
    for _ in range(REPEATS if len(keys) <= LARGE else 1):
        table = CompactUrlTable()
        row = Row(
            "Lycosa",
            None,
            spent(each(table.add, keys), len(keys)),
            spent(each(table.find, wanted), len(keys)),
            spent(each(table.key, numbers), len(keys)),
        )
        held = table.bytes_held() / len(keys)
        best = Row(
            "Lycosa",
            held,
            *(min(a, b) for a, b in zip(best[2:], row[2:], strict=True) if a and b),
        )
    return best


def lycosa_spilled(keys: list[str]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        vault = FileVault(Path(folder))
        table = CompactUrlTable(vault)
        table.add_many(keys)
        sites = [n for n in range(table.site_count()) if table.site_urls(n) >= LEAST_URLS]
        spilling = spent(each(table.spill, sites), len(keys))
        table.tighten()
        some = random.Random(9).sample(keys, 300)
        finding = spent(each(table.find, some), len(some))
        return [
            f"spilled: {vault.size_bytes() / len(keys):.1f} bytes on disk and"
            f" {table.bytes_held() / len(keys):.1f} in memory per URL;"
            f" {spilling:.1f} µs per URL to spill, {finding:.0f} µs per find"
        ]


def crawl_order(urls: int, links: int = 50) -> list[str]:
    """Measure `add_many` with the links of one page after the other.

    Of a page's links two fifths are the menu of its site, two fifths pages near it, most of
    them known, and a fifth of them new.
    """
    chance = random.Random(4)
    sites = max(urls // 2000, 1)
    known = [0] * sites
    pages = []
    count = 0
    while count < urls:
        site = chance.randrange(sites)
        name = f"com.{WORDS[site % 119]}{site}.www:s"
        menu = [f"{name}/menu/{WORDS[n]}" for n in range(links * 2 // 5)]
        first = max(known[site] - links * 2 // 5, 0)
        last = known[site] + links // 5
        near = [f"{name}/{WORDS[n // 50 % 119]}/page-{n}.html" for n in range(first, last)]
        count += last - known[site]
        known[site] = last
        pages.append(menu + near)
    total = sum(map(len, pages))
    best = min(spent(each(CompactUrlTable().add_many, pages), total) for _ in range(REPEATS))
    return [f"in the order of a crawl: {best:.2f} µs per link by add_many ({total:,} links)"]


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


def frontier(urls: int) -> list[str]:
    """Let 64 partitions know so many URLs; write their snapshots and resume from them."""
    partitions = 64
    owner_of = make_partitioner("domain", partitions).partition_of
    before = resident_bytes()
    states = [PartitionState() for _ in range(partitions)]
    waiting: list[list[str]] = [[] for _ in range(partitions)]
    for key in made_up(urls):
        number = owner_of(key)
        waiting[number].append(key)
        if len(waiting[number]) == 50:
            states[number].apply(Admitted(0.0, "", waiting[number], [1] * 50))
            waiting[number] = []
    for number, keys in enumerate(waiting):
        states[number].apply(Admitted(0.0, "", keys, [1] * len(keys)))
    del waiting
    known = sum(len(state.table) for state in states)
    tables = sum(state.table.bytes_held() for state in states)
    held = resident_bytes() - before
    with tempfile.TemporaryDirectory() as folder:
        snapshots = SnapshotFolder(Path(folder))
        longest, began, size = 0.0, time.perf_counter(), 0
        for number, state in enumerate(states):
            start = time.perf_counter()
            size += snapshots.write(number, 1, state.pack(1))
            longest = max(longest, time.perf_counter() - start)
        written = time.perf_counter() - began
        del states, state
        began = time.perf_counter()
        for number in range(partitions):
            found = snapshots.newest(number)
            assert found is not None
            PartitionState.unpack(found[1])
        resumed = time.perf_counter() - began
    return [
        f"frontier of {known:,} URLs: {held / 1e6:,.0f} MB resident ({held / known:.1f} bytes per"
        f" URL, {tables / known:.1f} of them the tables)",
        f"snapshots of all {partitions} partitions: {written:.1f} s ({longest:.2f} s the longest),"
        f" {size / 1e6:,.0f} MB; read and rebuilt in {resumed:.1f} s",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--generated", type=int, default=0)
    parser.add_argument("--frontier", type=int, default=0)
    parser.add_argument("--no-rivals", action="store_true")
    options = parser.parse_args()
    for title, keys in (
        (
            str(options.file and options.file.name),
            keys_of_file(options.file) if options.file else [],
        ),
        ("made up", shuffled(made_up(options.generated), 6)),
    ):
        if keys:
            rivals: list[Callable[[list[str]], Row | None]] = [
                python_set, python_dict, marisa, rocks, sqlite,
            ]  # fmt: skip
            plain = [avl, characters]
            if options.no_rivals:
                rivals, plain = [], []
            rows = (row for measure in [lycosa, *rivals] for row in [measure(keys)])
            show(f"{title}: {len(keys):,} URLs, shuffled", rows)
            show(f"the first {SMALL:,} of them", (measure(keys[:SMALL]) for measure in plain))
            if len(keys) <= LARGE:
                print(*lycosa_spilled(keys), *crawl_order(len(keys)), sep="\n", flush=True)
    if options.frontier:
        print(*frontier(options.frontier), sep="\n")


if __name__ == "__main__":
    main()
