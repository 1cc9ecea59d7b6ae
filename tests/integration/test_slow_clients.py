"""Slow and greedy clients over real sockets, at the server under pages, REST, SPARQL and replay.

The deadlines are one second here. `test_house_attacked` asks the commands themselves, which have
the real ones.
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import logging
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.web import connections, listening
from lycosa.web.connections import ConnectionLimits
from lycosa.web.listening import (
    LARGEST_HEAD_BYTES,
    BoundedProtocol,
    WebServer,
    address_of,
    listen,
)
from lycosa.web.rest.problems import LARGEST_BODY_BYTES
from served_crawl import TOKEN, serving

pytestmark = pytest.mark.quick

DEADLINE = 1.0
LATEST = 8.0
"""Seconds after which a connection would still be open without a deadline."""
LARGE = 32_000_000
SMALL = b"GET /small HTTP/1.1\r\nHost: localhost\r\n\r\n"
POST = b"POST /length HTTP/1.1\r\nHost: localhost\r\n"


class Site:
    """The application of the tests: `/busy` answers once `go_on` is set."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.busy = threading.Semaphore(0)
        routes = [
            Route("/small", self._small),
            Route("/large", self._large),
            Route("/stream", self._stream),
            Route("/busy", self._busy),
            Route("/length", self._length, methods=["POST"]),
        ]
        self.app = Starlette(routes=routes)

    async def _small(self, request: Request) -> Response:
        return Response(b"small")

    async def _large(self, request: Request) -> Response:
        return Response(b"x" * LARGE)

    async def _stream(self, request: Request) -> Response:
        async def pieces() -> AsyncIterator[bytes]:
            for _ in range(LARGE // 100_000):
                yield b"x" * 100_000

        return StreamingResponse(pieces())

    async def _busy(self, request: Request) -> Response:
        self.busy.release()
        await run_in_threadpool(self.go_on.wait)
        return Response(b"done")

    async def _length(self, request: Request) -> Response:
        return Response(str(len(await request.body())).encode())


class Running:
    """A running server with its site."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.site = Site()
        listener = listen("127.0.0.1", 0)
        self.port = int(listener.getsockname()[1])
        self._server = WebServer(self.site.app, listener, f"http://{address_of(listener)}", limits)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        self._opened = contextlib.ExitStack()

    def opened(self, begun: bytes = b"", source: str = "127.0.0.1") -> socket.socket:
        """Open a connection, and send the beginning of a request."""
        made = socket.create_connection(("127.0.0.1", self.port), 20, (source, 0))
        self._opened.enter_context(made)
        made.sendall(begun)
        return made

    def ask(self, path: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        with contextlib.closing(connection):
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read()

    def close(self) -> None:
        self.site.go_on.set()
        self._opened.close()
        self._server.end()
        self._thread.join(20)
        self._server.close()


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Running]]:
    for name in ("HEAD_SECONDS", "BODY_SECONDS", "READING_SECONDS"):
        monkeypatch.setattr(listening, name, DEADLINE)
    monkeypatch.setattr(listening, "READING_BYTES", 1_000 * LARGE)
    with contextlib.ExitStack() as stack:

        def started(most: int = 256, most_each: int = 64) -> Running:
            limits = ConnectionLimits(most=most, most_each=most_each)
            return stack.enter_context(contextlib.closing(Running(limits)))

        yield started


def end_of(connection: socket.socket, drip: bytes = b"") -> tuple[float, bytes]:
    """Send a piece every tenth of a second until the server ends; return when, and what it said."""
    began, said = time.monotonic(), b""
    connection.settimeout(0.1)
    while time.monotonic() - began < LATEST:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(drip)
        try:
            piece = connection.recv(65_536)
        except TimeoutError:
            continue
        except ConnectionResetError:
            break
        if not piece:
            break
        said += piece
    return time.monotonic() - began, said


# -- requests that do not come ---------------------------------------------------------------


LATE = {
    "nothing": (b"", b"", b""),
    "a byte": (b"G", b"", b"HTTP/1.1 408 "),
    "line": (b"GET /sma", b"l", b"HTTP/1.1 408 "),
    "header": (SMALL[:-2] + b"X-Slow: ", b"x", b"HTTP/1.1 408 "),
    "headers": (SMALL[:-2], b"X: x\r\n", b"HTTP/1.1 408 "),
    "body": (POST + b"Content-Length: 900000\r\n\r\n", b"x", b"HTTP/1.1 408 "),
    "chunks": (POST + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n", b"HTTP/1.1 408 "),
    "continue": (
        POST + b"Expect: 100-continue\r\nContent-Length: 9\r\n\r\n",
        b"",
        b"HTTP/1.1 100 ",
    ),
    "kept": (SMALL, b"", b"HTTP/1.1 200 "),
    "pipelined": (SMALL + b"GET /sma", b"l", b"HTTP/1.1 200 "),
}
"""What a client sends, what it sends again every tenth of a second, and what it hears first."""


def test_a_request_that_is_late_is_ended(start: Callable[..., Running]) -> None:
    """Also the next one of a connection that was kept; a client that began hears 408."""
    running = start()
    with ThreadPoolExecutor(len(LATE)) as threads:
        ends = {
            name: threads.submit(end_of, running.opened(begun), drip)
            for name, (begun, drip, _) in LATE.items()
        }
        for name, (_, _, said) in LATE.items():
            took, heard = ends[name].result()
            assert DEADLINE / 2 < took < LATEST, name
            assert heard[: len(said) or 1] == said, name
            assert heard.count(b"HTTP/1.1 408 ") == (name not in ("nothing", "kept")), name
    assert running.ask("/small") == (200, b"small")


def test_a_head_has_a_largest_size(start: Callable[..., Running]) -> None:
    running = start()
    line = b"GET /small?query=" + b"x" * (LARGEST_HEAD_BYTES - 1_000)
    fits = running.opened(line + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    assert end_of(fits)[1].endswith(b"small")
    large = running.opened()
    with contextlib.suppress(ConnectionError):
        large.sendall(b"GET /small HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 10_000_000)
    # the rest of the head was not read, so the answer may be lost in the reset
    took, heard = end_of(large)
    assert took < LATEST and heard[:13] in (b"HTTP/1.1 400 ", b"")
    assert running.ask("/small") == (200, b"small")


# -- answers that are not read ---------------------------------------------------------------


@pytest.mark.parametrize("path", ["/large", "/stream"])
def test_an_answer_that_is_not_read_is_ended(start: Callable[..., Running], path: str) -> None:
    running = start()
    reader = socket.socket()
    with reader:
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.connect(("127.0.0.1", running.port))
        reader.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert reader.recv(12) == b"HTTP/1.1 200"
        time.sleep(2 * DEADLINE)
        assert running.ask("/small") == (200, b"small")
        took, heard = end_of(reader)
    assert took < LATEST and len(heard) < LARGE / 2


def test_no_piece_of_an_answer_waits_for_the_acknowledgement_of_another(
    start: Callable[..., Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    delays: list[int] = []
    begin = BoundedProtocol.connection_made

    def made(self: BoundedProtocol, transport: asyncio.Transport) -> None:
        connection = transport.get_extra_info("socket")
        delays.append(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        begin(self, transport)

    monkeypatch.setattr(BoundedProtocol, "connection_made", made)
    assert start().ask("/small") == (200, b"small")
    assert delays == [1]


# -- more clients than connections -----------------------------------------------------------


def test_half_requests_make_room_the_oldest_first(start: Callable[..., Running]) -> None:
    running = start(most=4)
    halves = [running.opened(b"GET /sma") for _ in range(4)]
    assert running.ask("/small") == (200, b"small")
    took, said = end_of(halves[0])
    assert took < LATEST and said == b""  # dropped at once, without a 408
    assert running.ask("/small") == (200, b"small")


def test_a_client_is_turned_away_while_all_connections_answer(
    start: Callable[..., Running],
) -> None:
    running = start(most=3)
    ask = b"GET /busy HTTP/1.1\r\nHost: localhost\r\n\r\n"
    asking = [running.opened(ask) for _ in range(3)]
    for _ in asking:
        assert running.site.busy.acquire(timeout=20)
    _, said = end_of(running.opened(SMALL))
    assert said.startswith(b"HTTP/1.1 503 ") and b"Retry-After: 5" in said
    running.site.go_on.set()
    for connection in asking:
        assert connection.recv(65_536).startswith(b"HTTP/1.1 200 ")
    assert running.ask("/small") == (200, b"small")


def test_one_address_takes_no_more_than_its_part(
    start: Callable[..., Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "is_loopback_host", lambda host: False)
    running = start(most=8, most_each=2)
    ask = b"GET /busy HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for _ in range(2):
        running.opened(ask, "127.0.0.2")
        assert running.site.busy.acquire(timeout=20)
    assert end_of(running.opened(SMALL, "127.0.0.2"))[1].startswith(b"HTTP/1.1 503 ")
    other = running.opened(SMALL, "127.0.0.3")
    assert other.recv(65_536).startswith(b"HTTP/1.1 200 ")


# -- bodies ----------------------------------------------------------------------------------


@pytest.mark.parametrize("is_declared", [True, False], ids=["declared", "chunked"])
def test_a_body_that_is_too_large_is_refused(tmp_path: Path, is_declared: bool) -> None:
    folder = tmp_path / "crawl"
    CrawlDirectory.create(folder, Job.of(seeds=["http://a.test/"]))
    content = b" " * (LARGEST_BODY_BYTES + 1)
    with serving(folder) as address:
        connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=20)
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        given = content if is_declared else iter([content[:400_000], content[400_000:]])
        with contextlib.closing(connection):
            connection.request("POST", "/api/v1/crawls/crawl/sql", given, headers)
            answer = connection.getresponse()
            assert answer.status == 413
            assert answer.headers["Content-Type"] == "application/problem+json"
            assert b"at most 1,000,000 bytes" in answer.read()


@pytest.mark.parametrize("path", ["/sparql", "/api/v1/crawls/crawl/sql"])
def test_a_client_that_leaves_within_its_body_is_no_error(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    folder = tmp_path / "crawl"
    CrawlDirectory.create(folder, Job.of(seeds=["http://a.test/"]))
    with serving(folder) as address, caplog.at_level(logging.ERROR):
        host, _, port = address.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port)), 20) as leaving:
            head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n"
            leaving.sendall(f"{head}Authorization: Bearer {TOKEN}\r\n\r\nASK".encode())
            leaving.settimeout(0.3)
            with pytest.raises(TimeoutError):
                leaving.recv(1)
        connection = http.client.HTTPConnection(host, int(port), timeout=20)
        with contextlib.closing(connection):
            connection.request("GET", "/health")
            assert connection.getresponse().status == 200
    assert caplog.records == []
