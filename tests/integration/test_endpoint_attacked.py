"""`lycosa serve` attacked: by what questions say, by half requests, by answers that nobody reads.

A listener on loopback counts who comes, by TCP and by UDP, and would answer as an endpoint does.
Meanwhile somebody asks an honest question, again and again, and must be answered.
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import psutil
import pytest
from benchmarks.spellings import ATTACKS, HARMLESS, spelt

from integration.endpoint_client import Served, ask, serving
from lycosa.analysis.triples.index import Index
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.tables.quads import Block, quads_of
from lycosa.web.running import ENDPOINT_LIMITS
from unit.analysis.triples.segments import block, seal

FOUND = {"head": {"vars": ["a"]}, "results": {"bindings": [{"a": {"type": "uri", "value": "x:x"}}]}}
LEGITIMATE = "SELECT ?page { GRAPH ?page { ?s ?p 'text 7' } }"
LARGE = f"""SELECT ?d {{ BIND("{"x" * 1000}" AS ?a) BIND(CONCAT({", ".join(["?a"] * 15)}) AS ?b)
    BIND(CONCAT({", ".join(["?b"] * 15)}) AS ?c) BIND(CONCAT({", ".join(["?c"] * 20)}) AS ?d) }}"""
"""A short question with an answer of 4.5 MB."""
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
MOST_CONNECTIONS = ENDPOINT_LIMITS.most
QUERY = {"Content-Type": "application/sparql-query"}


class Listener:
    """Another host: answers every request as a SPARQL endpoint, and counts what comes."""

    def __init__(self) -> None:
        self._tcp = socket.create_server(("127.0.0.1", 0), backlog=100)
        self._udp = socket.socket(type=socket.SOCK_DGRAM)
        self._udp.bind(("127.0.0.1", self._tcp.getsockname()[1]))
        self.url = f"http://127.0.0.1:{self._tcp.getsockname()[1]}/"
        self.visits = 0
        for serve in (self._answer, self._hear):
            threading.Thread(target=serve, daemon=True).start()

    def _answer(self) -> None:
        body = json.dumps(FOUND).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nConnection: close\r\n"
        head += "Content-Type: application/sparql-results+json\r\n\r\n"
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._tcp.accept()
                self.visits += 1
                with connection, contextlib.suppress(OSError):
                    connection.settimeout(1)
                    connection.recv(10_000)
                    connection.sendall(head.encode() + body)

    def _hear(self) -> None:
        with contextlib.suppress(OSError):
            while self._udp.recv(1000):
                self.visits += 1

    def close(self) -> None:
        for waiting in (self._tcp, self._udp):
            with contextlib.suppress(OSError):
                waiting.shutdown(socket.SHUT_RDWR)
            waiting.close()


class Asker:
    """Somebody who asks an honest question, again and again."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.seconds: list[float] = []
        self.failures: list[Any] = []

    def _run(self) -> None:
        while not self._is_over.wait(0.05):
            began = time.monotonic()
            try:
                status, _, body = ask(self._served, LEGITIMATE)
                if status != 200 or b"http://a.test/7" not in body:
                    self.failures.append((status, body))
            except OSError as error:
                self.failures.append(error)
            self.seconds.append(time.monotonic() - began)

    def __enter__(self) -> Asker:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("attacked") / "crawl"
    CrawlDirectory.create(folder, Job())
    triple = b"<http://s.test/> <http://p.test/p> <http://p.test/> .\n"
    linked = Block("http://s.test/", 1, 10, quads_of(triple, "http://s.test/"))
    seal(folder, 1, linked, *(block(f"a.test/{n}", 10, f"text {n}") for n in range(300)))
    Index(folder).update()
    with serving(folder, "--time", "20s", "--largest-answer", "5MB") as running:
        yield running


@pytest.fixture
def listener() -> Iterator[Listener]:
    made = Listener()
    yield made
    made.close()


def answering_processes(served: Served) -> list[psutil.Process]:
    children = psutil.Process(served.process.pid).children(recursive=True)
    return [
        child for child in children if "lycosa.analysis.triples.answer_process" in child.cmdline()
    ]


def test_the_listener_would_notice(listener: Listener) -> None:
    address = urlsplit(listener.url)
    with socket.create_connection((address.hostname or "", address.port or 0)) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 200")
    with socket.socket(type=socket.SOCK_DGRAM) as sender:
        sender.sendto(b"x", (address.hostname or "", address.port or 0))
    until = time.monotonic() + 10
    while listener.visits < 2 and time.monotonic() < until:
        time.sleep(0.01)
    assert listener.visits == 2


