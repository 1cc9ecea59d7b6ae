"""The papers' own measurements, repeated in our terms.

    RDFa spider, Table 6 and Figure 13   entries written to the table of URLs and then looked up
    RDFa spider, Table 8                 whole crawls by depth and workers: pages, triples, rates
    KSpider, Figure 11                   gathering speed by the number of workers and connections
    KSpider, section 4                   bytes of a URL, time to store one and to get one back

The crawls ask a small server on loopback, 64 hosts at addresses of their own, whose pages are
computed from their URLs: five links down a tree, one to another host, and three RDFa triples. An
answer takes 20 ms. Where ours and theirs stand beside each other, the machines are not the same:
what can be compared is how a figure grows.

    python -m benchmarks.figures url-table url-size whole-crawls gathering-speed
"""

from __future__ import annotations

import asyncio
import multiprocessing
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from benchmarks.charts import Line, draw
from benchmarks.figures.run import Made, Run
from benchmarks.race.table import markdown

from lycosa.frontier.urltable import CompactUrlTable, FileVault
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl

HOSTS, FANOUT = 64, 5
LATENCY_SECONDS = 0.02
SIZES = (1_000, 10_000, 100_000)
THEIRS = {
    "theirs, disk, cached (C++)": (155, 2_149, 28_004),
    "theirs, disk, plain (C)": (260, 3_185, 37_105),
    "theirs, MooseFS, best": (710, 8_086, 94_279),
    "theirs, MooseFS, plain (C)": (6_038, 57_511, 810_152),
}
"""Milliseconds, from Table 6."""


# -- Table 6 and Figure 13 ---------------------------------------------------------------------


def keys(count: int) -> list[str]:
    """Return keys of URLs as a crawl has them: hosts, folders, numbered pages."""
    return [
        f"test.site{n % 97}:/{('news', 'people', 'archive')[n % 3]}/{n % 31}/page{n}.html"
        for n in range(count)
    ]


def compiled(some: Sequence[str], folder: Path) -> None:
    """Write and check one by one in the compiled table, in memory."""
    table = CompactUrlTable()
    for key in some:
        table.add(key)
    for key in some:
        if table.find(key) is None:
            raise AssertionError(key)


def sealed(some: Sequence[str], folder: Path) -> None:
    """The same, then sealed to a file, and checked there."""
    table = CompactUrlTable()
    table.put_into(FileVault(folder))
    for key in some:
        table.add(key)
    for site in range(table.site_count()):
        table.spill(site)
    table.tighten()
    for key in some:
        if table.find(key) is None:
            raise AssertionError(key)


def database(some: Sequence[str], folder: Path) -> None:
    """The same in SQLite, in one transaction: a tree on a disk, for comparison."""
    connection = sqlite3.connect(folder / "urls.sqlite")
    connection.execute("create table urls (key text primary key) without rowid")
    with connection:
        for key in some:
            connection.execute("insert into urls values (?)", (key,))
    for key in some:
        if connection.execute("select 1 from urls where key = ?", (key,)).fetchone() is None:
            raise AssertionError(key)
    connection.close()


WAYS = {
    "compiled, in memory": compiled,
    "compiled, sealed to a file": sealed,
    "SQLite on disk": database,
}
COLOURS = dict(
    zip(
        [*WAYS, *THEIRS],
        ("#1f77b4", "#2ca02c", "#d95f02", "#999999", "#666666", "#bbbbbb", "#333333"),
        strict=True,
    )
)


class Entries(NamedTuple):
    """So many entries in one of the tables."""

    way: str
    size: int

    def __str__(self) -> str:
        return f"{self.way}, {self.size:,} entries"


def milliseconds(entries: Entries) -> float:
    """Return the CPU time of writing and checking, the best of three."""
    some = keys(entries.size)
    times = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            began = time.process_time()
            WAYS[entries.way](some, Path(folder))
            times.append(time.process_time() - began)
    return min(times) * 1000


