"""A deep web behind search forms is found, at a bounded cost, whatever is killed meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.form_sites import FormSite
from benchmarks.form_webs import Herbarium, HerbGarden, Papers
from benchmarks.forms import crawled
from benchmarks.unseen_form_webs import Generous, Museum, Newspaper, Shop

from lycosa.features.mining import form_pages, mining
from lycosa.features.mining.mining import DOZEN
from lycosa.model.records import Request
from lycosa.simulation.kills import KillRandomly
from lycosa_testweb.web import Reply
from lycosa_testweb.webs.deep import DeepWeb
from typed_pages import BLOCK, HOWTO, served, typed


def test_without_forms_nothing_hidden_is_found(tmp_path: Path) -> None:
    got, known = crawled(DeepWeb(60), tmp_path, is_on=False)
    assert (got.found, got.queries) == (0, 0)
    addresses = ("find", "recipes", "look", "leave", "unsubscribe", "post")
    assert [url for url in known if url.endswith(addresses)] == []


def test_with_forms_all_is_found_and_idle_forms_cost_a_dozen(tmp_path: Path) -> None:
    got, asked = crawled(DeepWeb(60), tmp_path, is_on=True)
    assert got.found == got.hidden == 108
    assert got.requests < 2 * got.found
    assert len([url for url in asked if "idle.test/look?" in url]) <= DOZEN
    of_office = {url.removeprefix("http://office.test") for url in asked if "office.test" in url}
    assert of_office == {"/", "/sitemap.xml"}


@pytest.mark.parametrize("seed", range(3))
def test_kills_lose_no_page_and_repeat_no_query(seed: int, tmp_path: Path) -> None:
    plan = KillRandomly(seed, kills=6, probability=0.02)
    got, _ = crawled(DeepWeb(60), tmp_path, is_on=True, kills=plan)
    assert got.found == got.hidden == 108


@pytest.mark.parametrize("web", [Papers(), Generous()], ids=["papers", "generous"])
def test_a_site_that_is_looked_at_in_parts_is_asked_the_same(
    web: FormSite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = crawled(web, tmp_path / "whole", is_on=True)
    monkeypatch.setattr(mining, "PIECE", 5)
    assert crawled(web, tmp_path / "parts", is_on=True) == whole


def test_no_site_is_asked_more_than_its_limit_whatever_is_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mining, "PIECE", 5)
    monkeypatch.setattr(form_pages, "RECENT_URLS", 1)
    got, _ = crawled(Papers(), tmp_path, is_on=True, site_requests=7)
    assert got.queries == 7


class WatchedGarden(HerbGarden):
    """The herbs, with everything that was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def answer(self, request: Request, moment: float) -> Reply:
        """Answer, and remember what was asked."""
        self.asked.append(request.url)
        return super().answer(request, moment)


class CountedKills(KillRandomly):
    """Kills at random, and counts."""

    done = 0

    def __call__(self, name: str) -> bool:
        """Count the kills."""
        is_kill = super().__call__(name)
        self.done += is_kill
        return is_kill


@pytest.mark.parametrize("web", [HerbGarden(), Herbarium()], ids=["hint", "no hint"])
def test_most_of_sixteen_records_behind_a_text_form_are_found(
    web: HerbGarden, tmp_path: Path
) -> None:
    got, _ = crawled(web, tmp_path, is_on=True)
    assert got.hidden == 16
    assert got.found >= 12
    assert got.queries - got.paid <= DOZEN


@pytest.mark.parametrize(("web", "least"), [(Shop(), 195), (Museum(), 150), (Newspaper(), 240)])
def test_webs_that_were_not_tuned_on_are_found(web: FormSite, least: int, tmp_path: Path) -> None:
    got, _ = crawled(web, tmp_path, is_on=True)
    assert got.found >= least
    assert got.queries - got.paid <= max(DOZEN, got.requests // 10) + 1


def test_a_field_is_given_up_when_it_brings_little(tmp_path: Path) -> None:
    got, _ = crawled(Papers(), tmp_path, is_on=True)
    assert got.found >= 145
    assert got.queries <= 50


@pytest.mark.parametrize("seed", range(3))
def test_the_same_words_are_asked_whatever_is_killed(seed: int, tmp_path: Path) -> None:
    _, known = crawled(HerbGarden(), tmp_path / "whole", is_on=True)
    web = WatchedGarden()
    plan = CountedKills(seed, kills=6, probability=0.05)
    _, after_kills = crawled(web, tmp_path / "killed", is_on=True, kills=plan)
    queries = [url for url in web.asked if "?" in url]
    assert plan.done == 6
    assert after_kills == known
    assert set(queries) == {url for url in known if "?" in url}
    assert len(queries) <= len(set(queries)) + plan.done, "only what a kill cut off"


def test_the_page_shows_what_is_printed(tmp_path: Path) -> None:
    page = (HOWTO / "search-forms.md").read_text(encoding="utf-8")
    first, *blocks = BLOCK.findall(page)
    assert len(blocks) == 3
    with served(tmp_path, *first[0].split()[2:4]) as folder:
        for script, shown in blocks:
            assert typed(script, folder) == shown, script
