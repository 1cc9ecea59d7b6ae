"""A page whose body never comes whole is kept as far as it came, after the last try."""

from __future__ import annotations

import asyncio
import gzip
import random
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from integration.small_servers import (
    Reader,
    Served,
    Writer,
    ask,
    chunked,
    facts,
    fails,
    reply,
    replying,
)
from integration.small_servers import way as way
from lycosa.model.job import Job
from lycosa.model.records import Answer, Outcome, Request
from lycosa.model.url import url_of
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl
from lycosa.simulation.kills import KillEvery
from lycosa.simulation.simulation import Simulation
from lycosa.storage.archive.reader import table
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.web import Reply
from lycosa_testweb.webs.graph import Faults, GraphWeb
from lycosa_testweb.webs.misbehaviour import MisbehavingWeb
from lycosa_testweb.webs.misdeeds import Tempo

pytestmark = pytest.mark.quick

HOME = "http://www.a.test/"
CUT = "http://www.a.test/cut"
FOUND, LOST = (f"http://www.a.test/{name}" for name in ("found", "lost"))
NOISE = random.Random(1).randbytes(20_000).hex().encode()


def job(**limits: int) -> Job:
    return Job.of(
        seeds=[HOME],
        limits={"free_disk_bytes": 0, **limits},
        fetch={"retries": 3, "retry_first_seconds": 5.0},
        discovery={"mining": "off"},
        robots={"sitemaps": False},
    )


def broken(outcome: Outcome) -> GraphWeb:
    # The page breaks off in the middle: the first of its links stands before that.
    filling = [f"{HOME}x{number}" for number in range(20)]
    edges = {HOME: [CUT], CUT: [FOUND, *filling, LOST], FOUND: [], LOST: [HOME]}
    return GraphWeb(
        edges | dict.fromkeys(filling, ()),
        faults=Faults(statuses=dict.fromkeys(filling, 404), broken_off={CUT: outcome}),
    )


@pytest.mark.parametrize("outcome", [Outcome.CUT_SHORT, Outcome.TIMEOUT])
@pytest.mark.parametrize("log", ["memory", "sqlite"])
def test_what_breaks_off_is_kept_after_the_last_try(
    tmp_path: Path, outcome: Outcome, log: str
) -> None:
    simulation = Simulation(broken(outcome), job(), tmp_path, seed=1, log=log)
    result = simulation.run(KillEvery({"answer.stored": 4}))
    assert (result.reason, result.breaches) == ("exhausted", [])
    assert sorted(simulation.kept_urls()) == [HOME, CUT, FOUND]
    counted = [state.outcomes for state in result.states.values()]
    assert sum(outcomes[outcome] for outcomes in counted) == 3
    assert sum(outcomes[Outcome.KEPT] for outcomes in counted) == 3
    assert result.kept_pages == 3


def test_a_page_that_breaks_off_counts_towards_the_limits_once(tmp_path: Path) -> None:
    simulation = Simulation(broken(Outcome.CUT_SHORT), job(pages=2), tmp_path, seed=1)
    result = simulation.run()
    assert (result.reason, result.kept_pages) == ("pages", 2)
    assert simulation.kept_urls() == [HOME, CUT]


class Failing(GraphWeb):
    """A web of which one page comes whole at first, and later half."""

    def answer(self, request: Request, moment: float) -> Reply:
        reply = super().answer(request, moment)
        if request.url == CUT and moment > 1_700_003_000.0:
            reply = reply._replace(status=0, failure=Outcome.CUT_SHORT)
        return reply


def test_a_page_that_is_held_whole_is_not_replaced_by_a_part(tmp_path: Path) -> None:
    web = Failing({HOME: [CUT], CUT: [FOUND], FOUND: []})
    again = Job.of(
        seeds=[HOME],
        fetch={"retries": 1, "retry_first_seconds": 5.0},
        revisit={"seconds": 5_000.0},
        discovery={"mining": "off"},
        robots={"sitemaps": False},
    )
    simulation = Simulation(web, again, tmp_path, seed=1)
    result = simulation.run(virtual_seconds=8_000.0)
    assert sum(state.outcomes[Outcome.CUT_SHORT] for state in result.states.values()) == 2
    held = {url_of(record.key): record.body for record in simulation.kept()}
    assert held[CUT].endswith(b"</html>")


# -- over sockets, by both clients --------------------------------------------------------


