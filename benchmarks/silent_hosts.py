"""Live hosts beside silent ones: how much longer do the live ones take?

Ten live hosts have their pages and a pause; their home pages link to hosts that never answer. Of
these a third drops every SYN (a listener whose queue is full), a third accepts connections and
never says a word of TLS, and a third takes a request and never answers it. Each host has a loopback
address of its own. Time limits are those of a job that names none.

    python -m benchmarks.silent_hosts                       # beside 0, 300 and 10,000 silent hosts
    python -m benchmarks.silent_hosts --silent 300 --kinds syn --most-seconds 120

A crawl ends with the last live page, or after `--most-seconds`.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import selectors
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl

LIVE_HOSTS = 10
KINDS = ("syn", "tls", "byte")
"""Where a host falls silent: at the first packet, within TLS, after the request."""


class Ports(NamedTuple):
    """Where the servers listen, on every loopback address."""

    live: int
    deaf: int
    mute: int


class Web(NamedTuple):
    """The hosts of a run."""

    pages: int
    silent: int
    kinds: tuple[str, ...]
    ports: Ports

    def live_names(self) -> list[str]:
        """Return the names of the live hosts."""
        return [f"www.live{number}.test" for number in range(LIVE_HOSTS)]

    def silent_urls(self) -> list[str]:
        """Return the home pages of the silent hosts."""
        found = []
        for number in range(self.silent):
            kind = self.kinds[number % len(self.kinds)]
            port = self.ports.deaf if kind == "syn" else self.ports.mute
            scheme = "https" if kind == "tls" else "http"
            found.append(f"{scheme}://www.silent{number}.test:{port}/")
        return found

    def hosts_file(self) -> str:
        """Return an address for every host."""
        names = [*self.live_names(), *(f"www.silent{number}.test" for number in range(self.silent))]
        lines = (
            f"127.{1 + (number >> 16)}.{number >> 8 & 255}.{number & 255} {name}\n"
            for number, name in enumerate(names, 1)
        )
        return "".join(lines)


class MuteServer:
    """Accepts connections, reads what comes, and never says a word."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("0.0.0.0", 0), backlog=4096)
        self._listener.setblocking(False)
        self.port = self._listener.getsockname()[1]
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._is_over = False
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Free the port, and end what is open."""
        self._is_over = True
        self._thread.join()
        for key in list(self._selector.get_map().values()):
            assert isinstance(key.fileobj, socket.socket)
            key.fileobj.close()
        self._selector.close()

    def _serve(self) -> None:
        while not self._is_over:
            for key, _ in self._selector.select(0.1):
                connection = key.fileobj
                assert isinstance(connection, socket.socket)
                if connection is self._listener:
                    accepted, _ = connection.accept()
                    self._selector.register(accepted, selectors.EVENT_READ)
                    continue
                try:
                    is_open = bool(connection.recv(65_536))
                except OSError:
                    is_open = False
                if not is_open:
                    self._selector.unregister(connection)
                    connection.close()


class DeafServer:
    """Drops every SYN: its queue is full, and it accepts nobody."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("0.0.0.0", 0), backlog=0)
        self.port = self._listener.getsockname()[1]
        self._crowd = [socket.socket() for _ in range(2)]
        for client in self._crowd:
            client.setblocking(False)
            client.connect_ex(("127.0.0.1", self.port))

    def wake(self, serve_one: Callable[[socket.socket], None]) -> None:
        """Accept from now on, and serve every connection by a thread."""
        for client in self._crowd:
            client.close()
        self._listener.settimeout(None)
        threading.Thread(target=self._accept, args=(serve_one,), daemon=True).start()

    def _accept(self, serve_one: Callable[[socket.socket], None]) -> None:
        while True:
            try:
                accepted, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=serve_one, args=(accepted,), daemon=True).start()

    def close(self) -> None:
        """Free the port; what waits is reset."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for client in self._crowd:
            client.close()


def serve(told: Connection) -> None:
    """Serve everything until the process is ended; tells the ports, and is told the pages."""
    deaf, mute = DeafServer(), MuteServer()
    pages: dict[str, bytes] = {}

    class Live(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            host = self.headers["Host"].partition(":")[0]
            body = pages.get(f"{host}{self.path}")
            self.send_response(200 if body is not None else 404)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 1024  # with five, live hosts lose SYNs, too

    with Server(("0.0.0.0", 0), Live) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        told.send(Ports(server.server_address[1], deaf.port, mute.port))
        while True:
            pages.update(told.recv())
            told.send(None)


@contextmanager
def serving(pages: int, silent: int, kinds: Sequence[str] = KINDS) -> Iterator[Web]:
    """Serve the hosts of a run from another process."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=serve, args=(theirs,), daemon=True)
    process.start()
    try:
        web = Web(pages, silent, tuple(kinds), ours.recv())
        ours.send(_pages(web))
        ours.recv()
        yield web
    finally:
        process.terminate()
        process.join()


