"""Connections to a host are wanted as long as it has anything to fetch, and no longer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lycosa.model.job import Job
from lycosa.simulation.conditions import Conditions
from lycosa.simulation.referee_rules import referee_rules
from lycosa.simulation.simulation import Simulation
from lycosa_testweb.carrier import InProcessCarrier
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.webs.graph import GraphWeb

pytestmark = pytest.mark.quick

PAGES = 12
PAUSE = 10.0
FEW, MANY = "http://www.few.test", "http://www.many.test"
NEVER_SEEN = "http://www.never.test"


def test_a_host_is_wanted_until_its_last_page_is_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edges = {f"{FEW}/": [], f"{MANY}/": [f"{MANY}/{page}" for page in range(1, PAGES)]}
    job = Job.of(
        seeds=list(edges),
        politeness={"delay_seconds": PAUSE},
        robots={"sitemaps": False},
        discovery={"mining": "off"},
    )
    web = GraphWeb(edges)
    referee = Referee(referee_rules(job), web, keep_history=True)
    looks: list[tuple[int, dict[str, bool]]] = []

    def let_go(
        self: InProcessCarrier, is_wanted: Callable[[str], bool], idle_seconds: float
    ) -> None:
        wanted = {site: is_wanted(site) for site in (FEW, MANY, NEVER_SEEN)}
        looks.append((len(referee.history), wanted))

    monkeypatch.setattr(InProcessCarrier, "let_go", let_go)
    conditions = Conditions(referee=referee)
    result = Simulation(web, job, tmp_path, seed=1, conditions=conditions).run()
    assert (result.reason, result.kept_pages) == ("exhausted", PAGES + 1)
    last_of = {
        site: max(n for n, entry in enumerate(referee.history, 1) if entry.host in site)
        for site in (FEW, MANY)
    }
    # A host is busy until its last answer is durable: long before the other is asked twice more.
    for site, last in last_of.items():
        assert all(wanted[site] for asked, wanted in looks if asked < last), site
        assert not any(wanted[site] for asked, wanted in looks if asked > last + 2), site
    assert not any(wanted[NEVER_SEEN] for _, wanted in looks)
    assert any(wanted == {FEW: False, MANY: True, NEVER_SEEN: False} for _, wanted in looks)
