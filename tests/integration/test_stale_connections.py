"""Kept connections that the server closes just as the next request arrives."""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from integration.small_servers import (
    PAGE,
    Handler,
    Reader,
    Served,
    Writer,
    client,
    facts,
    fails,
    reply,
    replying,
    serving,
)
from integration.small_servers import way as way
from lycosa.model.job import Job
from lycosa.model.records import Answer, Outcome, Purpose, Request
from lycosa.operate.inspect.audit import audit
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl
from lycosa.simulation.referee_rules import referee_rules
from lycosa.simulation.simulation import Simulation
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.servers.raw import Certificate, Door
from lycosa_testweb.servers.server import SOCKET_TOLERANCE_SECONDS, SocketWeb
from lycosa_testweb.web import Reply
from lycosa_testweb.webs.graph import GraphWeb

pytestmark = pytest.mark.quick

SITE = "http://site.test"


def answering_once(*, with_reset: bool) -> Handler:
    """Answer the first request of a connection, and close it when the next one arrives."""

    async def handle(served: Served, reader: Reader, writer: Writer) -> None:
        await served.next_request(reader)
        writer.write(reply(PAGE))
        await served.next_request(reader)
        if with_reset:
            raw = writer.get_extra_info("socket")
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()

    return handle


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("with_reset", [False, True])
def test_a_stale_connection_is_told_from_an_answer_that_was_cut_short(with_reset: bool) -> None:
    async def test() -> None:
        handler = answering_once(with_reset=with_reset)
        async with serving(handler) as served, client(ports={80: served.port}) as web:
            assert facts(await web.get(f"{SITE}/1"))[0] == 200
            fails(await web.get(f"{SITE}/2"), Outcome.STALE_CONNECTION)
            assert len(served.requests) == 2
            assert served.connections == 1  # nothing is opened before the pause is over
            assert facts(await web.get(f"{SITE}/2"))[0] == 200

    asyncio.run(test())


@pytest.mark.usefixtures("way")
def test_after_two_stale_connections_every_request_gets_a_new_one() -> None:
    async def test() -> None:
        handler = answering_once(with_reset=False)
        async with serving(handler) as served, client(ports={80: served.port}) as web:
            found = [(await web.get(f"{SITE}/{number}")).failure for number in range(12)]
            stale = Outcome.STALE_CONNECTION
            assert found == [None, stale, None, stale, *[None] * 8]
            assert served.connections == 10

    asyncio.run(test())


@pytest.mark.usefixtures("way")
def test_a_form_is_never_sent_again() -> None:
    async def test() -> None:
        handler = answering_once(with_reset=False)
        async with serving(handler) as served, client(ports={80: served.port}) as web:
            assert facts(await web.get(f"{SITE}/1"))[0] == 200
            answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
            request = Request(
                f"{SITE}/login",
                "site.test",
                "127.0.0.1",
                Purpose.PAGE,
                "lycosa (https://example.org/bot)",
                10_000,
                form=b"name=a",
            )
            web.transport.send(request, answered.set_result)
            async with asyncio.timeout(20):
                fails(await answered, Outcome.CUT_SHORT)
            assert len(served.requests) == 2

    asyncio.run(test())


@pytest.mark.usefixtures("way")
def test_an_answer_that_has_begun_is_cut_short_also_on_a_kept_connection() -> None:
    async def half(served: Served, reader: Reader, writer: Writer) -> None:
        await served.next_request(reader)
        writer.write(reply(PAGE))
        await served.next_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Ty")

    async def test() -> None:
        async with serving(half) as served, client(ports={80: served.port}) as web:
            assert facts(await web.get(f"{SITE}/1"))[0] == 200
            assert facts(await web.get(f"{SITE}/2"))[1] is Outcome.CUT_SHORT

    asyncio.run(test())


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    ("told", "connections"),
    [
        ("timeout=1", 3),
        ("timeout=60, max=100", 1),
        ("max=100", 1),
        ("timeout=soon", 1),
        ('max=5, Timeout="1"', 3),
    ],
)
def test_a_connection_is_kept_as_long_as_its_server_says_less_a_second(
    told: str, connections: int
) -> None:
    async def test() -> None:
        handler = replying(reply(PAGE, f"Keep-Alive: {told}"))
        async with serving(handler) as served, client(ports={80: served.port}) as web:
            for number in range(3):
                assert facts(await web.get(f"{SITE}/{number}"))[0] == 200
            assert served.connections == connections

    asyncio.run(test())


