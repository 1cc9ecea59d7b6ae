"""Measures how fresh a crawl stays under each revisit policy, in virtual time.

A generated web of pages that each change at a rate of their own, from every few hours to every few
months, and of which few are linked to by many. It is crawled once; then every policy has the same
number of requests a day, for some weeks. Every other host says when a page changed last. The web
knows at every moment which version a page has, and so which of the copies are what the page is.

    freshness            the share of copies that are, over all hours of the second half
    weighted by quality  the same with each page weighing as much as its PageRank
    rank correlation     Spearman's, of the rates that the crawl believes in and the true ones
    visits               how many requests found a change, of all

The crawl is the real one: worker, frontier, log and planner, with a clock and a web that are not.

    python -m benchmarks.figures freshness
"""

from __future__ import annotations

import dataclasses
import tempfile
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.allocation import allocate, freshness
from benchmarks.charts import Line, draw
from benchmarks.figures.run import Made, Run
from benchmarks.race.table import markdown

from lycosa.frontier.cycle_candidates import Planner
from lycosa.frontier.freshness.quality import measure
from lycosa.model.job import Job
from lycosa.model.records import Purpose, Request, Sight, Visited
from lycosa.model.url import key_of, url_of
from lycosa.simulation.conditions import Conditions
from lycosa.simulation.simulation import Simulation
from lycosa.storage.archive.journal import Journal
from lycosa.storage.log.format import decode_events
from lycosa_testweb.generated.plan import Listed, Traits
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.sections import Bulletins
from lycosa_testweb.web import Reply

POLICIES = ("profit", "fresh", "uniform", "proportional")
COLOURS = dict(zip(POLICIES, ("#1f77b4", "#d95f02", "#7b3294", "#4d4d4d"), strict=True))
HOUR, DAY = 3600.0, 86_400.0
SEED = 7
BEGIN = 1_700_000_000.0


class Way(NamedTuple):
    """How the web is kept fresh."""

    policy: str
    hosts: int = 12
    pages_per_host: int = 50
    cycles: int = 40
    share: float = 0.4
    """Requests a cycle, as a share of the pages."""


class Found(NamedTuple):
    """What a policy came to."""

    pages: int
    requests: int
    days: list[float]
    fresh: list[float]
    """Share of copies that are fresh, day by day."""
    weighted: list[float]
    """The same by quality."""
    mean_fresh: float
    mean_weighted: float
    correlation: float
    changes: int
    """How many of the visits after the first found a change."""
    possible: float
    """The freshness of the best allocation, with all rates known and visits at even intervals."""


class WatchedWeb(GeneratedWeb):
    """A web that writes down when each page was asked for."""

    def __init__(self, hosts: int, pages_per_host: int) -> None:
        traits = [
            Traits(
                (Bulletins(pages_per_host, 4 * HOUR, 90 * DAY, has_dates=bool(number % 2)),),
                validators=True,
                words=30,
            )
            for number in range(hosts)
        ]
        super().__init__(SEED, Listed(tuple(traits), addresses=hosts))
        self.asked: dict[str, list[float]] = {}

    def answer(self, request: Request, moment: float) -> Reply:
        """Answer, and remember."""
        if request.purpose is Purpose.PAGE:
            self.asked.setdefault(request.url, []).append(moment)
        return super().answer(request, moment)

    def is_fresh(self, url: str, moment: float) -> bool:
        """Say whether what was last asked for is what the page is."""
        visits = self.asked[url]
        before = bisect_right(visits, moment)
        if not before:
            return False
        return self.version_of(url, visits[before - 1]) == self.version_of(url, moment)


def keep_fresh(way: Way) -> Found:
    """Crawl once, then go through the cycles of a policy, and ask the web how fresh all is."""
    web = WatchedWeb(way.hosts, way.pages_per_host)
    pages = way.hosts * (way.pages_per_host + 1)
    end = BEGIN + way.cycles * DAY
    job = Job.of(
        seeds=[web.home(0)],
        politeness={"delay_seconds": 5.0},
        frontier={"partitions": 8, "scheduler": "profit"},
        discovery={"mining": "off"},
        extract={"soft_404_after": 0},
        revisit={"policy": way.policy, "cycle_seconds": DAY, "not_before_seconds": HOUR},
    )
    with tempfile.TemporaryDirectory() as name:
        simulation = Simulation(
            web, job, Path(name), seed=SEED, conditions=Conditions(begins_at=BEGIN)
        )
        first = simulation.run()
        budget = int(pages * way.share)
        revisit = dataclasses.replace(job.revisit, cycle_urls=budget, cycles=way.cycles)
        simulation.job = dataclasses.replace(job, revisit=revisit)
        result = simulation.run()
        if (first.reason, result.reason) != ("exhausted", "exhausted") or result.breaches:
            raise AssertionError(f"{way}: {result.reason}, {result.breaches[:3]}")
        quality = quality_of(simulation, web)
        changes = sum(event.seen is Sight.CHANGED for event in visits(simulation))
        planner = Planner(job.revisit, lambda state, host: 1)
        believed: dict[str, float] = {}
        for state in result.states.values():
            for page in range(len(state.table)):
                url = url_of(state.table.key(page))
                if web.change_seconds_of(url) != float("inf"):
                    believed[url] = planner.assess(state, page, end, lambda *_: 1.0).belief.rate
    urls = list(believed)
    true = [1.0 / web.change_seconds_of(url) for url in urls]
    hours = [BEGIN + hour * HOUR for hour in range(24, int((end - BEGIN) / HOUR), 3)]
    shares = [measured(web, urls, quality, moment) for moment in hours]
    late = [share for share, hour in zip(shares, hours, strict=True) if hour > (BEGIN + end) / 2]
    best = allocate(true, budget / DAY)
    return Found(
        pages,
        sum(map(len, web.asked.values())),
        [(hour - BEGIN) / DAY for hour in hours],
        [share[0] for share in shares],
        [share[1] for share in shares],
        sum(share[0] for share in late) / len(late),
        sum(share[1] for share in late) / len(late),
        spearman(true, [believed[url] for url in urls]),
        changes,
        sum(map(freshness, true, best.frequencies)) / len(true),
    )


