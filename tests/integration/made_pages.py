"""A site whose pages are made by a function, and crawls of it."""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

from lycosa.crawl.status.figures import refusals_of
from lycosa.model.job import Job
from lycosa.model.records import TRAPS, Purpose, Request
from lycosa.simulation.kills import KillPlan, no_kills
from lycosa.simulation.simulation import Result, Simulation
from lycosa_testweb.web import HTML, Reply
from lycosa_testweb.webs.graph import GraphWeb

SITE = "http://www.a.test"


HOME = f"{SITE}/"


WORDS = [a + b for a in ("ka", "lo", "mi", "tu", "se", "ra") for b in ("ben", "dor", "fil", "gan")]


Page = tuple[str, list[str]]
"""A text, and the paths to which it links."""


@cache
def prose(key: str, words: int = 30) -> str:
    return " ".join(random.Random(key).choices(WORDS, k=words))


class MadeWeb(GraphWeb):
    """One site, whose pages a function makes."""

    def __init__(self, made: Callable[[str, float], Page | None]) -> None:
        super().__init__({HOME: []})
        self._made = made
        self.asked: list[str] = []

    def answer(self, request: Request, moment: float) -> Reply:
        if request.purpose is Purpose.ROBOTS:
            return Reply(404)
        path = request.url.removeprefix(SITE)
        self.asked.append(path)
        page = self._made(path, moment)
        if page is None:
            return Reply(404, HTML, b"<title>no</title>")
        text, links = page
        anchors = "".join(f'<a href="{link.replace("&", "&amp;")}">on</a>' for link in links)
        return Reply(200, HTML, f"<!doctype html><p>{text}</p>{anchors}".encode())


def crawl(
    web: MadeWeb, *, kills: KillPlan = no_kills, workers: int = 1, mining: str = "folders"
) -> tuple[set[str], Counter[str], Result]:
    """Crawl from the home page; returns what was kept, and what was put aside by reason."""
    job = Job.of(
        [HOME],
        limits={"depth_static": 3000, "depth_dynamic": 3000, "pages": 5_000},
        politeness={"delay_seconds": 0.1, "ip_delay_seconds": 0.0},
        frontier={"partitions": 4},
        discovery={"mining": mining},
    )
    with tempfile.TemporaryDirectory() as folder:
        simulation = Simulation(web, job, Path(folder), seed=1, workers=workers)
        result = simulation.run(kills)
        kept = {url.removeprefix(SITE) for url in simulation.kept_urls()}
    assert result.breaches == []
    refusals = refusals_of(result.states.values())
    traps = set(TRAPS.values())
    return kept, Counter({why: n for why, n in refusals.items() if why in traps}), result
