"""Servers of a few lines: a site for crawls; raw ones, with a client, for the transport."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from email.message import Message
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import pytest
import trustme

from lycosa.fetch.client import HttpTransport
from lycosa.fetch.dns import Names
from lycosa.model.clock import RealClock
from lycosa.model.job import Fetch
from lycosa.model.records import Answer, Outcome, Purpose, Request, Resolved, Validators

Reader: TypeAlias = asyncio.StreamReader
Writer: TypeAlias = asyncio.StreamWriter
Handler = Callable[["Served", Reader, Writer], Awaitable[None]]

Site = Callable[[str], tuple[int, str]]
"""Says for a path with which status and which HTML it is answered."""

WAYS = ("direct", "tls", "curl")
_way = "direct"


@cache
def authority() -> trustme.CA:
    """Return who vouches for the servers here."""
    return trustme.CA()


@cache
def _certified() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority().issue_cert("site.test").configure_cert(context)
    return context


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    """Go by both ways to the web."""
    yield from going_by(request.param)


def going_by(way: str) -> Iterator[str]:
    """Say which carrier plain HTTP goes by, for one test: the body of a fixture.

    By `tls` the servers speak TLS, whatever the scheme says, for whichever host they are asked.
    """
    global _way
    before, _way = _way, way
    yield way
    _way = before


PAGE = b"<title>A page</title>" + b"text " * 2_000


class Asked(NamedTuple):
    """A request to a site."""

    path: str
    headers: Message
    port: int
    """Of the server."""


class Told(NamedTuple):
    """What a site answers: HTML, unless the headers say otherwise."""

    status: int
    text: str = ""
    headers: Mapping[str, str] = MappingProxyType({})


@contextmanager
def serving_answers(answer: Callable[[Asked], Told], port: int = 0) -> Iterator[int]:
    """Serve on loopback, in a thread, what a function answers; gives the port."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            told = answer(Asked(self.path, self.headers, server.server_address[1]))
            data = told.text.encode()
            self.send_response(told.status)
            for name, value in {"Content-Type": "text/html", **told.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def serving_site(site: Site, port: int = 0) -> AbstractContextManager[int]:
    """Serve pages by their paths alone."""
    return serving_answers(lambda asked: Told(*site(asked.path)), port)


class Served:
    """A server on a loopback address that counts its connections and keeps its requests."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.connections = 0
        self.requests: list[bytes] = []
        self.resumed: list[bool] = []

    async def next_request(self, reader: Reader) -> bytes:
        head = await reader.readuntil(b"\r\n\r\n")
        self.requests.append(head)
        return head


@asynccontextmanager
async def serving(
    handler: Handler, *, address: str = "127.0.0.1", tls: ssl.SSLContext | None = None
) -> AsyncIterator[Served]:
    tasks: set[asyncio.Task[Any]] = set()
    tls = _certified() if tls is None and _way == "tls" else tls

    async def accepted(reader: Reader, writer: Writer) -> None:
        served.connections += 1
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        connection = writer.get_extra_info("ssl_object")
        if connection is not None:
            served.resumed.append(connection.session_reused)
        try:
            await handler(served, reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            tasks.discard(task)
            writer.close()

    server = await asyncio.start_server(accepted, address, 0, ssl=tls)
    served = Served(server.sockets[0].getsockname()[1])
    try:
        yield served
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        await asyncio.sleep(0)


def replying(*replies: bytes, then_close: bool = False) -> Handler:
    """Answer each request of a connection with the next reply, the last one for ever."""

    async def handle(served: Served, reader: Reader, writer: Writer) -> None:
        turn = 0
        while True:
            await served.next_request(reader)
            writer.write(replies[min(turn, len(replies) - 1)])
            await writer.drain()
            turn += 1
            if then_close:
                return

    return handle


def reply(body: bytes, *headers: str, status: str = "200 OK", length: int | None = None) -> bytes:
    lines = [f"HTTP/1.1 {status}", "Content-Type: text/html", *headers]
    if not any(line.lower().startswith("transfer-encoding") for line in headers):
        lines.append(f"Content-Length: {len(body) if length is None else length}")
    return "\r\n".join([*lines, "", ""]).encode() + body


def chunked(body: bytes, size: int = 1_000) -> bytes:
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


class Client:
    """A transport with its answers as things to await."""

    def __init__(self, transport: HttpTransport) -> None:
        self.transport = transport

    async def get(
        self,
        url: str,
        *,
        address: str = "127.0.0.1",
        most: int = 10_000_000,
        agent: str = "lycosa (https://example.org/bot)",
        held: Validators | None = None,
    ) -> Answer:
        host = url.split("/")[2].rpartition(":")[0] or url.split("/")[2]
        answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        request = Request(url, host, address, Purpose.PAGE, agent, most, validators=held)
        self.transport.send(request, answered.set_result)
        assert not answered.done(), "called back from within send"
        async with asyncio.timeout(20):
            return await answered

    async def resolve(self, host: str) -> Resolved:
        resolved: asyncio.Future[Resolved] = asyncio.get_running_loop().create_future()
        self.transport.resolve(host, resolved.set_result)
        async with asyncio.timeout(20):
            return await resolved


@asynccontextmanager
async def client(
    *, ports: dict[int, int] | None = None, names: Names | None = None, **settings: Any
) -> AsyncIterator[Client]:
    loop = asyncio.get_running_loop()
    clock = RealClock(loop)
    options = {
        name: settings.pop(name)
        for name in ("may_send", "speed_window_seconds")
        if name in settings
    }
    fetch = Fetch(**{"allow_private": True, **settings})
    transport = HttpTransport(loop, clock, fetch, ports=ports, names=names, **options)
    within: Any = transport
    if _way == "curl":
        within._direct, within._curl = within._by_curl(), None
    elif _way == "tls" and not settings.get("proxy"):
        carrier = within._direct = within._by_tls()
        within._tls = None
        authority().configure_trust(carrier.context)
        carrier.context.check_hostname = False
    try:
        yield Client(transport)
    finally:
        transport.close()
        clock.close()


async def ask(handler: Handler, *, most: int = 10_000_000, **settings: Any) -> Answer:
    """Ask one page of a server that does as `handler` says."""
    async with serving(handler) as served, client(ports={80: served.port}, **settings) as web:
        return await web.get("http://site.test/page", most=most)


def run(test: Callable[[], Awaitable[None]]) -> Callable[[], None]:
    """Make a test of a coroutine."""

    def wrapped() -> None:
        async def within() -> None:
            await test()

        asyncio.run(within(), debug=False)

    wrapped.__name__ = test.__name__
    return wrapped


def facts(answer: Answer) -> tuple[int, Outcome | None, bool]:
    return answer.status, answer.failure, answer.truncated


def fails(answer: Answer, outcome: Outcome) -> None:
    assert facts(answer) == (0, outcome, False)
    assert (answer.headers, answer.body) == ((), b"")