def quality_of(simulation: Simulation, web: WatchedWeb) -> dict[str, float]:
    """Return the PageRank of every page, as a crawl measures it that has all links."""
    journal = Journal(simulation.folder / "segments")
    try:
        quality = measure(journal.link_ends(), "pagerank")
    finally:
        journal.close()
    return {url: quality.of(key_of(url), 0) for url in web.asked}


def visits(simulation: Simulation) -> Iterator[Visited]:
    """Yield everything that the log says about visits."""
    log, _ = simulation.open_log()
    for number in range(simulation.job.frontier.partitions):
        for _, batch in log.read(number, 0):
            yield from (event for event in decode_events(batch) if isinstance(event, Visited))


def measured(
    web: WatchedWeb, urls: Sequence[str], quality: dict[str, float], moment: float
) -> tuple[float, float]:
    """Return which share of the copies is fresh, by number and by quality."""
    fresh = [url for url in urls if web.is_fresh(url, moment)]
    weight = sum(quality[url] for url in urls)
    return len(fresh) / len(urls), sum(quality[url] for url in fresh) / weight


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the rank correlation; equals share their ranks."""
    first, second = _ranks(one), _ranks(other)
    mean = (len(one) - 1) / 2
    product = sum((a - mean) * (b - mean) for a, b in zip(first, second, strict=True))
    squares = [sum((rank - mean) ** 2 for rank in ranks) for ranks in (first, second)]
    return float(product / (squares[0] * squares[1]) ** 0.5)


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(range(len(values)), key=lambda place: values[place])
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for place in order[start : end + 1]:
            ranks[place] = (start + end) / 2
        start = end + 1
    return ranks


def daily(days: Sequence[float], values: Sequence[float]) -> list[tuple[float, float]]:
    """Return the mean of every day."""
    by_day: dict[int, list[float]] = {}
    for day, share in zip(days, values, strict=True):
        by_day.setdefault(int(day), []).append(share)
    return [(float(day), 100 * sum(some) / len(some)) for day, some in by_day.items()]


HEADS = (
    "policy",
    "requests",
    "freshness",
    "weighted by quality",
    "visits that found a change",
    "rank correlation of rates",
)


def row(policy: str, found: Found) -> list[str]:
    """Return what a policy came to."""
    return [
        policy,
        f"{found.requests:,}",
        f"{found.mean_fresh:.1%}",
        f"{found.mean_weighted:.1%}",
        f"{found.changes / (found.requests - found.pages):.0%}",
        f"{found.correlation:.2f}",
    ]


def picture(title: str, values: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """Draw a line for each policy."""
    lines = [Line(policy, points, COLOURS[policy]) for policy, points in values.items()]
    return draw(title, "days (virtual time)", "per cent", lines)


def figure(run: Run) -> Made:
    """Keep the web fresh by every policy."""
    hosts, pages, cycles = (2, 15, 3) if run.is_small else (12, 50, 40)
    ways = [Way(policy, hosts, pages, cycles) for policy in POLICIES]
    measured = run.each(keep_fresh, ways, processes=2)
    found = {way.policy: one for way, one in measured.items()}
    body = [row(*one) for one in found.items()]
    body.append(["best allocation", "", f"{found[POLICIES[0]].possible:.1%}", "", "", ""])
    fresh = {policy: daily(one.days, one.fresh) for policy, one in found.items()}
    weighted = {policy: daily(one.days, one.weighted) for policy, one in found.items()}
    return Made(
        {"freshness": markdown(HEADS, body)},
        {
            "freshness": picture("Copies that are fresh", fresh),
            "freshness-by-quality": picture("Copies that are fresh, by quality", weighted),
        },
    )
