"""Measures the cost of a study, on a made-up crawl of many pages and links.

    python -m benchmarks.bench_study              10⁶ pages, 10⁷ links
    python -m benchmarks.bench_study --full       10⁷ pages, 10⁸ links
    python -m benchmarks.bench_study --graph      the graph alone, beside other libraries
    … --whole                                     with texts, heads of answers and structured data
    … --pages 100000 --links 1000000              another size

The crawl has pages and links alone, or with `--whole` everything that a study reads (`made_crawl`).
Then a second study is measured too, which finds what was made of the segments before. Every
measurement runs in a process of its own, so that its peak of memory is its own; the peak of a step
is that of the process so far.
`--graph` measures igraph and networkit if they are installed (of 10⁸ links igraph is given a
tenth), and networkx on a hundredth of the graph. `--full --whole` needs 10 GB of disk, and as much
again for what does not fit into memory.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks import made_crawl

from lycosa.analysis.study.build import study
from lycosa.frontier.graph.bow_tie import bow_tie, strong_components
from lycosa.frontier.graph.hits import hits
from lycosa.frontier.graph.links import graph_of
from lycosa.frontier.graph.pagerank import pagerank

LIBRARIES = ("lycosa", "igraph", "networkit", "networkx")


def peak_gb() -> float:
    """Return the most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


class Watch:
    """Time on the wall, and of processors, since it was made."""

    def __init__(self) -> None:
        self._wall, self._processors = time.perf_counter(), time.process_time()

    def say(self, what: str, least_seconds: float = 0.0) -> None:
        """Say what something cost, unless it was next to nothing."""
        wall = time.perf_counter() - self._wall
        busy = time.process_time() - self._processors
        if wall >= least_seconds:
            costs = f"{wall:9.1f} s{busy:9.1f} s of CPU   peak {peak_gb():5.2f} GB"
            print(f"  {what:<28}{costs}", flush=True)


def measured(what: str, run: Callable[[], Any]) -> Any:
    """Run something and say what it cost."""
    watch = Watch()
    found = run()
    watch.say(what)
    return found


def measure_study(folder: Path) -> None:
    """Study a crawl and say what each step cost."""
    watch, step = Watch(), "reading"

    def tell(what: str) -> None:
        nonlocal watch, step
        what, _, _ = what.partition(":")  # how far it is comes after that
        if what != step:
            watch.say(step, 1.0)
            watch, step = Watch(), what

    found = measured("all", lambda: study(folder, rebuild=True, tell=tell))
    told = ("pages", "links", "sites", "pagerank", "hits", "bow_tie", "languages", "tables")
    print("  " + json.dumps({name: found.facts[name] for name in told}))


def drawn(pages: int, links: int) -> tuple[Any, Any]:
    """Return the sources and targets of a random graph with the degrees of the crawl."""
    random = np.random.default_rng(1)
    names = random.permutation(pages).astype(np.int32)
    sources = names[(pages * random.random(links) ** 2).astype(np.int32)]
    targets = names[(pages * random.random(links) ** 3).astype(np.int32)]
    return sources, targets


def measure_graph(library: str, pages: int, links: int) -> None:
    """Build the graph in one library, and rank it."""
    sources, targets = drawn(pages, links)
    measured("(drawing the graph)", lambda: None)
    if library == "lycosa":
        graph = measured("build, both directions", lambda: graph_of(sources, targets, pages))
        del sources, targets
        measured("PageRank", lambda: pagerank(graph))
        measured("HITS", lambda: hits(graph))
        strong = measured("strong components", lambda: strong_components(graph))
        measured("bow tie", lambda: bow_tie(graph, strong))
    elif library == "igraph":
        import igraph  # type: ignore[import-not-found,unused-ignore]

        pairs = np.column_stack([sources, targets])
        graph = measured("build", lambda: igraph.Graph(pages, pairs, directed=True))
        measured("PageRank", graph.pagerank)
        measured("HITS", lambda: (graph.hub_score(), graph.authority_score()))
        measured("strong components", lambda: graph.connected_components("strong"))
    elif library == "networkit":
        import networkit  # type: ignore[import-not-found,unused-ignore]

        ends = (sources.astype(np.uint64), targets.astype(np.uint64))
        graph = measured("build", lambda: networkit.GraphFromCoo(ends, n=pages, directed=True))
        sinks = networkit.centrality.SinkHandling.DistributeSinks
        measured("PageRank", networkit.centrality.PageRank(graph, 0.85, 1e-10, False, sinks).run)
        measured("strong components", networkit.components.StronglyConnectedComponents(graph).run)
    elif library == "networkx":
        import networkx

        graph = networkx.DiGraph()
        links_one_by_one = zip(sources.tolist(), targets.tolist(), strict=True)
        measured("build", lambda: graph.add_edges_from(links_one_by_one))
        measured("PageRank", lambda: networkx.pagerank(graph, tol=1e-12))
        measured("HITS", lambda: networkx.hits(graph))
        measured("strong components", lambda: list(networkx.strongly_connected_components(graph)))


def share_of(library: str, links: int) -> int:
    """Return what part of the graph a library is given: igraph takes 200 bytes a link."""
    if library == "networkx":
        return 100
    return 10 if library == "igraph" and links >= 10**8 else 1


def make(folder: Path, pages: int, links: int, is_whole: bool) -> None:
    """Write the crawl, unless it is there."""
    (made_crawl.make_whole if is_whole else made_crawl.make_rows)(folder, pages, links)


def apart(*arguments: object) -> None:
    """Run one measurement in a process of its own."""
    subprocess.run(
        [sys.executable, "-m", "benchmarks.bench_study", *map(str, arguments)], check=False
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="What a study costs.")
    parser.add_argument("--full", action="store_true", help="10⁷ pages and 10⁸ links")
    parser.add_argument("--graph", action="store_true", help="the graph alone, by every library")
    parser.add_argument("--whole", action="store_true", help="with texts, heads, structured data")
    parser.add_argument("--folder", type=Path, default=Path(".cache/study"))
    parser.add_argument("--only", choices=("make", "study", *LIBRARIES), help=argparse.SUPPRESS)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--links", type=int, default=10_000_000)
    chosen = parser.parse_args()
    pages, links = (10**7, 10**8) if chosen.full else (chosen.pages, chosen.links)
    folder = chosen.folder / f"{pages}-{links}{'-whole' if chosen.whole else ''}"
    if chosen.only == "make":
        measured("(making the crawl)", lambda: make(folder, pages, links, chosen.whole))
    elif chosen.only == "study":
        measure_study(folder)
    elif chosen.only:
        try:
            measure_graph(chosen.only, pages, links)
        except ImportError as error:
            print(f"  {error.name} is not installed")
    elif chosen.graph:
        for library in LIBRARIES:
            share = share_of(library, links)
            print(f"{library}: {pages // share:,} pages, {links // share:,} links", flush=True)
            size = ("--pages", pages // share, "--links", links // share)
            apart("--only", library, *size)
    else:
        same = ["--folder", chosen.folder, "--pages", pages, "--links", links]
        same += ["--whole"] if chosen.whole else []
        apart("--only", "make", *same)
        for which in ("study", "second study") if chosen.whole else ("study",):
            print(f"{which}: {pages:,} pages, {links:,} links", flush=True)
            apart("--only", "study", *same)


if __name__ == "__main__":
    main()
