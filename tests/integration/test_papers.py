"""The tables of the RDFa spider's evaluation (its chapter 6), crawled row by row.

    Table 3  robots rules, with `Disallow: /ba`: the printed `/be` contradicts its own results
    Table 4  types, sizes and time limits, the limit of 30 seconds scaled down
    Table 5  links in valid and invalid markup, at most 100 of a page
    Table 7  generated trees: exactly their pages (the paper prints 8 for 7)

All but the largest tree are crawled over real sockets; that one in virtual time.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from lycosa.model.job import Job
from lycosa.model.records import Outcome
from lycosa.model.url import url_of
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl
from lycosa.simulation.simulation import Simulation
from lycosa.storage.archive.reader import find, table
from lycosa_testweb.servers.raw import Hosted
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.webs import papers
from lycosa_testweb.webs.papers import (
    TABLE_3,
    TABLE_4,
    TABLE_5,
    TABLE_7,
    DownloadRow,
    LinkRow,
    RobotsRow,
    TreeRow,
)
from seeds import soak

pytestmark = pytest.mark.quick

LIMIT_SECONDS = 6.0
"""For the thirty of Table 4; between in time and late lies a fifth of a second."""

LARGEST_OVER_SOCKETS = 341


def crawl(
    web: Hosted, seed: str, folder: Path, *, time_scale: float = 0.0, **fetch: object
) -> CrawlDirectory:
    """Crawl a web over sockets, to the end."""
    with SocketWeb(web, time_scale=time_scale, tls=False) as server:
        job = Job.of(
            seeds=[seed],
            limits={"free_disk_bytes": 0},
            politeness={"delay_seconds": 0.0, "ip_delay_seconds": 0.0, "answer_time_factor": 0.0},
            extract={"most_links": papers.LINKS_CAP},
            frontier={"partitions": 4},
            discovery={"mining": "off"},  # the papers count what links lead to
            robots={"sitemaps": False},
            log={"commit_seconds": 0.02},
            fetch={
                "allow_private": True,
                "hosts_file": str(server.hosts_file),
                "retries": 0,
                **fetch,
            },
        )
        directory = CrawlDirectory.create(folder / "crawl", job)
        assert run_crawl(directory).reason == "exhausted"
    return directory


def outcomes(directory: CrawlDirectory) -> dict[str, Outcome | None]:
    return {
        url_of(state.table.key(page)): state.outcome_of(page)
        for state in directory.states(directory.job()).values()
        for page in range(len(state.table))
    }


def kept(directory: CrawlDirectory) -> set[str]:
    """Return the pages in the archive; none may be there twice."""
    rows = table(directory.path, "pages", ["url", "outcome"]).to_pylist()
    counts = Counter(row["url"] for row in rows if row["outcome"] == "kept")
    assert set(counts.values()) <= {1}
    return set(counts)


@pytest.mark.parametrize("row", TABLE_3, ids=lambda row: f"{row.agent} {row.path}")
def test_table_3_only_what_the_robots_file_allows_is_asked_for(
    row: RobotsRow, tmp_path: Path
) -> None:
    directory = crawl(papers.robots_web(), papers.HOME, tmp_path, agent=row.agent)
    url = papers.HOME.removesuffix("/") + row.path
    assert outcomes(directory)[url] is (Outcome.KEPT if row.is_allowed else Outcome.DISALLOWED)
    assert (url in kept(directory)) is row.is_allowed


@pytest.mark.parametrize("row", TABLE_4, ids=lambda row: row.scenario)
def test_table_4_text_that_comes_in_time_is_downloaded(row: DownloadRow, tmp_path: Path) -> None:
    web = papers.download_web(LIMIT_SECONDS)
    directory = crawl(web, row.url, tmp_path, time_scale=1.0, total_seconds=LIMIT_SECONDS)
    assert outcomes(directory) == {row.url: row.outcome}
    if row.outcome is Outcome.KEPT:
        stored = find(directory.path, row.url)
        assert stored is not None
        assert stored.body == web.replies[row.url].body


@pytest.mark.parametrize("row", TABLE_5, ids=lambda row: row.url.split("/", 3)[3])
def test_table_5_links_are_found_in_any_markup_up_to_a_hundred(
    row: LinkRow, tmp_path: Path
) -> None:
    directory = crawl(papers.link_web(), row.url, tmp_path)
    assert kept(directory) == {row.url, *row.targets[: row.found]}


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, marks=[soak] if row.pages > LARGEST_OVER_SOCKETS else [])
        for row in TABLE_7
    ],
    ids=lambda row: f"{row.pages} with {row.triples}",
)
def test_table_7_exactly_the_generated_pages_are_kept(row: TreeRow, tmp_path: Path) -> None:
    web = row.web()
    pages = list(web.all_pages())
    assert len(pages) == row.pages
    if row.pages <= LARGEST_OVER_SOCKETS:
        assert kept(crawl(web, web.home(), tmp_path)) == set(pages)
        return
    simulation = Simulation(web, Job.of([web.home()], frontier={"partitions": 4}), tmp_path)
    result = simulation.run()
    assert (result.reason, result.breaches) == ("exhausted", [])
    assert sorted(simulation.kept_urls()) == sorted(pages)