@pytest.mark.usefixtures("way")
def test_a_connection_is_not_used_in_the_last_second_before_its_server_closes_it() -> None:
    async def test() -> None:
        handler = replying(reply(PAGE, "Keep-Alive: timeout=2"))
        async with serving(handler) as served, client(ports={80: served.port}) as web:
            for pause, connections in ((0.0, 1), (0.3, 1), (2.1, 2)):
                await asyncio.sleep(pause)
                assert facts(await web.get(f"{SITE}/page"))[0] == 200
                assert served.connections == connections

    asyncio.run(test())


# -- whole crawls -------------------------------------------------------------------------


class OneAnswerWeb(GraphWeb):
    """A site whose connections die under their second request."""

    def raw(self, request: Request) -> None:
        return None

    def door(self, host: str) -> Door:
        return Door.ONCE

    def certificate(self, host: str) -> Certificate:
        return Certificate.GOOD


DELAY_SECONDS = 0.25


def site_of_30(scheme: str) -> OneAnswerWeb:
    """A home page and 29 others, which all link to each other."""
    pages = [f"{scheme}://www.one.test/{number}" for number in range(30)]
    return OneAnswerWeb(dict.fromkeys(pages, pages), latency=0.0)


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("scheduler", ["breadth-first", "top-window"])
def test_a_site_that_closes_kept_connections_loses_no_page_and_no_try(
    scheme: str, scheduler: str, tmp_path: Path
) -> None:
    web = site_of_30(scheme)
    referee = Referee(referee_rules(Job()), web, keep_history=True)
    with SocketWeb(web, referee=referee) as server:
        job = Job.of(
            seeds=[f"{scheme}://www.one.test/0"],
            limits={"free_disk_bytes": 0},
            politeness={"delay_seconds": DELAY_SECONDS, "ip_delay_seconds": 0.0},
            robots={"sitemaps": False},
            extract={"soft_404_after": 0},
            frontier={"scheduler": scheduler},
            discovery={"mining": "off"},
            fetch={
                "allow_private": True,
                "hosts_file": str(server.hosts_file),
                "ca_file": str(server.ca_file),
                "retries": 0,
            },
        )
        tolerance = SOCKET_TOLERANCE_SECONDS
        referee.rules = replace(referee_rules(job), tolerance_seconds=tolerance)
        directory = CrawlDirectory.create(tmp_path / "crawl", job)
        began = time.monotonic()
        ended = run_crawl(directory)
        seconds = time.monotonic() - began
        server.settle()
    assert ended.reason == "exhausted"
    assert referee.breaches == []
    states = list(directory.states(job).values())
    assert sum(state.kept_pages for state in states) == 30
    assert sum(state.outcomes[Outcome.STALE_CONNECTION] for state in states) == 2
    assert not any(tries for state in states for tries in state.pages.tries)
    # Each request that met a stale connection was the next one to its host.
    urls = [exchange.url for exchange in referee.history]
    repeated = [url for url, following in pairwise(urls) if url == following]
    assert len(urls) == 33
    assert len(repeated) == 2
    # Both sends are in the tables, and the audit has judged them.
    found = audit(directory)
    assert (found.requests, found.breaches) == (33, [])
    assert seconds < 2 * 31 * DELAY_SECONDS + 3


class StaleAtFirstWeb(GraphWeb):
    """Robots files whose first request meets a stale connection."""

    def __init__(self, edges: dict[str, list[str]], redirects: dict[str, str]) -> None:
        super().__init__(edges, redirects)
        self._seen: set[str] = set()

    def answer(self, request: Request, moment: float) -> Reply:
        if request.url.endswith("robots.txt") and request.url not in self._seen:
            self._seen.add(request.url)
            return Reply(0, failure=Outcome.STALE_CONNECTION)
        return super().answer(request, moment)


def test_a_robots_file_and_an_errand_are_asked_for_again_after_the_pause(tmp_path: Path) -> None:
    first, second = "http://www.a.test", "http://www.b.test"
    web = StaleAtFirstWeb(
        {f"{first}/": [f"{second}/"], f"{second}/": []},
        {f"{first}/robots.txt": f"{second}/rules/robots.txt"},
    )
    simulation = Simulation(web, Job.of(seeds=[f"{first}/"]), tmp_path, seed=1)
    result = simulation.run()
    assert result.reason == "exhausted"
    assert result.breaches == []
    assert sorted(simulation.kept_urls()) == [f"{first}/", f"{second}/"]
    states = result.states.values()
    assert not any(tries for state in states for tries in state.sites.robots_tries)
    # Nothing waited for a minute, as after a robots file that cannot be had.
    assert result.virtual_seconds < 10 * 15.0
