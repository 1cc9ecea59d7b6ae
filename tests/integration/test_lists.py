"""A list of several pages comes whole, and one without end ends, with the limits of every job."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.model.job import Job
from lycosa.model.records import Outcome
from lycosa.simulation.simulation import Result, Simulation
from lycosa_testweb.lists import endless, finite
from lycosa_testweb.lists.finite import Site
from lycosa_testweb.lists.web import ListsWeb

pytestmark = pytest.mark.quick


def crawl(
    site: Site, folder: Path, seed: str = "/", **sections: object
) -> tuple[set[str], int, Result]:
    """Return the pages kept, the number of requests for pages, and what the crawl says."""
    web = ListsWeb([site])
    given = {"politeness": {"delay_seconds": 1.0}, "frontier": {"partitions": 2}, **sections}
    job = Job.of([f"http://{site.host}{seed}"], **given)  # type: ignore[arg-type]
    simulation = Simulation(web, job, folder)
    result = simulation.run()
    assert result.reason == "exhausted" and not result.breaches
    return set(simulation.kept_urls()), len(web.asked), result


SITES = (finite.SHOP, finite.ARCHIVE, finite.FORUM, finite.BLOG, finite.OFFSETS, finite.BOOK)


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.host)
def test_a_site_with_lists_comes_whole(tmp_path: Path, site: Site) -> None:
    kept, asked, _ = crawl(site, tmp_path)
    wanted = ListsWeb([site]).pages(site)
    assert kept == wanted
    assert asked <= len(wanted) + 8, "beside the pages, guesses and the error page"


def test_a_shop_of_before_keeps_half_of_its_products(tmp_path: Path) -> None:
    old = {"depth_dynamic": 5}
    kept, _, result = crawl(finite.SHOP, tmp_path, extract={"pagination": 0}, limits=old)
    assert sum("/product/" in url for url in kept) == 100
    assert sum(state.refusals["too-deep"] for state in result.states.values()) == 1


@pytest.mark.parametrize(
    "site", [finite.SHOP, finite.BLOG, finite.OFFSETS], ids=lambda site: site.host
)
def test_no_page_of_a_list_is_followed_where_no_link_is(tmp_path: Path, site: Site) -> None:
    seed = {"shop.test": "/shop", "offset.test": "/records?limit=20"}.get(site.host, "/")
    nothing = {"depth_static": 0, "depth_dynamic": 0}
    kept, _, _ = crawl(site, tmp_path, seed, limits=nothing, discovery={"mining": "off"})
    assert kept == {f"http://{site.host}{seed}"}


@pytest.mark.parametrize(
    ("site", "depth", "pages"),
    [
        (endless.TOKENS, 10, 11 * 21),
        (endless.COUNTED, 10, 11 * 21 + 1),
        (endless.FOLDERS, 15, 16 * 21),
    ],
    ids=lambda value: getattr(value, "host", str(value)),
)
def test_a_list_without_end_gives_twenty_one_pages_a_level(
    tmp_path: Path, site: Site, depth: int, pages: int
) -> None:
    limits = Job.of().limits
    assert depth in (limits.depth_static, limits.depth_dynamic)
    kept, asked, _ = crawl(site, tmp_path, discovery={"mining": "off"})
    assert len(kept) == pages
    assert asked <= pages + 2


@pytest.mark.parametrize(
    "site", [endless.CALENDAR, endless.CALLED_NEXT], ids=lambda site: site.host
)
def test_a_calendar_ends_as_a_trap_also_where_it_calls_a_month_the_next(
    tmp_path: Path, site: Site
) -> None:
    _, asked, result = crawl(site, tmp_path)
    assert asked <= 120
    traps = [outcome for outcome in Outcome if outcome.name.startswith("TRAP")]
    assert sum(state.outcomes[trap] for state in result.states.values() for trap in traps)
