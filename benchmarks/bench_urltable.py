"""Measures bytes and microseconds per known URL, in the URL table and in other structures.

    python -m benchmarks.bench_urltable [file of URLs, one a line; .xz is unpacked]
                                        [--generated 10000000] [--no-rivals]

The URLs of the file (or as many made-up ones as `--generated` says) are shuffled, added one by
one, looked up in another order, and asked for by number in a third. In each case the table is
called from a Python loop, the least of several runs is taken, and it is the time of the
processor that counts. Bytes hold URL → number, number → URL and the counts, where a rival has
them at all; what it lacks is a dash.

The rivals are in `urltable_rivals.py`; the papers' own trees are given a part of the list. What a
whole frontier takes is measured by `frontier_scale.py`.
"""

from __future__ import annotations

import argparse
import random
import tempfile
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

from lycosa.frontier.memory_limit import LEAST_URLS
from lycosa.frontier.urltable import CompactUrlTable, FileVault

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


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--generated", type=int, default=0)
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


if __name__ == "__main__":
    main()
