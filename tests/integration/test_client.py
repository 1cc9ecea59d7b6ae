"""The transport over real sockets: every server here is a few lines, named for what it does.

Everything runs over both ways to the web: plain HTTP over our own sockets, and by libcurl, which
carries TLS and proxies in earnest and everything here.
"""

from __future__ import annotations

import asyncio
import gzip
import os
import socket as socket_module
import ssl
import struct
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

import brotli
import psutil
import pytest
import trustme
import zstandard

from lycosa.clock import RealClock
from lycosa.config import Fetch
from lycosa.errors import ConfigError
from lycosa.fetch.client import HttpTransport
from lycosa.fetch.names import Hosts, Names
from lycosa.records import Answer, Outcome, Purpose, Request, Resolved, Validators

Reader: TypeAlias = asyncio.StreamReader
Writer: TypeAlias = asyncio.StreamWriter
Handler = Callable[["Served", Reader, Writer], Awaitable[None]]

WAYS = ("direct", "curl")
_way = "direct"


@pytest.fixture(params=WAYS, autouse=True)
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    """Say which carrier plain HTTP goes by."""
    global _way
    before, _way = _way, request.param
    yield request.param
    _way = before


PAGE = b"<title>A page</title>" + b"text " * 2_000


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
    if _way == "curl":
        within: Any = transport
        within._direct, within._curl = within._by_curl(), None
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


# -- connections and requests -------------------------------------------------------------


@run
async def test_a_host_is_asked_over_one_connection() -> None:
    async with serving(replying(reply(PAGE))) as served, client(ports={80: served.port}) as web:
        for number in range(50):
            answer = await web.get(f"http://site.test/{number}")
            assert facts(answer) == (200, None, False)
            assert answer.body == answer.sent == PAGE
            assert answer.began <= answer.ended
        assert served.connections == 1
        assert len(served.requests) == 50


@run
async def test_two_hosts_of_one_address_have_a_connection_each() -> None:
    async with serving(replying(reply(PAGE))) as served, client(ports={80: served.port}) as web:
        for host in ("a.test", "b.test", "a.test", "b.test"):
            assert (await web.get(f"http://{host}/")).status == 200
        assert served.connections == 2


@run
async def test_the_request_is_archived_as_it_was_sent() -> None:
    headers = ("site.test Accept-Language: de", "other.test X: y", "* X-All: 1", "* Accept: a/b")
    async with (
        serving(replying(reply(PAGE))) as served,
        client(ports={80: served.port, 81: served.port}, headers=headers) as web,
    ):
        urls = (
            "http://site.test/",
            "http://site.test:81/a/../b/./c?q=%20|{}^[]&x=/../",
            "http://other.test/%C3%A4'!$(),;=@:~",
            "http://127.0.0.1/literal",
            "http://site.test/?",
        )
        for number, url in enumerate(urls):
            answer = await web.get(url)
            assert answer.asked == served.requests[number]
            target = url[url.index("/", 8) :].encode()
            assert answer.asked.startswith(b"GET " + target + b" HTTP/1.1\r\nHost: ")
        assert b"\r\nUser-Agent: lycosa (https://example.org/bot)\r\n" in served.requests[0]
        assert b"\r\nAccept-Encoding: gzip, br, zstd\r\n" in served.requests[0]
        assert b"\r\nHost: site.test:81\r\n" in served.requests[1]
        assert b"Accept-Language: de" in served.requests[1]
        assert b"Accept-Language: de" not in served.requests[2]
        assert b"\r\nX: y\r\n" in served.requests[2]
        for head in served.requests:
            assert head.count(b"\r\nAccept:") == 1
            assert b"\r\nAccept: a/b\r\n" in head
            assert b"\r\nX-All: 1\r\n" in head


@run
async def test_the_server_is_told_which_version_is_held_in_that_request_alone() -> None:
    unchanged = b'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n'
    handler = replying(reply(PAGE), unchanged, reply(PAGE))
    date = "Tue, 22 Oct 2024 06:00:00 GMT"
    async with serving(handler) as served, client(ports={80: served.port}) as web:
        await web.get("http://site.test/page")
        answer = await web.get("http://site.test/page", held=Validators('"a"', date))
        assert (answer.status, answer.body, answer.header("etag")) == (304, b"", '"a"')
        assert answer.asked == served.requests[1]
        await web.get("http://site.test/page")
        lines = [request.split(b"\r\n") for request in served.requests]
        assert set(lines[1]) - set(lines[0]) == {
            b'If-None-Match: "a"',
            b"If-Modified-Since: " + date.encode(),
        }
        assert lines[2] == lines[0]
        assert served.connections == 1


