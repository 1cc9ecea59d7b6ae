"""Pages that nobody links to are found, at a bounded cost, and whatever happens meanwhile.

The secretive web has hosts with series of pages that are linked only in part, with folders whose
own pages nobody links to, and hosts where nothing is hidden at all.

`benchmarks.mining` says which seeds and knobs were looked at while the rules were written, and
which were not.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from benchmarks.mining import DEVELOPED, EVALUATED, Case, found_in, job_for, lone_web

from lycosa.features.mining.mining import DOZEN
from lycosa.frontier.facts.columns import DONE, JUDGED
from lycosa.frontier.facts.guesses import TRIED, rule_name
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.job import Job
from lycosa.model.records import AnyEvent, Fetched, GuessJudged, Mined, Outcome, Request, Resolved
from lycosa.model.url import url_of
from lycosa.operate.inspect.explain import explain
from lycosa.simulation.kills import KillEvery, KillPlan, KillRandomly, no_kills
from lycosa.simulation.simulation import Result, Simulation
from lycosa.storage.log.format import decode_events
from lycosa_testweb.generated.plan import Listed, Traits
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.generated.words import prose
from lycosa_testweb.mixing import digest
from lycosa_testweb.robots import Closure, Group, Robots
from lycosa_testweb.sections import Cellar, Kind, Series, Thicket
from lycosa_testweb.web import HTML, Reply
from lycosa_testweb.webs.graph import GraphWeb
from seeds import few_of, soak

pytestmark = pytest.mark.quick

NUMBERED = ("series-number", "series-padded", "series-folder")
PARENTS = "cellar"


@cache
def linked_pages(web: GeneratedWeb) -> frozenset[str]:
    return frozenset(web.pages_within([web.home(n) for n in range(web.plan.hosts)], 15))


def check_whole(simulation: Simulation, web: GeneratedWeb, result: Result) -> None:
    """Nothing linked is missing, nobody was rude, and every guess was judged."""
    assert (result.reason, result.breaches) == ("exhausted", [])
    kept = simulation.kept_urls()
    assert len(kept) == len(set(kept))
    limits = simulation.job.limits
    reachable = {url for url in linked_pages(web) if "?" not in url or limits.depth_dynamic > 1}
    assert not [url for url in reachable - set(kept) if not url.count("sid=")]
    for state in result.states.values():
        assert state.guesses.open == 0
        for page, guess in enumerate(state.pages.guess):
            assert not guess or (guess & JUDGED and state.pages.status[page] == DONE)
        assert PartitionState.unpack(state.pack(3)).pack(3) == state.pack(3)


@soak
@pytest.mark.parametrize("case", EVALUATED)
def test_hidden_pages_are_found_at_a_bounded_cost(case: Case, tmp_path: Path) -> None:
    web = case.web()
    simulation = Simulation(web, job_for(web), tmp_path, seed=case.seed)
    result = simulation.run()
    check_whole(simulation, web, result)
    found = found_in(simulation, web, result)
    assert found.share(PARENTS) >= 0.95
    assert found.share(*NUMBERED) >= 0.8
    for kind in found.hidden:
        assert found.share(kind) >= 0.8, kind
    assert found.vain <= 0.1 * found.asked
    for state in result.states.values():
        for host, name in enumerate(state.host_names):
            earned = state.guesses.of_host(host)
            assert earned.pages or earned.guessed <= DOZEN, name


def test_by_default_only_folders_are_guessed(tmp_path: Path) -> None:
    web = DEVELOPED[0].web()
    simulation = Simulation(web, job_for(web, Job().discovery.mining), tmp_path, seed=1)
    result = simulation.run()
    check_whole(simulation, web, result)
    found = found_in(simulation, web, result)
    assert found.share(PARENTS) >= 0.95
    assert sum(found.found.values()) == found.found[PARENTS]
    rules = {rule.name for state in result.states.values() for rule, _ in state.guesses.by_rule()}
    assert rules == {"FOLDER"}


def test_nothing_is_guessed_when_mining_is_off(tmp_path: Path) -> None:
    web = small_web(2)
    simulation = Simulation(web, job_for(web, "off"), tmp_path, seed=2)
    result = simulation.run()
    check_whole(simulation, web, result)
    assert set(simulation.kept_urls()) == linked_pages(web)
    assert not [event for event in events(simulation, result) if isinstance(event, Mined)]


# -- kills ---------------------------------------------------------------------------------------


@cache
def small_web(seed: int) -> GeneratedWeb:
    series = (Series(Kind.NUMBER, 14), Series(Kind.DAY, 10), Cellar(width=2, depth=2))
    return GeneratedWeb(
        seed,
        Listed(
            (
                Traits((Thicket(40), *series)),
                Traits((Thicket(30), Series(Kind.PAGING, 12), Cellar(width=2))),
                Traits((Thicket(30),)),
            ),
            addresses=2,
        ),
    )


def events(simulation: Simulation, result: Result) -> list[AnyEvent]:
    log, _ = simulation.open_log()
    found = [
        event
        for number in result.states
        for _, batch in log.read(number, 0)
        for event in decode_events(batch)
    ]
    log.close()
    return found


def run_small(folder: Path, seed: int, kills: KillPlan, log: str) -> Simulation:
    web = small_web(seed)
    simulation = Simulation(web, job_for(web, budget=0.4), folder, seed=seed, log=log)
    result = simulation.run(kills)
    check_whole(simulation, web, result)
    mined = [
        key
        for event in events(simulation, result)
        if isinstance(event, Mined)
        for key in event.keys
    ]
    assert len(mined) == len(set(mined)), "guessed twice"
    judged = [event.page for event in events(simulation, result) if isinstance(event, GuessJudged)]
    assert len(judged) <= len(mined)
    assert found_in(simulation, web, result).share(PARENTS) >= 0.95
    return simulation


@pytest.mark.parametrize("log", ["memory", "sqlite"])
@pytest.mark.parametrize("seed", few_of([4, 3], 1))
def test_mining_survives_kills(seed: int, log: str, tmp_path: Path) -> None:
    run_small(tmp_path, seed, KillRandomly(seed, kills=15, probability=0.006), log)


def test_a_look_that_was_due_at_a_kill_is_made_at_the_resume(tmp_path: Path) -> None:
    """Die between the answer that ended a site's queue and the look at the site."""
    page = "http://www.a.test/one/two/page.html"
    web = GraphWeb({page: [], "http://www.a.test/one/two/": []})
    simulation = Simulation(web, Job.of(seeds=[page]), tmp_path)
    result = simulation.run(KillEvery({"answer.applied": 2}))
    assert result.kills == ["answer.applied"]
    assert sorted(simulation.kept_urls()) == ["http://www.a.test/one/two/", page]


