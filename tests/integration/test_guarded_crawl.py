"""No link, redirect, robots file or name leads a crawl to an address that it must not ask.

The web is served in one part of loopback, which the job allows; the rest of loopback stands
for everything that it does not. On some of the forbidden addresses somebody listens, on the
very port that requests would go to, and must never see a connection.
"""

from __future__ import annotations

import dataclasses
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from time import time
from typing import NamedTuple

import pytest

from lycosa.crawl.takeover import take_partition
from lycosa.errors import ConfigError
from lycosa.fetch import dns
from lycosa.model.job import Job
from lycosa.model.records import HostResolved, Outcome, Taken
from lycosa.model.url import canonicalize, url_of
from lycosa.operate.inspect.edits import retry_failed
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.requirements import require_contact
from lycosa.runtime.processes.run import run_crawl
from lycosa.storage.log.format import encode
from lycosa.storage.log.protocol import Write
from lycosa_testweb.servers.server import Listen, SocketWeb
from lycosa_testweb.web import Reply
from name_server import AAAA, Found, Question, ThreadedNameServer
from unit.crawl.drawn_web import DrawnWeb, linking, moved

ALLOWED, FIRST = "127.64.0.0/10", "127.64.0.2"


def words(text: str) -> list[str]:
    return text.split()


LISTENED = ("127.0.0.1", "127.200.0.1", "::1")
"""Forbidden addresses on which somebody listens."""

LITERALS = words("""
127.0.0.1 127.200.0.1 10.0.0.1 192.168.1.1 172.16.0.1 169.254.169.254 169.254.1.1 100.64.0.1
100.100.100.200 0.0.0.0 255.255.255.255 224.0.0.1 198.18.0.1
[::1] [::] [::ffff:127.0.0.1] [::ffff:10.0.0.1] [::ffff:169.254.169.254] [::ffff:7fc8:1]
[fe80::1] [fc00::1] [fd00:ec2::254] [64:ff9b::7f00:1] [2002:7f00:1::] [::127.0.0.1]
2130706433 0x7f000001 017700000001 0177.0.0.1 0x7f.1 127.1 167772161 0xa9fea9fe 0
127.0.0.1. localhost
""")
NAMES = {
    "loop.test": "127.0.0.1",
    "far-loop.test": "127.200.0.1",
    "six.test": "::1",
    "mapped.test": "::ffff:127.0.0.1",
    "house.test": "192.168.1.1",
    "metadata.test": "169.254.169.254",
    "link.test": "fe80::1",
    "nobody.test": "0.0.0.0",
}
FORBIDDEN = [*LITERALS, *NAMES]

HOME, OTHER, LOST = "http://open.test/", "http://also.test/", "http://lost.test/"
FINE = [f"{HOME}fine/{number}" for number in range(5)] + [OTHER, f"{OTHER}end"]


def site() -> dict[str, Reply]:
    """A page that links to every forbidden place, and to redirects to each; and good pages."""
    direct = [f"http://{place}/linked" for place in FORBIDDEN]
    moves = {f"{HOME}to/{n}": f"http://{place}/moved" for n, place in enumerate(FORBIDDEN)}
    return {
        HOME: linking(*direct, *moves, *FINE[:5], OTHER, LOST),
        **{url: moved(target) for url, target in moves.items()},
        **dict.fromkeys(FINE[:5], linking(HOME)),
        OTHER: linking(f"{OTHER}end"),
        f"{OTHER}end": linking(),
        LOST: linking(),
        f"{LOST}robots.txt": moved("http://127.0.0.1/robots.txt"),
    }


@contextmanager
def listeners() -> Iterator[tuple[int, list[socket.socket]]]:
    """Listen on one port of all forbidden addresses that this machine has."""
    with ExitStack() as stack:
        found: list[socket.socket] = []
        port = 0
        for address in LISTENED:
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            one = stack.enter_context(socket.socket(family, socket.SOCK_STREAM))
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            one.bind((address, port))
            one.listen()
            one.setblocking(False)
            port = one.getsockname()[1]
            found.append(one)
        yield port, found


def visitors(found: list[socket.socket]) -> list[object]:
    """Return who has connected: the kernel has kept them waiting."""
    came: list[object] = []
    for one in found:
        try:
            accepted, peer = one.accept()
        except BlockingIOError:
            continue
        accepted.close()
        came.append((one.getsockname(), peer))
    return came


def job_of(seeds: list[str], delay: float = 0.0, **fetch: object) -> Job:
    return Job.of(
        seeds=seeds,
        rules=[{"action": "accept"}],
        crawl={"workers": 1},  # in this process, where a test can change what is remembered
        limits={"free_disk_bytes": 0},
        politeness={
            "delay_seconds": delay,
            "ip_delay_seconds": 0.0,
            "answer_time_factor": 0.0,
            "backoff_first_seconds": 0.1,
            "backoff_most_seconds": 0.2,
            "strikes": 2,
        },
        robots={"unreachable_retry_seconds": 1.0, "unreachable_tries": 2, "sitemaps": False},
        fetch={
            "private_networks": [ALLOWED],
            "contact": "https://example.org/about",
            "connect_seconds": 2.0,
            "retries": 1,
            "retry_first_seconds": 0.1,
            **fetch,
        },
        frontier={"partitions": 4},
    )


