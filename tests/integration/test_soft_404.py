"""Error pages that come as ordinary ones are found out by one probe a site, and nothing is lost.

The forgetful web has hosts with many dead links. One is honest; three show an error page with
status 200 (it repeats the URL, and on one of them also changes its advertisements); one sends
the lost to its front page; one is an application that shows the same shell everywhere; one
makes a page of a few words for whatever it is asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from lycosa.cli.main import main
from lycosa.features.soft_404 import probe_name
from lycosa.model.job import Job
from lycosa.model.records import Fetched, Outcome, Request, Resolved, SiteProbed
from lycosa.model.url import key_of, site_of, site_url, url_of
from lycosa.operate.inspect.audit import audit
from lycosa.operate.inspect.explain import explain
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl
from lycosa.simulation.kills import KillPlan, KillRandomly, no_kills
from lycosa.simulation.simulation import Result, Simulation
from lycosa.storage.archive.reader import find, table
from lycosa.storage.log.format import decode_events
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.generated.words import prose
from lycosa_testweb.robots import Closure, Group, Robots
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.web import HTML, Reply
from seeds import seeds

pytestmark = pytest.mark.quick

HONEST, SOFT, UNCLEAR = Outcome.PROBE_HONEST, Outcome.PROBE_SOFT, Outcome.PROBE_INCONCLUSIVE
VERDICTS = dict(enumerate((HONEST, SOFT, SOFT, SOFT, UNCLEAR, UNCLEAR, UNCLEAR)))
"""What must be found out about each host of the forgetful web."""
ADVERTISING = 3
"""Its error pages differ in one to nine bits: some are found out, or none; no page is lost."""
CATALOGUE = 6
"""Its pages are about ten bits apart: mostly too near to tell; if not, none of them is lost."""
DEPTH = 9


@cache
def forgetful(seed: int) -> GeneratedWeb:
    return GeneratedWeb.forgetful(seed)


def job_for(web: GeneratedWeb, after: int = 20, **limits: object) -> Job:
    return Job.of(
        seeds=[web.home(number) for number in VERDICTS],
        limits={"depth_static": DEPTH, **limits},
        politeness={"delay_seconds": 2.0, "large_site_delay_seconds": 1.0},
        fetch={"retries": 8},
        extract={"soft_404_after": after},
        frontier={"partitions": 8},
        discovery={"mining": "off"},  # what is kept is compared with what links lead to
        robots={"sitemaps": False},
        log={"snapshot_batches": 6},
    )


@cache
def real_pages(seed: int) -> frozenset[str]:
    web = forgetful(seed)
    return frozenset(web.pages_within([web.home(number) for number in VERDICTS], DEPTH))


class Fate(NamedTuple):
    """One answer as the log has it, and whether its site's verdict was known then."""

    url: str
    outcome: Outcome
    was_probed: bool


def fates(simulation: Simulation, result: Result) -> Iterator[Fate]:
    log, _ = simulation.open_log()
    for number, state in result.states.items():
        probed: set[int] = set()
        for _, batch in log.read(number, 0):
            for event in decode_events(batch):
                if isinstance(event, SiteProbed):
                    assert event.site not in probed, "probed twice"
                    probed.add(event.site)
                elif isinstance(event, Fetched):
                    url = url_of(state.table.key(event.page))
                    yield Fate(url, event.outcome, state.pages.site[event.page] in probed)
    log.close()


def is_probe(url: str) -> bool:
    return url.endswith("/" + probe_name(site_of(key_of(url))))


def home_of(url: str) -> str:
    return site_url(site_of(key_of(url))) + "/"


def run(folder: Path, seed: int, kills: KillPlan, log: str = "memory") -> tuple[Simulation, Result]:
    web = forgetful(seed)
    simulation = Simulation(web, job_for(web), folder, seed=seed, log=log)
    simulation.referee._keep_history = True
    return simulation, simulation.run(kills)


def spread_kills(seed: int) -> KillPlan:
    """Kill in a row at the beginning, or now and then up to the end."""
    return KillRandomly(seed, kills=12, probability=(0.02, 0.006, 0.003)[seed % 3])


