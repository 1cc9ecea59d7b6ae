"""Hooks in crawls that are killed: an idle one changes nothing, a failing one costs its pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.features.plugins.hooks import Hooks
from lycosa.features.plugins.pages import SeenPage
from lycosa.features.plugins.plugin import Plugin
from lycosa.model.records import Outcome
from lycosa.model.url import url_of
from lycosa.simulation.conditions import Conditions
from lycosa.simulation.kills import KillRandomly
from lycosa.simulation.simulation import Simulation
from lycosa.storage.archive.journal import Kept
from seeds import few_of, seeds
from small_crawl import check, is_comparable, job_for, small_web

pytestmark = pytest.mark.quick


def look_only(page: SeenPage) -> None:
    assert page.links is not None


def no_opinion(url: str) -> None:
    return None


IDLE = Plugin("idle", on_page=look_only, on_url=no_opinion, columns={"nothing": int})


def contents(kept: list[Kept]) -> dict[str, tuple[bytes, frozenset[tuple[str, int]]]]:
    return {
        record.key: (record.body, frozenset((link.key, int(link.kind)) for link in record.links))
        for record in kept
        if is_comparable(url_of(record.key))
    }


@pytest.mark.parametrize("seed", seeds(1, 2, start=1))
def test_an_idle_plugin_changes_neither_pages_nor_links(seed: int, tmp_path: Path) -> None:
    web = small_web(seed)
    found = []
    for name, hooks in (("without", None), ("with", Hooks([IDLE]))):
        simulation = Simulation(
            web, job_for(web), tmp_path / name, seed=seed, conditions=Conditions(hooks=hooks)
        )
        check(simulation, simulation.run(), seed)
        found.append(contents(simulation.kept()))
    assert found[0] == found[1]


@pytest.mark.parametrize("log", few_of(["sqlite", "memory"], 1))
def test_a_failing_plugin_costs_its_pages_over_all_kills(log: str, tmp_path: Path) -> None:
    def is_disliked(url: str) -> bool:
        return len(url) % 5 == 0

    def dislike(page: SeenPage) -> None:
        if is_disliked(page.url):
            raise ValueError("not this one")

    web = small_web(3)
    hooks = Hooks([Plugin("p", on_page=dislike)])
    simulation = Simulation(
        web, job_for(web), tmp_path, seed=3, log=log, conditions=Conditions(hooks=hooks)
    )
    result = simulation.run(KillRandomly(3, kills=25, probability=0.02))
    assert result.reason == "exhausted"
    assert len(result.kills) > 10
    assert [str(breach) for breach in result.breaches] == []
    kept = simulation.kept_urls()
    assert len(kept) == len(set(kept)) == result.kept_pages
    assert not any(is_disliked(url) for url in kept)
    failed = {
        url_of(state.table.key(page))
        for state in result.states.values()
        for page in range(len(state.table))
        if state.outcome_of(page) is Outcome.HOOK_FAILED
    }
    assert failed
    assert all(is_disliked(url) for url in failed)