def crawl(path: Path, job: Job, reason: str) -> dict[str, Outcome | None]:
    directory = CrawlDirectory.create(path, job)
    assert run_crawl(directory).reason == reason
    return outcomes_of(directory)


def outcomes_of(directory: CrawlDirectory) -> dict[str, Outcome | None]:
    return {
        url_of(state.table.key(page)): state.outcome_of(page)
        for state in directory.states(directory.job()).values()
        for page in range(len(state.table))
    }


def test_whatever_leads_to_a_forbidden_address_is_refused_and_the_rest_is_crawled(
    tmp_path: Path,
) -> None:
    with listeners() as (port, found):
        web = DrawnWeb(site())
        with SocketWeb(web, tls=False, listen=Listen(port, first_address=FIRST)) as server:
            named = "".join(f"{address} {name}\n" for name, address in NAMES.items())
            hosts = tmp_path / "hosts"
            hosts.write_text(server.hosts_file_text() + named + "127.0.0.1 localhost\n")
            job = job_of([HOME], hosts_file=str(hosts))
            outcomes = crawl(tmp_path / "crawl", job, "unreachable")
        assert visitors(found) == []
    for place in FORBIDDEN:
        for path in ("linked", "moved"):
            url = canonicalize(f"http://{place}/{path}")
            assert url is not None
            assert outcomes[url] is Outcome.REFUSED_ADDRESS, url
    assert {url: outcomes[url] for url in FINE} == dict.fromkeys(FINE, Outcome.KEPT)
    moves = {url: outcome for url, outcome in outcomes.items() if "/to/" in url}
    assert set(moves.values()) == {Outcome.REDIRECTED} and len(moves) == len(FORBIDDEN)
    assert outcomes[LOST] is Outcome.ROBOTS_UNREACHABLE


def test_what_was_refused_is_asked_for_again_once_it_is_allowed(tmp_path: Path) -> None:
    """And only that: the other address stays refused, and its host closed."""
    web = DrawnWeb({HOME: linking(OTHER, "http://house.test/", f"{HOME}end")})
    web.replies = {**web.replies, OTHER: linking(), f"{HOME}end": linking()}
    with SocketWeb(web, tls=False, listen=Listen(first_address=FIRST)) as server:
        hosts = tmp_path / "hosts"
        port = server.http_port
        hosts.write_text(f"{FIRST} open.test also.test\n10.0.0.1 house.test\nport 80 {port}\n")
        job = job_of([HOME], hosts_file=str(hosts), private_networks=["127.99.0.0/16"])
        outcomes = crawl(tmp_path / "crawl", job, "no seed")
        assert set(outcomes.values()) == {Outcome.REFUSED_ADDRESS}
        directory = CrawlDirectory.open(tmp_path / "crawl")
        assert retry_failed(directory) == 0
        directory.write_job(job_of([HOME], hosts_file=str(hosts)))
        directory.accept_here()
        assert retry_failed(directory) == 1
        run_crawl(directory)
    assert outcomes_of(directory) == {
        HOME: Outcome.KEPT,
        OTHER: Outcome.KEPT,
        f"{HOME}end": Outcome.KEPT,
        "http://house.test/": Outcome.REFUSED_ADDRESS,
    }
    assert retry_failed(directory) == 0


def test_an_allowed_network_is_no_excuse_for_having_no_contact() -> None:
    job = job_of([HOME], contact="")
    with pytest.raises(ConfigError, match="--contact"):
        require_contact(job)
    require_contact(job_of([HOME], contact="", allow_private=True))


PAGES = 6


TURNING = "http://turning.test/"
CHAIN = {
    TURNING: linking("/1"),
    **{f"{TURNING}{number}": linking(f"/{number + 1}") for number in range(1, PAGES - 1)},
    f"{TURNING}{PAGES - 1}": linking(),
}


class TurningNames:
    """A name that is well-behaved when it is asked for the first time, and turns then."""

    def __init__(self, *answers: list[str]) -> None:
        self._answers = answers
        self.asked = 0

    def find(self, question: Question) -> Found:
        if question.kind == AAAA:
            return Found([], 0)
        answer = self._answers[min(self.asked, len(self._answers) - 1)]
        self.asked += 1
        return Found(answer, 0)