def beginning(answer: Answer, cause: str) -> bytes:
    assert answer.failure in (Outcome.CUT_SHORT, Outcome.TIMEOUT)
    fails(answer, answer.failure)
    part = answer.beginning
    assert part is not None
    assert facts(part) == (200, None, True)
    assert (part.truncated_by, part.sent, part.head) == (cause, answer.sent, answer.head)
    assert part.header("content-type") == "text/html"
    return part.body


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("is_chunked", [False, True])
@pytest.mark.parametrize("coding", ["identity", "gzip"])
def test_a_body_that_breaks_off_has_a_beginning(coding: str, is_chunked: bool) -> None:
    sent = gzip.compress(NOISE) if coding == "gzip" else NOISE
    headers = [f"Content-Encoding: {coding}"]
    if is_chunked:
        sent = chunked(sent, 700)
        headers.append("Transfer-Encoding: chunked")
    answer = reply(sent, *headers)
    got = asyncio.run(ask(replying(answer[: -len(sent) // 2], then_close=True)))
    assert got.failure is Outcome.CUT_SHORT
    part = beginning(got, "disconnect")
    assert NOISE.startswith(part)
    assert len(part) > 0.4 * len(NOISE)


@pytest.mark.usefixtures("way")
def test_a_body_that_takes_too_long_has_a_beginning() -> None:
    async def halting(served: Served, reader: Reader, writer: Writer) -> None:
        await served.next_request(reader)
        writer.write(reply(b"so far", length=100))
        await reader.read()

    got = asyncio.run(ask(halting, total_seconds=0.3))
    assert got.failure is Outcome.TIMEOUT
    assert beginning(got, "time") == b"so far"


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    "sent",
    [
        reply(b"", length=100),
        reply(gzip.compress(NOISE)[:8], "Content-Encoding: gzip", length=100),
        reply(b"zz\r\nno chunk", "Transfer-Encoding: chunked"),
        reply(b"gone", status="404 Not Found", length=100),
    ],
    ids=["nothing", "a part of a head of gzip", "no chunk", "not found"],
)
def test_without_content_of_a_page_there_is_no_beginning(sent: bytes) -> None:
    answer = asyncio.run(ask(replying(sent, then_close=True)))
    assert answer.beginning is None


def test_the_archive_says_why_a_page_is_truncated(tmp_path: Path) -> None:
    web = MisbehavingWeb(
        ["length-too-long", "no-last-chunk", "half-and-silence", "nothing"],
        tempo=Tempo(silence_seconds=5.0),
    )
    with SocketWeb(web, silence_seconds=5.0) as server:
        job = Job.of(
            seeds=web.seeds(),
            rules=[{"action": "accept", "suffix": "bad.test"}],
            politeness={"delay_seconds": 0.0, "ip_delay_seconds": 0.0, "answer_time_factor": 0.0},
            fetch={
                "allow_private": True,
                "hosts_file": str(server.hosts_file),
                "total_seconds": 0.5,
                "retries": 1,
                "retry_first_seconds": 0.05,
            },
        )
        directory = CrawlDirectory.create(tmp_path / "crawl", job)
        assert run_crawl(directory).reason == "exhausted"
    rows = table(directory.path, "pages", ["url", "outcome", "truncated", "status"]).to_pylist()
    bad = [row for row in rows if row["url"].endswith("/bad") and "nothing" not in row["url"]]
    assert len(bad) == 6
    assert {row["outcome"] for row in bad if not row["truncated"]} == {"cut_short", "timeout"}
    kept = [row for row in bad if row["truncated"]]
    assert [(row["outcome"], row["status"]) for row in kept] == [("kept", 200)] * 3
    nothing = [row["outcome"] for row in rows if row["url"] == "http://nothing.bad.test/bad"]
    # Each try comes over a kept connection at first, and then over a new one.
    assert nothing == ["stale_connection", "cut_short"] * 2
    causes = {}
    for path in (directory.path / "warc").glob("*.warc.gz"):
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                cause = record.rec_headers.get_header("WARC-Truncated")
                if cause:
                    causes[record.rec_headers.get_header("WARC-Target-URI")] = cause
    assert causes == {
        "http://length-too-long.bad.test/bad": "disconnect",
        "http://no-last-chunk.bad.test/bad": "disconnect",
        "http://half-and-silence.bad.test/bad": "time",
    }
