"""How long a host that says 429 or 503 is left alone."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from lycosa.fetch.guard import AddressGuard
from lycosa.model.job import Job
from lycosa.model.records import Outcome, Purpose, Request
from lycosa.operate.inspect.audit import audit
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.orders.decisions import retry_failed
from lycosa.runtime.processes.run import run_crawl
from lycosa.runtime.verify.repair import repair
from lycosa.simulation.conditions import Conditions
from lycosa.simulation.referee_rules import referee_rules
from lycosa.simulation.simulation import Simulation
from lycosa.storage.archive.reader import captures
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.referee.rulebook import BreachKind
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.web import PLAIN, Reply
from lycosa_testweb.webs.graph import GraphWeb

pytestmark = pytest.mark.quick

HOME = "http://www.a.test/"
PAUSE = 3.0


class RefusingWeb(GraphWeb):
    """Refuses its home page some times, each time with the Retry-After that is its turn."""

    def __init__(self, retry_after: list[str | None]) -> None:
        super().__init__({HOME: []})
        self._left = list(retry_after)

    def answer(self, request: Request, moment: float) -> Reply:
        if request.url == HOME and self._left:
            value = self._left.pop(0)
            named = (("Retry-After", value),) if value is not None else ()
            return Reply(503, (*PLAIN, *named), b"")
        return super().answer(request, moment)


def waits(retry_after: list[str | None], folder: Path) -> list[float]:
    """Return how long the host was left alone after each refusal."""
    web = RefusingWeb(retry_after)
    job = Job.of(seeds=[HOME], politeness={"delay_seconds": PAUSE}, frontier={"partitions": 2})
    referee = Referee(referee_rules(job), web, keep_history=True)
    result = Simulation(web, job, folder, seed=3, conditions=Conditions(referee=referee)).run()
    assert (result.reason, result.breaches, result.kept_pages) == ("exhausted", [], 1)
    asked = [entry for entry in referee.history if entry.url == HOME]
    return [later.began - sooner.ended for sooner, later in pairwise(asked)]


@pytest.mark.parametrize(
    ("retry_after", "least", "most"),
    [("5", 5.0, 6.0), ("1", PAUSE, PAUSE + 1), ("300", 300.0, 301.0), (None, 60.0, 76.0)],
)
def test_a_first_refusal_waits_what_the_server_says(
    retry_after: str | None, least: float, most: float, tmp_path: Path
) -> None:
    (wait,) = waits([retry_after], tmp_path)
    assert least <= wait < most


def test_from_the_second_refusal_in_a_row_the_longer_of_both_counts(tmp_path: Path) -> None:
    first, second, third = waits(["5", "5", "900"], tmp_path)
    assert 5.0 <= first < 6.0
    assert 120.0 <= second < 151.0
    assert 900.0 <= third < 901.0


TWO_DAYS = 172_800.0


@pytest.mark.parametrize("retry_after", ["172800", "9" * 90])
def test_a_host_that_asks_for_more_than_a_day_is_put_off_and_never_asked_too_soon(
    retry_after: str, tmp_path: Path
) -> None:
    web = RefusingWeb([retry_after])
    job = Job.of(seeds=[HOME], politeness={"delay_seconds": PAUSE}, frontier={"partitions": 1})
    referee = Referee(referee_rules(job), web, keep_history=True)
    result = Simulation(web, job, tmp_path, seed=3, conditions=Conditions(referee=referee)).run()
    assert (result.breaches, result.kept_pages) == ([], 0)
    (asked,) = [entry for entry in referee.history if entry.url == HOME]
    (state,) = result.states.values()
    assert state.hosts.closed[0] == Outcome.HOST_PUT_OFF
    assert state.hosts.due[0] >= asked.ended + TWO_DAYS
    guard = AddressGuard(allow_private=True)
    day_after, due = asked.ended + 86_400.0, state.hosts.due[0]
    assert retry_failed(state, day_after, guard) is None
    found = retry_failed(state, due, guard)
    assert found is not None and found.urls == 1
    for event in found.events:
        state.apply(event)
    assert state.hosts.closed[0] == 0 and state.hosts.due[0] == due


def test_our_own_back_off_puts_no_host_off(tmp_path: Path) -> None:
    web = RefusingWeb([None] * 3)
    politeness = {"delay_seconds": PAUSE, "longest_pause_seconds": 61.0, "strikes": 9}
    job = Job.of(seeds=[HOME], politeness=politeness, frontier={"partitions": 1})
    referee = Referee(referee_rules(job), web, keep_history=True)
    result = Simulation(web, job, tmp_path, seed=3, conditions=Conditions(referee=referee)).run()
    assert (result.reason, result.breaches, result.kept_pages) == ("exhausted", [], 1)


def test_the_referee_knows_the_back_off() -> None:
    job = Job.of(seeds=[HOME], politeness={"delay_seconds": PAUSE})
    web = RefusingWeb([])
    for first, wait, is_rude in [("5", 6.0, False), (None, 59.0, True), (None, 61.0, False)]:
        referee = Referee(referee_rules(job), web)
        moment = 1000.0
        robots = referee.began(_request(HOME + "robots.txt"), moment)
        referee.ended(robots, moment, Reply(404, PLAIN, b""))
        named = (("Retry-After", first),) if first else ()
        ticket = referee.began(_request(HOME), moment + 10.0)
        referee.ended(ticket, moment + 10.0, Reply(503, (*PLAIN, *named), b""))
        referee.began(_request(HOME), moment + 10.0 + wait)
        kinds = [breach.kind for breach in referee.breaches]
        assert kinds == ([BreachKind.RETRY_AFTER] if is_rude else [])


def _request(url: str) -> Request:
    purpose = Purpose.ROBOTS if url.endswith("robots.txt") else Purpose.PAGE
    return Request(url, "www.a.test", "10.0.0.1", purpose, "lycosa", 1000)


class TwiceRefusing(GraphWeb):
    """Refuses the first and the third request for a page, without a Retry-After."""

    def __init__(self) -> None:
        super().__init__({HOME: [f"{HOME}1"]}, latency=0.0)
        self._turn = 0

    def answer(self, request: Request, moment: float) -> Reply:
        if request.purpose is Purpose.PAGE:
            self._turn += 1
            if self._turn in (1, 3):
                return Reply(503, PLAIN, b"")
        return super().answer(request, moment)


def test_an_audit_takes_no_refusals_for_a_row_if_the_answer_between_is_lost(tmp_path: Path) -> None:
    with SocketWeb(TwiceRefusing(), tls=False, time_scale=1.0) as server:
        job = Job.of(
            seeds=[HOME],
            rules=[{"action": "accept", "suffix": "test"}],
            politeness={"delay_seconds": 0.05, "backoff_first_seconds": 0.3},
            fetch={"allow_private": True, "hosts_file": str(server.hosts_file)},
            limits={"free_disk_bytes": 0},
            robots={"sitemaps": False},
            discovery={"mining": "off"},
            crawl={"workers": 1},
        )
        directory = CrawlDirectory.create(tmp_path / "crawl", job)
        run_crawl(directory)
    assert audit(directory).breaches == []
    (page,) = (stored for stored in captures(directory.path) if stored.url == HOME and stored.body)
    (path,) = (directory.path / "warc").glob("*.warc.gz")
    with path.open("r+b") as file:
        file.seek(page.place.offset + page.place.length // 2)
        file.write(bytes(20))
    assert repair(directory.path).after.is_clean
    assert [one.url for one in captures(directory.path) if one.body] == [f"{HOME}1"]
    assert audit(directory).breaches == []
