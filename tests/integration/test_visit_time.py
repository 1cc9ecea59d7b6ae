"""Sites that say when and how often they may be asked: `Visit-time` and `Request-rate`."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from lycosa.model.job import Job
from lycosa.model.records import Purpose, Request
from lycosa.simulation.kills import KillRandomly, no_kills
from lycosa.simulation.simulation import Simulation
from lycosa_testweb.web import PLAIN, Reply
from lycosa_testweb.webs.graph import GraphWeb

pytestmark = pytest.mark.quick

HOME = "http://www.a.test/"
PAGES = [f"{HOME}{n}" for n in range(30)]


class Hours(GraphWeb):
    """A site whose robots file has one more line."""

    def __init__(self, line: str) -> None:
        super().__init__({HOME: PAGES})
        self._file = f"User-agent: *\n{line}\n".encode()
        self.asked: list[float] = []

    def answer(self, request: Request, moment: float) -> Reply:
        if request.purpose is Purpose.ROBOTS:
            return Reply(200, PLAIN, self._file)
        self.asked.append(moment)
        return super().answer(request, moment)


def crawl(web: Hours, folder: Path, kills: int = 0, **politeness: object) -> tuple[list[str], str]:
    job = Job.of(
        seeds=[HOME],
        politeness={"delay_seconds": 60.0, "ip_delay_seconds": 0.0, **politeness},
        frontier={"partitions": 2},
        discovery={"mining": "off"},
    )
    simulation = Simulation(web, job, folder, seed=1)
    result = simulation.run(KillRandomly(1, kills, 0.05) if kills else no_kills)
    assert result.breaches == []
    return sorted(simulation.kept_urls()), result.reason


def window(moment: float, minutes: int) -> str:
    """Return a Visit-time of so many minutes that begins an hour after a moment."""
    first = int(moment // 60 + 60) % 1440
    last = (first + minutes) % 1440
    return f"{first // 60:02d}{first % 60:02d}-{last // 60:02d}{last % 60:02d}"


def first_moment(folder: Path) -> float:
    web = Hours("")
    crawl(web, folder)
    return min(web.asked)


def test_a_site_is_asked_in_its_visit_time_alone(tmp_path: Path) -> None:
    begin = first_moment(tmp_path / "before")
    for kills in (0, 6):
        web = Hours(f"Visit-time: {window(begin, 10)}")
        kept, reason = crawl(web, tmp_path / f"crawl{kills}", kills)
        assert (kept, reason) == (sorted([HOME, *PAGES]), "exhausted")
        minutes = {int((moment - begin // 60 * 60) // 60) % 1440 for moment in web.asked}
        assert minutes <= set(range(60, 71)), sorted(minutes)
        assert max(web.asked) - min(web.asked) > 86_400, "ten minutes a day are not enough"


def test_a_site_whose_visit_time_is_too_far_is_put_off(tmp_path: Path) -> None:
    begin = first_moment(tmp_path / "before")
    web = Hours(f"Visit-time: {window(begin, 10)}")
    kept, _ = crawl(web, tmp_path / "crawl", longest_pause_seconds=1800.0)
    assert (kept, web.asked) == ([], [])


def test_a_request_rate_only_lengthens_pauses(tmp_path: Path) -> None:
    for line, least in (("Request-rate: 1/5m", 300), ("Request-rate: 10/1s", 60)):
        web = Hours(line)
        kept, _ = crawl(web, tmp_path / line[-4:-1].replace("/", "-"))
        assert len(kept) == 31
        assert min(after - before for before, after in pairwise(web.asked)) >= least
