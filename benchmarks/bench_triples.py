"""Measures the cost of triples: in the crawl, when the index is built, and in queries.

    python benchmarks/bench_triples.py [--quads 1000000] [--pages 3906] [--repeats 3]
                                       [--part crawl|load|ask]

    crawl   a tree of pages with 20 triples of RDFa each, crawled over loopback by a process of
            its own, with structured data and without: CPU of that process a page, the best of
            the repeats, and the ratio
    load    quads of 20 a page, as a crawl leaves them: `lycosa index`; what is left of that when
            pyoxigraph is given the same quads as one plain file; and its transactions
    ask     questions to that index, the best of five: milliseconds, and rows that came

Times of `load` are of the clock, because pyoxigraph works in threads; CPU stands beside them.
"""

from __future__ import annotations

import argparse
import io
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyoxigraph

from lycosa.analysis.triples import sparql
from lycosa.analysis.triples.index import Index
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.layout import TRIPLES, Name, quads_path
from lycosa.storage.tables.quads import Block, blocks, quads_of, write_sealed
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.servers.server import SocketWeb

TRIPLES_A_PAGE = 20
TYPES = ("Article", "Person", "Product", "Event", "Organization")


# -- crawl -----------------------------------------------------------------------------------


def crawl_cost(folder: Path, server: SocketWeb, home: str, forms: list[str]) -> tuple[float, int]:
    """Return CPU seconds and pages of a whole crawl."""
    job = Job.of(
        [home],
        limits={"free_disk_bytes": 0},
        politeness={"delay_seconds": 0.0, "ip_delay_seconds": 0.0, "answer_time_factor": 0.0},
        fetch={"allow_private": True, "hosts_file": str(server.hosts_file)},
        crawl={"workers": 1},
        extract={"soft_404_after": 0},
        structured={"forms": forms},
    )
    directory = CrawlDirectory.create(folder, job)
    command = [sys.executable, "-m", "lycosa", "resume", str(directory.path), "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status:
        raise SystemExit(f"the crawl ended with {status}")
    pages = sum(state.kept_pages for state in directory.states(job).values())
    return usage.ru_utime + usage.ru_stime, pages


def bench_crawl(folder: Path, pages: int, repeats: int) -> None:
    levels = {2: 1, 31: 3, 156: 4, 781: 5, 3906: 6}
    web = GeneratedWeb.tree(levels[min(levels, key=lambda n: abs(n - pages))], 5, TRIPLES_A_PAGE)
    best: dict[str, float] = {}
    found = 0
    with SocketWeb(web, tls=False) as server:
        for number in range(repeats):
            for name, forms in (
                ("without", []),
                ("with", ["rdfa", "json-ld", "microdata", "meta"]),
            ):
                made = folder / f"{name}-{number}"
                seconds, kept = crawl_cost(made, server, web.home(), forms)
                best[name] = min(best.get(name, 1e9), seconds / kept * 1e6)
                if name == "with":
                    found = Index(made).update().size
    print(f"\ncrawl: {kept:,} pages, {found:,} triples")
    print("| | µs of CPU a page |\n|---|---|")
    for name in ("without", "with"):
        print(f"| {name} structured data | {best[name]:,.0f} |")
    print(f"| ratio | {best['with'] / best['without']:.2f} |")


# -- load ------------------------------------------------------------------------------------


def pages_of(quads: int) -> Iterator[Block]:
    """Yield pages that say 20 things each, in the words of schema.org."""
    for page in range(quads // TRIPLES_A_PAGE):
        url = f"http://www.site{page % 200}.test/{TYPES[page % 5].lower()}/{page}"
        lines = [f"<{url}#it> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> "]
        lines[0] += f"<http://schema.org/{TYPES[page % 5]}> .\n"
        lines += [
            f'<{url}#it> <http://schema.org/p{n}> "the value {page * 7919 % 100003} of {n}"@en .\n'
            for n in range(TRIPLES_A_PAGE - 2)
        ]
        lines.append(f"<{url}#it> <http://schema.org/author> _:f{page:x}r0 .\n")
        yield Block(url, page, 1_700_000_000_000_000 + page, quads_of("".join(lines).encode(), url))


def timed(what: Callable[[], object]) -> tuple[float, float]:
    began, cpu = time.perf_counter(), time.process_time()
    what()
    return time.perf_counter() - began, time.process_time() - cpu


def bench_load(folder: Path, quads: int) -> Path:
    crawl = folder / "crawl"
    (crawl / TRIPLES).mkdir(parents=True)
    sealed = quads_path(crawl, Name(1, 0))
    write_sealed(sealed, pages_of(quads))
    plain = folder / "plain.nq"
    with plain.open("wb") as file:
        for block in blocks(sealed):
            file.write(block.quads)
    print(f"\nload: {quads:,} quads, {plain.stat().st_size / 1e6:,.0f} MB,")
    print(f"compressed {sealed.stat().st_size / 1e6:,.1f} MB")
    print("| | quads/s | seconds | CPU | on disk |\n|---|---|---|---|---|")

    def row(name: str, what: Callable[[], object], where: Path, count: int = quads) -> None:
        seconds, cpu = timed(what)
        size = sum(path.stat().st_size for path in where.rglob("*") if path.is_file())
        rate = count / seconds
        print(f"| {name} | {rate:,.0f} | {seconds:.1f} | {cpu:.1f} | {size / 1e6:,.0f} MB |")

    index = Index(crawl)
    row("`lycosa index`", index.update, index.folder)

    def bulk() -> None:
        store = pyoxigraph.Store(str(folder / "bulk"))
        store.bulk_load(path=str(plain), format=pyoxigraph.RdfFormat.N_QUADS)
        store.flush()

    row("bulk_load of a plain file", bulk, folder / "bulk")
    some = min(quads, 200_000)

    def transactions() -> None:
        store = pyoxigraph.Store(str(folder / "small"))
        with plain.open("rb") as file:
            for _ in range(some // 20_000):
                lines = b"".join(file.readline() for _ in range(20_000))
                store.load(io.BytesIO(lines), pyoxigraph.RdfFormat.N_QUADS)
        store.flush()

    row("transactions of 20,000", transactions, folder / "small", some)
    changed = (block for number, block in enumerate(pages_of(quads)) if number % 50 == 0)
    again = [block._replace(fetched_at=block.fetched_at + 10**12) for block in changed]
    write_sealed(quads_path(crawl, Name(2, 0)), again)
    count = len(again) * TRIPLES_A_PAGE
    row("2 % of the pages again", index.update, index.folder, count)
    row("nothing new", index.update, index.folder, 0)
    print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000:,.0f} MB")
    return crawl


# -- ask -------------------------------------------------------------------------------------

QUESTIONS = {
    "one page": "SELECT * { GRAPH <http://www.site7.test/product/1007> { ?s ?p ?o } }",
    "things by a value": 'SELECT ?s { ?s <http://schema.org/p3> "the value 7919 of 3"@en }',
    "one property of a type": "SELECT ?s ?o { ?s a <http://schema.org/Event> ;"
    " <http://schema.org/p1> ?o } LIMIT 1000",
    "how many of each type": "SELECT ?t (COUNT(*) AS ?n) { ?s a ?t } GROUP BY ?t",
    "how many triples": "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }",
    "which vocabularies": "SELECT ?v (COUNT(DISTINCT ?g) AS ?n) { GRAPH ?g { ?s ?p ?o }"
    ' BIND(REPLACE(STR(?p), "[^/#]*$", "") AS ?v) } GROUP BY ?v',
}


def bench_ask(crawl: Path) -> None:
    print("\n| question | ms | rows |\n|---|---|---|")
    with Index(crawl).reading() as store:
        for name, question in QUESTIONS.items():
            best, rows = 1e9, 0
            for _ in range(5):
                began = time.perf_counter()
                rows = len(sparql.as_table(sparql.ask(store, question))[1])
                best = min(best, time.perf_counter() - began)
            print(f"| {name} | {best * 1000:,.2f} | {rows:,} |")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quads", type=int, default=1_000_000)
    parser.add_argument("--pages", type=int, default=3906)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--part", choices=("crawl", "load", "ask"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lycosa-bench-") as name:
        if options.part in (None, "crawl"):
            bench_crawl(Path(name), options.pages, options.repeats)
        if options.part in (None, "load", "ask"):
            bench_ask(bench_load(Path(name), options.quads))


if __name__ == "__main__":
    main()
