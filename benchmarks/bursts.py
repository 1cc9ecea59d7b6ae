"""Bursts and pipelining: what KSpider's lists of up to 20 URLs for one connection are worth (3.1).

Bursts: a crawl over loopback of hosts with a pause, with `burst_urls` 1, 5 and 20. Their server
closes idle connections after half a pause, as servers do whose limit (Apache's is 5 s) is below a
crawler's pause. Counted are the connections at the server, and the CPU time of the crawler.

Pipelining: 20 pages of one server over one connection, asked one by one, all at once, and over
a new connection each. The server is behind a line: it holds every chunk for half a round trip.

    python -m benchmarks.figures bursts
"""

from __future__ import annotations

import multiprocessing
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import NamedTuple

from benchmarks.figures.run import Made, Run
from benchmarks.race.table import markdown

from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl

PAUSE_SECONDS, KEPT_SECONDS = 0.2, 0.1
LIST = 20
BODY = b"x" * 10_000


def serve(ports: Connection, made: Synchronized[int]) -> None:
    """Serve pages, and close every connection that is idle for `KEPT_SECONDS`."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = KEPT_SECONDS

        def setup(self) -> None:
            super().setup()
            with made.get_lock():
                made.value += 1

        def do_GET(self) -> None:
            is_robots = self.path == "/robots.txt"
            self.send_response(404 if is_robots else 200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", "0" if is_robots else str(len(BODY)))
            self.end_headers()
            self.wfile.write(b"" if is_robots else BODY)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        ports.send(server.server_address[1])
        server.serve_forever()


class Size(NamedTuple):
    """How much is crawled."""

    hosts: int
    pages: int
    """Of each host."""


class Crawled(NamedTuple):
    """What came of a crawl, and what it took."""

    pages: int
    connections: int
    seconds: float
    cpu_seconds: float


def crawl_with(burst_urls: int, size: Size) -> Crawled:
    """Crawl with bursts of so many URLs."""
    made: Synchronized[int] = multiprocessing.Value("i", 0)
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=serve, args=(theirs, made), daemon=True)
    process.start()
    port = ours.recv()
    names = [f"www.h{host}.test" for host in range(size.hosts)]
    with tempfile.TemporaryDirectory() as folder:
        hosts = Path(folder) / "hosts"
        hosts.write_text("".join(f"127.0.0.1 {name}\n" for name in names))
        job = Job.of(
            seeds=[f"http://{name}:{port}/{page}" for name in names for page in range(size.pages)],
            politeness={
                "delay_seconds": PAUSE_SECONDS,
                "large_site_delay_seconds": PAUSE_SECONDS,
                "ip_delay_seconds": 0,
                "burst_urls": burst_urls,
                "answer_time_factor": 0,
            },
            fetch={"allow_private": True, "hosts_file": str(hosts)},
            crawl={"workers": 1},
            discovery={"mining": "off"},
            extract={"soft_404_after": 0},
        )
        directory = CrawlDirectory.create(Path(folder) / "crawl", job)
        began, cpu = time.monotonic(), time.process_time()
        ended = run_crawl(directory)
        seconds, cpu = time.monotonic() - began, time.process_time() - cpu
        pages = ended.progress.pages
    process.terminate()
    process.join()
    return Crawled(pages, made.value, seconds, cpu)


class Line:
    """A server behind a line: it holds every chunk for half a round trip."""

    def __init__(self, round_trip: float) -> None:
        self._half = round_trip / 2
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = self._listener.getsockname()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            # The handshake of a real line takes a round trip before the first byte can be sent.
            threading.Timer(2 * self._half, self._serve, (client,)).start()

    def _serve(self, client: socket.socket) -> None:
        answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY
        waiting = b""
        with client:
            while chunk := client.recv(65536):
                time.sleep(self._half)
                waiting += chunk
                count = waiting.count(b"\r\n\r\n")
                waiting = waiting.rpartition(b"\r\n\r\n")[2]
                time.sleep(self._half)
                client.sendall(answer * count)

    def close(self) -> None:
        """Take no more connections."""
        self._listener.close()


def request(number: int) -> bytes:
    """Return a request for a page."""
    return b"GET /%d HTTP/1.1\r\nHost: a.test\r\n\r\n" % number


def receive(connection: socket.socket, answers: int) -> None:
    """Read so many answers."""
    left = answers * (len(BODY) + len(b"HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n"))
    while left > 0:
        left -= len(connection.recv(65536))


def one_by_one(line: Line) -> None:
    """Ask for the next page when the last has come."""
    with socket.create_connection(line.address) as connection:
        for number in range(LIST):
            connection.sendall(request(number))
            receive(connection, 1)


def pipelined(line: Line) -> None:
    """Ask for all pages at once."""
    with socket.create_connection(line.address) as connection:
        connection.sendall(b"".join(map(request, range(LIST))))
        receive(connection, LIST)


def anew(line: Line) -> None:
    """Open a connection for every page."""
    for number in range(LIST):
        with socket.create_connection(line.address) as connection:
            connection.sendall(request(number))
            receive(connection, 1)


def timed(way: Callable[[Line], None], round_trip: float) -> float:
    """Return how long a list takes."""
    line = Line(round_trip)
    began = time.monotonic()
    way(line)
    seconds = time.monotonic() - began
    line.close()
    return seconds


HEADS = ("`burst_urls`", "pages", "connections", "pages a second", "CPU a page")
LIST_HEADS = ("round trip", f"{LIST} connections", "one by one", "pipelined")


def list_times(round_trip: float) -> list[float]:
    """Return how long a list takes over a line, in three ways."""
    return [timed(way, round_trip) for way in (anew, one_by_one, pipelined)]


def figure(run: Run) -> Made:
    """Crawl by bursts, and fetch lists."""
    size = Size(2, 2) if run.is_small else Size(10, 40)
    bursts = run.each(partial(crawl_with, size=size), (1, 5, 20))
    lists = run.each(list_times, (0.0,) if run.is_small else (0.0, 0.02, 0.1))
    return made_of(bursts, lists)


def made_of(bursts: Mapping[int, Crawled], lists: Mapping[float, Sequence[float]]) -> Made:
    """Return the tables of what was measured."""
    crawls = [
        [
            f"{burst_urls}",
            f"{one.pages}",
            f"{one.connections}",
            f"{one.pages / one.seconds:.1f}",
            f"{one.cpu_seconds / one.pages * 1e3:.2f} ms",
        ]
        for burst_urls, one in bursts.items()
    ]
    fetched = [
        [f"{round_trip * 1000:g} ms", *(f"{one * 1000:,.0f} ms" for one in times)]
        for round_trip, times in lists.items()
    ]
    return Made({"bursts": markdown(HEADS, crawls), "pipelining": markdown(LIST_HEADS, fetched)})