@run
async def test_a_hundred_requests_run_at_once() -> None:
    everyone = asyncio.Event()

    async def all_together(served: Served, reader: Reader, writer: Writer) -> None:
        head = await served.next_request(reader)
        if len(served.requests) == 100:
            everyone.set()
        await everyone.wait()
        writer.write(reply(head.split()[1]))
        await served.next_request(reader)

    async with serving(all_together) as served, client(ports={80: served.port}) as web:
        urls = [f"http://host{number}.test/page{number}" for number in range(100)]
        answers = await asyncio.gather(*(web.get(url) for url in urls))
        assert [answer.body for answer in answers] == [f"/page{n}".encode() for n in range(100)]
        assert web.transport.in_flight == 0


@run
async def test_ipv6_is_spoken() -> None:
    async with (
        serving(replying(reply(PAGE)), address="::1") as served,
        client(ports={80: served.port}) as web,
    ):
        assert (await web.resolve("[::1]")).address == "::1"
        assert (await web.get("http://[::1]/", address="::1")).body == PAGE
        assert (await web.get("http://site.test/", address="::1")).body == PAGE
        assert b"\r\nHost: [::1]\r\n" in served.requests[0]


@run
async def test_a_connection_that_the_server_closed_is_replaced() -> None:
    handler = replying(reply(PAGE, "Connection: close"), then_close=True)
    async with serving(handler) as served, client(ports={80: served.port}) as web:
        for _ in range(3):
            assert (await web.get("http://site.test/")).status == 200
        assert served.connections == 3


@run
async def test_a_request_goes_out_once_even_if_a_used_connection_dies_under_it() -> None:
    async def dies_at_the_second(served: Served, reader: Reader, writer: Writer) -> None:
        await served.next_request(reader)
        writer.write(reply(PAGE))
        await served.next_request(reader)

    async with serving(dies_at_the_second) as served, client(ports={80: served.port}) as web:
        assert (await web.get("http://site.test/1")).status == 200
        fails(await web.get("http://site.test/2"), Outcome.CUT_SHORT)
        assert len(served.requests) == 2
        assert (await web.get("http://site.test/3")).status == 200


# -- bodies -------------------------------------------------------------------------------


@run
async def test_chunks_are_kept_as_sent_and_taken_off() -> None:
    sent = chunked(PAGE)
    answer = await ask(replying(reply(sent, "Transfer-Encoding: chunked")))
    assert facts(answer) == (200, None, False)
    assert (answer.body, answer.sent) == (PAGE, sent)
    assert answer.head.endswith(b"Transfer-Encoding: chunked\r\n\r\n")
    assert answer.header("transfer-encoding") == "chunked"


ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
}


@pytest.mark.parametrize("coding", ENCODERS)
@pytest.mark.parametrize("is_chunked", [False, True])
def test_codings_are_kept_as_sent_and_taken_off(coding: str, is_chunked: bool) -> None:
    async def test() -> None:
        sent = ENCODERS[coding](PAGE)
        headers = [f"Content-Encoding: {coding}"]
        if is_chunked:
            sent = chunked(sent, 7)
            headers.append("Transfer-Encoding: chunked")
        answer = await ask(replying(reply(sent, *headers)))
        assert facts(answer) == (200, None, False)
        assert (answer.body, answer.sent) == (PAGE, sent)

    asyncio.run(test())


@run
async def test_a_bomb_ends_at_the_cap() -> None:
    unit = gzip.compress(b"\0" * 100_000_000, 9)
    process = psutil.Process()
    before = process.memory_info().rss
    answer = await ask(replying(reply(unit * 10, "Content-Encoding: gzip")), most=5_000_000)
    assert facts(answer) == (200, None, True)
    assert (len(answer.body), answer.sent) == (5_000_000, unit * 10)
    assert process.memory_info().rss - before < 60_000_000


@run
async def test_a_body_without_end_stops_at_the_cap() -> None:
    async def endless(served: Served, reader: Reader, writer: Writer) -> None:
        await served.next_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            writer.write(b"x" * 65_536)
            await writer.drain()

    answer = await ask(endless, most=1_000_000)
    assert facts(answer) == (200, None, True)
    assert answer.body == answer.sent == b"x" * 1_000_000