def _pages(web: Web) -> dict[str, bytes]:
    """Return the live pages: a home page with the links to silent hosts, then a chain."""
    found: dict[str, bytes] = {}
    silent = web.silent_urls()
    for number, name in enumerate(web.live_names()):
        links = [f"/{page}" for page in range(1, web.pages)] + silent[number::LIVE_HOSTS]
        text = "".join(f'<a href="{link}">{link}</a>\n' for link in links)
        found[f"{name}/"] = f"<title>{name}</title>{text}".encode()
        for page in range(1, web.pages):
            found[f"{name}/{page}"] = f"<title>{name} {page}</title><p>text {page}".encode()
    return found


def job_of(web: Web, folder: Path, pause_seconds: float, **sections: dict[str, Any]) -> Job:
    """Return a job that has the live hosts as seeds."""
    hosts = folder / "hosts"
    hosts.write_text(web.hosts_file())
    fetch, politeness = sections.pop("fetch", {}), sections.pop("politeness", {})
    return Job.of(
        seeds=[f"http://{name}:{web.ports.live}/" for name in web.live_names()],
        rules=[{"action": "accept", "suffix": "test"}],
        politeness={
            "delay_seconds": pause_seconds,
            "ip_delay_seconds": 0,
            "answer_time_factor": 0,
            **politeness,
        },
        fetch={"allow_private": True, "hosts_file": str(hosts), **fetch},
        robots={"sitemaps": False},
        crawl={"workers": 1},
        discovery={"mining": "off"},
        extract={"soft_404_after": 0},
        **sections,
    )


def live_seconds(pages: int, silent: int, kinds: Sequence[str], most_seconds: float) -> str:
    """Crawl until the live hosts are done, and return a row."""
    with serving(pages, silent, kinds) as web, tempfile.TemporaryDirectory() as folder:
        os.environ["LYCOSA_RUNTIME_DIR"] = folder  # other crawls of this machine are of no concern
        limits = {"pages": pages * LIVE_HOSTS, "seconds": most_seconds, "free_disk_bytes": 0}
        # At the last live page nothing is waited for: what is under way is silent.
        job = job_of(web, Path(folder), 1.0, limits=limits, fetch={"stop_seconds": 0.0})
        directory = CrawlDirectory.create(Path(folder) / "crawl", job)
        began, cpu = time.monotonic(), time.process_time()
        ended = run_crawl(directory)
        seconds, cpu = time.monotonic() - began, time.process_time() - cpu
        kept = ended.progress.pages
    return f"| {silent:,} | {kept} of {pages * LIVE_HOSTS} | {seconds:.1f} s | {cpu:.1f} s |"


def main() -> None:
    """Print a row for each number of silent hosts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--silent", type=int, nargs="*", default=[0, 300, 10_000])
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=list(KINDS))
    parser.add_argument("--pages", type=int, default=60, help="of each live host")
    parser.add_argument("--most-seconds", type=float, default=300.0)
    given = parser.parse_args()
    print("| silent hosts | live pages | seconds | CPU |")
    print("|---|---|---|---|")
    for silent in given.silent:
        print(live_seconds(given.pages, silent, given.kinds, given.most_seconds), flush=True)


if __name__ == "__main__":
    main()