def test_the_same_crawl_guesses_the_same(tmp_path: Path) -> None:
    first, second = (
        run_small(tmp_path / name, 5, no_kills, "memory").kept_urls() for name in ("a", "b")
    )
    assert first == second


# -- one guess after the other -------------------------------------------------------------------

HOME = "http://www.a.test/"


class Fate(NamedTuple):
    """What became of a URL that was guessed."""

    rule: str
    outcome: Outcome | None
    depth: int


def crawl(web: GraphWeb, folder: Path, **limits: object) -> Simulation:
    job = Job.of(
        seeds=[HOME],
        discovery={"mining": "full"},
        frontier={"partitions": 4},
        limits=limits,
    )
    simulation = Simulation(web, job, folder)
    result = simulation.run()
    assert (result.reason, result.breaches) == ("exhausted", [])
    return simulation


def guesses(simulation: Simulation) -> dict[str, Fate]:
    return {
        url_of(state.table.key(page)).removeprefix(HOME): Fate(
            rule_name(guess), state.outcome_of(page), state.pages.distance[page] // 21
        )
        for state in simulation.read_states().values()
        for page, guess in enumerate(state.pages.guess)
        if guess and guess != TRIED
    }


def test_a_guess_is_one_link_farther_than_its_source(tmp_path: Path) -> None:
    web = GraphWeb({HOME: [HOME + "x"], HOME + "x": [HOME + "a/b/c"], HOME + "a/": []})
    fates = guesses(crawl(web, tmp_path))
    assert fates["a/"] == Fate("folder", Outcome.KEPT, 3)
    assert fates["a/b/"] == Fate("folder", Outcome.NOT_FOUND, 3)


