"""Attacks `lycosa serve`, and measures what gets out and what an honest client notices.

    python -m benchmarks.endpoint

A crawl of 2,000 small graphs is served by a process of its own. A listener on loopback counts
connections and packets that reach it. Figures: how many spellings of `SERVICE` (`spellings`)
reached it, with the check and with the check taken out of the answering process; how long an honest
question takes without an attack, beside half-sent requests, and beside readers that take nothing of
large answers; and by how much the server grew for these.
"""

from __future__ import annotations

import contextlib
import http.client
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import quote, urlsplit

import msgspec
import psutil
from benchmarks.spellings import ATTACKS, spelt
from pyoxigraph import QueryBoolean

from lycosa.analysis.triples.index import Index
from lycosa.analysis.triples.protocol import Query, QueryReply, QueryRequest, receive, send
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.layout import TRIPLES, Name, quads_path
from lycosa.storage.tables.quads import Block, quads_of, write_sealed

HONEST = "SELECT ?page { GRAPH ?page { ?s ?p 'text 7' } }"
LARGE = "SELECT * { ?s ?p ?o . ?a ?b ?c } LIMIT 30000"
HALVES = 1000
READERS = 40
ASKED = 200

UNCHECKED = """
import sys
from lycosa.analysis.triples import answer_process, sparql
sparql.check = lambda question: None
answer_process.main(*sys.argv[1:])
"""


class Listener:
    """Counts what reaches it, by TCP and UDP."""

    def __init__(self) -> None:
        self._tcp = socket.create_server(("127.0.0.1", 0), backlog=100)
        self._udp = socket.socket(type=socket.SOCK_DGRAM)
        self._udp.bind(self._tcp.getsockname())
        self.url = f"http://127.0.0.1:{self._tcp.getsockname()[1]}/"
        self.visits = 0
        threading.Thread(target=self._accept, daemon=True).start()
        threading.Thread(target=self._hear, daemon=True).start()

    def _accept(self) -> None:
        while True:
            connection, _ = self._tcp.accept()
            self.visits += 1
            connection.close()

    def _hear(self) -> None:
        while self._udp.recv(1000):
            self.visits += 1


def made_crawl(folder: Path) -> Path:
    CrawlDirectory.create(folder, Job())
    (folder / TRIPLES).mkdir(parents=True, exist_ok=True)
    blocks = []
    for number in range(2000):
        url = f"http://a.test/{number}"
        triples = f'<{url}> <http://p.test/says> "text {number}" .\n'
        triples += f"<{url}> <http://p.test/p> <http://p.test/> .\n"
        blocks.append(Block(url, number, 10, quads_of(triples.encode(), url)))
    write_sealed(quads_path(folder, Name(1, 0)), blocks)
    Index(folder).update()
    return folder


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[tuple[str, psutil.Process]]:
    command = [sys.executable, "-m", "lycosa", "serve", str(folder), "--port", "0"]
    command += ["--only", "sparql", "--public-sparql"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().removeprefix("serving at ").strip()
        yield urlsplit(url).netloc, psutil.Process(process.pid)
        process.terminate()


def ask(place: str, question: str) -> int:
    connection = http.client.HTTPConnection(place, timeout=60)
    try:
        connection.request("GET", f"/sparql?query={quote(question)}")
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()


def honest(place: str, what: str) -> None:
    """Print how long an honest question takes, and how many were not answered."""
    took: list[float] = []
    failed = 0
    for _ in range(ASKED):
        began = time.perf_counter()
        try:
            failed += ask(place, HONEST) != 200
        except OSError:
            failed += 1
        took.append(1000 * (time.perf_counter() - began))
    print(
        f"{what:<44} {median(took):7.1f} ms median, {max(took):7.1f} ms at most, "
        f"{failed} of {ASKED} not answered",
        flush=True,
    )


def unchecked(folder: Path, there: str) -> dict[str, int]:
    """Put every attack to an answering process that has no check; returns how they ended."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", UNCHECKED, str(folder), "0", "0"]
    kinds: dict[str, int] = {}
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as process:
        assert process.stdin is not None and process.stdout is not None
        receive(process.stdout)
        for attack in ATTACKS:
            send(process.stdin, QueryRequest(Query(spelt(attack, there)), 30, 0))
            kind = "begin"
            while kind in ("begin", "piece"):
                frame = receive(process.stdout)
                assert frame is not None
                kind = msgspec.msgpack.decode(frame, type=QueryReply).kind
            kinds[kind] = kinds.get(kind, 0) + 1
        process.stdin.close()
    return kinds


def unguarded(folder: Path, listener: Listener) -> int:
    """Put the attacks to the store in this process, which has a network: what was to be feared."""
    reached = 0
    with Index(folder).reading() as store:
        for attack in ATTACKS:
            if ".not.test" in attack:  # a name server would be asked
                continue
            before = listener.visits
            with contextlib.suppress(SyntaxError, RuntimeError, OSError):
                question = spelt(attack, listener.url)
                answer: Any = store.query(question, use_default_graph_as_union=True)
                bool(answer) if isinstance(answer, QueryBoolean) else next(answer, None)
            reached += listener.visits > before
    return reached


def main() -> None:
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder = made_crawl(Path(name) / "crawl")
        place, server = stack.enter_context(serving(folder))
        address = urlsplit(f"//{place}")
        listener = Listener()
        statuses = [ask(place, spelt(attack, listener.url)) for attack in ATTACKS]
        refused = statuses.count(400)
        print(f"{len(ATTACKS)} attacks: {refused} refused, {listener.visits} reached the listener")
        kinds = unchecked(folder, listener.url)
        print(f"without the check: {kinds}, {listener.visits} reached the listener", flush=True)
        fear = Listener()
        print(f"without check and sandbox: {unguarded(folder, fear)} reached it", flush=True)
        honest(place, "no attack")
        for number in range(HALVES):
            half = socket.create_connection((address.hostname, address.port), timeout=60)
            stack.enter_context(half)
            half.sendall(b"GET /sparql?query=ASK"[: number % 20])
        honest(place, f"{HALVES:,} half requests")
        before = server.memory_info().rss
        request = f"GET /sparql?query={quote(LARGE)} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        for _ in range(READERS):
            reader = stack.enter_context(socket.socket())
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            reader.settimeout(60)
            reader.connect((address.hostname, address.port))
            reader.sendall(request)
            reader.recv(12)
        grown = server.memory_info().rss - before
        honest(place, f"{READERS} readers of large answers")
        print(f"the server grew by {grown / 1e6:.0f} MB for them")


if __name__ == "__main__":
    main()
