"""Measures CPU time per page against the number of answers in a commit.

    python -m benchmarks.repeats [--runs 5] [--pages 4000] [--hosts 1 20] [--answers 0 200 100 ...]
    python -m benchmarks.repeats --pause 0.2 --hosts 20

Made pages of some 20 KB behind one host and behind twenty (each an address and a partition of its
own), served by nginx, crawled by one worker with no pause. The crawls with each `[log]
commit_answers` take turns, so that all of them meet the same neighbours on a shared machine; of
each setting the median and the least CPU count (user and system, children included). How far apart
two halves of the same setting's runs are is printed as the noise.

What a kill repeats is read off the log: how many answers of one host a commit holds. A kill just
before that commit is durable repeats as many, and those that came while it was under way;
`benchmarks.kills` kills and counts.

With `--pause` of 0.2 s and more the setting has no say: commits fall into the pauses.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from benchmarks.race import server, trees
from benchmarks.race.measuring import measure
from benchmarks.race.table import markdown

from lycosa.model.records import Fetched
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.log.format import decode_events

ANSWERS = (0, 200, 100, 64, 50, 20, 10, 5, 1)
WORDS = (
    "silk",
    "web",
    "thread",
    "prey",
    "burrow",
    "venom",
    "leg",
    "orb",
    "moult",
    "the",
    "of",
    "and",
)
HEADS = [
    "answers a commit",
    "commits",
    "CPU ms a page: median",
    "least",
    "cost of the median",
    "of the least",
    "answers of a host in a commit: most",
    "mean",
]


@dataclass(frozen=True)
class Made(trees.Tree):
    """A tree of pages that were made here."""

    folder: Path = Path()

    @property
    def root(self) -> Path:
        return self.folder


class Crawl(NamedTuple):
    """One crawl: what it cost, and what a kill would have cost it."""

    cpu_seconds: float
    commits: int
    pages: int
    at_risk: list[int]
    """Answers of one host in one commit, for all hosts and commits."""

    @property
    def milliseconds_a_page(self) -> float:
        return self.cpu_seconds / self.pages * 1000


def make_pages(folder: Path, pages: int) -> None:
    """Write pages with forty links and some text, so that they cost what pages cost."""
    chance = random.Random(1)
    for number in range(pages):
        following = range(10 * number + 1, min(10 * number + 11, pages))
        others = [chance.randrange(pages) for _ in range(40 - len(following))]
        links = [f'<li><a href="/p{to}.html">page {to}</a></li>' for to in [*following, *others]]
        text = [f"<p>{number} {' '.join(chance.choices(WORDS, k=80))}.</p>" for _ in range(30)]
        (folder / f"p{number}.html").write_text(
            f"<!doctype html><html><head><title>Page {number}</title></head><body><ul>"
            f"{''.join(links)}</ul>{''.join(text)}</body></html>"
        )


def crawl(port: int, hosts: int, pages: int, pause: float, settings: Mapping[str, object]) -> Crawl:
    folder = Path(tempfile.mkdtemp(prefix="repeats-"))
    names = [f"www.repeat{number}.test" for number in range(hosts)]
    try:
        addresses = server.addresses(True)
        lines = [f"{address} {name}" for address, name in zip(addresses, names, strict=False)]
        (folder / "hosts").write_text("\n".join([*lines, f"port 80 {port}", ""]))
        words = [str(Path(sys.executable).parent / "lycosa"), "crawl", "--quiet", "--json"]
        words += ["--workers", "1"]
        words += [f"http://{name}/p0.html" for name in names]
        words += ["-o", str(folder / "crawl"), "--allow-private", "--mining", "off"]
        words += ["--delay", str(pause), "--ip-delay", "0", "--max-pages", str(pages)]
        every = {
            "politeness.answer_time_factor": 0,
            "politeness.large_site_delay_seconds": pause,
            "traps.budget": 0,
            "fetch.hosts_file": folder / "hosts",
            **settings,
        }
        for name, value in every.items():
            words += ["--set", f"{name}={value}"]
        usage = measure(words, folder=folder, environment={}, most_seconds=900, cores="0-1")
        said = (folder / "output").read_text()
        commits = json.loads(said[said.index("{") :])["commits"]
        return Crawl(usage.cpu_seconds, commits, *read(CrawlDirectory.open(folder / "crawl")))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def read(directory: CrawlDirectory) -> tuple[int, list[int]]:
    """Return the pages kept, and the answers of a host in a commit, of all hosts and commits."""
    job = directory.job()
    states = directory.states(job)
    log = directory.log(job)
    at_risk: list[int] = []
    try:
        for number, state in states.items():
            for _, batch in log.read(number, 0):
                hosts = Counter(
                    state.sites.host[state.pages.site[event.page]]
                    for event in decode_events(batch)
                    if isinstance(event, Fetched)
                )
                at_risk += hosts.values()
    finally:
        log.close()
    return sum(state.kept_pages for state in states.values()), at_risk


def noise(crawls: Sequence[Crawl]) -> float:
    """Return by how much the medians of two halves of the same runs differ."""
    costs = [one.milliseconds_a_page for one in crawls]
    halves = statistics.median(costs[::2]), statistics.median(costs[1::2] or costs)
    return abs(halves[0] - halves[1]) / min(halves)


def rows(found: Mapping[str, Sequence[Crawl]], first: str) -> list[list[str]]:
    def middle(crawls: Sequence[Crawl]) -> float:
        return statistics.median(one.milliseconds_a_page for one in crawls)

    def least(crawls: Sequence[Crawl]) -> float:
        return min(one.milliseconds_a_page for one in crawls)

    return [
        [
            name,
            f"{statistics.median(one.commits for one in crawls):.0f}",
            f"{middle(crawls):.3f}",
            f"{least(crawls):.3f}",
            f"{middle(crawls) / middle(found[first]) - 1:+.1%}",
            f"{least(crawls) / least(found[first]) - 1:+.1%}",
            str(max(max(one.at_risk) for one in crawls)),
            f"{statistics.mean(count for one in crawls for count in one.at_risk):.1f}",
        ]
        for name, crawls in found.items()
    ]


def compare(
    port: int,
    hosts: int,
    pages: int,
    pause: float,
    runs: int,
    settings: Mapping[str, Mapping[str, object]],
) -> None:
    found: dict[str, list[Crawl]] = {name: [] for name in settings}
    for turn in range(runs):
        order = list(settings.items())
        for name, one in order if turn % 2 == 0 else reversed(order):
            found[name].append(crawl(port, hosts, pages, pause, one))
        print(f"{hosts} hosts, run {turn + 1}; load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    print(f"\n{hosts} hosts, {pages:,} pages, {runs} runs, pause {pause:g} s\n")
    print(markdown(HEADS, rows(found, next(iter(settings)))))
    noises = [noise(crawls) for crawls in found.values()]
    print(f"\nnoise: {statistics.median(noises):.1%} (most {max(noises):.1%})", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--pages", type=int, default=4000)
    parser.add_argument("--hosts", type=int, nargs="+", default=[1, 20])
    parser.add_argument("--answers", type=int, nargs="+", default=list(ANSWERS))
    parser.add_argument("--pause", type=float, default=0.0)
    options = parser.parse_args()
    settings: dict[str, dict[str, object]] = {
        "0 (0.5 s)" if answers == 0 else str(answers): {"log.commit_answers": answers}
        for answers in options.answers
    }
    with tempfile.TemporaryDirectory(prefix="repeats-pages-") as name:
        folder = Path(name)
        make_pages(folder, options.pages)
        folder.chmod(0o755)
        tree = Made("made", "", "", "/", "/p0.html", folder=folder)
        with server.serving(trees.program("nginx", "nginx"), tree, names=True) as port:
            for hosts in options.hosts:
                compare(port, hosts, options.pages, options.pause, options.runs, settings)


if __name__ == "__main__":
    main()