def test_depth_limits_hold_for_guesses(tmp_path: Path) -> None:
    web = GraphWeb({HOME: [HOME + "x"], HOME + "x": [HOME + "a/b/c"], HOME + "a/": []})
    assert guesses(crawl(web, tmp_path, depth_static=2)) == {}


def test_robots_rules_hold_for_guesses(tmp_path: Path) -> None:
    closed = Closure(("Disallow: /a/$",), lambda path: path == "/a/")
    web = GraphWeb(
        {HOME: [HOME + "a/b"], HOME + "a/": []},
        robots={"www.a.test": Robots((Group("*", (closed,)),))},
    )
    assert guesses(crawl(web, tmp_path)) == {}


def test_the_scope_holds_for_guesses(tmp_path: Path) -> None:
    web = GraphWeb({HOME: [HOME + "a/b"], HOME + "a/": []})
    job = Job.of(seeds=[HOME], rules=[{"action": "reject", "regex": "/a/$"}])
    simulation = Simulation(web, job, tmp_path)
    assert simulation.run().reason == "exhausted"
    assert guesses(simulation) == {}


def test_a_redirect_to_a_known_page_is_in_vain(tmp_path: Path) -> None:
    web = GraphWeb({HOME: [HOME + "a/b"]}, redirects={HOME + "a/": HOME})
    simulation = crawl(web, tmp_path)
    assert guesses(simulation)["a/"].outcome is Outcome.REDIRECTED
    assert [state.guesses.vain for state in simulation.read_states().values()].count(1) == 1


def test_a_redirect_to_a_new_page_moves_the_guess(tmp_path: Path) -> None:
    new = HOME + "a/index.html"
    web = GraphWeb({HOME: [HOME + "a/b"]}, redirects={HOME + "a/": new})
    simulation = crawl(web, tmp_path)
    assert guesses(simulation)["a/index.html"] == Fate("folder", Outcome.KEPT, 2)
    totals = [state.guesses.of_host(0) for state in simulation.read_states().values()]
    assert sum(total.pages for total in totals) == 1
    assert sum(total.judged for total in totals) == 1


def test_what_two_rules_guess_is_asked_for_once(tmp_path: Path) -> None:
    pages = [f"{HOME}h/{path}" for path in ("1/", "2/", "3/x.html")]
    web = GraphWeb({HOME: pages, HOME + "h/3/": []})
    job = Job.of(seeds=[HOME], discovery={"mining": "full"}, extract={"soft_404_after": 0})
    simulation = Simulation(web, job, tmp_path)
    result = simulation.run()
    keys = [
        key
        for event in events(simulation, result)
        if isinstance(event, Mined)
        for key in event.keys
    ]
    assert keys.count("test.a.www:/h/3/") == 1
    for state in result.states.values():
        assert len(state.table) == len(state.pages.site)


def test_a_guess_that_is_linked_later_counts_as_linked(tmp_path: Path) -> None:
    late, folder = "http://www.b.test/", HOME + "a/"
    web = GraphWeb(
        {HOME: [HOME + "a/b", late], folder: [folder], late: [folder]},
        latency=lambda url: 900.0 if url == late else 0.05,
    )
    simulation = crawl(web, tmp_path)
    assert guesses(simulation) == {}
    log, _ = simulation.open_log()
    told = explain(folder, simulation.job, log, simulation.read_states(), simulation.partitioner)
    log.close()
    assert told.via == ""
    assert [step.what for step in told.history] == [
        f"mined: guessed from {HOME}a/b by the rule 'folder'",
        "asked for: kept, status 200",
        "the guess was a new page",
        f"linked from {late}",
    ]


def test_a_page_that_links_to_itself_alone_stays_mined(tmp_path: Path) -> None:
    folder = HOME + "a/"
    web = GraphWeb({HOME: [HOME + "a/b"], folder: [folder]})
    simulation = crawl(web, tmp_path)
    assert guesses(simulation)["a/"].rule == "folder"
    log, _ = simulation.open_log()
    told = explain(folder, simulation.job, log, simulation.read_states(), simulation.partitioner)
    log.close()
    assert (told.via, told.rule) == ("mined", "folder")


