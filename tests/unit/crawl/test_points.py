"""Features act at the points that they define, in their order, and only if the job has them."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from lycosa.crawl.links.router import Router
from lycosa.crawl.points import Feature, Points, Spine
from lycosa.features.of_job import features_of
from lycosa.frontier.readiness.agenda import Agenda
from lycosa.model.job import Job
from lycosa.storage.archive.journal import Journal
from unit.crawl.drawn_web import DrawnWeb, ports_of


class Listens(Feature):
    def __init__(self, heard: list[str], name: str) -> None:
        self._heard, self._name = heard, name

    def lost(self, partition: int) -> None:
        self._heard.append(f"{self._name} {partition}")


class Reads(Feature):
    def read(self, answered: object) -> None:
        """Read a page in the spine's place."""


def test_features_act_in_their_order_and_others_are_not_asked() -> None:
    heard: list[str] = []
    points = Points([Listens(heard, "first"), Reads(), Listens(heard, "second")])
    for lost in points.lost:
        lost(7)
    assert heard == ["first 7", "second 7"]
    assert len(points.read) == 1
    assert not (points.learned or points.judged or points.busy)


def test_two_owners_of_one_point_are_refused() -> None:
    with pytest.raises(ValueError, match=r"Reads and Reads both act at the point `read`"):
        Points([Reads(), Reads()])


def points_of(**settings: Any) -> Points:
    job = Job.of(seeds=["http://a.test/"], **settings)
    with TemporaryDirectory() as folder:
        ports = ports_of(DrawnWeb({}), job, Journal(Path(folder)))
        spine = Spine(ports, {}, Router(ports), Agenda(), print, print, print)
        return Points(features_of(spine))


def test_a_job_without_traps_and_mining_asks_nobody_for_permission() -> None:
    everything = points_of()
    assert len(everything.permitted) == len(everything.busy) == 1
    little = points_of(traps={"budget": 0, "mirrors": "follow"}, discovery={"mining": "off"})
    assert not (little.permitted or little.busy or little.begun or little.settled)
    assert len(little.guess_taken) == 1  # where sitemaps usually are
