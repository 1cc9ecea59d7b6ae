"""What a visit shows: by digest, by fingerprint, by what the server or a sitemap says."""

from __future__ import annotations

from collections.abc import Callable
from email.utils import formatdate
from pathlib import Path

import pytest

from lycosa.model.job import Job
from lycosa.model.records import Purpose, Request, Resolved, Sight, Visited
from lycosa.simulation.conditions import Conditions
from lycosa.simulation.simulation import Simulation
from lycosa.storage.log.format import decode_events
from lycosa_testweb.web import HTML, PLAIN, Headers, Reply

BEGIN, HOUR = 1_700_000_000.0, 3600.0
HOME, MAP = "http://www.a.test/", "http://www.a.test/map.xml"
WORDS = " ".join(f"word{n}" for n in range(400))


class OnePage:
    """One page whose text and headers are functions of the number of hours gone, and a sitemap."""

    def __init__(
        self,
        text: Callable[[int], str],
        headers: Callable[[int], Headers] = lambda hours: (),
        changed: Callable[[int], str] | None = None,
    ) -> None:
        self._text, self._headers, self._changed = text, headers, changed

    def answer(self, request: Request, moment: float) -> Reply:
        hours = int((moment - BEGIN) // HOUR)
        if request.purpose is Purpose.ROBOTS:
            return Reply(200, PLAIN, f"Sitemap: {MAP}\n".encode() if self._changed else b"")
        if request.url == MAP and self._changed is not None:
            entry = f"<url><loc>{HOME}</loc><lastmod>{self._changed(hours)}</lastmod></url>"
            body = f'<?xml version="1.0"?><urlset>{entry}<x>{hours}</x></urlset>'
            return Reply(200, (("Content-Type", "application/xml"),), body.encode())
        if request.url != HOME:
            return Reply(404, PLAIN, b"no")
        body = f'<!doctype html><title>T</title><body data-now="{moment}">{self._text(hours)}'
        return Reply(200, HTML + self._headers(hours), body.encode())

    def resolve(self, host: str, moment: float) -> Resolved:
        return Resolved("10.0.0.1", 1e9)

    def is_allowed(self, url: str, agent: str) -> bool:
        return True

    def crawl_delay(self, host: str, agent: str) -> float:
        return 0.0


def visits_of(web: OnePage, folder: Path, cycles: int = 5, **revisit: object) -> list[Visited]:
    job = Job.of(
        seeds=[HOME],
        politeness={"delay_seconds": 1.0},
        frontier={"partitions": 1},
        discovery={"mining": "off"},
        revisit={
            "policy": "uniform",
            "cycles": cycles,
            "cycle_seconds": HOUR,
            "not_before_seconds": 60.0,
            **revisit,
        },
    )
    simulation = Simulation(web, job, folder, conditions=Conditions(begins_at=BEGIN))
    result = simulation.run()
    assert result.reason == "exhausted" and result.breaches == []
    log, _ = simulation.open_log()
    home = result.states[0].table.find("test.a.www:/")
    return [
        event
        for _, batch in log.read(0, 0)
        for event in decode_events(batch)
        if isinstance(event, Visited) and event.page == home
    ]


def sights(visits: list[Visited]) -> list[str]:
    return [visit.seen.name for visit in visits]


def test_the_text_decides_and_not_the_markup(tmp_path: Path) -> None:
    web = OnePage(lambda hours: "one" if hours < 2 else "another")
    assert sights(visits_of(web, tmp_path)) == [
        "FIRST",
        "UNCHANGED",
        "CHANGED",
        "UNCHANGED",
        "UNCHANGED",
    ]


def test_small_differences_pass_if_the_job_says_so_but_add_up(tmp_path: Path) -> None:
    def text(hours: int) -> str:
        words = WORDS.split()
        words[: 3 * hours] = [f"other{n}" for n in range(3 * hours)]
        return " ".join(words)

    strict = visits_of(OnePage(text), tmp_path / "strict", cycles=40)
    lenient = visits_of(OnePage(text), tmp_path / "lenient", cycles=40, change_bits=6)
    assert sights(strict)[1:] == ["CHANGED"] * 39
    changed = sights(lenient).count("CHANGED")
    assert 1 <= changed < 25
    assert lenient[1].seen is Sight.UNCHANGED
    assert lenient[1].fingerprint == lenient[0].fingerprint, "it is compared with the old version"


def test_evidence_is_what_the_visits_showed(tmp_path: Path) -> None:
    first, second, third = visits_of(OnePage(lambda hours: "one"), tmp_path, cycles=3)
    assert (first.changes, first.seconds) == (0.0, 0.0)
    assert (second.changes, third.changes) == (0.0, 0.0)
    assert second.seconds == pytest.approx(HOUR, abs=5.0)
    assert third.seconds == pytest.approx(2 * HOUR, abs=10.0)
    assert third.host_seconds == pytest.approx(third.seconds)


def test_last_modified_says_when_the_change_was(tmp_path: Path) -> None:
    def headers(hours: int) -> Headers:
        changed = BEGIN - 7 * 86_400 if hours < 1 else BEGIN + hours * HOUR - 600
        return (("Last-Modified", formatdate(int(changed), usegmt=True)),)

    first, second = visits_of(OnePage(lambda hours: f"version {hours}", headers), tmp_path, 2)
    assert first.changes == 1.0
    assert first.seconds == pytest.approx(7 * 86_400, abs=5.0)
    assert second.changes == pytest.approx(2.0)
    assert second.seconds - first.seconds == pytest.approx(600, abs=5.0)


@pytest.mark.parametrize("value", ["now", "soon", "", "Thu, 01 Jan 1970 00:00:00 GMT"])
def test_a_date_that_says_nothing_is_not_believed(tmp_path: Path, value: str) -> None:
    def headers(hours: int) -> Headers:
        moment = formatdate(BEGIN + hours * HOUR + 30, usegmt=True) if value == "now" else value
        return (("Last-Modified", moment),)

    first, *_ = visits_of(OnePage(lambda hours: "one", headers), tmp_path, 2)
    assert (first.changes, first.seconds) == (0.0, 0.0)


def test_a_sitemap_announces_what_has_changed(tmp_path: Path) -> None:
    """Page and sitemap take turns; a change after the third hour is told in the fourth."""

    def changed(hours: int) -> str:
        return "2023-11-14" if hours < 3 else "2023-11-15T00:43:20Z"

    web = OnePage(lambda hours: "one", changed=changed)
    found = visits_of(web, tmp_path, cycles=5, cycle_urls=1)
    assert sights(found) == ["FIRST", "UNCHANGED", "ANNOUNCED", "UNCHANGED"]
    assert found[2].moment == BEGIN + 2.5 * HOUR


def test_a_sitemap_is_not_believed_about_the_future(tmp_path: Path) -> None:
    web = OnePage(lambda hours: "one", changed=lambda hours: "2123-11-14")
    assert "ANNOUNCED" not in sights(visits_of(web, tmp_path, cycles=5, cycle_urls=1))