@run
async def test_a_body_of_exactly_the_cap_is_whole() -> None:
    answer = await ask(replying(reply(PAGE)), most=len(PAGE))
    assert facts(answer) == (200, None, False)
    answer = await ask(replying(reply(PAGE)), most=len(PAGE) - 1)
    assert facts(answer) == (200, None, True)
    assert answer.body == PAGE[:-1]


@run
async def test_chunks_cut_at_the_cap_give_their_beginning() -> None:
    sent = chunked(PAGE)
    answer = await ask(replying(reply(sent, "Transfer-Encoding: chunked")), most=2_500)
    assert facts(answer) == (200, None, True)
    assert answer.sent == sent[:2_500]
    assert PAGE.startswith(answer.body)
    assert len(answer.body) > 2_400


@run
async def test_a_body_may_end_with_its_connection() -> None:
    sent = b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + PAGE
    answer = await ask(replying(sent, then_close=True))
    assert (facts(answer), answer.body) == ((200, None, False), PAGE)


@run
async def test_interim_answers_are_passed_over() -> None:
    interim = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
    answer = await ask(replying(interim + reply(PAGE)))
    assert facts(answer) == (200, None, False)
    assert answer.head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert answer.header("link") is None


@run
async def test_headers_keep_their_order_and_their_bytes() -> None:
    sent = b"HTTP/1.1 200 OK\r\nX-B: \xe4\r\nx-a:1\r\nX-B:  two \r\nContent-Length: 0\r\n\r\n"
    answer = await ask(replying(sent))
    expected = (("X-B", "\xe4"), ("x-a", "1"), ("X-B", "two"), ("Content-Length", "0"))
    assert (answer.headers, answer.head) == (expected, sent)


@run
async def test_redirects_are_not_followed() -> None:
    async with (
        serving(replying(reply(b"", "Location: /elsewhere", status="302 Found"))) as served,
        client(ports={80: served.port}) as web,
    ):
        answer = await web.get("http://site.test/")
        assert (answer.status, answer.header("location")) == (302, "/elsewhere")
        assert len(served.requests) == 1


# -- what goes wrong ----------------------------------------------------------------------

HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKS = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"

