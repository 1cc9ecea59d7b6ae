"""A deep web behind search forms is found, at a bounded cost, whatever is killed meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.forms import crawled

from integration.test_howto import BLOCK, HOWTO, served, typed
from lycosa.crawl.answers.mining import DOZEN
from lycosa.crawl.simulation.kills import KillRandomly
from lycosa.testweb.webs.deep import DeepWeb


def test_without_forms_nothing_hidden_is_found(tmp_path: Path) -> None:
    got, known = crawled(DeepWeb(60), tmp_path, is_on=False)
    assert (got.found, got.queries) == (0, 0)
    addresses = ("find", "recipes", "look", "leave", "unsubscribe", "post")
    assert [url for url in known if url.endswith(addresses)] == []


def test_with_forms_all_is_found_and_idle_forms_cost_a_dozen(tmp_path: Path) -> None:
    got, asked = crawled(DeepWeb(60), tmp_path, is_on=True)
    assert got.found == got.hidden == 108
    assert got.requests < 2 * got.found
    assert len([url for url in asked if "idle.test/look" in url]) <= DOZEN
    of_office = {url.removeprefix("http://office.test") for url in asked if "office.test" in url}
    assert of_office == {"/", "/sitemap.xml"}


@pytest.mark.parametrize("seed", range(3))
def test_kills_lose_no_page_and_repeat_no_query(seed: int, tmp_path: Path) -> None:
    plan = KillRandomly(seed, kills=6, probability=0.02)
    got, _ = crawled(DeepWeb(60), tmp_path, is_on=True, kills=plan)
    assert got.found == got.hidden == 108


def test_the_page_shows_what_is_printed(tmp_path: Path) -> None:
    page = (HOWTO / "search-forms.md").read_text(encoding="utf-8")
    first, *blocks = BLOCK.findall(page)
    assert len(blocks) == 3
    with served(tmp_path, *first[0].split()[2:4]) as folder:
        for script, shown in blocks:
            assert typed(script, folder) == shown, script