def check(simulation: Simulation, result: Result, seed: int) -> None:
    web = forgetful(seed)
    homes = {web.home(number): number for number in VERDICTS}
    assert (result.reason, result.ends) == ("exhausted", 1)
    assert [str(breach) for breach in result.breaches] == []

    kept = Counter(simulation.kept_urls())
    assert set(kept.values()) == {1}
    assert real_pages(seed) <= set(kept)
    assert all(web.is_missing(url) for url in set(kept) - real_pages(seed))
    assert sum(kept.values()) == result.kept_pages
    assert sum(len(record.body) for record in simulation.kept()) == result.kept_bytes

    verdicts: dict[int, Outcome] = {}
    after: dict[int, Counter[Outcome]] = {number: Counter() for number in VERDICTS}
    for url, outcome, was_probed in fates(simulation, result):
        number = homes.get(home_of(url))
        if is_probe(url):
            if outcome not in (Outcome.TOO_MANY_REQUESTS, Outcome.UNAVAILABLE):
                assert number is not None
                verdicts[number] = outcome
        elif outcome is Outcome.SOFT_404:
            assert url not in real_pages(seed)
            assert was_probed
        if number is not None and was_probed and web.is_missing(url) and not is_probe(url):
            after[number][outcome] += 1
    for number in (ADVERTISING, CATALOGUE):
        assert verdicts[number] in (SOFT, UNCLEAR)
    assert verdicts | {ADVERTISING: SOFT, CATALOGUE: UNCLEAR} == VERDICTS
    for number in (1, 2):
        assert set(after[number]) == {Outcome.SOFT_404}
        assert after[number][Outcome.SOFT_404] >= 5
    is_told = verdicts[ADVERTISING] is SOFT
    assert (after[ADVERTISING][Outcome.SOFT_404] > 0) is is_told

    asked = Counter(
        home_of(exchange.url)
        for exchange in simulation.referee.history
        if is_probe(exchange.url) and exchange.status not in (429, 503)
    )
    assert set(asked) == set(homes)
    assert sum(asked.values()) <= len(homes) + len(result.kills)


@pytest.mark.parametrize("log", ["memory", "sqlite"])
def test_every_site_is_probed_once_and_its_soft_404s_are_named(log: str, tmp_path: Path) -> None:
    simulation, result = run(tmp_path, 0, no_kills, log)
    check(simulation, result, 0)


@pytest.mark.parametrize("seed", seeds(2, 16))
def test_kills_lose_no_page_and_repeat_at_most_one_probe_each(seed: int, tmp_path: Path) -> None:
    simulation, result = run(
        tmp_path, seed % 4, spread_kills(seed), "sqlite" if seed % 4 == 0 else "memory"
    )
    assert len(result.kills) >= 4
    check(simulation, result, seed % 4)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(300))
def test_many_webs_lose_no_page_to_a_probe(seed: int, tmp_path: Path) -> None:
    simulation, result = run(tmp_path, seed, spread_kills(seed))
    check(simulation, result, seed)


@pytest.mark.parametrize("limit", [1, 60, 150])
def test_neither_probes_nor_soft_404s_take_a_page_from_the_limit(
    limit: int, tmp_path: Path
) -> None:
    web = forgetful(1)
    simulation = Simulation(web, job_for(web, after=5, pages=limit), tmp_path, seed=1)
    result = simulation.run(KillRandomly(limit, kills=6, probability=0.02))
    assert result.reason == "pages"
    assert result.kept_pages == limit == len(simulation.kept_urls())
    assert not any(is_probe(url) for url in simulation.kept_urls())
    assert [str(breach) for breach in result.breaches] == []


def test_zero_asks_for_nothing_and_names_nothing(tmp_path: Path) -> None:
    web = forgetful(2)
    simulation = Simulation(web, job_for(web, after=0), tmp_path, seed=2)
    result = simulation.run()
    assert real_pages(2) <= set(simulation.kept_urls())
    for url, outcome, _ in fates(simulation, result):
        assert not is_probe(url)
        assert outcome is not Outcome.SOFT_404


