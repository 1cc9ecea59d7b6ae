"""A crawl of the small test web, and everything that must be true of its result."""

from __future__ import annotations

from collections import Counter
from functools import cache

from lycosa.model.job import Job
from lycosa.model.records import Outcome
from lycosa.model.url import url_of
from lycosa.simulation.simulation import Result, Simulation
from lycosa_testweb.generated.web import GeneratedWeb

DEPTH = 3
PARTITIONS = 8
POLL_SECONDS = 5.0
"""Of several workers: in this crawl they wait nearly twenty virtual hours, mostly for nothing."""


@cache
def small_web(seed: int) -> GeneratedWeb:
    return GeneratedWeb.small(seed)


def job_for(web: GeneratedWeb, **limits: object) -> Job:
    return Job.of(
        seeds=[web.home(number) for number in range(13)],
        limits={"depth_static": DEPTH, "depth_dynamic": DEPTH, **limits},
        politeness={"delay_seconds": 2.0, "large_site_delay_seconds": 1.0},
        fetch={"retries": 8},
        frontier={"partitions": PARTITIONS},
        robots={"sitemaps": False},
        log={"snapshot_batches": 6},
    )


@cache
def expected_pages(seed: int, mined: frozenset[str] = frozenset()) -> frozenset[str]:
    """Return what a crawl holds, at the most if it found `mined` by itself."""
    web = small_web(seed)
    begins = [*(web.home(number) for number in range(13)), *sorted(mined)]
    return frozenset(url for url in web.pages_within(begins, DEPTH) if is_comparable(url))


def is_comparable(url: str) -> bool:
    """The shop writes another session into its links at every visit."""
    return "/shop/" not in url


def mined_pages(result: Result) -> frozenset[str]:
    """Return the pages that were kept although nobody links to them."""
    return frozenset(
        url_of(state.table.key(page))
        for state in result.states.values()
        for page, guess in enumerate(state.pages.guess)
        if guess and state.outcome_of(page) is Outcome.KEPT
    )


def check(simulation: Simulation, result: Result, seed: int) -> None:
    assert result.reason == "exhausted"
    assert result.ends == 1
    assert [str(breach) for breach in result.breaches] == []
    records = simulation.kept()
    kept = Counter(url_of(record.key) for record in records)
    assert [url for url, times in kept.items() if times > 1] == []
    found = {url for url in kept if is_comparable(url)}
    assert expected_pages(seed) <= found <= expected_pages(seed, mined_pages(result))
    assert sum(kept.values()) == result.kept_pages
    assert sum(len(record.body) for record in records) == result.kept_bytes
    for state in result.states.values():
        assert state.pending == 0
        for page in range(len(state.table)):
            assert state.outcome_of(page) is not None, state.table.key(page)
