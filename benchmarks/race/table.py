"""The figures as a table, and the section of RESULTS.md that holds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.race.measuring import Summary

MARKS = ("<!-- the race: begin, written by benchmarks/race -->", "<!-- the race: end -->")
TLS_MARKS = ("<!-- the race over TLS: begin -->", "<!-- the race over TLS: end -->")
TLS_INTRODUCTION = """\
As above, but over TLS 1.3, and nginx packs pages by gzip, level 1, for those who take it (all do).
Lycosa keeps what came over the wire."""
INTRODUCTION = """\
Whole crawlers on the same pages, each as a process of its own on core 0; nginx has core 1. The
same start page and scope, 64 connections, robots files obeyed, no pause, nothing guessed
(`--mining off`). CPU is user and system, children included, from the start of the process to its
end; figures are medians. Those written in Python have the same interpreter, and Lycosa is installed
as a user would install it, with what it needs and nothing else. Lycosa keeps
archive, rows of pages, links and text, digests and its log, and asks one host over one
connection; wget2 keeps the files; Scrapy a line a page. A slow rival is cut off after a while;
its rate is that of the pages until then. `start alone` is a crawl of the start page and nothing
else, and is part of the other figures."""
HEADS = [
    "client",
    "pages",
    "pages per CPU-second",
    "lowest to highest",
    "CPU, s (user + system)",
    "wall, s",
    "peak, MB",
    "on disk, MB",
    "start alone, CPU s",
]


def rows(
    summaries: Sequence[Summary], titles: Mapping[str, str], starts: Mapping[str, float]
) -> list[list[str]]:
    """Return a row for each client, the quickest first."""
    quickest = sorted(summaries, key=lambda one: -one.pages_per_cpu_second)
    return [
        [
            titles[one.client],
            f"{one.pages:,}" + ("" if one.complete else " (cut off)"),
            f"**{one.pages_per_cpu_second:,.0f}**",
            f"{one.slowest:,.0f}-{one.fastest:,.0f}",
            f"{one.user_seconds + one.system_seconds:.2f} "
            f"({one.user_seconds:.2f} + {one.system_seconds:.2f})",
            f"{one.wall_seconds:.2f}",
            f"{one.peak_megabytes:.0f}",
            f"{one.disk_megabytes:.0f}",
            f"{starts[one.client]:.2f}" if one.client in starts else "",
        ]
        for one in quickest
    ]


def ratios(summaries: Sequence[Summary], titles: Mapping[str, str]) -> list[str]:
    """Return what Lycosa reaches of each rival and of its own past, in pages per CPU-second."""
    ours = next((one for one in summaries if one.client == "lycosa"), None)
    if ours is None:
        return []
    return [
        f"Lycosa / {titles[one.client]}: {ours.pages_per_cpu_second / one.pages_per_cpu_second:.2f}"
        for one in summaries
        if one.client.startswith("lycosa@") or not one.client.startswith("lycosa")
    ]


def differences(
    pages: Mapping[str, frozenset[str]], titles: Mapping[str, str], most: int = 3
) -> list[str]:
    """Say who lacks what of the pages that all complete crawlers together have."""
    everything = frozenset().union(*pages.values())
    said = []
    for client, found in pages.items():
        lacking = sorted(everything - found)
        if lacking:
            examples = ", ".join(lacking[:most]) + (", …" if len(lacking) > most else "")
            said.append(
                f"{titles[client]} lacks {len(lacking):,} of {len(everything):,}: {examples}"
            )
    if not said and len(pages) > 1:
        said.append(f"All that crawled to the end have the same {len(everything):,} pages.")
    return said


def markdown(heads: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in body])


def placed(results: str, section: str, begin: str, end: str) -> str:
    """Return the results with the section in its place: between its marks, or at the end."""
    block = f"{begin}\n{section.strip()}\n{end}"
    if begin not in results or end not in results:
        return f"{results.rstrip()}\n\n{block}\n"
    before, rest = results.split(begin, 1)
    return before + block + rest.split(end, 1)[1]
