"""Tarantula's figures 7, 8 and 9 in our terms: pages, discovered URLs and bandwidth over time.

The same generated web is crawled in virtual time by `breadth-first` and by both windows, with
mining (`full`) and without. It has hidden pages, slow hosts and fast ones, and answers that take
as long as real ones; ten requests are in flight at the most, as in the paper. The curves are read
off the logs of the crawls.

    python -m benchmarks.figures windows
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from benchmarks.charts import Line, draw
from benchmarks.figures.run import Made, Run
from benchmarks.race.table import markdown

from lycosa.model.job import SCHEDULERS, Job
from lycosa.model.records import Admitted, Fetched, Mined, Outcome
from lycosa.simulation.simulation import Simulation
from lycosa.storage.log.format import decode_events
from lycosa_testweb.generated.plan import Mixture
from lycosa_testweb.generated.robots_kinds import ROBOTS_KINDS
from lycosa_testweb.generated.weather import Pace
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.sections import Cellar, Kind, Series, Thicket

ORDERS = [name for name in ("breadth-first", "top-window", "leaf-window") if name in SCHEDULERS]
COLOURS: dict[str, str] = dict(zip(ORDERS, ("#1f77b4", "#d95f02", "#7b3294"), strict=False))
SEED = 11
SLICE_SECONDS = 60.0
LINE_BYTES_PER_SECOND = 2_000_000 / 8
"""The line of the paper: 2 Mbit/s."""


class Way(NamedTuple):
    """How a web is crawled."""

    scheduler: str
    mining: str
    hosts: int


class Curves(NamedTuple):
    """What a crawl came to, minute by minute."""

    minutes: list[float]
    pages: list[int]
    urls: list[int]
    size_bytes: list[int]
    requests: int
    seconds: float
    vain: int
    hidden: int
    found: int


def web_of(hosts: int) -> GeneratedWeb:
    """Return hosts with a thicket of linked pages each, and most of them with something hidden."""

    def around(*kinds: Kind) -> tuple[Thicket | Series | Cellar, ...]:
        return (Thicket(90), Cellar(width=2), *(Series(kind) for kind in kinds))

    return GeneratedWeb(
        SEED,
        Mixture(
            hosts,
            max(1, hosts * 2 // 3),
            sections=(
                (around(Kind.NUMBER), 3.0),
                (around(Kind.DAY, Kind.PADDED), 2.0),
                (around(Kind.FOLDER), 1.0),
                ((Thicket(150),), 4.0),
            ),
            robots=((ROBOTS_KINDS["none"], 6.0), (ROBOTS_KINDS["some"], 4.0)),
            paces=((Pace(0.12, 0.7), 80.0), (Pace(0.9, 0.8), 20.0)),
            words=400,
        ),
    )


def crawl(way: Way) -> Curves:
    """Crawl to the end and read the curves off the log."""
    web = web_of(way.hosts)
    job = Job.of(
        seeds=[web.home(0)],
        politeness={"delay_seconds": 4.0, "large_site_delay_seconds": 2.0},
        fetch={"connections": 10},
        frontier={"partitions": 16, "scheduler": way.scheduler},
        discovery={"mining": way.mining},
    )
    with tempfile.TemporaryDirectory() as folder:
        simulation = Simulation(web, job, Path(folder), seed=SEED)
        result = simulation.run()
        if result.reason != "exhausted" or result.breaches:
            raise AssertionError(f"{way}: {result.reason}, {result.breaches[:3]}")
        kept = set(simulation.kept_urls())
        pages, urls, size = counted(simulation)
    hidden = [url for url, _ in web.hidden_pages()]
    slices = int(result.virtual_seconds / SLICE_SECONDS) + 1
    return Curves(
        [(n + 1) * SLICE_SECONDS / 60 for n in range(slices)],
        [pages[n] for n in range(slices)],
        [urls[n] for n in range(slices)],
        [size[n] for n in range(slices)],
        result.requests,
        result.virtual_seconds,
        sum(state.guesses.vain for state in result.states.values()),
        len(hidden),
        sum(url in kept for url in hidden),
    )


def counted(simulation: Simulation) -> tuple[Counter[int], Counter[int], Counter[int]]:
    """Return pages, URLs and bytes by slices of time."""
    pages, urls, size = Counter[int](), Counter[int](), Counter[int]()
    log, _ = simulation.open_log()
    for number in range(simulation.job.frontier.partitions):
        for _, batch in log.read(number, 0):
            for event in decode_events(batch):
                if isinstance(event, Fetched):
                    at = _slice(event.moment)
                    pages[at] += event.outcome is Outcome.KEPT
                    size[at] += event.size_bytes
                elif isinstance(event, Admitted | Mined):
                    urls[_slice(event.moment)] += len(event.keys)
    return pages, urls, size


def _slice(moment: float) -> int:
    return int((moment - 1_700_000_000.0) / SLICE_SECONDS)


def running(values: list[int]) -> Iterator[int]:
    """Yield the sums so far."""
    total = 0
    for value in values:
        total += value
        yield total


def lines(curves: Mapping[Way, Curves], values: Callable[[Curves], list[float]]) -> list[Line]:
    """Return one line for each crawl, dashed without mining."""
    return [
        Line(
            f"{way.scheduler}{', mining' if way.mining != 'off' else ''}",
            list(zip(found.minutes, values(found), strict=True)),
            COLOURS[way.scheduler],
            way.mining == "off",
        )
        for way, found in curves.items()
    ]


def download_rate(found: Curves) -> list[float]:
    """Return pages a second on the average since the beginning, as the paper has it."""
    sums = running(found.pages)
    return [count / (minute * 60) for count, minute in zip(sums, found.minutes, strict=True)]


def urls_known(found: Curves) -> list[float]:
    """Return how many URLs were known at the end of each minute."""
    return [float(count) for count in running(found.urls)]


def bandwidth(found: Curves) -> list[float]:
    """Return how much of the line was used in each minute, in per cent."""
    return [100 * size / SLICE_SECONDS / LINE_BYTES_PER_SECOND for size in found.size_bytes]


CHARTS: dict[str, tuple[str, str, Callable[[Curves], list[float]]]] = {
    "figure-7-pages": (
        "Average download rate",
        "pages a second since the beginning",
        download_rate,
    ),
    "figure-8-urls": ("URLs discovered", "URLs known", urls_known),
    "figure-9-bandwidth": ("Bandwidth", "per cent of 2 Mbit/s", bandwidth),
}
HEADS = (
    "scheduler",
    "mining",
    "pages",
    "URLs",
    "requests",
    "in vain",
    "hidden pages found",
    "minutes",
)


def row(way: Way, found: Curves) -> list[str]:
    """Return what a crawl came to in the end."""
    return [
        way.scheduler,
        way.mining,
        f"{sum(found.pages):,}",
        f"{sum(found.urls):,}",
        f"{found.requests:,}",
        f"{found.vain / found.requests:.1%}",
        f"{found.found:,} of {found.hidden:,}",
        f"{found.seconds / 60:.0f}",
    ]


def figure(run: Run) -> Made:
    """Crawl in every way."""
    hosts = 1 if run.is_small else 45
    ways = [Way(name, mining, hosts) for name in ORDERS for mining in ("full", "off")]
    curves = run.each(crawl, ways, processes=2)
    pictures = {
        name: draw(title, "minutes (virtual time)", up, lines(curves, values))
        for name, (title, up, values) in CHARTS.items()
    }
    return Made({"windows": markdown(HEADS, [row(*one) for one in curves.items()])}, pictures)
