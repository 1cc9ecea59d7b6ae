"""Compares the CPU time of one worker, of two and of four on the same pages.

    python -m benchmarks.workers [--hosts 8] [--workers 1 2 4] [--runs 3] [--host-pages 0]
                                 [--no-results]

Tree A of the race, behind several host names on loopback addresses, each a domain of its own so
that all workers have hosts. Every page links to the same page of the next host too, so that
links cross from partition to partition, and from worker to worker, as those of the web do: one
a page. nginx has core 1; Lycosa may use both. No pause, robots obeyed, everything kept.

The crawls with one worker and with several take turns; of each the medians count. Then the same
with the start pages alone: what a supervisor and a second worker cost before there is anything
to do. All crawls must have the same pages.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.race import server, table, trees
from benchmarks.race.clients import CONNECTIONS, lycosa_names_pages, run_folder
from benchmarks.race.measuring import Usage, measure

RESULTS = Path(__file__).resolve().parent / "RESULTS.md"
BEGIN = "<!-- two workers: begin, written by benchmarks/workers.py -->"
END = "<!-- two workers: end -->"
WORKERS = (1, 2, 4)
AIM = 1.15
HEADS = [
    "workers",
    "pages",
    "CPU, s (user + system)",
    "ms a page",
    "wall, s",
    "start, CPU s",
    "ms a page without start",
    "commits",
    "a commit waits its turn, ms",
    "for the lock, ms",
    "all of it, ms",
]


class Crawl(NamedTuple):
    """One crawl: what it used, what it left, and what it said of itself."""

    usage: Usage
    pages: frozenset[str]
    summary: Mapping[str, Any]

    @property
    def milliseconds_a_page(self) -> float:
        return self.usage.cpu_seconds / len(self.pages) * 1000


class Figures(NamedTuple):
    """The medians of the crawls with so many workers."""

    workers: int
    pages: int
    user_seconds: float
    system_seconds: float
    wall_seconds: float
    a_page: float
    start_seconds: float
    a_page_without_start: float
    commits: float
    waited: float
    locked: float
    took: float


def host_names(hosts: int) -> list[str]:
    """Names that belong to different domains, and so to different partitions."""
    return [f"www.race{number}.test" for number in range(1, hosts + 1)]


def command(folder: Path, tree: trees.Tree, port: int, hosts: Sequence[str]) -> list[str]:
    """Return the command but for workers and depth, and write the files that it names."""
    addresses = server.addresses(True)
    lines = [f"{address} {host}" for address, host in zip(addresses, hosts, strict=False)]
    (folder / "hosts").write_text("\n".join([*lines, f"port 80 {port}", ""]))
    (folder / "seeds").write_text("".join(f"http://{host}{tree.start}\n" for host in hosts))
    words = [str(Path(sys.executable).parent / "lycosa"), "crawl", "--quiet", "--json"]
    words += ["--seeds", str(folder / "seeds"), "-o", str(folder / "crawl"), "--allow-private"]
    for host in hosts:
        words += ["--include", f"http://{host}{tree.scope}"]
    words += ["--delay", "0", "--ip-delay", "0", "--connections", str(CONNECTIONS)]
    words += ["--mining", "off"]
    settings = ["politeness.answer_time_factor=0", f"fetch.hosts_file={folder / 'hosts'}"]
    for setting in settings:
        words += ["--set", setting]
    return words


def crawl(workers: int, depth: int, host_pages: int, port: int, hosts: Sequence[str]) -> Crawl:
    folder = Path(tempfile.mkdtemp(prefix=f"workers-{workers}-", dir=run_folder()))
    words = command(folder, trees.TREES["A"], port, hosts)
    words += ["--workers", str(workers), "--depth", str(depth)]
    words += ["--set", f"limits.host_pages={host_pages}"]
    try:
        cores = f"0-{(os.cpu_count() or 1) - 1}"
        usage = measure(words, folder=folder, environment={}, most_seconds=900, cores=cores)
        said = (folder / "output").read_text()
        summary = json.loads(said[said.index("{") :])
        return Crawl(usage, frozenset(lycosa_names_pages(folder)), summary)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def figures(workers: int, crawls: Sequence[Crawl], starts: Sequence[Crawl]) -> Figures:
    def middle(values: Sequence[float]) -> float:
        return statistics.median(values)

    def a_commit(name: str) -> float:
        return middle([one.summary[name] / one.summary["commits"] * 1000 for one in crawls])

    start = middle([one.usage.cpu_seconds for one in starts])
    pages, first = len(crawls[0].pages), len(starts[0].pages)
    cpu = middle([one.usage.cpu_seconds for one in crawls])
    return Figures(
        workers,
        pages,
        middle([one.usage.user_seconds for one in crawls]),
        middle([one.usage.system_seconds for one in crawls]),
        middle([one.usage.wall_seconds for one in crawls]),
        middle([one.milliseconds_a_page for one in crawls]),
        start,
        (cpu - start) / (pages - first) * 1000,
        middle([one.summary["commits"] for one in crawls]),
        a_commit("commit_queue_seconds"),
        a_commit("commit_lock_seconds"),
        a_commit("commit_write_seconds"),
    )


def row(found: Figures) -> list[str]:
    return [
        str(found.workers),
        f"{found.pages:,}",
        f"{found.user_seconds + found.system_seconds:.2f} "
        f"({found.user_seconds:.2f} + {found.system_seconds:.2f})",
        f"**{found.a_page:.3f}**",
        f"{found.wall_seconds:.1f}",
        f"{found.start_seconds:.2f}",
        f"**{found.a_page_without_start:.3f}**",
        f"{found.commits:.0f}",
        f"{found.waited:.1f}",
        f"{found.locked:.1f}",
        f"{found.took:.1f}",
    ]


def run(
    hosts: Sequence[str], numbers: Sequence[int], runs: int, host_pages: int
) -> dict[int, tuple[list[Crawl], ...]]:
    """Let the crawls take turns, those of the start pages among them."""
    nginx, tree = trees.program("nginx", "nginx"), trees.prepare(trees.TREES["A"])
    found: dict[int, tuple[list[Crawl], ...]] = {number: ([], []) for number in numbers}
    with server.serving(nginx, tree, names=True, maps=server.linked(hosts)) as port:
        for turn in range(runs):
            for workers in numbers if turn % 2 == 0 else reversed(numbers):
                crawls, starts = found[workers]
                starts.append(crawl(workers, 0, host_pages, port, hosts))
                crawls.append(crawl(workers, 3000, host_pages, port, hosts))
                last = crawls[-1]
                print(
                    f"run {turn + 1}, {workers} workers: {len(last.pages):,} pages, "
                    f"{last.usage.cpu_seconds:.2f} CPU s, start {starts[-1].usage.cpu_seconds:.2f};"
                    f" load {os.getloadavg()[0]:.1f}",
                    file=sys.stderr,
                    flush=True,
                )
    return found


def section(found: Mapping[int, tuple[list[Crawl], ...]], hosts: int) -> str:
    one, *others = (figures(number, *of) for number, of in found.items())
    rates = {
        number: [crawl.milliseconds_a_page for crawl in crawls]
        for number, (crawls, _) in found.items()
    }
    ratios = [
        f"* {more.workers} workers / {one.workers}, CPU a page: "
        f"**{more.a_page / one.a_page:.3f}** with the start, "
        f"**{more.a_page_without_start / one.a_page_without_start:.3f}** without it; the aim is at"
        f" most {AIM}."
        for more in others
    ]
    runs = len(rates[one.workers])
    sets = {crawl.pages for crawls, _ in found.values() for crawl in crawls}
    said = (
        "All crawls have the same pages."
        if len(sets) == 1
        else f"THE CRAWLS DIFFER: {sorted(len(pages) for pages in sets)} pages."
    )
    return "\n\n".join(
        [
            "## Several workers",
            f"    python -m benchmarks.workers --hosts {hosts} --runs {runs}",
            f"Tree A behind {hosts} names, one link a page to the next host; medians of "
            f"{runs} runs that took turns. CPU is that of all processes; the start is a "
            f"crawl of the {hosts} start pages. Load {os.getloadavg()[1]:.1f} at the end; "
            f"{time.strftime('%Y-%m-%d')}.",
            table.markdown(HEADS, [row(one), *map(row, others)]),
            "\n".join(
                [
                    *ratios,
                    "* ms a page, lowest to highest: "
                    + ", ".join(f"{n} {min(r):.3f}-{max(r):.3f}" for n, r in rates.items())
                    + ".",
                    f"* {said}",
                ]
            ),
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--hosts", type=int, default=8)
    parser.add_argument("--workers", type=int, nargs="+", default=list(WORKERS))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--host-pages", type=int, default=0, help="of each host at most (0: all)")
    parser.add_argument("--no-results", action="store_true", help="leave RESULTS.md as it is")
    asked = parser.parse_args()
    found = run(host_names(asked.hosts), asked.workers, asked.runs, asked.host_pages)
    text = section(found, asked.hosts)
    print(text)
    if not asked.no_results:
        RESULTS.write_text(table.placed(RESULTS.read_text(), text, BEGIN, END))


if __name__ == "__main__":
    main()
