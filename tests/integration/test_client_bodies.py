"""What servers send, whole, broken, endless or not at all, over both ways to the web."""

from __future__ import annotations

import asyncio
import gzip
import os
import socket as socket_module
import struct
import zlib
from collections.abc import Callable

import brotli
import psutil
import pytest
import zstandard

from integration.small_servers import (
    PAGE,
    Reader,
    Served,
    Writer,
    ask,
    chunked,
    client,
    facts,
    fails,
    reply,
    replying,
    run,
    serving,
)
from integration.small_servers import way as way
from lycosa.model.records import Outcome

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("way")]


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


@run
async def test_a_body_with_a_wrong_gzip_checksum_is_kept_as_one_that_is_cut() -> None:
    text = b"<title>small</title>"
    packed = bytearray(gzip.compress(text))
    packed[-8] ^= 0x55
    answer = await ask(replying(reply(bytes(packed), "Content-Encoding: gzip")))
    assert (facts(answer), answer.body) == ((200, None, True), text)


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
