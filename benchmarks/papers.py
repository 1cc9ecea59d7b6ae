"""The papers' own measurements, repeated in our terms.

    RDFa spider, Table 6 and Figure 13   entries written to the table of URLs and then looked up
    RDFa spider, Table 8                 whole crawls by depth and workers: pages, triples, rates
    KSpider, Figure 11                   gathering speed by the number of workers and connections
    KSpider, section 4                   bytes of a URL, time to store one and to get one back

The crawls ask a small server on loopback, 64 hosts at addresses of their own, whose pages are
computed from their URLs: five links down a tree, one to another host, and three RDFa triples. An
answer takes 20 ms. Where ours and theirs stand beside each other, the machines are not the same:
what can be compared is how a figure grows.

    python -m benchmarks.papers
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.charts import Line, draw
from benchmarks.figures import PICTURES

from lycosa.config import Job
from lycosa.crawl.directory import CrawlDirectory
from lycosa.crawl.processes.run import run_crawl
from lycosa.frontier.urltable import CompactUrlTable, FileVault
from lycosa.frontier.urltable.pure_table import PlainUrlTable

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


def plain(some: Sequence[str], folder: Path) -> None:
    """The same in the table's twin in plain Python."""
    table = PlainUrlTable()
    for key in some:
        table.add(key)
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


def milliseconds(way: Callable[[Sequence[str], Path], None], count: int) -> float:
    """Return the CPU time of writing and checking, the best of three."""
    some = keys(count)
    times = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            began = time.process_time()
            way(some, Path(folder))
            times.append(time.process_time() - began)
    return min(times) * 1000


def table_6(to: Path) -> None:
    """Print Table 6 and draw Figure 13."""
    ways = {
        "compiled, in memory": compiled,
        "compiled, sealed to a file": sealed,
        "plain Python": plain,
        "SQLite on disk": database,
    }
    ours = {
        name: [milliseconds(way, count) for count in SIZES if way is not plain or count < 100_000]
        for name, way in ways.items()
    }
    print(f"| milliseconds for | {' | '.join(f'{count:,}' for count in SIZES)} |")
    print("|---|---|---|---|")
    for name, values in ours.items():
        cells = [f"{value:,.1f}" for value in values] + ["—"] * (len(SIZES) - len(values))
        print(f"| {name} | {' | '.join(cells)} |")
    for name, numbers in THEIRS.items():
        print(f"| {name} | {' | '.join(f'{number:,}' for number in numbers)} |")
    colours = (
        "#1f77b4",
        "#2ca02c",
        "#7b3294",
        "#d95f02",
        "#999999",
        "#666666",
        "#bbbbbb",
        "#333333",
    )
    curves = [*ours.items(), *((name, list(map(float, some))) for name, some in THEIRS.items())]
    lines = [
        Line(
            name,
            [(float(n), value * 1000 / n) for n, value in zip(SIZES, values, strict=False)],
            colour,
            name in THEIRS,
        )
        for (name, values), colour in zip(curves, colours, strict=True)
        if "MooseFS" not in name
    ]
    to.mkdir(parents=True, exist_ok=True)
    picture = draw("Writing and checking a URL", "entries", "microseconds an entry", lines)
    (to / "figure-13-url-table.svg").write_text(picture)


def compression() -> None:
    """Print what a URL costs, in bytes and in time (KSpider, section 4)."""
    some = keys(1_000_000)
    table = CompactUrlTable()
    began = time.perf_counter()
    for key in some:
        table.add(key)
    stored = time.perf_counter() - began
    began = time.perf_counter()
    for number in range(len(some)):
        table.key(number)
    back = time.perf_counter() - began
    size, whole = table.bytes_in_use(), sum(map(len, some))
    held, packed = (1 - some_bytes / whole for some_bytes in (size, len(table.pack())))
    print("\n| a million URLs | theirs | ours |\n|---|---|---|")
    print(f"| reduction in size | about 50 % | {held:.0%} in memory, {packed:.0%} packed |")
    print(f"| to store one | 92 µs (10 to 400) | {stored / len(some) * 1e6:.2f} µs |")
    print(f"| to get one back by its number | 6 µs (2 to 188) | {back / len(some) * 1e6:.2f} µs |")


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


def crawled(port: int, depth: int, workers: int, connections: int) -> tuple[float, int, int, int]:
    """Crawl to a depth; returns seconds, pages, triples and bytes."""
    with tempfile.TemporaryDirectory() as folder:
        hosts = Path(folder) / "hosts"
        names = "".join(f"127.0.1.{host + 1} {name_of(host)}\n" for host in range(HOSTS))
        hosts.write_text(names)
        job = Job.of(
            seeds=[f"http://{name_of(host)}:{port}/" for host in range(HOSTS)],
            limits={"depth_static": depth, "depth_dynamic": depth},
            politeness={
                "delay_seconds": 0,
                "large_site_delay_seconds": 0,
                "ip_delay_seconds": 0,
                "answer_time_factor": 0,
            },
            fetch={
                "allow_private": True,
                "hosts_file": str(hosts),
                "connections": connections,
            },
            crawl={"workers": workers},
            discovery={"mining": "off"},
            extract={"soft_404_after": 0},
            traps={"budget": 0},
        )
        directory = CrawlDirectory.create(Path(folder) / "crawl", job)
        began = time.monotonic()
        progress = run_crawl(directory).progress
        seconds = time.monotonic() - began
    return seconds, progress.pages, progress.structured.get("triples", 0), progress.bytes


def crawls(to: Path) -> None:
    """Print Table 8, and draw Figure 11 of KSpider."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=serve, args=(theirs,), daemon=True)
    process.start()
    port = ours.recv()
    print("\n| | depth | nodes | seconds | triples | pages | pages a second | bytes |")
    print("|---|---|---|---|---|---|---|---|")
    print("| theirs, cache on MooseFS | 5 | 23 | 2,558 | 47,158 | 193,618 | 76 | 20 GB |")
    print("| theirs, cache on disk | 5 | 23 | 2,140 | 73,061 | 259,008 | 121 | 30 GB |")
    print("| theirs, cache on disk | 6 | 23 | 12,214 | 301,219 | 1,832,157 | 150 | 150 GB |")
    for depth in (2, 3):
        for workers in (1, 2):
            seconds, pages, triples, size = crawled(port, depth, workers, 300)
            print(
                f"| ours | {depth} | {workers} | {seconds:.1f} | {triples:,} | {pages:,} "
                f"| {pages / seconds:,.0f} | {size / 1e6:.1f} MB |",
                flush=True,
            )
    lines = []
    print("\n| workers | connections | pages a second |\n|---|---|---|")
    for workers, colour in ((1, "#1f77b4"), (2, "#d95f02")):
        points = []
        for connections in (4, 16, 50, 300):
            seconds, pages, _, _ = crawled(port, 2, workers, connections)
            points.append((float(connections), pages / seconds))
            print(f"| {workers} | {connections} | {pages / seconds:,.0f} |", flush=True)
        lines.append(Line(f"{workers} worker{'s' * (workers > 1)}", points, colour, False))
    process.terminate()
    process.join()
    picture = draw("Gathering speed", "connections", "pages a second", lines)
    (to / "figure-11-gathering-speed.svg").write_text(picture)


def main() -> None:
    """Print all tables, draw all figures."""
    print(f"{os.cpu_count()} cores\n")
    table_6(PICTURES)
    compression()
    crawls(PICTURES)


if __name__ == "__main__":
    main()