# -- sites that say yes to everything ------------------------------------------------------------


class EagerWeb:
    """Ten linked pages that count, and something with status 200 for whatever else is asked."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self.asked: list[str] = []

    def answer(self, request: Request, moment: float) -> Reply:
        path = request.url.removeprefix(HOME)
        if path == "robots.txt":
            return Reply(404, HTML, b"none")
        self.asked.append(path)
        number = path.removeprefix("a/page").removesuffix(".html")
        if not path:
            links = "".join(f'<a href="/a/page{2 * n}.html">.</a>' for n in range(1, 11))
            return self._html(prose("en", "gardens", 80, 999) + links)
        if number.isdecimal() and int(number) in range(2, 21, 2):
            return self._html(prose("en", "gardens", 80, int(number)))
        if self._kind == "copies":
            return self._html(prose("en", "gardens", 80, 2))
        if self._kind == "errors":
            return self._html(f"There is no {path} here. " + prose("en", "cooking", 80, 404))
        if self._kind == "catalogue":
            return self._html(f"{prose('en', 'gardens', 80, 2)} and {len(path)}")
        return self._html(prose("en", "gardens", 80, digest(path) & 0xFFFF))

    @staticmethod
    def _html(text: str) -> Reply:
        return Reply(200, HTML, f"<title>A page</title><p>{text}</p>".encode())

    def resolve(self, host: str, moment: float) -> Resolved:
        return Resolved("10.0.0.1", 3600.0)

    def is_allowed(self, url: str, agent: str) -> bool:
        return True

    def crawl_delay(self, host: str, agent: str) -> float:
        return 0.0


@pytest.mark.parametrize(("kind", "most"), [("copies", 12), ("errors", 12), ("catalogue", 2)])
def test_a_site_that_has_everything_is_soon_left_alone(
    kind: str, most: int, tmp_path: Path
) -> None:
    web = EagerWeb(kind)
    job = Job.of(seeds=[HOME], discovery={"mining": "full"}, extract={"soft_404_after": 15})
    simulation = Simulation(web, job, tmp_path)
    assert simulation.run().reason == "exhausted"
    assert len(guesses(simulation)) <= most
    pages = [state.guesses.of_host(0).pages for state in simulation.read_states().values()]
    assert sum(pages) <= 1


def test_a_site_that_never_ends_is_bounded_by_depth(tmp_path: Path) -> None:
    job = Job.of(seeds=[HOME], discovery={"mining": "full"}, limits={"depth_static": 8})
    simulation = Simulation(EagerWeb("pages"), job, tmp_path)
    assert simulation.run().reason == "exhausted"
    assert len(guesses(simulation)) <= 60


def test_the_budget_caps_what_guesses_cost(tmp_path: Path) -> None:
    web = GeneratedWeb(6, Listed((Traits((Thicket(400), Series(Kind.NUMBER, 60, 0.1, 0.6))),)))
    for budget in (0.0, 0.05, 0.5):
        job = job_for(web, budget=budget)
        simulation = Simulation(web, job, tmp_path / str(budget), seed=6)
        result = simulation.run()
        found = found_in(simulation, web, result)
        assert found.vain <= max(DOZEN, budget * found.asked)


def test_fetched_guesses_say_so_in_the_log(tmp_path: Path) -> None:
    web = GraphWeb({HOME: [HOME + "a/b"], HOME + "a/": []})
    simulation = crawl(web, tmp_path)
    kinds = [type(event) for event in events(simulation, simulation.run())]
    assert kinds.index(Mined) < kinds.index(GuessJudged)
    assert kinds[kinds.index(GuessJudged) - 1] is Fetched


@pytest.mark.parametrize("is_on", [False, True])
def test_a_single_example_leads_to_its_siblings_where_the_job_wants_it(
    tmp_path: Path, is_on: bool
) -> None:
    web, homes, hidden = lone_web(4)
    discovery = {"mining": "full", "single_example": is_on, "budget": 1.0}
    simulation = Simulation(web, Job.of(seeds=homes, discovery=discovery), tmp_path)
    result = simulation.run()
    assert (result.reason, result.breaches) == ("exhausted", [])
    assert hidden.intersection(simulation.kept_urls()) == (hidden if is_on else set())