def crawl_turning(
    path: Path, turning: TurningNames
) -> tuple[dict[str, Outcome | None], list[object]]:
    # The replies know nothing of the port, which stands for that of the scheme.
    with (
        listeners() as (port, found),
        ThreadedNameServer(turning.find) as server,
        SocketWeb(DrawnWeb(CHAIN), tls=False, listen=Listen(port, first_address=FIRST)),
    ):
        job = job_of([f"http://turning.test:{port}/"], 0.2, name_servers=[server.address])
        return crawl(path, job, "exhausted"), visitors(found)


def test_a_name_that_turns_between_question_and_request_gets_nothing(tmp_path: Path) -> None:
    """What was judged is what is asked: the name is not looked up a second time to connect."""
    turning = TurningNames([FIRST], ["127.0.0.1"])
    outcomes, came = crawl_turning(tmp_path / "crawl", turning)
    assert came == []
    assert list(outcomes.values()) == [Outcome.KEPT] * PAGES
    assert turning.asked == 1


def test_a_name_that_turns_when_it_is_asked_for_again_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dns, "LEAST_SECONDS", 0.3)
    turning = TurningNames([FIRST], ["127.0.0.1"])
    outcomes, came = crawl_turning(tmp_path / "crawl", turning)
    assert came == []
    assert turning.asked > 1
    *kept, last = outcomes.values()
    assert kept and set(kept) == {Outcome.KEPT}
    assert last is Outcome.REFUSED_ADDRESS


def test_of_several_addresses_the_one_that_may_be_asked_is(tmp_path: Path) -> None:
    turning = TurningNames(["127.0.0.1", "10.0.0.1", FIRST])
    outcomes, came = crawl_turning(tmp_path / "crawl", turning)
    assert came == []
    assert set(outcomes.values()) == {Outcome.KEPT}


class Halves(NamedTuple):
    """The two halves of a crawl of the chain, which ends in the middle at its limit."""

    directory: CrawlDirectory
    names: TurningNames
    found: list[socket.socket]
    """Listens where nobody may be asked."""
    rest: Job
    """The job without its limit."""


@contextmanager
def half_a_chain(path: Path, first: list[str], second: list[str]) -> Iterator[Halves]:
    names = TurningNames(first, second)
    with (
        listeners() as (port, found),
        ThreadedNameServer(names.find) as server,
        SocketWeb(DrawnWeb(CHAIN), tls=False, listen=Listen(port, first_address=FIRST)),
    ):
        job = job_of([f"http://turning.test:{port}/"], 0.2, name_servers=[server.address])
        directory = CrawlDirectory.create(path, with_pages(job, PAGES // 2))
        assert run_crawl(directory).reason == "pages"
        yield Halves(directory, names, found, job)


def with_pages(job: Job, pages: int) -> Job:
    return dataclasses.replace(job, limits=dataclasses.replace(job.limits, pages=pages))


def test_a_crawl_that_goes_on_under_another_limit_asks_for_no_name_again(tmp_path: Path) -> None:
    turning = half_a_chain(tmp_path / "crawl", [FIRST], ["127.0.0.1"])
    with turning as (directory, names, found, rest):
        directory.write_job(rest)
        assert run_crawl(directory).reason == "exhausted"
        assert visitors(found) == []
    assert list(outcomes_of(directory).values()) == [Outcome.KEPT] * PAGES
    assert names.asked == 1


def test_an_address_of_the_log_that_is_allowed_no_longer_is_not_asked(tmp_path: Path) -> None:
    with half_a_chain(tmp_path / "crawl", [FIRST], [FIRST]) as (directory, names, _, rest):
        fetch = dataclasses.replace(rest.fetch, private_networks=("127.99.0.0/16",))
        directory.write_job(dataclasses.replace(rest, fetch=fetch))
        directory.accept_here()
        run_crawl(directory)
    outcomes = Counter(outcomes_of(directory).values())
    assert outcomes == {Outcome.KEPT: PAGES // 2, Outcome.REFUSED_ADDRESS: 1}
    assert names.asked == 2


def test_an_address_that_was_written_into_the_log_is_judged_as_any_other(tmp_path: Path) -> None:
    with half_a_chain(tmp_path / "crawl", [FIRST], [FIRST]) as (directory, names, found, rest):
        directory.write_job(rest)
        with closing(directory.log(rest)) as log:
            for number in range(rest.frontier.partitions):
                taken = Taken(time(), "a stranger")
                opened = take_partition(log, directory.snapshots(), number, taken, rest.digest())
                hosts = range(len(opened.state.host_names))
                forged = [HostResolved(time(), host, "127.0.0.1", time() + 3600) for host in hosts]
                log.commit([Write(number, opened.state.sequence, encode(forged), [], 0)])
        run_crawl(directory)
        assert visitors(found) == []
    outcomes = Counter(outcomes_of(directory).values())
    assert outcomes == {Outcome.KEPT: PAGES // 2, Outcome.REFUSED_ADDRESS: 1}
    assert names.asked == 1
