"""Certificates and proxies: what libcurl carries."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import trustme

from integration.small_servers import (
    PAGE,
    WAYS,
    Reader,
    Served,
    Writer,
    ask,
    client,
    facts,
    fails,
    going_by,
    reply,
    replying,
    run,
    serving,
)
from lycosa.errors import ConfigError
from lycosa.records import Answer, Outcome


@pytest.fixture(params=WAYS, autouse=True)
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    yield from going_by(request.param)


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
