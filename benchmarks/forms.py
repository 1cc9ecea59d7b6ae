"""Measures what trying search forms finds in a deep web, and what it costs, in virtual time.

python -m benchmarks.forms
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

from benchmarks.form_sites import FormSite
from benchmarks.form_webs import TUNED
from benchmarks.unseen_form_webs import UNSEEN

from lycosa.model.job import Job
from lycosa.model.records import MiningRule, Outcome
from lycosa.model.url import url_of
from lycosa.simulation.conditions import Conditions
from lycosa.simulation.kills import KillPlan, no_kills
from lycosa.simulation.simulation import Simulation
from lycosa.storage.archive.archive import ArchiveStore
from lycosa_testweb.web import Truth, Web
from lycosa_testweb.webs.deep import DeepWeb


class HidingWeb(Web, Truth, Protocol):
    """A web with pages that only queries lead to."""

    def seeds(self) -> list[str]:
        """Return the front pages."""

    def hidden_pages(self) -> Iterator[str]:
        """Yield the pages that no link leads to."""


class Figures(NamedTuple):
    """What a crawl came to."""

    hidden: int
    found: int
    """Hidden pages that were kept."""
    requests: int
    """For pages, of all kinds."""
    queries: int
    paid: int
    """Queries that led to new pages."""


def job_for(web: HidingWeb, *, is_on: bool, site_requests: int = 200) -> Job:
    """Return a job that has every host as a seed."""
    return Job.of(
        seeds=web.seeds(),
        politeness={"delay_seconds": 1.0},
        frontier={"partitions": 4},
        log={"snapshot_batches": 20},
        discovery={"mining": "off"},
        forms={"search": is_on, "site_requests": site_requests},
    )


class Stores:
    """Archives of a simulated crawl: each life has one, and leaves it as a kill does."""

    def __init__(self) -> None:
        self._last: ArchiveStore | None = None

    def make(self, folder: Path, worker: int) -> ArchiveStore:
        """Open the archive of the next life."""
        if self._last is not None:
            self._last.abandon()
        self._last = ArchiveStore(folder / "archive", worker)
        return self._last


def crawled(
    web: HidingWeb,
    folder: Path,
    *,
    is_on: bool,
    kills: KillPlan = no_kills,
    site_requests: int = 200,
) -> tuple[Figures, set[str]]:
    """Crawl the web and count; returns also every URL that became known."""
    around = Conditions(make_store=Stores().make)
    job = job_for(web, is_on=is_on, site_requests=site_requests)
    simulation = Simulation(web, job, folder, seed=1, conditions=around)
    result = simulation.run(kills=kills)
    assert (result.reason, result.breaches) == ("exhausted", [])
    hidden = set(web.hidden_pages())
    kept = {
        url_of(state.table.key(page))
        for state in result.states.values()
        for page, outcome in enumerate(state.pages.outcome)
        if outcome == Outcome.KEPT
    }
    requests = sum(state.guesses.asked for state in result.states.values())
    yields = [
        found
        for state in result.states.values()
        for rule, found in state.guesses.by_rule()
        if rule is MiningRule.FORM
    ]
    return (
        Figures(
            len(hidden),
            len(hidden & kept),
            requests,
            sum(one.judged for one in yields),
            sum(one.pages for one in yields),
        ),
        {url_of(key) for state in result.states.values() for key, _ in state.table.walk("")},
    )


def cells_of(name: str, got: Figures) -> str:
    """Return a row of a table, without its first cell."""
    shown = f"{got.found:,} of {got.hidden:,}"
    return f"{name} | {shown} | {got.requests:,} | {got.queries} | {got.paid}"


def show_deep_web() -> None:
    """Print what forms on and off find in the deep web."""
    print("| records | forms | hidden pages found | requests for pages | queries | that paid |")
    print("|---|---|---|---|---|---|")
    for records in (100, 300, 1000):
        for is_on in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                got, _ = crawled(DeepWeb(records), Path(folder), is_on=is_on)
            print(f"| {records:,} | {cells_of('on' if is_on else 'off', got)} |")


def show_sites(sites: Iterable[type[FormSite]]) -> None:
    """Print what is found behind the text forms of some sites."""
    print("\n| web | records found | requests for pages | queries | that paid |")
    print("|---|---|---|---|---|")
    for make in sites:
        with tempfile.TemporaryDirectory() as folder:
            got, _ = crawled(make(), Path(folder), is_on=True)
        print(f"| {cells_of(make.__name__, got)} |")


def main() -> None:
    """Print the tables."""
    show_deep_web()
    for sites in (TUNED, UNSEEN):
        show_sites(sites)


if __name__ == "__main__":
    main()
