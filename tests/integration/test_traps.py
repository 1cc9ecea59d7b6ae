"""Places without an end cost what their budget says, and nothing honest is lost over them.

The endless web has a calendar, a maze of paths, sessions, rooms that are all alike, and error pages
that lead to more; beside them honest pages, two kinds of which look like traps. Depth is not
limited: it is the defence alone that ends the crawl of a trap.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from benchmarks.traps import Spent, WatchedWeb, crawl

from lycosa.crawl.links.known_copies import KNOWN_COPY
from lycosa.features.novelty.traps import OFTEN
from lycosa.model.records import TRAPS, Outcome
from lycosa.model.url import key_of
from lycosa.simulation.kills import KillRandomly
from lycosa.simulation.simulation import Result
from lycosa_testweb.parts import take_apart
from seeds import few_of, seeds, soak

pytestmark = pytest.mark.quick

PAGES = 60

HOST, FOLDER, SHAPE = 150, 50, 20
OF_SESSIONS = 8
"""What a shop of four pages may cost whose links carry sessions."""
MOST = {
    "www.s1.test": SHAPE + 2,
    "www.s2.test": FOLDER + 60,
    "www.s3.test": SHAPE + 10,
    "www.s4.test": FOLDER + OFTEN + 2,
    "www.s5.test": HOST + OFTEN + 60,
}
"""What a trap may cost by the budgets, and what was new in it: months none, mazes their levels."""

REASONS = set(TRAPS.values()) - {"trap: counter", "trap: session"}
"""There is no counter in the endless web (see `test_finite_or_endless.py`), and links with another
session lead to the pages that are kept."""


def check(found: Spent, result: Result) -> None:
    assert result.reason == "exhausted"
    assert result.breaches == []
    assert found.found == found.honest, "an honest page was lost"
    assert set(found.by_host) == set(MOST)


def test_a_trap_costs_its_budget_and_no_honest_page_is_lost(tmp_path: Path) -> None:
    found, _, result = crawl(1, PAGES, tmp_path, defended=True)
    check(found, result)
    for host, asked in found.by_host.items():
        assert asked <= MOST[host], host
    # 5 traps of 20 to 200 requests beside some 1,100 honest pages, and soft 404s of one probe.
    assert found.share < 0.4
    assert set(found.refusals) >= REASONS
    assert KNOWN_COPY in found.refusals
    assert found.by_host["www.s3.test"] <= OF_SESSIONS


def test_sessions_cost_their_budget_where_copies_are_not_recognised(tmp_path: Path) -> None:
    found, _, result = crawl(1, PAGES, tmp_path, defended=True, traps={"known_copies": False})
    check(found, result)
    assert "trap: session" in found.refusals
    assert OF_SESSIONS < found.by_host["www.s3.test"] <= MOST["www.s3.test"]


@soak
def test_without_the_defence_traps_take_nearly_everything(tmp_path: Path) -> None:
    found, _, result = crawl(1, PAGES, tmp_path, defended=False)
    assert result.breaches == []
    assert found.share > 0.75
    assert not set(found.refusals) & set(TRAPS.values())


@pytest.mark.parametrize("seed", seeds(1, 2, start=2))
def test_kills_change_neither_the_pages_nor_what_traps_cost(seed: int, tmp_path: Path) -> None:
    plan = KillRandomly(seed, kills=12, probability=0.003)
    found, simulation, result = crawl(seed, PAGES, tmp_path, defended=True, kills=plan)
    assert len(result.kills) == 12
    check(found, result)
    for host, asked in found.by_host.items():
        # What is asked twice because of a kill, and what counts as new once more after it.
        assert asked <= MOST[host] + 12 * 20, host
    whole, _, _ = crawl(seed, PAGES, tmp_path / "whole", defended=True)
    assert whole.found == found.found
    kept = Counter(simulation.kept_urls())
    assert max(kept.values()) == 1


def test_several_workers_put_aside_the_same_traps(tmp_path: Path) -> None:
    found, _, result = crawl(4, PAGES, tmp_path, defended=True, workers=3)
    check(found, result)
    assert set(found.refusals) >= REASONS
    for host, asked in found.by_host.items():
        assert asked <= MOST[host], host


def test_honest_hosts_that_look_like_traps_are_left_alone(tmp_path: Path) -> None:
    _, _, result = crawl(5, PAGES, tmp_path, defended=True)
    honest = {f"test.s{number}.www" for number in (0, 6, 7, 8)}
    seen = set()
    for state in result.states.values():
        for host, name in enumerate(state.host_names):
            if name in honest:
                seen.add(name)
                assert not state.traps.holds(host), name
                assert not state.hosts.closed[host]
    assert seen == honest


def test_what_was_put_aside_stands_in_the_log(tmp_path: Path) -> None:
    _, simulation, result = crawl(6, PAGES, tmp_path, defended=True)
    web = simulation.web
    assert isinstance(web, WatchedWeb)
    asked = set(web.asked)
    for state in result.states.values():
        for page in range(len(state.table)):
            outcome = state.outcome_of(page)
            if outcome in TRAPS:
                assert state.place_of(page) is None
    outcomes = sum((state.outcomes for state in result.states.values()), Counter[int]())
    assert sum(outcomes[trap] for trap in TRAPS) > 100
    assert outcomes[Outcome.TRAP_CALENDAR] >= 2
    assert all(take_apart(url).host in MOST for url in asked if web.is_trap(url))


# -- mirrors ----------------------------------------------------------------------------------


TWINS = {"test.s0.www", "test.s8.www"}


def asked_of_twins(web: WatchedWeb) -> list[str]:
    return [url for url in web.asked if key_of(url).partition(":")[0] in TWINS]


@pytest.mark.parametrize("kills", few_of([8, 0], 1))
def test_the_links_of_a_mirror_are_not_followed_if_the_job_says_so(
    kills: int, tmp_path: Path
) -> None:
    asked = {}
    for mirrors in ("follow", "skip"):
        plan = KillRandomly(1, kills=kills, probability=0.003)
        found, simulation, result = crawl(
            7,
            PAGES,
            tmp_path / mirrors,
            defended=True,
            kills=plan,
            traps={"mirrors": mirrors, "mirror_pages": 5},
        )
        assert result.breaches == []
        web = simulation.web
        assert isinstance(web, WatchedWeb)
        asked[mirrors] = len(asked_of_twins(web))
        lost = web.honest() - set(simulation.kept_urls())
        assert len({take_apart(url).host for url in lost}) == (mirrors == "skip")
        mirrors_found = {
            state.host_names[host]: original
            for state in result.states.values()
            for host, original in state.traps.mirrors.items()
        }
        if mirrors == "skip":
            (pair,) = mirrors_found.items()
            assert set(pair) == TWINS
            assert {key_of(url).partition(":")[0] for url in lost} == {pair[0]}
            assert found.refusals["mirror"] > 0
        else:
            assert mirrors_found == {} and "mirror" not in found.refusals
    # One of the two is crawled as before, the other up to what the first pages led to.
    assert asked["skip"] < 0.75 * asked["follow"]