def url_table(run: Run) -> Made:
    """Table 6 and Figure 13."""
    sizes = [size // 100 for size in SIZES] if run.is_small else SIZES
    cases = [Entries(way, size) for way in WAYS for size in sizes]
    took = run.each(milliseconds, cases)
    ours = {way: [took[one] for one in cases if one.way == way] for way in WAYS}
    body = [
        [way, *(f"{value:,.1f}" for value in values), *["—"] * (len(sizes) - len(values))]
        for way, values in ours.items()
    ]
    body += [[way, *(f"{number:,}" for number in numbers)] for way, numbers in THEIRS.items()]
    heads = ["milliseconds of CPU for (theirs: of time)", *(f"{size:,}" for size in sizes)]
    curves: dict[str, Sequence[float]] = {**ours, **THEIRS}
    lines = [
        Line(
            way,
            [(float(n), value * 1000 / n) for n, value in zip(sizes, values, strict=False)],
            COLOURS[way],
            way in THEIRS,
        )
        for way, values in curves.items()
        if "MooseFS" not in way
    ]
    picture = draw("Writing and checking a URL", "entries", "microseconds an entry", lines)
    return Made({"url-table": markdown(heads, body)}, {"figure-13-url-table": picture})


def url_size(run: Run) -> Made:
    """What a URL costs, in bytes and in time (KSpider, section 4)."""
    some = keys(1_000 if run.is_small else 1_000_000)
    table = CompactUrlTable()
    began = time.process_time()
    for key in some:
        table.add(key)
    stored = time.process_time() - began
    began = time.process_time()
    for number in range(len(some)):
        table.key(number)
    back = time.process_time() - began
    size, whole = table.bytes_in_use(), sum(map(len, some))
    held, packed = (1 - some_bytes / whole for some_bytes in (size, len(table.pack())))
    body = [
        ["reduction in size", "about 50 %", f"{held:.0%} in memory, {packed:.0%} packed"],
        ["to store one", "92 µs (10 to 400)", f"{stored / len(some) * 1e6:.2f} µs"],
        ["to get one back by its number", "6 µs (2 to 188)", f"{back / len(some) * 1e6:.2f} µs"],
    ]
    return Made({"url-size": markdown(["a million URLs", "theirs", "ours"], body)})


# -- crawls ------------------------------------------------------------------------------------


def name_of(host: int) -> str:
    """Return the name of a host: each is a domain, so that all partitions have some."""
    return f"www.h{host}.test"


class Tree(asyncio.Protocol):
    """Answers with a page that follows from host and path."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the connection."""
        self.transport = transport
        self.waiting = b""

    def data_received(self, data: bytes) -> None:
        """Answer every whole request, later."""
        self.waiting += data
        while b"\r\n\r\n" in self.waiting:
            head, _, self.waiting = self.waiting.partition(b"\r\n\r\n")
            later = partial(self.answer, head.decode("latin-1"))
            asyncio.get_running_loop().call_later(LATENCY_SECONDS, later)

    def answer(self, head: str) -> None:
        """Send the page."""
        path = head.split(" ", 2)[1]
        host = next(x for x in head.split("\r\n") if x.lower().startswith("host:"))[5:].strip()
        name, _, port = host.partition(":")
        is_there = path != "/robots.txt"
        body = self.page(name, port, path).encode() if is_there else b""
        status = "200 OK" if is_there else "404 Not Found"
        answer = (
            f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        if isinstance(self.transport, asyncio.Transport) and not self.transport.is_closing():
            self.transport.write(answer.encode() + body)

    def page(self, name: str, port: str, path: str) -> str:
        """Return links down the tree, one across, and three triples."""
        number = int(name.split(".")[1][1:])
        links = "".join(f'<a href="{path}{n}/">{n}</a> ' for n in range(FANOUT))
        across = f"http://{name_of((number * 7 + 1) % HOSTS)}:{port}{path}"
        return (
            f"<html><head><title>{path} of {name}</title></head><body vocab='http://schema.org/'"
            f" typeof='WebPage'><p property='name'>{path}</p><p>{'some words ' * 150}</p>"
            f"{links}<a href='{across}'>another</a></body></html>"
        )


def serve(ports: Connection) -> None:
    """Serve all hosts until the process is ended."""

    async def run() -> None:
        loop = asyncio.get_running_loop()
        port = 0
        for host in range(HOSTS):
            server = await loop.create_server(Tree, f"127.0.1.{host + 1}", port)
            port = server.sockets[0].getsockname()[1]
        ports.send(port)
        await asyncio.Event().wait()

    asyncio.run(run())


class Way(NamedTuple):
    """How the tree is crawled."""

    depth: int
    workers: int
    connections: int


class Crawled(NamedTuple):
    """What came of it."""

    seconds: float
    pages: int
    triples: int
    size_bytes: int

    @property
    def pages_per_second(self) -> float:
        """Return the rate."""
        return self.pages / self.seconds


@contextmanager
def served() -> Iterator[int]:
    """Serve all hosts in a process of its own; yields the port."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=serve, args=(theirs,), daemon=True)
    process.start()
    try:
        yield ours.recv()
    finally:
        process.terminate()
        process.join()


def crawled(way: Way, port: int) -> Crawled:
    """Crawl to a depth."""
    with tempfile.TemporaryDirectory() as folder:
        hosts = Path(folder) / "hosts"
        names = "".join(f"127.0.1.{host + 1} {name_of(host)}\n" for host in range(HOSTS))
        hosts.write_text(names)
        job = Job.of(
            seeds=[f"http://{name_of(host)}:{port}/" for host in range(HOSTS)],
            limits={"depth_static": way.depth, "depth_dynamic": way.depth},
            politeness={
                "delay_seconds": 0,
                "large_site_delay_seconds": 0,
                "ip_delay_seconds": 0,
                "answer_time_factor": 0,
            },
            fetch={
                "allow_private": True,
                "hosts_file": str(hosts),
                "connections": way.connections,
            },
            crawl={"workers": way.workers},
            discovery={"mining": "off"},
            extract={"soft_404_after": 0},
            traps={"budget": 0},
        )
        directory = CrawlDirectory.create(Path(folder) / "crawl", job)
        began = time.monotonic()
        progress = run_crawl(directory).progress
        seconds = time.monotonic() - began
    triples = progress.structured.get("triples", 0)
    return Crawled(seconds, progress.pages, triples, progress.bytes)


CRAWL_HEADS = (
    "",
    "depth",
    "machines (ours: processes on one)",
    "seconds",
    "triples",
    "pages",
    "pages a second",
    "bytes",
)
THEIR_CRAWLS = (
    ("theirs, cache on MooseFS", "5", "23", "2,558", "47,158", "193,618", "76", "20 GB"),
    ("theirs, cache on disk", "5", "23", "2,140", "73,061", "259,008", "121", "30 GB"),
    ("theirs, cache on disk", "6", "23", "12,214", "301,219", "1,832,157", "150", "150 GB"),
)
"""Table 8."""


def whole_crawls(run: Run) -> Made:
    """Table 8."""
    depths = (1,) if run.is_small else (2, 3)
    ways = [Way(depth, workers, 300) for depth in depths for workers in (1, 2)]
    with served() as port:
        return crawls_made(run.each(partial(crawled, port=port), ways))


def crawls_made(found: Mapping[Way, Crawled]) -> Made:
    """Return Table 8 of what was crawled."""
    ours = [
        (
            "ours",
            f"{way.depth}",
            f"{way.workers}",
            f"{one.seconds:.1f}",
            f"{one.triples:,}",
            f"{one.pages:,}",
            f"{one.pages_per_second:,.0f}",
            f"{one.size_bytes / 1e6:.1f} MB",
        )
        for way, one in found.items()
    ]
    return Made({"whole-crawls": markdown(CRAWL_HEADS, [*THEIR_CRAWLS, *ours])})


def gathering_speed(run: Run) -> Made:
    """KSpider's Figure 11, with processes on one machine."""
    depth, numbers = (1, (4, 16)) if run.is_small else (2, (4, 16, 50, 300))
    ways = [Way(depth, workers, connections) for workers in (1, 2) for connections in numbers]
    with served() as port:
        return speed_made(run.each(partial(crawled, port=port), ways))


def speed_made(found: Mapping[Way, Crawled]) -> Made:
    """Return the table and the picture of what was crawled."""
    body = [
        [f"{way.workers}", f"{way.connections}", f"{one.pages_per_second:,.0f}"]
        for way, one in found.items()
    ]
    lines = [
        Line(
            name,
            [
                (float(way.connections), one.pages_per_second)
                for way, one in found.items()
                if way.workers == workers
            ],
            colour,
        )
        for workers, name, colour in ((1, "1 worker", "#1f77b4"), (2, "2 workers", "#d95f02"))
    ]
    return Made(
        {"gathering-speed": markdown(("workers", "connections", "pages a second"), body)},
        {
            "figure-11-gathering-speed": draw(
                "Gathering speed", "connections", "pages a second", lines
            )
        },
    )