def test_no_spelling_of_service_leaves_the_endpoint(served: Served, listener: Listener) -> None:
    with Asker(served) as other:
        for number, attack in enumerate(ATTACKS):
            question = spelt(attack, listener.url)
            if number % 3 == 0:
                status = ask(served, question)[0]
            elif number % 3 == 1:
                status = ask(served, "", "POST", QUERY, question, "/sparql")[0]
            else:
                body = urlencode({"query": question})
                status = ask(served, "", "POST", FORM, body, "/sparql")[0]
            assert status == 400, attack
        for kind in ("default-graph-uri", "named-graph-uri"):
            target = f"/sparql?query={quote('ASK {}')}&{kind}={quote(listener.url, safe='')}"
            assert ask(served, "", target=target)[0] == 200
        for headers, body in (
            ({"Content-Type": "application/sparql-update"}, f"LOAD <{listener.url}>"),
            (FORM, urlencode({"update": f"LOAD <{listener.url}>"})),
            (FORM, urlencode({"update": "DROP ALL", "using-graph-uri": listener.url})),
        ):
            assert ask(served, "", "POST", headers, body, "/sparql")[0] == 403
    assert listener.visits == 0
    assert other.failures == [] and other.seconds
    for process in answering_processes(served):
        files = Path(f"/proc/{process.pid}/fd").iterdir()
        links = [str(path.readlink()) for path in files]
        assert links and not [link for link in links if link.startswith("socket:")]
        assert "Seccomp:\t2" in Path(f"/proc/{process.pid}/status").read_text()


@pytest.mark.parametrize("question", HARMLESS)
def test_what_only_looks_like_it_is_answered(
    served: Served, listener: Listener, question: str
) -> None:
    status, _, body = ask(served, spelt(question, listener.url))
    assert status == 200, body
    assert len(json.loads(body)["results"]["bindings"]) == HARMLESS[question]
    assert listener.visits == 0


BEGINNINGS = (
    b"",
    b"GET /sparql?query=ASK",
    b"GET /sparql?query=ASK+%7B%7D HTTP/1.1\r\nHost: localhost\r\nX-Half: ",
    b"POST /sparql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/sparql-query\r\n"
    b"Content-Length: 900000\r\n\r\nASK",
)


def test_half_requests_shut_nobody_out(served: Served) -> None:
    parts = urlsplit(served.url)
    with contextlib.ExitStack() as stack:
        halves: list[socket.socket] = []
        with Asker(served) as other:
            for number in range(4 * MOST_CONNECTIONS):
                half = socket.create_connection((parts.hostname, parts.port), timeout=20)
                stack.enter_context(half)
                half.sendall(BEGINNINGS[number % len(BEGINNINGS)])
                halves.append(half)
            for _ in range(20):
                for half in halves[-MOST_CONNECTIONS:]:  # those that were not dropped drip on
                    with contextlib.suppress(OSError):
                        half.sendall(b"x")
                status, _, body = ask(served, LEGITIMATE)
                assert (status, b"http://a.test/7" in body) == (200, True)
        assert other.failures == []
        assert max(other.seconds) < 10
        threads = psutil.Process(served.process.pid).num_threads()
        assert threads <= MOST_CONNECTIONS + 20


def test_large_answers_that_nobody_reads_are_bounded(served: Served) -> None:
    parts = urlsplit(served.url)
    server = psutil.Process(served.process.pid)
    before = server.memory_info().rss
    target = f"/sparql?query={quote(LARGE)}"
    request = f"GET {target} HTTP/1.1\r\nHost: localhost\r\nAccept: text/csv\r\n\r\n".encode()
    size = len(ask(served, LARGE, headers={"Accept": "text/csv"})[2])
    assert size > 4_000_000
    with contextlib.ExitStack() as stack, Asker(served) as other:
        for _ in range(20):
            reader = socket.socket()
            stack.enter_context(reader)
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            reader.settimeout(20)
            reader.connect((parts.hostname, parts.port))
            reader.sendall(request)
            assert reader.recv(12) == b"HTTP/1.1 200"
        grown = server.memory_info().rss - before
    assert other.failures == []
    # 20 of them are 90 MB. Held are two of the largest, 10 MB, and some that are on their way.
    assert grown < 50_000_000, f"{grown:,} with answers of {size:,}"
    assert ask(served, LEGITIMATE)[0] == 200
