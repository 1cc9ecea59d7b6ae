"""Measures the share of unlinked pages that mining finds, and its requests in vain.

Hidden pages of secretive webs, crawled in virtual time with `mining = "full"`. Seeds 1 to 9 and
the knobs of `DEVELOPED` were looked at while the rules were written; those of `EVALUATED` were
not: they were drawn beforehand and run when everything was done.

    python -m benchmarks.mining                   by kind of page and by rule
    python -m benchmarks.figures single-example   siblings from a single example, on and off
"""

from __future__ import annotations

import dataclasses
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from benchmarks.figures.run import Made, Run
from benchmarks.race.table import markdown

from lycosa.crawl.status.figures import mined_of
from lycosa.model.job import Job
from lycosa.simulation.simulation import Result, Simulation
from lycosa_testweb.generated.plans import Secrets, secretive
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.webs.graph import GraphWeb


class Case(NamedTuple):
    """A web: its seed and its knobs."""

    seed: int
    secrets: Secrets

    def web(self) -> GeneratedWeb:
        """Return the web."""
        return GeneratedWeb(self.seed, secretive(self.secrets, copies=1))


DEVELOPED = [
    Case(1, Secrets()),
    Case(3, Secrets(60, 0.15, 0.1, 0.7, pages_per_host=80)),
]
EVALUATED = [
    Case(7301, Secrets(44, 0.3, 0.08, 0.8, first=3, pages_per_host=160)),
    Case(7302, Secrets(18, 0.55, 0.0, 1.0, first=12, pages_per_host=110)),
]


def job_for(web: GeneratedWeb, mining: str = "full", budget: float = 0.1) -> Job:
    """Return a job that has every host as a seed."""
    return Job.of(
        seeds=[web.home(number) for number in range(web.plan.hosts)],
        politeness={"delay_seconds": 1.0},
        frontier={"partitions": 8},
        log={"snapshot_batches": 20},
        discovery={"mining": mining, "budget": budget},
        traps={"budget": 0},  # the yardstick is every linked page, also of the calendar
    )


class Found(NamedTuple):
    """What a crawl made of the hidden pages of its web, by the folders they are in."""

    hidden: Counter[str]
    found: Counter[str]
    asked: int
    vain: int

    def share(self, *kinds: str) -> float:
        """Return the share that was found, over some kinds together."""
        return sum(self.found[kind] for kind in kinds) / sum(self.hidden[kind] for kind in kinds)


def found_in(simulation: Simulation, web: GeneratedWeb, result: Result) -> Found:
    """Compare what was kept with what the web knows of itself."""
    kept, hidden, found = set(simulation.kept_urls()), Counter[str](), Counter[str]()
    for url, kind in web.hidden_pages():
        hidden[kind] += 1
        found[kind] += url in kept
    asked = sum(state.guesses.asked for state in result.states.values())
    vain = sum(state.guesses.vain for state in result.states.values())
    return Found(hidden, found, asked, vain)


def report(case: Case) -> None:
    """Crawl one web and print what was found, and by which rule."""
    web = case.web()
    with tempfile.TemporaryDirectory() as folder:
        simulation = Simulation(web, job_for(web), Path(folder), seed=case.seed)
        result = simulation.run()
        found = found_in(simulation, web, result)
    print(f"\nseed {case.seed}, {case.secrets}")
    print(f"{found.asked:,} requests for pages, {found.vain / found.asked:.1%} of them in vain\n")
    print("| hidden | pages | found |\n|---|---|---|")
    for kind, pages in sorted(found.hidden.items()):
        print(f"| {kind} | {pages} | {found.share(kind):.0%} |")
    print("\n| rule | guesses | pages | in vain, of all requests |\n|---|---|---|---|")
    for rule, (guessed, pages) in mined_of(result.states.values()).items():
        print(f"| {rule} | {guessed} | {pages} | {(guessed - pages) / found.asked:.2%} |")
    by_host = [
        state.guesses.of_host(n)
        for state in result.states.values()
        for n in range(len(state.host_names))
    ]
    never = [earned.guessed for earned in by_host if earned.guessed and not earned.pages]
    print(f"\nhosts that never paid: {len(never)}, guesses there: {sorted(never)}")