def test_the_links_of_a_soft_404_lead_nowhere(tmp_path: Path) -> None:
    simulation, result = run(tmp_path, 3, no_kills)
    soft = {url for url, outcome, _ in fates(simulation, result) if outcome is Outcome.SOFT_404}
    known = {url_of(key) for state in result.states.values() for key in state.table}
    assert soft
    assert not {f"{url}/gone.html" for url in soft} & known


def test_a_soft_404_and_a_probe_are_explained(tmp_path: Path) -> None:
    simulation, result = run(tmp_path, 3, no_kills)
    job, partitioner = simulation.job, simulation.partitioner
    log, _ = simulation.open_log()
    ends = {url: outcome for url, outcome, _ in fates(simulation, result)}
    soft = next(url for url, outcome in ends.items() if outcome is Outcome.SOFT_404)
    probe = next(url for url in ends if is_probe(url) and home_of(url) == home_of(soft))
    told = explain(soft, job, log, result.states, partitioner)
    assert told.standing == (
        "has ended: error page with status 200 (soft_404);"
        f" its text is that of {probe}, which does not exist"
    )
    told = explain(probe, job, log, result.states, partitioner)
    assert told.standing == "has ended: made-up URL, answered by a page (probe_soft)"
    assert [step.what for step in told.history] == [
        "made up, to see the site's error page",
        "asked for: made-up URL, answered by a page (probe_soft), status 200",
    ]


def test_over_sockets_soft_404s_are_archived_and_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    web = forgetful(4)
    with SocketWeb(web, time_scale=0.0) as server:
        job = Job.of(
            seeds=[web.home(1)],
            limits={"free_disk_bytes": 0},
            politeness={"delay_seconds": 0.0, "ip_delay_seconds": 0.0, "answer_time_factor": 0.0},
            fetch={"allow_private": True, "hosts_file": str(server.hosts_file)},
            frontier={"partitions": 4},
            log={"commit_seconds": 0.02},
        )
        directory = CrawlDirectory.create(tmp_path / "crawl", job)
        assert run_crawl(directory).reason == "exhausted"
    rows = table(directory.path, "pages", ["url", "outcome", "fingerprint"]).to_pylist()
    by_outcome: dict[str, list[str]] = {}
    for row in rows:
        by_outcome.setdefault(row["outcome"], []).append(row["url"])
        if row["outcome"] in ("soft_404", "probe_soft"):
            assert row["fingerprint"] != 0
            stored = find(directory.path, row["url"])
            assert stored is not None
            assert b"Sorry." in stored.body
    assert len(by_outcome["probe_soft"]) == 1
    assert len(by_outcome["soft_404"]) >= 5
    assert {url for url in real_pages(4) if home_of(url) == web.home(1)} <= set(by_outcome["kept"])
    assert audit(directory).is_clean
    assert main(["status", str(directory.path)]) == 0
    assert "soft_404" in capsys.readouterr().out


# -- where a probe may go --------------------------------------------------------------------

ORIGIN = "http://www.a.test"


class FolderWeb:
    """Six pages in a folder, all linked from the home page; all else is one error page, as 200."""

    def __init__(self, robots: Robots, missing: Reply | None = None) -> None:
        self.robots = robots
        self.pages = ["/", *(f"/folder/page{n}.html" for n in range(6))]
        self.missing = missing or self._html("Nothing here. " + prose("en", "cooking", 80, 404))

    @staticmethod
    def _html(text: str, links: str = "") -> Reply:
        return Reply(200, HTML, f"<title>A page</title><p>{text}</p>{links}".encode())

    def answer(self, request: Request, moment: float) -> Reply:
        path = request.url.removeprefix(ORIGIN)
        if path == "/robots.txt":
            return self.robots.answer(0, ORIGIN, "", moment)
        if path not in self.pages:
            return self.missing
        links = "".join(f'<a href="{page}">.</a>' for page in self.pages) if path == "/" else ""
        return self._html(prose("en", "gardens", 80, self.pages.index(path)), links)

    def resolve(self, host: str, moment: float) -> Resolved:
        return Resolved("10.0.0.1", 3600.0)

    def is_allowed(self, url: str, agent: str) -> bool:
        return self.robots.allows(url.removeprefix(ORIGIN), agent)

    def crawl_delay(self, host: str, agent: str) -> float:
        return 0.0


