"""The transport over real sockets: every server here is a few lines, named for what it does.

Everything runs over both ways to the web: plain HTTP over our own sockets, and by libcurl, which
carries TLS and proxies in earnest and everything here.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from integration.small_servers import (
    PAGE,
    Reader,
    Served,
    Writer,
    client,
    facts,
    fails,
    reply,
    replying,
    run,
    serving,
)
from integration.small_servers import way as way
from lycosa.fetch.dns import Hosts, Names
from lycosa.fetch.http.undelivered import DELIVERY_SECONDS
from lycosa.model.records import Answer, Outcome, Purpose, Request, Validators

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("way")]


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
        fails(await web.get("http://site.test/2"), Outcome.STALE_CONNECTION)
        assert len(served.requests) == 2
        assert (await web.get("http://site.test/3")).status == 200


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
        transport._refuses = lambda host, address: False
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


# -- names and cookies ---------------------------------------------------------------------


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
async def test_what_is_cut_is_called_back_once_and_the_transport_goes_on() -> None:
    async def drips(served: Served, reader: Reader, writer: Writer) -> None:
        head = await served.next_request(reader)
        if b"/well" in head:
            writer.write(reply(PAGE))
            await writer.drain()
            return
        writer.write(reply(b"", length=1_000))
        while True:
            writer.write(b".")
            await writer.drain()
            await asyncio.sleep(0.01)

    async with serving(drips) as served, client(ports={80: served.port}) as web:
        under_way = [
            asyncio.ensure_future(web.get(f"http://h{number}.test/")) for number in range(3)
        ]
        while len(served.requests) < 3:
            await asyncio.sleep(0.01)
        web.transport.cut_all()
        for answer in await asyncio.gather(*under_way):
            fails(answer, Outcome.TIMEOUT)
        assert web.transport.in_flight == 0
        assert connections_to(served.port) == 0
        assert (await web.get("http://h0.test/well")).status == 200
        web.transport.cut_all()
        assert len(served.requests) == 4


@run
async def test_a_request_that_is_given_up_is_not_delivered_later() -> None:
    """The kernel would go on to send what was not acknowledged, and after an orderly close too."""
    ends: list[str] = []

    async def waits(served: Served, reader: Reader, writer: Writer) -> None:
        await served.next_request(reader)
        try:
            ends.append("closed" if await reader.read(1) == b"" else "asked")
        except ConnectionResetError:
            ends.append("reset")

    async with serving(waits) as served, client(ports={80: served.port}) as web:
        for end in (web.transport.cut_all, web.transport.abort_all):
            under_way = asyncio.ensure_future(web.get("http://site.test/"))
            count = len(served.requests)
            while len(served.requests) == count and not under_way.done():
                await asyncio.sleep(0.01)
            (limit,) = undelivered_limits(served.port)
            assert limit == DELIVERY_SECONDS
            end()
            while len(ends) == count:
                await asyncio.sleep(0.01)
            under_way.cancel()
        assert ends == ["reset", "reset"]


def undelivered_limits(port: int) -> list[float]:
    """Return for how long the kernel would try to deliver, of each connection to a port."""
    found = []
    for one in psutil.Process().net_connections("tcp"):
        if one.status == "ESTABLISHED" and one.raddr.port == port:
            with closing(socket.fromfd(one.fd, socket.AF_INET, socket.SOCK_STREAM)) as connection:
                limit = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)
                found.append(limit / 1000)
    return found


@run
async def test_abort_all_leaves_no_sockets_and_calls_nobody_back() -> None:
    called: list[object] = []
    gone = asyncio.Event()

    async def waits_for_the_end(served: Served, reader: Reader, writer: Writer) -> None:
        await served.next_request(reader)
        if len(served.requests) == 20:
            all_in.set()
        with suppress(ConnectionResetError):
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