def lone_web(hosts: int) -> tuple[GraphWeb, list[str], set[str]]:
    """Return a web of which one URL of a kind is linked, its home pages and its hidden pages.

    Every other host has four sets of five pictures, of which the first of the first is linked
    (Tarantula, 5.1), and a manual of which chapter 3 is. The rest has numbers that are names.
    """
    links: dict[str, list[str]] = {}
    hidden: set[str] = set()
    homes = [f"http://www.h{number}.test/" for number in range(hosts)]
    for number, home in enumerate(homes):
        plain = [f"{home}articles/{word}.html" for word in ("oak", "elm", "ash", "fir")]
        if number % 2:
            named = [f"{home}{name}" for name in ("top10.html", "v2/notes.html", "sha1.html")]
            links |= {page: [home] for page in named}
            links[home] = plain + named
        else:
            pictures = [f"{home}pics{n}/Page{m}.html" for n in range(1, 5) for m in range(1, 6)]
            chapters = [f"{home}manual/chapter{n}.html" for n in range(1, 9)]
            linked = [pictures[0], chapters[2]]
            links |= {page: [home] for page in pictures + chapters}
            links[home] = plain + linked
            hidden.update({*pictures, *chapters}.difference(linked))
        links |= {page: [home] for page in plain}
    return GraphWeb(links), homes, hidden


class Single(NamedTuple):
    """A crawl with or without guesses from a single example."""

    case: Case | None
    """None stands for `lone_web`, of this many hosts."""
    is_on: bool
    hosts: int = 20

    def __str__(self) -> str:
        web = f"seed {self.case.seed}" if self.case else "one of a kind"
        return f"{web}, {'on' if self.is_on else 'off'}"


def single_row(single: Single) -> list[str]:
    """Crawl a web and return its row."""
    if single.case is None:
        web, homes, hidden = lone_web(single.hosts)
        job = Job.of(
            seeds=homes,
            politeness={"delay_seconds": 1.0},
            frontier={"partitions": 8},
            discovery={"mining": "full", "single_example": single.is_on, "budget": 1.0},
        )
        with tempfile.TemporaryDirectory() as folder:
            simulation = Simulation(web, job, Path(folder), seed=1)
            result = simulation.run()
            found = len(hidden.intersection(simulation.kept_urls()))
        return _row_of(single, result, (found, len(hidden)))
    made = single.case.web()
    job = job_for(made, budget=0.2)
    discovery = dataclasses.replace(job.discovery, single_example=single.is_on)
    job = dataclasses.replace(job, discovery=discovery)
    with tempfile.TemporaryDirectory() as folder:
        simulation = Simulation(made, job, Path(folder), seed=single.case.seed)
        result = simulation.run()
        told = found_in(simulation, made, result)
    return _row_of(single, result, (sum(told.found.values()), sum(told.hidden.values())))


def _row_of(single: Single, result: Result, found: tuple[int, int]) -> list[str]:
    asked = sum(state.guesses.asked for state in result.states.values())
    vain = sum(state.guesses.vain for state in result.states.values())
    guessed, pages = mined_of(result.states.values()).get("single", [0, 0])
    return [
        *str(single).split(", "),
        f"{asked:,}",
        f"{vain / asked:.1%}",
        f"{found[0]} of {found[1]}",
        f"{guessed}, {pages}" if single.is_on else "",
    ]


SINGLE_HEADS = (
    "web",
    "`single_example`",
    "requests",
    "in vain",
    "hidden pages found",
    "guesses by it, pages",
)


def figure(run: Run) -> Made:
    """Crawl every web with and without guesses from a single example."""
    cases = (None,) if run.is_small else (None, *DEVELOPED, *EVALUATED)
    hosts = 4 if run.is_small else 20
    ways = [Single(case, is_on, hosts) for case in cases for is_on in (False, True)]
    rows = run.each(single_row, ways, processes=2)
    return Made({"single-example": markdown(SINGLE_HEADS, list(rows.values()))})


if __name__ == "__main__":
    for each in (*DEVELOPED, *EVALUATED):
        report(each)
