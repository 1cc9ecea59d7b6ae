"""What a study costs: a made-up crawl of many pages and links, studied from its files.

    python benchmarks/bench_study.py            10⁶ pages, 10⁷ links
    python benchmarks/bench_study.py --full     10⁷ pages, 10⁸ links
    python benchmarks/bench_study.py --graph    the graph alone, beside other libraries

The crawl has no records, only rows: pages on a hundredth as many hosts, links whose degrees follow
power laws (exponent 2.5 in, 3 out), URLs of 40 characters. Every measurement runs in a process of
its own, so that its peak of memory is its own. `--graph` measures igraph and networkit if they are
installed, and networkx on a hundredth of the graph.
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

import duckdb
import numpy as np

from lycosa.config import Job
from lycosa.crawl.directory import CrawlDirectory
from lycosa.graph.bow_tie import bow_tie, strong_components
from lycosa.graph.hits import hits
from lycosa.graph.links import graph_of
from lycosa.graph.pagerank import pagerank
from lycosa.store.layout import Name, make_folders, sealed_path
from lycosa.store.rows import SCHEMAS
from lycosa.study.studying import study

SEGMENT_PAGES = 1_000_000
LIBRARIES = ("lycosa", "igraph", "networkit", "networkx")


def make_crawl(folder: Path, pages: int, links: int) -> None:
    """Write the rows of a crawl that never was."""
    if (folder / "crawl.toml").exists():
        return
    CrawlDirectory.create(folder, Job.of(seeds=["http://www.h0.test/"]))
    make_folders(folder)
    connection = duckdb.connect()
    connection.execute("set preserve_insertion_order = false")
    for number, low in enumerate(range(0, pages, SEGMENT_PAGES)):
        count = min(SEGMENT_PAGES, pages - low)
        some = round(links * count / pages)
        values = {"low": low, "count": count, "pages": pages, "hosts": max(pages // 100, 1)}
        for kind, query in (("pages", _PAGES), ("links", _LINKS)):
            path = sealed_path(folder, kind, Name(number + 1, 0))
            columns = ", ".join(
                f"({_VALUES.get(field.name, 'null')})::{_type(field.type)} as {field.name}"
                for field in SCHEMAS[kind]
            )
            rows = query.format(**values, links=some)
            connection.execute(
                f"copy (with drawn as ({rows}) select {columns} from drawn)"
                f" to '{path}' (format parquet, compression zstd)".format(**values)
            )
    (folder / "ready").touch()


_PAGES = "select range as page, 0 as target from range({low}, {low} + {count})"
_LINKS = """
    select {low} + floor({count} * random() ** 2)::bigint as page,
        (floor({pages} * random() ** 3)::bigint * 7368787 + 12345) % {pages} as target
    from range({links}) order by page
"""
_ID = "(hash({}) >> 1)"
_URL = "'http://www.h' || {0} % {{hosts}} || '.test/section/page-' || {0}"
_VALUES = {
    "url_id": _ID.format("page"),
    "source_id": _ID.format("page"),
    "target_id": _ID.format("target"),
    "fetch_id": _ID.format("page + 1000000000000"),
    "fetched_at": "to_timestamp(1700000000 + page)",
    "began": "to_timestamp(1700000000 + page)",
    "ended": "to_timestamp(1700000000 + page)",
    "key": "'test.h' || page % {hosts} || '.www:/section/page-' || page",
    "url": _URL.format("page"),
    "target_url": _URL.format("target"),
    "host": "'www.h' || page % {hosts} || '.test'",
    "address": "'192.0.2.' || page % 250",
    "outcome": "'KEPT'",
    "status": "200",
    "content_type": "'text/html'",
    "size_bytes": "floor(1000 / (random() + 0.001))",
    "truncated": "false",
    "digest": "'sha1:' || hash(page)",
    "offset": "0",
    "length": "0",
    "language": "'en'",
    "fingerprint": _ID.format("page + 1"),
    "distance": "21 * (page % 8)",
    "kind": "'anchor'",
    "rel": "''",
    "text": "'a link'",
    "times": "1",
}


def _type(kind: object) -> str:
    names = {"int64": "bigint", "int32": "integer", "int16": "smallint", "bool": "boolean"}
    text = str(kind)
    return "timestamptz" if text.startswith("timestamp") else names.get(text, "varchar")


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
    """Study a crawl and say when each step began."""
    watch, step = Watch(), "reading"

    def tell(what: str) -> None:
        nonlocal watch, step
        watch.say(step, 1.0)
        watch, step = Watch(), what

    found = measured("all", lambda: study(folder, rebuild=True, tell=tell))
    told = ("pages", "links", "sites", "pagerank", "hits", "bow_tie")
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


def apart(*arguments: object) -> None:
    """Run one measurement in a process of its own."""
    subprocess.run([sys.executable, __file__, *map(str, arguments)], check=False)


def main() -> None:
    parser = argparse.ArgumentParser(description="What a study costs.")
    parser.add_argument("--full", action="store_true", help="10⁷ pages and 10⁸ links")
    parser.add_argument("--graph", action="store_true", help="the graph alone, by every library")
    parser.add_argument("--folder", type=Path, default=Path(".cache/study"))
    parser.add_argument("--only", choices=("study", *LIBRARIES), help=argparse.SUPPRESS)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--links", type=int, default=10_000_000)
    chosen = parser.parse_args()
    pages, links = (10**7, 10**8) if chosen.full else (chosen.pages, chosen.links)
    folder = chosen.folder / f"{pages}-{links}"
    if chosen.only == "study":
        measure_study(folder)
    elif chosen.only:
        measure_graph(chosen.only, pages, links)
    elif chosen.graph:
        for library in LIBRARIES:
            share = 100 if library == "networkx" else 1
            print(f"{library}: {pages // share:,} pages, {links // share:,} links", flush=True)
            size = ("--pages", pages // share, "--links", links // share)
            apart("--only", library, *size)
    else:
        print(f"study: {pages:,} pages, {links:,} links", flush=True)
        make_crawl(folder, pages, links)
        apart("--only", "study", "--folder", chosen.folder, "--pages", pages, "--links", links)


if __name__ == "__main__":
    main()
