"""Origins that refuse connections, names that lead nowhere, robots files that cannot be had."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from lycosa.model.job import Job
from lycosa.model.records import AnyEvent, Outcome, Request, Resolved, SiteChanged, Waited
from lycosa.simulation.conditions import Conditions
from lycosa.simulation.kills import KillRandomly, no_kills
from lycosa.simulation.simulation import Result, Simulation
from lycosa.storage.log.format import decode_events
from lycosa_testweb.parts import take_apart
from lycosa_testweb.web import PLAIN, Reply
from lycosa_testweb.webs.graph import GraphWeb

pytestmark = pytest.mark.quick

BEGAN = 1_700_000_000.0
HOME = "http://www.a.test/"
PAGES = [f"{HOME}{n}" for n in range(30)]
DEAD = [f"http://www.a.test:{9000 + n}/x" for n in range(12)]


class HalfDeadWeb(GraphWeb):
    """A web in which some origins refuse connections, and some names lead nowhere."""

    def __init__(
        self,
        edges: Mapping[str, Sequence[str]],
        *,
        dead: Mapping[str, float] | None = None,
        missing: Sequence[str] = (),
        unanswered: Sequence[str] = (),
        robots_replies: Mapping[str, Sequence[Reply]] | None = None,
        replies: Mapping[str, Sequence[Reply]] | None = None,
    ) -> None:
        super().__init__(edges)
        self._dead = dead or {}
        """Origins, and for how many seconds they refuse connections."""
        self._missing, self._unanswered = missing, unanswered
        self._replies = {url: list(found) for url, found in (replies or {}).items()}
        self._robots_replies = {host: list(r) for host, r in (robots_replies or {}).items()}
        self.looked_up: list[tuple[str, float]] = []
        self.robots_asked: list[float] = []
        self.asked: list[str] = []

    def answer(self, request: Request, moment: float) -> Reply:
        parts = take_apart(request.url)
        self.asked.append(request.url)
        if moment - BEGAN < self._dead.get(parts.site, 0.0):
            return Reply(0, failure=Outcome.CONNECT_FAILURE, latency_seconds=0.01)
        if parts.path == "/robots.txt" and (replies := self._robots_replies.get(parts.host)):
            self.robots_asked.append(moment - BEGAN)
            return replies.pop(0) if len(replies) > 1 else replies[0]
        if replies := self._replies.get(request.url):
            return replies.pop(0)
        return super().answer(request, moment)

    def resolve(self, host: str, moment: float) -> Resolved:
        self.looked_up.append((host, moment - BEGAN))
        if host in self._missing or host in self._unanswered:
            return Resolved(None, 60.0, is_missing=host in self._missing)
        return super().resolve(host, moment)


FOR_EVER = float("inf")
NO_FILE = Reply(404, PLAIN, b"")
FAILS = Reply(500, PLAIN, b"")
BUSY = Reply(503, PLAIN, b"")


def refusing(seconds: int) -> Reply:
    return Reply(503, (*PLAIN, ("Retry-After", str(seconds))), b"")


def crawl(
    web: HalfDeadWeb,
    folder: Path,
    *,
    log: str = "memory",
    workers: int = 1,
    kills: KillRandomly | None = None,
    **sections: Mapping[str, object],
) -> tuple[Simulation, Result]:
    sections.setdefault("politeness", {"delay_seconds": 1.0, "large_site_delay_seconds": 1.0})
    job = Job.of(list(web.edges), (), frontier={"partitions": 4}, **sections)
    simulation = Simulation(
        web, job, folder, seed=1, log=log, workers=workers, conditions=Conditions(begins_at=BEGAN)
    )
    result = simulation.run(kills or no_kills, virtual_seconds=200_000.0)
    assert result.breaches == []
    return simulation, result


def endings(result: Result) -> dict[Outcome, int]:
    """Return how many URLs ended because their host or origin was closed."""
    total: Counter[int] = Counter()
    for state in result.states.values():
        total.update(state.ended_by_closing())
    return {Outcome(outcome): count for outcome, count in total.items()}


def events_of(simulation: Simulation) -> list[AnyEvent]:
    log, _ = simulation.open_log()
    try:
        return [
            event
            for number in range(simulation.job.frontier.partitions)
            for _, batch in log.read(number, 0)
            for event in decode_events(batch)
        ]
    finally:
        log.close()


@pytest.mark.parametrize(("log", "workers"), [("memory", 1), ("memory", 3), ("sqlite", 1)])
def test_dead_ports_cost_the_live_site_of_their_host_no_page(
    log: str, workers: int, tmp_path: Path
) -> None:
    web = HalfDeadWeb(
        {HOME: [*DEAD, *PAGES]}, dead={url.removesuffix("/x"): FOR_EVER for url in DEAD}
    )
    simulation, result = crawl(web, tmp_path, log=log, workers=workers)
    assert result.reason == "exhausted"
    assert sorted(simulation.kept_urls()) == sorted([HOME, *PAGES])
    assert endings(result) == {Outcome.UNREACHABLE: len(DEAD)}
    assert result.virtual_seconds < 600.0 + 120.0
    closed = [e for e in events_of(simulation) if isinstance(e, SiteChanged) and e.closed]
    assert len(closed) == len(DEAD)


def test_a_dead_port_is_tried_again_when_the_live_site_has_nothing_left(tmp_path: Path) -> None:
    web = HalfDeadWeb(
        {HOME: [*DEAD, *PAGES]}, dead={url.removesuffix("/x"): FOR_EVER for url in DEAD}
    )
    crawl(web, tmp_path, politeness={"delay_seconds": 15.0, "large_site_delay_seconds": 15.0})
    tried = [url for url in web.asked if ":90" in url]
    second_try = web.asked.index(tried[len(DEAD)], web.asked.index(tried[len(DEAD) - 1]))
    assert len(set(tried[: len(DEAD)])) == len(DEAD)
    assert set(PAGES) <= set(web.asked[:second_try])


def test_an_origin_that_comes_back_within_patience_is_crawled(tmp_path: Path) -> None:
    web = HalfDeadWeb({HOME: [*DEAD, *PAGES]}, dead={DEAD[0].removesuffix("/x"): 300.0})
    simulation, result = crawl(web, tmp_path)
    assert sorted(simulation.kept_urls()) == sorted([HOME, *PAGES, *DEAD])
    assert not endings(result)


def test_a_name_that_does_not_exist_is_checked_once_and_then_final(tmp_path: Path) -> None:
    missing = ["http://gone.b.test/", "http://gone.b.test/x", "https://gone.b.test/"]
    web = HalfDeadWeb({HOME: [*missing, *PAGES[:5]]}, missing=["gone.b.test"])
    simulation, result = crawl(web, tmp_path)
    assert result.reason == "exhausted"
    assert len(simulation.kept_urls()) == 6
    assert endings(result) == {Outcome.NO_SUCH_HOST: 3}
    asked = [moment for host, moment in web.looked_up if host == "gone.b.test"]
    assert len(asked) == 2 and 30.0 <= asked[1] - asked[0] < 31.0
    assert result.virtual_seconds < 60.0


def test_a_name_server_that_cannot_say_is_asked_until_patience_ends(tmp_path: Path) -> None:
    web = HalfDeadWeb({HOME: ["http://lost.b.test/", *PAGES[:5]]}, unanswered=["lost.b.test"])
    _, result = crawl(web, tmp_path)
    assert endings(result) == {Outcome.UNREACHABLE: 1}
    assert 600.0 < result.virtual_seconds < 630.0
    assert len(web.looked_up) >= 4


@pytest.mark.parametrize(("log", "workers"), [("memory", 1), ("memory", 3), ("sqlite", 1)])
def test_patience_is_counted_over_kills(log: str, workers: int, tmp_path: Path) -> None:
    """A kill forgets a second of waiting at most: the sum of all runs stays what it was."""
    web = HalfDeadWeb({HOME: [DEAD[0], *PAGES[:3]]}, dead={DEAD[0].removesuffix("/x"): FOR_EVER})
    kills = KillRandomly(5, 40, 0.03)
    simulation, result = crawl(web, tmp_path, log=log, workers=workers, kills=kills)
    assert (result.reason, len(result.kills)) == ("exhausted", 40)
    assert 600.0 < result.virtual_seconds < 600.0 + 40 * 2 + 60
    assert endings(result) == {Outcome.UNREACHABLE: 1}
    waited = [event.seconds for event in events_of(simulation) if isinstance(event, Waited)]
    assert waited == sorted(waited) and 600.0 <= waited[-1] < 602.0


def test_without_a_limit_an_origin_is_tried_as_often_as_a_host_may_fail(tmp_path: Path) -> None:
    web = HalfDeadWeb({HOME: [DEAD[0]]}, dead={DEAD[0].removesuffix("/x"): FOR_EVER})
    _, result = crawl(web, tmp_path, limits={"patience_seconds": 0.0})
    assert endings(result) == {Outcome.UNREACHABLE: 1}
    assert result.virtual_seconds > 60.0 * (2**9 - 1)


def test_what_a_server_announced_is_waited_for_and_is_no_patience(tmp_path: Path) -> None:
    web = HalfDeadWeb(
        {HOME: [DEAD[0], PAGES[0]], "http://www.b.test/": []},
        dead={DEAD[0].removesuffix("/x"): FOR_EVER},
        replies={"http://www.b.test/": [refusing(7200)]},
    )
    simulation, result = crawl(web, tmp_path)
    assert sorted(simulation.kept_urls()) == sorted([HOME, PAGES[0], "http://www.b.test/"])
    assert 7200.0 < result.virtual_seconds < 7200.0 + 700.0


def test_a_robots_file_that_fails_once_costs_a_minute(tmp_path: Path) -> None:
    for name, reply in (("busy", BUSY), ("broken", FAILS)):
        web = HalfDeadWeb({HOME: PAGES[:5]}, robots_replies={"www.a.test": [reply, NO_FILE]})
        simulation, result = crawl(web, tmp_path / name)
        assert len(simulation.kept_urls()) == 6
        assert 60.0 < result.virtual_seconds < 90.0


def test_a_robots_file_is_asked_for_after_one_two_and_four_minutes_then_hourly(
    tmp_path: Path,
) -> None:
    web = HalfDeadWeb({HOME: PAGES[:5]}, robots_replies={"www.a.test": [FAILS] * 6 + [NO_FILE]})
    simulation, _ = crawl(web, tmp_path, limits={"patience_seconds": 0.0})
    assert len(simulation.kept_urls()) == 6
    waits = [b - a for a, b in zip(web.robots_asked, web.robots_asked[1:], strict=False)]
    assert [round(wait / 60.0) for wait in waits] == [1, 2, 4, 60, 60, 60]


def test_a_robots_file_that_always_fails_ends_its_site_an_hour_and_patience_later(
    tmp_path: Path,
) -> None:
    web = HalfDeadWeb(
        {HOME: PAGES[:5], "http://www.b.test/": []}, robots_replies={"www.a.test": [FAILS]}
    )
    simulation, result = crawl(web, tmp_path)
    assert simulation.kept_urls() == ["http://www.b.test/"]
    assert endings(result) == {Outcome.ROBOTS_UNREACHABLE: 1}
    assert len(web.robots_asked) == 5
    assert 4_020.0 + 600.0 < result.virtual_seconds < 4_020.0 + 700.0


def test_a_robots_file_that_fails_for_some_minutes_costs_no_page(tmp_path: Path) -> None:
    web = HalfDeadWeb({HOME: PAGES[:5]}, robots_replies={"www.a.test": [FAILS] * 4 + [NO_FILE]})
    simulation, result = crawl(web, tmp_path)
    assert len(simulation.kept_urls()) == 6
    assert endings(result) == {}


def test_a_server_that_says_503_is_left_alone_before_patience_begins(tmp_path: Path) -> None:
    """Its back-off is announced by the 503; what is waited beside it for its robots file is not."""
    web = HalfDeadWeb({HOME: PAGES[:5]}, robots_replies={"www.a.test": [BUSY]})
    _, result = crawl(web, tmp_path)
    assert endings(result) == {Outcome.ROBOTS_UNREACHABLE: 1}
    assert 5_000.0 < result.virtual_seconds < 6_200.0


def test_while_nothing_has_ever_answered_patience_is_short(tmp_path: Path) -> None:
    web = HalfDeadWeb({HOME: []}, dead={"http://www.a.test:80": FOR_EVER})
    _, result = crawl(web, tmp_path)
    assert endings(result) == {Outcome.UNREACHABLE: 1}
    assert result.requests == 2
    assert 90.0 <= result.virtual_seconds < 95.0


def test_a_dead_origin_holds_no_cycle_up_and_is_tried_again_in_the_next(tmp_path: Path) -> None:
    web = HalfDeadWeb({HOME: [DEAD[0], *PAGES[:5]]}, dead={DEAD[0].removesuffix("/x"): 5_000.0})
    simulation, result = crawl(
        web,
        tmp_path,
        revisit={
            "policy": "uniform",
            "cycles": 3,
            "cycle_seconds": 4_000.0,
            "not_before_seconds": 10.0,
        },
    )
    assert result.reason == "exhausted"
    assert set(simulation.kept_urls()) == {HOME, DEAD[0], *PAGES[:5]}
    assert result.virtual_seconds < 8_300.0
