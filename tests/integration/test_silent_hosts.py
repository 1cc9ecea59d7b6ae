"""Hosts that never answer do not keep a crawl from those that do."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from benchmarks.silent_hosts import LIVE_HOSTS, DeafServer, MuteServer, job_of, serving

from integration.small_servers import client
from lycosa.crawl.worker.sending import Sender
from lycosa.fetch.client import HttpTransport
from lycosa.frontier.readiness import addresses
from lycosa.model.job import Job
from lycosa.model.records import Answer, Outcome, Purpose, Request
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl

pytestmark = pytest.mark.quick

PAGES = 10
PAUSE_SECONDS = 0.15


@pytest.fixture(autouse=True)
def short_handshakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the handshake with a newcomer have 1.5 s instead of five: time for a second SYN."""
    monkeypatch.setattr(addresses, "HANDSHAKE_SECONDS", 1.5)


def seconds_beside(silent: int, folder: Path) -> float:
    """Crawl ten live hosts beside silent ones of all kinds; return how long it took."""
    folder.mkdir()
    with serving(PAGES, silent) as web:
        job = job_of(
            web,
            folder,
            PAUSE_SECONDS,
            limits={"pages": PAGES * LIVE_HOSTS, "seconds": 40.0, "free_disk_bytes": 0},
            fetch={
                "connections": 24,
                "connect_seconds": 10.0,
                "first_byte_seconds": 10.0,
                "stop_seconds": 0.0,
            },
        )
        directory = CrawlDirectory.create(folder / "crawl", job)
        began = time.monotonic()
        ended = run_crawl(directory)
        seconds = time.monotonic() - began
    assert ended.progress.pages == PAGES * LIVE_HOSTS, f"after {seconds:.0f} s"
    return seconds


def test_live_hosts_are_crawled_beside_hundreds_of_silent_ones(tmp_path: Path) -> None:
    alone = seconds_beside(0, tmp_path / "alone")
    beside = seconds_beside(300, tmp_path / "beside")
    # The aim is a tenth (benchmarks/silent_hosts.py); a machine with other work needs room.
    assert beside < 2.0 * alone + 3.0


# -- the short handshake ------------------------------------------------------------------


def asked_of(port: int, scheme: str = "http") -> Answer:
    """Ask a silent server that has a short handshake and three seconds to connect."""

    async def test() -> Answer:
        async with client(ports={80: port, 443: port}, connect_seconds=3.0) as web:
            answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
            url = f"{scheme}://site.test/"
            request = Request(
                *(url, "site.test", "127.0.0.1", Purpose.PAGE, "lycosa", 1000),
                handshake_seconds=0.5,
            )
            web.transport.send(request, answered.set_result)
            async with asyncio.timeout(20):
                return await answered

    return asyncio.run(test())


def test_a_handshake_that_takes_too_long_is_missed() -> None:
    deaf = DeafServer()
    answer = asked_of(deaf.port)
    deaf.close()
    assert (answer.failure, answer.is_missed) == (Outcome.CONNECT_FAILURE, True)
    assert answer.detail == "no answer within 0.5 s"
    assert 0.5 <= answer.ended - answer.began < 2.5


def test_only_the_handshake_of_tcp_is_short() -> None:
    mute = MuteServer()
    answer = asked_of(mute.port, "https")
    mute.close()
    assert (answer.failure, answer.is_missed) == (Outcome.CONNECT_FAILURE, False)
    assert answer.ended - answer.began >= 3.0


def test_a_refused_connection_is_not_missed() -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        answer = asked_of(bound.getsockname()[1])
    assert (answer.failure, answer.is_missed) == (Outcome.CONNECT_FAILURE, False)


@contextmanager
def answering_late(seconds: float) -> Iterator[int]:
    """Drop every SYN for so long after the first request was begun, then serve two pages."""
    deaf = DeafServer()
    timer = threading.Timer(seconds, deaf.wake, args=(_serve,))
    timer.daemon = True
    timer.start()
    try:
        yield deaf.port
    finally:
        timer.cancel()
        deaf.close()


def _serve(connection: socket.socket) -> None:
    with connection:
        while b"\r\n\r\n" in (head := connection.recv(65_536)):
            status = "404 Not Found" if b"/robots.txt" in head else "200 OK"
            body = b"<title>late</title><a href='/2'>two</a>"
            lines = [
                f"HTTP/1.1 {status}",
                "Content-Type: text/html",
                f"Content-Length: {len(body)}",
            ]
            connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)


def test_a_host_that_answers_late_loses_neither_a_try_nor_a_strike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missed: list[str] = []
    has_missed = Sender.has_missed

    def noting(self: Sender, *arguments: Any) -> bool:
        is_missed = has_missed(self, *arguments)
        missed.extend([arguments[3].address] if is_missed else [])
        return is_missed

    monkeypatch.setattr(Sender, "has_missed", noting)
    with answering_late(4.0) as port:
        job = Job.of(
            seeds=[f"http://127.0.0.1:{port}/1"],
            limits={"free_disk_bytes": 0},
            politeness={"delay_seconds": 0.1, "ip_delay_seconds": 0.0, "strikes": 1},
            robots={"sitemaps": False},
            extract={"soft_404_after": 0},
            discovery={"mining": "off"},
            crawl={"workers": 1},
            fetch={"allow_private": True, "connect_seconds": 20.0},
        )
        directory = CrawlDirectory.create(tmp_path / "crawl", job)
        assert run_crawl(directory).reason == "exhausted"
    assert missed == ["127.0.0.1"]
    states = list(directory.states(job).values())
    assert sum(state.kept_pages for state in states) == 2
    assert sum(state.outcomes[Outcome.CONNECT_FAILURE] for state in states) == 0
    assert not any(tries for state in states for tries in state.pages.tries)


def test_no_more_requests_are_under_way_than_the_job_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = 0
    send = HttpTransport.send

    def counting(self: HttpTransport, request: Request, on_answer: object) -> None:
        nonlocal most
        send(self, request, on_answer)  # type: ignore[arg-type]
        most = max(most, self.in_flight)

    monkeypatch.setattr(HttpTransport, "send", counting)
    seconds_beside(60, tmp_path / "beside")
    assert most >= 12  # newcomers had their half
    assert most <= 24