def probes_of(
    web: FolderWeb, folder: Path, rules: Iterable[Mapping[str, object]] = ()
) -> list[tuple[str, Outcome]]:
    """Crawl the web, which must be kept whole; return what was made up and what came of it."""
    job = Job.of(seeds=[f"{ORIGIN}/"], rules=rules, extract={"soft_404_after": 7})
    simulation = Simulation(web, job, folder)
    result = simulation.run()
    assert (result.reason, result.breaches) == ("exhausted", [])
    assert sorted(simulation.kept_urls()) == sorted(ORIGIN + path for path in web.pages)
    return [
        (fate.url.removeprefix(ORIGIN), fate.outcome)
        for fate in fates(simulation, result)
        if is_probe(fate.url)
    ]


NAME = probe_name("test.a.www:")


def closed(lines: tuple[str, ...], *pages: str) -> Robots:
    """Return a robots file that closes a folder but for some pages."""

    def closes(path: str) -> bool:
        return path.startswith("/folder/") and path not in pages

    return Robots((Group("*", (Closure(lines, closes),)),))


def test_a_probe_goes_to_the_folder_of_the_last_page(tmp_path: Path) -> None:
    assert probes_of(FolderWeb(Robots(status=404)), tmp_path) == [(f"/folder/{NAME}", SOFT)]


def test_a_folder_that_robots_rules_close_is_not_probed(tmp_path: Path) -> None:
    pages = [f"/folder/page{n}.html" for n in range(6)]
    robots = closed(("Disallow: /folder/", "Allow: /folder/page"), *pages)
    assert probes_of(FolderWeb(robots), tmp_path) == [(f"/{NAME}", SOFT)]


def test_a_site_whose_unknown_pages_are_all_closed_is_not_probed(tmp_path: Path) -> None:
    pages = ["/", *(f"/folder/page{n}.html" for n in range(6))]
    lines = ("Disallow: /", "Allow: /$", "Allow: /folder/page")
    robots = Robots((Group("*", (Closure(lines, lambda path: path not in pages),)),))
    assert probes_of(FolderWeb(robots), tmp_path) == []


def test_a_probe_stays_in_scope(tmp_path: Path) -> None:
    rules = [{"action": "reject", "regex": "/folder/[0-9a-f]{16}"}]
    web = FolderWeb(Robots(status=404))
    assert probes_of(web, tmp_path, rules=rules) == [(f"/{NAME}", SOFT)]


@pytest.mark.parametrize(
    ("missing", "verdict"),
    [
        (Reply(404, HTML, b"<p>There is no such page."), HONEST),
        (Reply(410, HTML, b"<p>It is gone."), HONEST),
        (Reply(200, HTML, b"<title>An image</title>"), UNCLEAR),
        (Reply(200, HTML, f"<p>{NAME}".encode()), UNCLEAR),
        (Reply(200, (("Content-Type", "image/png"),), b"PNG"), UNCLEAR),
        (Reply(302, (("Location", "/"),)), UNCLEAR),
        (Reply(403, HTML, b"<p>No."), UNCLEAR),
        (Reply(500, HTML, b"<p>Oh."), UNCLEAR),
        (Reply(0, failure=Outcome.TIMEOUT), UNCLEAR),
        (Reply(200, HTML, b"<p>Not found"), SOFT),
    ],
)
def test_a_probe_is_asked_for_once_whatever_comes(
    missing: Reply, verdict: Outcome, tmp_path: Path
) -> None:
    web = FolderWeb(Robots(status=404), missing)
    assert probes_of(web, tmp_path) == [(f"/folder/{NAME}", verdict)]
