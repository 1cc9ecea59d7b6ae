"""Certificates and sessions, and proxies, which libcurl carries."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import trustme

from integration.small_servers import (
    PAGE,
    Reader,
    Served,
    Writer,
    ask,
    authority,
    client,
    facts,
    fails,
    reply,
    replying,
    run,
    serving,
)
from lycosa.errors import ConfigError
from lycosa.model.records import Answer, Outcome

pytestmark = pytest.mark.quick

# -- TLS ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ca_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("ca") / "ca.pem"
    authority().cert_pem.write_to_path(str(path))
    return str(path)


def tls_context(by: trustme.CA, *names: str, **dates: Any) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    by.issue_cert(*names, **dates).configure_cert(context)
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
    served, answer = asyncio.run(ask_tls(tls_context(authority(), "site.test"), ca_file, 3))
    assert (facts(answer), answer.body) == ((200, None, False), PAGE)
    assert served.resumed == [False, True, True]


@pytest.mark.parametrize(
    ("seconds", "resumed"),
    [(1e9, [False, False, True, False]), (0.0, [False, False, False, False])],
)
def test_of_more_sites_than_sessions_are_kept_the_first_are_resumed(
    seconds: float, resumed: list[bool], ca_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        close = replying(reply(PAGE, "Connection: close"), then_close=True)
        context = tls_context(authority(), "a.test", "b.test")
        async with serving(close, tls=context) as served:
            async with client(ports={443: served.port}, ca_file=ca_file) as web:
                for site in ("a", "b") * 2:
                    assert facts(await web.get(f"https://{site}.test/page"))[0] == 200
            assert served.resumed == resumed

    monkeypatch.setattr("lycosa.fetch.http.tls.MOST_SESSIONS", 1)
    monkeypatch.setattr("lycosa.fetch.http.tls.SESSION_SECONDS", seconds)
    asyncio.run(test())


BAD_CERTIFICATES: dict[str, Callable[[], ssl.SSLContext]] = {
    "self-signed": lambda: tls_context(trustme.CA(), "site.test"),
    "another host's": lambda: tls_context(authority(), "other.test"),
    "expired": lambda: tls_context(
        authority(),
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


# -- proxies -------------------------------------------------------------------------------


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


def test_tls_goes_through_the_tunnel_of_a_proxy(ca_file: str) -> None:
    async def pumped(reader: Reader, writer: Writer) -> None:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
        writer.close()

    async def test() -> None:
        context = tls_context(authority(), "site.test")

        async def tunnel(served: Served, reader: Reader, writer: Writer) -> None:
            await served.next_request(reader)
            inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", site.port)
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            try:
                await asyncio.gather(pumped(reader, inner_writer), pumped(inner_reader, writer))
            finally:
                inner_writer.close()

        async with (
            serving(replying(reply(PAGE)), tls=context) as site,
            serving(tunnel) as proxy,
            client(proxy=f"http://127.0.0.1:{proxy.port}", ca_file=ca_file) as web,
        ):
            answer = await web.get("https://site.test/", address="site.test")
            assert (facts(answer), answer.body) == ((200, None, False), PAGE)
            assert proxy.requests[0].startswith(b"CONNECT site.test:443 ")
            assert answer.asked == site.requests[0]

    asyncio.run(test())


def test_a_bad_certificate_is_said_to_be_one(ca_file: str) -> None:
    _, answer = asyncio.run(ask_tls(BAD_CERTIFICATES["expired"](), ca_file))
    assert answer.detail == "certificate: certificate has expired"


def test_an_answer_that_ends_without_tls_saying_so_is_cut_short(ca_file: str) -> None:
    async def breaking(served: Served, reader: Reader, writer: Writer) -> None:
        await served.next_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + PAGE)
        await writer.drain()
        writer.transport.abort()

    async def test() -> Answer:
        context = tls_context(authority(), "site.test")
        async with (
            serving(breaking, tls=context) as served,
            client(ports={443: served.port}, ca_file=ca_file) as web,
        ):
            return await web.get("https://site.test/")

    fails(asyncio.run(test()), Outcome.CUT_SHORT)


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
