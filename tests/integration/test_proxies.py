"""Requests through a proxy: no way leads past it, and none to its own neighbourhood."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pycurl
import pytest

from integration.small_servers import (
    PAGE,
    Asked,
    Told,
    client,
    facts,
    fails,
    reply,
    replying,
    run,
    serving,
    serving_answers,
)
from lycosa.api.crawl import Crawl
from lycosa.crawl.access import fetch_of
from lycosa.errors import ConfigError
from lycosa.fetch.http.curl import CurlExchange
from lycosa.fetch.http.proxies import Proxy
from lycosa.fetch.secrets import with_secrets
from lycosa.model.job import Fetch, Job
from lycosa.model.records import Answer, Outcome
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl

pytestmark = pytest.mark.quick

VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY")


async def asked_around_a_proxy(host: str, **settings: Any) -> tuple[Answer, int, int]:
    """Ask a server beside a proxy; returns the answer and how many requests each has got."""
    async with (
        serving(replying(reply(b"admin"))) as server,
        serving(replying(reply(PAGE))) as proxy,
        client(**{"proxy": f"http://127.0.0.1:{proxy.port}", **settings}) as web,
    ):
        answer = await web.get(f"http://{host}:{server.port}/admin", address=host)
        return answer, len(server.requests), len(proxy.requests)


@pytest.mark.parametrize("variable", ["NO_PROXY", "no_proxy"])
@pytest.mark.parametrize("hosts", ["*", "localhost,site.test"])
def test_no_proxy_of_the_environment_leads_no_request_past_the_proxy(
    variable: str, hosts: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, hosts)
    answer, direct, by_proxy = asyncio.run(asked_around_a_proxy("localhost", allow_private=True))
    assert (answer.body, direct, by_proxy) == (PAGE, 0, 1)
    answer, direct, by_proxy = asyncio.run(asked_around_a_proxy("localhost", allow_private=False))
    assert (answer.failure, direct, by_proxy) == (Outcome.REFUSED_ADDRESS, 0, 0)


def test_a_peer_that_is_not_the_proxy_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    made = CurlExchange._new_easy

    def leaves_the_proxy(self: CurlExchange) -> pycurl.Curl:
        easy = made(self)
        easy.setopt(pycurl.NOPROXY, "*")
        easy.setopt(pycurl.CONNECT_TO, ["::127.0.0.1:"])
        return easy

    monkeypatch.setattr(CurlExchange, "_new_easy", leaves_the_proxy)
    answer, direct, by_proxy = asyncio.run(asked_around_a_proxy("site.test", allow_private=False))
    assert (answer.failure, direct, by_proxy) == (Outcome.REFUSED_ADDRESS, 0, 0)


def test_proxies_of_the_environment_carry_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        async with (
            serving(replying(reply(PAGE))) as server,
            serving(replying(reply(b"from the environment"))) as other,
            serving(replying(reply(b"by the proxy"))) as proxy,
        ):
            for variable in VARIABLES:
                monkeypatch.setenv(variable, f"http://127.0.0.1:{other.port}")
            async with client(ports={80: server.port}) as web:
                assert (await web.get("http://site.test/")).body == PAGE
            async with client(proxy=f"http://127.0.0.1:{proxy.port}") as web:
                answer = await web.get("http://site.test/", address="site.test")
                assert answer.body == b"by the proxy"
            assert other.connections == 0

    asyncio.run(test())


@pytest.mark.parametrize(
    "host",
    ["localhost", "localhost.", "a.localhost", "db.corp.internal", "printer.local", "x.home.arpa"],
)
def test_local_names_are_asked_through_a_proxy_only_where_private_addresses_are_allowed(
    host: str,
) -> None:
    answer, *_, by_proxy = asyncio.run(asked_around_a_proxy(host, allow_private=False))
    assert (answer.failure, by_proxy) == (Outcome.REFUSED_ADDRESS, 0)
    networks = ("10.0.0.0/8",)
    answer, *_, by_proxy = asyncio.run(
        asked_around_a_proxy(host, allow_private=False, private_networks=networks)
    )
    assert (answer.failure, by_proxy) == (Outcome.REFUSED_ADDRESS, 0)
    answer, *_, by_proxy = asyncio.run(asked_around_a_proxy(host, allow_private=True))
    assert (facts(answer), by_proxy) == ((200, None, False), 1)


@pytest.mark.parametrize(
    "host", ["metadata.google.internal", "metadata.google.internal.", "instance-data", "metadata"]
)
def test_names_of_metadata_services_are_never_asked_through_a_proxy(host: str) -> None:
    answer, *_, by_proxy = asyncio.run(asked_around_a_proxy(host, allow_private=True))
    assert (answer.failure, by_proxy) == (Outcome.REFUSED_ADDRESS, 0)


@run
async def test_the_password_of_a_proxy_comes_from_elsewhere() -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PROXY_PASSWORD", "s3:c@r/t")
        async with serving(replying(reply(PAGE))) as proxy:
            place = f"http://me:${{PROXY_PASSWORD}}@127.0.0.1:{proxy.port}"
            filled = with_secrets(Fetch(proxy=place), "").proxy
            async with client(proxy=filled, allow_private=False) as web:
                answer = await web.get("http://site.test/", address="site.test")
            # base64 of me:s3:c@r/t
            assert b"Proxy-Authorization: Basic bWU6czM6Y0ByL3Q=" in proxy.requests[0]
            assert b"Proxy-Authorization" not in answer.asked, "it is for the proxy alone"
            patched.delenv("PROXY_PASSWORD")
            with pytest.raises(ConfigError, match=r"\[fetch\] proxy needs the secret PROXY_PASS"):
                with_secrets(Fetch(proxy=place), "")


@run
async def test_a_proxy_at_the_port_of_the_web_is_known_by_its_address() -> None:
    async with serving(replying(reply(PAGE))) as proxy:
        async with client(proxy=f"http://localhost:{proxy.port}", allow_private=False) as web:
            url = f"http://site.test:{proxy.port}/"
            assert facts(await web.get(url, address="site.test")) == (200, None, False)
        async with client(proxy=f"http://localhost:{proxy.port}", allow_private=False) as web:
            fails(
                await web.get(f"http://127.0.0.1:{proxy.port}/", address="127.0.0.1"),
                Outcome.REFUSED_ADDRESS,
            )


def test_the_secrets_file_has_the_password_of_a_proxy(tmp_path: Path) -> None:
    file = tmp_path / "secrets"
    file.write_text("WORD=a b\n")
    file.chmod(0o600)
    job = Job.of(
        fetch={"proxy": "https://me:${WORD}@proxy.test"}, login={"secrets_file": str(file)}
    )
    assert "a%20b" not in job.to_toml()
    proxy = Proxy(fetch_of(job).proxy)
    assert (proxy.url, proxy.user, proxy.password) == ("https://proxy.test", "me", "a b")
    assert proxy.is_peer("192.0.2.1", 443, 80) and not proxy.is_peer("192.0.2.1", 80, 80)


def test_a_redirect_to_this_machine_is_not_archived_through_a_proxy(tmp_path: Path) -> None:
    urls: list[str] = []

    def answer(asked: Asked) -> Told:
        urls.append(asked.path)
        if asked.path.endswith("/robots.txt"):
            return Told(404)
        return Told(302, "", {"Location": f"http://localhost:{asked.port}/admin"})

    with serving_answers(answer) as port:
        fetch = {"proxy": f"http://127.0.0.1:{port}", "contact": "me@example.org"}
        politeness = {"delay_seconds": 0.0, "ip_delay_seconds": 0.0}
        job = Job.of(seeds=["http://site.test/"], fetch=fetch, politeness=politeness)
        directory = CrawlDirectory.create(tmp_path / "crawl", job)
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("NO_PROXY", "localhost,127.0.0.1")
            run_crawl(directory)
    assert urls and all(url.startswith("http://site.test/") for url in urls)
    outcomes = {page.url: page.outcome for page in Crawl(directory.path).pages()}
    assert outcomes.pop("http://site.test/") == "redirected"
    assert set(outcomes.values()) <= {"refused_address", "not_found", "no_sitemap"}
