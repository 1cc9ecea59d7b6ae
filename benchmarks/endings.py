"""Measures when a crawl with dead ends ends, what it keeps, and what it prints.

    python -m benchmarks.endings [--only NAME ...]

Each case is a crawl over sockets on loopback, in a process of its own, all of them at once and with
the default settings: pauses of 15 s, ten minutes of patience. So this takes as long as the longest
of them, about a quarter of an hour. A small site (six pages) lives on an address of its own, and
one thing is wrong beside it. What was asked is held against the rules by `lycosa audit`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

PAGES = 6
LONGEST_SECONDS = 3_600


class Wrong(NamedTuple):
    """What is wrong beside a small site."""

    name: str
    links: Callable[[int, int], list[str]] = lambda port, dead: []
    """Links of its home page, given its own port and one where nobody listens."""
    robots: Callable[[int], int] = lambda asked: 404
    """The status of its robots file, given how often that was asked for."""
    drips: bool = False
    seed: Callable[[int, int], str] = lambda port, dead: f"http://site.example:{port}/"


WRONGS = [
    Wrong("nothing"),
    Wrong("a link to a name that does not exist", lambda port, dead: ["http://no.example/"]),
    Wrong("a link to a dead port", lambda port, dead: [f"http://site.example:{dead}/"]),
    Wrong(
        "12 links to dead ports",
        lambda port, dead: [f"http://site.example:{dead - n}/" for n in range(12)],
    ),
    Wrong("https on an http port", lambda port, dead: [f"https://site.example:{port}/"]),
    Wrong("a page that drips", lambda port, dead: ["/drips"], drips=True),
    Wrong("robots file: 503 once", robots=lambda asked: 503 if asked == 1 else 404),
    Wrong("robots file: always 500", robots=lambda asked: 500),
    Wrong("the seed's port is dead", seed=lambda port, dead: f"http://site.example:{dead}/"),
    Wrong("the seed's name does not exist", seed=lambda port, dead: "http://mistyped.example/"),
]


class Case(NamedTuple):
    """What came of one crawl."""

    wrong: Wrong
    code: int
    summary: dict[str, Any]
    said: list[tuple[float, str]]
    """When, and what."""
    audit: str


@contextlib.contextmanager
def site(wrong: Wrong, address: str, port: int, dead: int) -> Iterator[None]:
    """Serve a small site with something wrong."""
    robots_asked = 0

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            nonlocal robots_asked
            status, body = 200, f"<title>{self.path}</title>a page of words about {self.path}"
            if self.path == "/robots.txt":
                robots_asked += 1
                status, body = wrong.robots(robots_asked), ""
            elif self.path == "/drips" and wrong.drips:
                self._drip()
                return
            elif self.path == "/":
                links = [f"/{n}" for n in range(1, PAGES)] + wrong.links(port, dead)
                body += "".join(f"<a href='{link}'>there</a> " for link in links)
            data = body.encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _drip(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", "100000")
            self.end_headers()
            with contextlib.suppress(OSError):
                for _ in range(600):
                    self.wfile.write(b"x")
                    self.wfile.flush()
                    time.sleep(1.0)
            self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer((address, port), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.2,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


def free_port(address: str) -> int:
    """Return a port where nobody listens."""
    with socket.socket() as found:
        found.bind((address, 0))
        port: int = found.getsockname()[1]
        return port


def crawl(wrong: Wrong, number: int, folder: Path) -> Case:
    """Crawl one site; each has an address of its own, so that none waits for another."""
    address = f"127.0.30.{number + 1}"
    port, dead = free_port(address), free_port(address)
    hosts = folder / f"hosts-{number}"
    hosts.write_text(f"{address} site.example\n")
    command = [
        *(sys.executable, "-m", "lycosa", "crawl", wrong.seed(port, dead)),
        *("-o", str(folder / f"crawl-{number}"), "--allow-private", "--include", ".example"),
        *("--set", f"fetch.hosts_file={hosts}", "--json"),
    ]
    with site(wrong, address, port, dead):
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
    summary = json.loads(ran.stdout)
    said = messages(folder / f"crawl-{number}" / "lycosa.log")
    audit = subprocess.run(
        [sys.executable, "-m", "lycosa", "audit", str(folder / f"crawl-{number}")],
        capture_output=True,
        text=True,
        check=False,
    )
    verdict = audit.stdout.strip().splitlines()[-1]
    return Case(wrong, ran.returncode, summary, said, verdict)


def messages(path: Path) -> list[tuple[float, str]]:
    """Return what a crawl said beside its progress, and how long after its beginning."""
    lines = [line.split(" ", 2) for line in path.read_text().splitlines()]
    moments = [datetime.fromisoformat(words[0]).timestamp() for words in lines]
    return [
        (moment - moments[0], words[2])
        for moment, words in zip(moments, lines, strict=True)
        if "event=progress" not in words[2] and not words[2].startswith(("begins", "commits"))
    ]


def main() -> None:
    """Crawl all cases at once and print what came of them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="*", help="parts of the names of cases")
    only = parser.parse_args().only
    chosen = [w for w in WRONGS if not only or any(part in w.name for part in only)]
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(len(chosen)) as pool:
        folder = Path(name)
        cases = list(pool.map(lambda at: crawl(chosen[at], at, folder), range(len(chosen))))
    print("| wrong | ends after | pages | exit code | reason | audit |")
    print("|---|---|---|---|---|---|")
    for case in cases:
        seconds, pages, reason = (case.summary[name] for name in ("seconds", "pages", "reason"))
        print(
            f"| {case.wrong.name} | {seconds:,.0f} s | {pages} | {case.code} | {reason}"
            f" | {case.audit} |"
        )
    for case in cases:
        print(f"\n{case.wrong.name}")
        for moment, line in case.said:
            print(f"  after {moment:,.0f} s: {line}")


if __name__ == "__main__":
    main()
