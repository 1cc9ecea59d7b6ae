"""Pages that ask to be visited later are; none is visited sooner than the job says."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from lycosa.model.job import Job
from lycosa.model.records import Purpose, Request
from lycosa.simulation.conditions import Conditions
from lycosa.simulation.kills import KillRandomly, no_kills
from lycosa.simulation.simulation import Simulation
from lycosa_testweb.web import HTML, Reply
from lycosa_testweb.webs.graph import GraphWeb

pytestmark = pytest.mark.quick

HOME, LATER, SOONER = (f"http://www.a.test/{name}" for name in ("", "later", "sooner"))
DAY = 86_400.0
KILLED = 600.0
"""What was asked for just before a kill may be asked for once more soon after it."""
WISHES = {LATER: "3 days", SOONER: "1 hour"}


class Wishing(GraphWeb):
    def __init__(self) -> None:
        super().__init__({HOME: [LATER, SOONER]})
        self.asked: dict[str, list[float]] = {}

    def answer(self, request: Request, moment: float) -> Reply:
        if request.purpose is not Purpose.PAGE or request.url not in (HOME, *WISHES):
            return Reply(404)
        self.asked.setdefault(request.url, []).append(moment)
        wish = WISHES.get(request.url, "")
        head = f'<meta name="revisit-after" content="{wish}">' if wish else ""
        links = "".join(f"<a href={url}>on</a>" for url in WISHES)
        headers = (*HTML, ("ETag", '"1"'))
        if request.validators is not None and request.validators.etag:
            return Reply(304, headers)
        return Reply(200, headers, f"<html>{head}<p>Page {request.url}{links}".encode())


@pytest.mark.parametrize("kills", [no_kills, KillRandomly(2, 4, 0.05)])
@pytest.mark.parametrize(
    "revisit",
    [
        {"seconds": DAY},
        {"policy": "uniform", "continuous": True, "cycle_seconds": DAY, "cycle_urls": 100},
    ],
)
def test_a_wish_only_puts_a_visit_off(
    tmp_path: Path, revisit: dict[str, object], kills: object
) -> None:
    from benchmarks.forms import Stores

    web = Wishing()
    job = Job.of(
        seeds=[HOME],
        politeness={"delay_seconds": 2.0},
        frontier={"partitions": 2},
        discovery={"mining": "off"},
        robots={"sitemaps": False},
        revisit=revisit,
    )
    around = Conditions(make_store=Stores().make)
    simulation = Simulation(web, job, tmp_path, seed=1, conditions=around)
    simulation.run(kills, virtual_seconds=12 * DAY)  # type: ignore[arg-type]
    gaps = {
        url: [after - before for before, after in pairwise(asked) if after - before > KILLED]
        for url, asked in web.asked.items()
    }
    assert min(gaps[LATER]) >= 3 * DAY
    assert 2 <= len(gaps[LATER]) <= 4
    assert min(*gaps[HOME], *gaps[SOONER]) >= 0.9 * DAY
    assert len(gaps[SOONER]) >= 10
