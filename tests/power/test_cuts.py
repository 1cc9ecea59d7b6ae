"""Power cuts: after `resume` alone each page is there once, and no host was asked too soon."""

from __future__ import annotations

from pathlib import Path

import pytest

from power.cuts import Crawl, build_recorder, through_cuts


@pytest.fixture(scope="module")
def recorder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_recorder(tmp_path_factory.mktemp("recorder"))


CASES = [(seed, 0 if seed % 3 else 25, 1 + (seed % 5 == 4)) for seed in range(50)]
"""Seed, limit of pages, workers: four cuts each."""


def test_a_power_cut_costs_no_page_and_repeats_none(tmp_path: Path, recorder: Path) -> None:
    crawl = Crawl(tmp_path, recorder, 7)
    through_cuts(crawl, hosts=3, cuts=4)
    assert crawl.told.cuts == 4 and crawl.told.lost_bytes and crawl.told.revisits


@pytest.mark.soak
@pytest.mark.parametrize(("seed", "pages", "workers"), CASES)
def test_two_hundred_power_cuts(
    seed: int, pages: int, workers: int, tmp_path: Path, recorder: Path
) -> None:
    crawl = Crawl(tmp_path, recorder, seed)
    through_cuts(crawl, hosts=8, cuts=4, pages=pages, workers=workers)
    print(crawl.told)
    assert crawl.told.cuts == 4 and crawl.told.lost_bytes
    # A limit may be reached before a page has a copy.
    assert crawl.told.revisits or pages