BROKEN = {
    "nothing": (b"", Outcome.CUT_SHORT),
    "half a head": (HEAD + b"Content-Ty", Outcome.CUT_SHORT),
    "a head without end": (HEAD + b"X: y\r\n", Outcome.CUT_SHORT),
    "only an interim answer": (b"HTTP/1.1 100 Continue\r\n\r\n", Outcome.CUT_SHORT),
    "less than its length": (reply(b"abc", length=5), Outcome.CUT_SHORT),
    "chunks without end": (CHUNKS + b"3\r\nabc\r\n", Outcome.CUT_SHORT),
    "half a chunk": (CHUNKS + b"9\r\nabc", Outcome.CUT_SHORT),
    "a chunk without a size": (CHUNKS + b"zz\r\nabc\r\n0\r\n\r\n", Outcome.BAD_ANSWER),
    "a chunk longer than its size": (CHUNKS + b"3\r\nabcde\r\n0\r\n\r\n", Outcome.BAD_ANSWER),
    "HTTP/0.9": (b"<html>an old page</html>", Outcome.BAD_ANSWER),
    "garbage": (bytes(range(256)) * 4, Outcome.BAD_ANSWER),
    "another protocol": (b"SSH-2.0-OpenSSH_9.2\r\n", Outcome.BAD_ANSWER),
    "a header without a colon": (HEAD + b"nonsense\r\n\r\n", Outcome.BAD_ANSWER),
    "a length that is none": (HEAD + b"Content-Length: -1\r\n\r\n", Outcome.BAD_ANSWER),
    "two lengths": (
        HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        Outcome.BAD_ANSWER,
    ),
    "a long header": (HEAD + b"X: " + b"x" * 400_000 + b"\r\n\r\n", Outcome.BAD_ANSWER),
    "many headers": (HEAD + b"X: y\r\n" * 100_000 + b"\r\n", Outcome.BAD_ANSWER),
    "large headers": (HEAD + (b"X: " + b"y" * 1000 + b"\r\n") * 290 + b"\r\n", Outcome.BAD_ANSWER),
    "what is not gzip": (reply(b"plain", "Content-Encoding: gzip"), Outcome.BAD_ANSWER),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_answer_is_an_outcome(name: str) -> None:
    sent, outcome = BROKEN[name]
    answer = asyncio.run(ask(replying(sent, then_close=True)))
    fails(answer, outcome)
    assert answer.asked.startswith(b"GET /page ")


@run
async def test_what_exceeds_its_length_is_left_out() -> None:
    async with (
        serving(replying(reply(b"abcdef", length=3))) as served,
        client(ports={80: served.port}) as web,
    ):
        for _ in range(2):
            answer = await web.get("http://site.test/")
            assert (facts(answer), answer.body, answer.sent) == ((200, None, False), b"abc", b"abc")
        assert served.connections == 2


@run
async def test_endless_interim_answers_end() -> None:
    async def hinting(served: Served, reader: Reader, writer: Writer) -> None:
        await served.next_request(reader)
        while True:
            writer.write(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 1_000)
            await writer.drain()

    answer = await ask(hinting, total_seconds=5.0)
    assert answer.failure in (Outcome.BAD_ANSWER, Outcome.TIMEOUT)


@run
async def test_a_broken_body_does_not_hide_a_refusal() -> None:
    sent = reply(b"wait", "Retry-After: 7", status="429 Too Many Requests", length=100)
    answer = await ask(replying(sent, then_close=True))
    assert facts(answer) == (429, None, True)
    assert answer.header("retry-after") == "7"


@run
async def test_damaged_content_gives_what_stands_before_the_damage() -> None:
    sent = bytearray(gzip.compress(os.urandom(40_000) + PAGE))
    sent[30_000:30_010] = b"\xff" * 10
    del sent[35_000:]
    answer = await ask(replying(reply(bytes(sent), "Content-Encoding: gzip")))
    assert facts(answer) == (200, None, True)
    assert len(answer.body) > 20_000


@run
async def test_a_reset_is_an_answer_cut_short() -> None:
    async def resetting(served: Served, reader: Reader, writer: Writer) -> None:
        await served.next_request(reader)
        writer.write(reply(PAGE, length=100_000))
        await writer.drain()
        socket = writer.get_extra_info("socket")
        linger_not = struct.pack("ii", 1, 0)
        socket.setsockopt(1, 13, linger_not)  # SOL_SOCKET, SO_LINGER
        writer.transport.abort()

    fails(await ask(resetting), Outcome.CUT_SHORT)


@run
async def test_a_port_that_nobody_listens_on_is_a_connect_failure() -> None:
    async with serving(replying(b"")) as served:
        port = served.port
    async with client(ports={80: port}) as web:
        answer = await web.get("http://site.test/")
        fails(answer, Outcome.CONNECT_FAILURE)
        assert answer.asked == b""


# -- patience -----------------------------------------------------------------------------


async def silent(served: Served, reader: Reader, writer: Writer) -> None:
    await served.next_request(reader)
    await reader.read()


async def dripping(served: Served, reader: Reader, writer: Writer) -> None:
    await served.next_request(reader)
    writer.write(reply(b"", length=1_000_000))
    while True:
        writer.write(b"x")
        await asyncio.sleep(0.01)


@run
async def test_a_server_that_says_nothing_is_a_timeout() -> None:
    answer = await ask(silent, first_byte_seconds=0.2)
    fails(answer, Outcome.TIMEOUT)
    assert 0.2 <= answer.ended - answer.began < 2.0


@run
async def test_a_dripping_body_is_given_up_for_its_speed() -> None:
    answer = await ask(dripping, slowest_bytes_per_second=10_000, speed_window_seconds=0.3)
    assert (answer.status, answer.failure, answer.body) == (0, Outcome.TIMEOUT, b"")
    assert answer.ended - answer.began < 3.0


@run
async def test_a_dripping_body_is_given_up_after_the_total_time() -> None:
    answer = await ask(dripping, slowest_bytes_per_second=0, total_seconds=0.3)
    fails(answer, Outcome.TIMEOUT)
    assert 0.3 <= answer.ended - answer.began < 2.0


@run
async def test_a_server_that_does_not_accept_is_a_connect_failure() -> None:
    """A listening socket whose queue is full leaves further connections hanging."""
    loop = asyncio.get_running_loop()
    with socket_module.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        port = listening.getsockname()[1]
        waiting = [socket_module.socket() for _ in range(8)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", port))
        async with client(ports={80: port}, connect_seconds=0.3) as web:
            began = loop.time()
            fails(await web.get("http://site.test/"), Outcome.CONNECT_FAILURE)
            assert loop.time() - began < 3.0
        for one in waiting:
            one.close()


@run
async def test_bandwidth_is_shared_by_all_connections() -> None:
    body = b"x" * 100_000
    async with (
        serving(replying(reply(body))) as served,
        client(ports={80: served.port}, bytes_per_second=500_000) as web,
    ):
        loop = asyncio.get_running_loop()
        began = loop.time()
        answers = await asyncio.gather(*(web.get(f"http://h{n}.test/") for n in range(5)))
        assert [answer.body for answer in answers] == [body] * 5
        # Half a megabyte at half a megabyte a second, less what the bucket held.
        assert 0.7 < loop.time() - began < 4.0


# -- TLS ----------------------------------------------------------------------------------

AUTHORITY = trustme.CA()


@pytest.fixture(scope="module")
def ca_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("ca") / "ca.pem"
    AUTHORITY.cert_pem.write_to_path(str(path))
    return str(path)


def tls_context(authority: trustme.CA, *names: str, **dates: Any) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names, **dates).configure_cert(context)
    return context


async def ask_tls(context: ssl.SSLContext, ca_file: str, times: int = 1) -> tuple[Served, Answer]:
    close = replying(reply(PAGE, "Connection: close"), then_close=True)
    async with (
        serving(close, tls=context) as served,
        client(ports={443: served.port}, ca_file=ca_file) as web,
    ):
        for _ in range(times):
            answer = await web.get("https://site.test/page")
        return served, answer


def test_a_good_certificate_is_believed_and_the_session_resumed(ca_file: str) -> None:
    served, answer = asyncio.run(ask_tls(tls_context(AUTHORITY, "site.test"), ca_file, 3))
    assert (facts(answer), answer.body) == ((200, None, False), PAGE)
    assert served.resumed == [False, True, True]


BAD_CERTIFICATES: dict[str, Callable[[], ssl.SSLContext]] = {
    "self-signed": lambda: tls_context(trustme.CA(), "site.test"),
    "another host's": lambda: tls_context(AUTHORITY, "other.test"),
    "expired": lambda: tls_context(
        AUTHORITY,
        "site.test",
        not_before=datetime(2020, 1, 1, tzinfo=UTC),
        not_after=datetime(2021, 1, 1, tzinfo=UTC),
    ),
}


@pytest.mark.parametrize("kind", BAD_CERTIFICATES)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_bad_certificate_is_a_connect_failure(kind: str, ca_file: str) -> None:
    served, answer = asyncio.run(ask_tls(BAD_CERTIFICATES[kind](), ca_file))
    fails(answer, Outcome.CONNECT_FAILURE)
    assert served.requests == []


@run
async def test_a_server_that_does_not_speak_tls_is_a_connect_failure() -> None:
    async def plain(served: Served, reader: Reader, writer: Writer) -> None:
        await reader.read(1)
        writer.write(reply(PAGE, status="400 Bad Request"))

    async with serving(plain) as served, client(ports={443: served.port}) as web:
        fails(await web.get("https://site.test/"), Outcome.CONNECT_FAILURE)


def test_a_file_of_authorities_must_hold_some(tmp_path: Path) -> None:
    empty = tmp_path / "empty.pem"
    empty.write_text("")

    async def test(path: Path) -> None:
        async with client(ca_file=str(path)):
            pass

    for path in (empty, tmp_path / "missing.pem"):
        with pytest.raises(ConfigError, match="ca_file"):
            asyncio.run(test(path))


# -- the guard and the lease --------------------------------------------------------------


@run
async def test_a_private_address_is_refused_by_literal_and_by_name() -> None:
    async with (
        serving(replying(reply(PAGE))) as served,
        client(ports={80: served.port}, allow_private=False) as web,
    ):
        fails(await web.get("http://127.0.0.1/"), Outcome.REFUSED_ADDRESS)
        fails(await web.get("http://[::1]/", address="::1"), Outcome.REFUSED_ADDRESS)
        mapped = "::ffff:127.0.0.1"
        fails(await web.get(f"http://[{mapped}]/", address=mapped), Outcome.REFUSED_ADDRESS)
        found = await web.resolve("localhost")
        assert found.address == "127.0.0.1"
        fails(await web.get("http://localhost/", address=found.address), Outcome.REFUSED_ADDRESS)
        assert served.connections == 0


@run
async def test_the_pinned_address_is_asked_whatever_the_name_says_now() -> None:
    """The name resolves elsewhere (nowhere, here) by the time of the request."""
    async with serving(replying(reply(PAGE))) as served, client(ports={80: served.port}) as web:
        assert (await web.get("http://localhost/", address="127.0.0.1")).status == 200
        fails(await web.get("http://localhost/", address="127.0.0.2"), Outcome.CONNECT_FAILURE)
        assert (await web.get("http://rebound.test/", address="127.0.0.1")).status == 200


@run
async def test_the_guard_sees_the_real_peer_before_anything_is_sent() -> None:
    """Were the first check fooled, the second would still see where the connection leads."""
    async with (
        serving(replying(reply(PAGE))) as served,
        client(ports={80: served.port}, allow_private=False) as web,
    ):
        transport: Any = web.transport
        transport._refuses = lambda address: False
        answer = await web.get("http://site.test/")
        fails(answer, Outcome.REFUSED_ADDRESS)
        assert answer.asked == b""
        assert served.requests == []


@run
async def test_a_lost_lease_stops_a_request_that_is_about_to_be_sent() -> None:
    asked: list[str] = []

    def may_send(request: Request) -> bool:
        asked.append(request.url)
        return not request.url.endswith("lost")

    async with (
        serving(replying(reply(PAGE))) as served,
        client(ports={80: served.port}, may_send=may_send) as web,
    ):
        assert (await web.get("http://site.test/held")).status == 200
        fails(await web.get("http://site.test/lost"), Outcome.CONNECT_FAILURE)
        assert asked == ["http://site.test/held", "http://site.test/lost"]
        assert len(served.requests) == 1


# -- proxies, names, cookies --------------------------------------------------------------


@run
async def test_a_proxy_is_given_the_whole_url_and_the_name() -> None:
    async with (
        serving(replying(reply(PAGE))) as proxy,
        client(proxy=f"http://127.0.0.1:{proxy.port}", allow_private=False) as web,
    ):
        found = await web.resolve("site.test")
        assert found.address == "site.test"
        answer = await web.get("http://site.test/a?b", address="site.test")
        assert (facts(answer), answer.body) == ((200, None, False), PAGE)
        assert answer.asked == proxy.requests[0]
        assert proxy.requests[0].startswith(
            b"GET http://site.test/a?b HTTP/1.1\r\nHost: site.test\r\n"
        )
        fails(await web.get("http://127.0.0.1/", address="127.0.0.1"), Outcome.REFUSED_ADDRESS)


@run
async def test_a_proxy_that_refuses_a_tunnel_is_a_connect_failure() -> None:
    async with (
        serving(replying(reply(b"no", status="403 Forbidden"), then_close=True)) as proxy,
        client(proxy=f"http://127.0.0.1:{proxy.port}") as web,
    ):
        fails(await web.get("https://site.test/", address="site.test"), Outcome.CONNECT_FAILURE)
        assert proxy.requests[0].startswith(b"CONNECT site.test:443 ")


def test_proxies_of_the_environment_are_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert asyncio.run(ask(replying(reply(PAGE)))).status == 200


def test_a_hosts_file_is_asked_instead_of_the_network(tmp_path: Path) -> None:
    path = tmp_path / "hosts"

    async def test() -> None:
        async with serving(replying(reply(PAGE))) as served:
            path.write_text(f"127.0.0.1 a.test b.test # two\nport 80 {served.port}\n")
            async with client(hosts_file=str(path)) as web:
                assert (await web.resolve("a.test")).address == "127.0.0.1"
                assert (await web.resolve("c.test")).address is None
                assert (await web.get("http://b.test/")).body == PAGE

    asyncio.run(test())


@run
async def test_another_address_of_a_name_is_given_after_a_failure() -> None:
    loop = asyncio.get_running_loop()
    names = Names(loop, hosts=Hosts({"two.test": ["127.0.0.9", "127.0.0.1"]}, {}))
    async with (
        serving(replying(reply(PAGE))) as served,
        client(ports={80: served.port}, names=names) as web,
    ):
        first = await web.resolve("two.test")
        assert first.address == "127.0.0.9"
        fails(await web.get("http://two.test/", address="127.0.0.9"), Outcome.CONNECT_FAILURE)
        assert (await web.resolve("two.test")).address == "127.0.0.1"


@run
async def test_cookies_go_back_to_their_host_if_the_job_says_so() -> None:
    handler = replying(reply(PAGE, "Set-Cookie: session=1; Path=/; Domain=test"))
    for kept in (True, False):
        async with (
            serving(handler) as served,
            client(ports={80: served.port}, cookies=kept) as web,
        ):
            await web.get("http://a.test/")
            answer = await web.get("http://a.test/again")
            await web.get("http://b.test/")
            assert [b"\r\nCookie: session=1\r\n" in head for head in served.requests] == [
                False,
                kept,
                False,
            ]
            assert answer.asked == served.requests[1]


# -- the end ------------------------------------------------------------------------------


def connections_to(port: int) -> int:
    connections = psutil.Process().net_connections("tcp")
    return sum(bool(one.raddr) and one.raddr.port == port for one in connections)


def kinds_of_descriptors() -> Iterator[str]:
    for path in Path("/proc/self/fd").iterdir():
        if path.is_symlink():  # the folder itself was open while it was read
            yield str(path.readlink())


@run
async def test_abort_all_leaves_no_sockets_and_calls_nobody_back() -> None:
    called: list[object] = []
    gone = asyncio.Event()

    async def waits_for_the_end(served: Served, reader: Reader, writer: Writer) -> None:
        await served.next_request(reader)
        if len(served.requests) == 20:
            all_in.set()
        await reader.read()
        ended.append(1)
        if len(ended) == 20:
            gone.set()

    ended: list[int] = []
    all_in = asyncio.Event()
    async with serving(waits_for_the_end) as served, client(ports={80: served.port}) as web:
        for number in range(20):
            name = f"h{number}.test"
            request = Request(f"http://{name}/", name, "127.0.0.1", Purpose.PAGE, "a", 1_000)
            web.transport.send(request, called.append)
        await all_in.wait()
        assert connections_to(served.port) == 20
        refused = Request("http://x.test/", "x.test", "0.0.0.0", Purpose.PAGE, "a", 1_000)
        web.transport.send(refused, called.append)
        web.transport.resolve("127.0.0.1", called.append)
        web.transport.abort_all()
        assert web.transport.in_flight == 0
        assert connections_to(served.port) == 0
        async with asyncio.timeout(10):
            await gone.wait()
        assert called == []
        # A transport that was aborted can be used again.
        async with serving(replying(reply(PAGE))) as again:
            transport: Any = web.transport
            transport._around.ports[80] = again.port
            assert (await web.get("http://site.test/")).status == 200


@run
async def test_close_gives_everything_back() -> None:
    async with serving(replying(reply(PAGE))) as served:
        async with client(ports={80: served.port}) as web:
            await web.get("http://warm.test/")

        async def descriptors_after_a_client() -> int:
            async with client(ports={80: served.port}) as web:
                for number in range(5):
                    await web.get(f"http://h{number}.test/")
            return sum("eventpoll" in kind for kind in kinds_of_descriptors())

        first = await descriptors_after_a_client()
        assert await descriptors_after_a_client() == first


@run
async def test_one_who_raises_when_called_back_does_not_cost_the_others_their_answers() -> None:
    loop = asyncio.get_running_loop()
    complaints: list[dict[str, Any]] = []
    loop.set_exception_handler(lambda _, context: complaints.append(context))
    answered: list[Answer] = []
    done = asyncio.Event()

    def take(answer: Answer) -> None:
        answered.append(answer)
        if len(answered) == 10:
            done.set()
        if len(answered) == 3:
            raise RuntimeError("a mistake of ours")

    async with serving(replying(reply(PAGE))) as served, client(ports={80: served.port}) as web:
        for number in range(10):
            name = f"h{number}.test"
            request = Request(f"http://{name}/", name, "127.0.0.1", Purpose.PAGE, "a", 100_000)
            web.transport.send(request, take)
        async with asyncio.timeout(10):
            await done.wait()
    assert [answer.status for answer in answered] == [200] * 10
    assert len(complaints) == 1
