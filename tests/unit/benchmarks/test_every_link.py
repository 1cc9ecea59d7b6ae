"""Lycosa knows every place in which Chromium's DOM has a URL, and follows it by the right flag."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.every_link import NOTHING, PLACES, found_by_lycosa, told_by_chromium
from playwright.sync_api import Browser

from browser import chromium


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("home")) as browser:
        yield browser


def test_every_place_is_followed_by_the_flag_that_the_documentation_names() -> None:
    found = found_by_lycosa()
    told = {place.markup: found.get(place.path, NOTHING) for place in PLACES}
    assert told == {place.markup: place.found for place in PLACES}


@pytest.mark.needs("chromium")
def test_what_chromium_resolves_or_asks_for_is_found(browser: Browser, tmp_path: Path) -> None:
    told, found = told_by_chromium(browser, tmp_path), found_by_lycosa()
    known = {place.path: place.markup for place in PLACES}
    of_dom = (told["resolved"] | told["asked"]) & set(known)
    assert len(of_dom) > 80  # otherwise the browser was not heard
    assert [known[path] for path in sorted(of_dom - set(found))] == []


@pytest.mark.needs("chromium")
def test_nothing_is_found_where_chromium_has_no_element(browser: Browser, tmp_path: Path) -> None:
    told = told_by_chromium(browser, tmp_path)
    seen = told["resolved"] | told["held"] | told["asked"]
    silent = [place for place in PLACES if place.found == NOTHING]
    assert silent
    assert not any(place.path in seen for place in silent)
