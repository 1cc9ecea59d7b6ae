"""Measures how evenly each partitioner spreads real URLs, and how many links stay at home.

    python -m benchmarks.balance URLS [PAGES]

URLS is a text file, perhaps .xz, with one URL a line; PAGES a tar of HTML pages of one site. Prints
the tables of docs/reference/partitioners.md and draws its picture.
"""

from __future__ import annotations

import lzma
import sys
import tarfile
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from statistics import fmean, pstdev
from time import perf_counter
from typing import NamedTuple
from urllib.parse import quote

from benchmarks.charts import Line, draw

from lycosa.extract.page import scan
from lycosa.frontier.partitioners import PARTITIONERS, URL_PARTITIONERS, Partitioner
from lycosa.model.url import canonicalize
from lycosa.model.url.key import key_of, reversed_host_of

COUNTS = (16, 64, 1024)
MAKERS: dict[str, Callable[[int], Partitioner]] = {**PARTITIONERS, **URL_PARTITIONERS}
HIGHEST_DRAWN = 7.0
"""Larger shares are cut: one domain with many hosts would leave no room for the others."""
COLOURS = ("#1b6ca8", "#2a9d4a", "#d1495b", "#e08e0b", "#6a4c93", "#444444")
PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "partitioners.svg"


class Balance(NamedTuple):
    """Shares of partitions, as multiples of the mean."""

    largest: float
    smallest: float
    variation: float
    """The coefficient of variation: the standard deviation as a multiple of the mean."""
    empty: int


def balance(counts: Sequence[int]) -> Balance:
    """Return how even some counts are."""
    mean = fmean(counts)
    return Balance(
        max(counts) / mean, min(counts) / mean, pstdev(counts) / mean, sum(not n for n in counts)
    )


def spread(partitioner: Partitioner, keys: Iterable[str], partitions: int) -> list[int]:
    """Return how many keys each partition gets."""
    counts = Counter(map(partitioner.partition_of, keys))
    return [counts[number] for number in range(partitions)]


def read_keys(path: Path) -> list[str]:
    """Return the keys of all URLs of a file that a crawl would take."""
    with lzma.open(path, "rt") if path.suffix == ".xz" else path.open() as lines:
        urls = (canonicalize(line.strip()) for line in lines)
        return [key_of(url) for url in urls if url]


def links_of(path: Path) -> Iterator[tuple[str, str]]:
    """Yield source and target of the links between the pages of a tar."""
    site = "http://www.site.test/"
    with tarfile.open(path) as pages:
        for member in pages:
            body = pages.extractfile(member) if member.isfile() else None
            source = canonicalize(site + quote(member.name))
            if body is None or source is None or not member.name.endswith((".htm", ".html")):
                continue
            for link in scan(body.read(), "text/html").links:
                target = canonicalize(link.href, source)
                if target and target.startswith(site):
                    yield key_of(source), key_of(target)


def print_table(title: str, keys: Sequence[str]) -> dict[str, list[list[int]]]:
    """Print one row a partitioner; return what each partition got."""
    print(f"\n| {title} | " + " | ".join(f"{n:,} partitions" for n in COUNTS) + " |")
    print("|---" * (len(COUNTS) + 1) + "|")
    found: dict[str, list[list[int]]] = {}
    for name, make in MAKERS.items():
        cells = []
        for partitions in COUNTS:
            counts = spread(make(partitions), keys, partitions)
            found.setdefault(name, []).append(counts)
            even = balance(counts)
            empty = f", {even.empty} empty" if even.empty else ""
            cells.append(
                f"{even.largest:.2f} / {even.smallest:.2f} / {100 * even.variation:.1f} %{empty}"
            )
        print(f"| `{name}` | " + " | ".join(cells) + " |")
    return found


def print_costs(keys: Sequence[str]) -> None:
    """Print what one look-up costs, with hosts in the cache as in a crawl."""
    print("\n| | µs a URL |\n|---|---|")
    for name, make in MAKERS.items():
        partition_of = make(64).partition_of
        begun = perf_counter()
        for key in keys:
            partition_of(key)
        print(f"| `{name}` | {1e6 * (perf_counter() - begun) / len(keys):.2f} |")


def print_links(path: Path) -> None:
    """Print the share of links whose ends have one owner."""
    links = list(links_of(path))
    print(f"\n{len(links):,} links between the pages of one site:\n")
    print("| | " + " | ".join(f"{n:,} partitions" for n in COUNTS) + " |")
    print("|---" * (len(COUNTS) + 1) + "|")
    for name, make in MAKERS.items():
        cells = []
        for partitions in COUNTS:
            partition_of = make(partitions).partition_of
            home = sum(partition_of(source) == partition_of(target) for source, target in links)
            cells.append(f"{100 * home / len(links):.1f} %")
        print(f"| `{name}` | " + " | ".join(cells) + " |")


def picture(found: dict[str, list[list[int]]], count: int) -> str:
    """Return the shares of all partitions, from the largest to the smallest."""
    at = COUNTS.index(count)
    lines = []
    for (name, all_counts), colour in zip(found.items(), COLOURS, strict=True):
        counts = sorted(all_counts[at], reverse=True)
        mean = fmean(counts)
        shares = array("d", (min(n / mean, HIGHEST_DRAWN) for n in counts))
        lines.append(Line(name, list(enumerate(shares, 1)), colour, name.startswith("url")))
    title = f"Hosts (url-*: URLs) of {count:,} partitions, from largest to smallest"
    return draw(title, "partition", "share (1 = the mean)", lines)


def main(arguments: Sequence[str]) -> None:
    """Print tables and draw the picture."""
    keys = read_keys(Path(arguments[0]))
    hosts = sorted({f"{reversed_host_of(key)}:/" for key in keys})
    print(f"{len(keys):,} URLs of {len(hosts):,} hosts")
    print("cells: largest / smallest share (1 = the mean) / coefficient of variation")
    urls = print_table("URLs", keys)
    names = print_table("hosts", hosts)
    print_costs(keys)
    for name in URL_PARTITIONERS:
        names[name] = urls[name]
    PICTURE.write_text(picture(names, 1024))
    if len(arguments) > 1:
        print_links(Path(arguments[1]))


if __name__ == "__main__":
    main(sys.argv[1:])
