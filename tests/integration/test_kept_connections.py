"""Connections that stay open between two requests: how many, how long, and what they hold."""

from __future__ import annotations

import asyncio
import gc
import weakref

import pytest

from integration.small_servers import (
    PAGE,
    client,
    facts,
    reply,
    replying,
    serving,
)
from integration.small_servers import way as way
from lycosa.model.records import Answer, Purpose, Request

pytestmark = pytest.mark.quick


@pytest.mark.usefixtures("way")
def test_an_idle_connection_holds_nothing_of_its_last_request() -> None:
    async def test() -> None:
        class Asker:
            """Who asks: in a crawl, all that a partition knows."""

            def __init__(self) -> None:
                self.answered = asyncio.Event()

            def take(self, answer: Answer) -> None:
                self.answered.set()

        async with serving(replying(reply(PAGE))) as served, client(ports={80: served.port}) as web:
            asker = Asker()
            request = Request(
                "http://site.test/page",
                "site.test",
                "127.0.0.1",
                Purpose.PAGE,
                "lycosa",
                10_000_000,
            )
            web.transport.send(request, asker.take)
            async with asyncio.timeout(20):
                await asker.answered.wait()
            known, asker = weakref.ref(asker), Asker()
            gc.collect()
            assert known() is None
            assert facts(await web.get("http://site.test/page", agent="lycosa"))[0] == 200
            assert served.connections == 1

    asyncio.run(test())


@pytest.mark.parametrize(("kept_seconds", "connections"), [(1e9, 4), (0.0, 6)])
def test_of_more_sites_than_connections_may_stand_the_first_are_kept(
    kept_seconds: float, connections: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        async with serving(replying(*[reply(PAGE)] * 3)) as served:
            async with client(ports={80: served.port}, kept_connections=2) as web:
                for site in ("a", "b", "c") * 2:
                    assert facts(await web.get(f"http://{site}.test/page"))[0] == 200
            assert served.connections == connections

    monkeypatch.setattr("lycosa.fetch.http.http1.KEPT_SECONDS", kept_seconds)
    asyncio.run(test())


def test_a_connection_that_nobody_uses_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        async with serving(replying(*[reply(PAGE)] * 3)) as served:
            async with client(ports={80: served.port}) as web:
                for site in ("a", "b", "b", "a"):
                    assert facts(await web.get(f"http://{site}.test/page"))[0] == 200
            assert served.connections == 3  # b's was used again, a's was not there any more

    monkeypatch.setattr("lycosa.fetch.http.http1.IDLE_SECONDS", 0.0)
    asyncio.run(test())


def test_idle_connections_to_sites_that_are_not_wanted_are_let_go(way: str) -> None:
    opened = 2 if way == "curl" else 3  # libcurl's lead to a proxy, which all sites share

    async def test() -> None:
        replies = replying(*[reply(PAGE)] * 9)
        async with serving(replies) as served, client(ports={80: served.port}) as web:
            for site in ("a", "b", "a"):
                assert facts(await web.get(f"http://{site}.test/page"))[0] == 200
            assert served.connections == 2
            web.transport.let_go(lambda site: "//b." in site, 60.0)  # all are younger
            assert facts(await web.get("http://a.test/page"))[0] == 200
            assert served.connections == 2
            web.transport.let_go(lambda site: "//b." in site, 0.0)
            for site in ("a", "b"):
                assert facts(await web.get(f"http://{site}.test/page"))[0] == 200
            assert served.connections == opened
            assert not any(served.resumed)  # and no session was kept for them

    asyncio.run(test())


def test_a_job_may_keep_no_connection_at_all() -> None:
    async def test() -> None:
        async with serving(replying(reply(PAGE))) as served:
            async with client(ports={80: served.port}, kept_connections=0) as web:
                for _ in range(3):
                    assert facts(await web.get("http://a.test/page"))[0] == 200
            assert served.connections == 3

    asyncio.run(test())
