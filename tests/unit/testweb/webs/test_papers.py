"""The tables of the RDFa spider's evaluation are what the paper prints, but for its misprints."""

import pytest

from lycosa.model.records import Outcome
from lycosa_testweb import request_for
from lycosa_testweb.webs import papers
from lycosa_testweb.webs.papers import DownloadRow, LinkRow, RobotsRow, TreeRow


@pytest.mark.parametrize("row", papers.TABLE_3, ids=lambda row: f"{row.agent} {row.path}")
def test_table_3_follows_from_its_robots_file(row: RobotsRow) -> None:
    web = papers.robots_web()
    assert web.is_allowed(f"http://paper.test{row.path}", row.agent) is row.is_allowed


def test_table_3_is_served_as_it_is_printed_but_for_one_letter() -> None:
    web = papers.robots_web()
    body = web.answer(request_for(web, f"{papers.HOME}robots.txt"), 0.0).body
    assert body.decode().split("\n") == [
        "User-agent: RDFaSbot",
        "Allow: /bad/but/ok",
        "Disallow: /ba",
        "Disallow: /bad/",
        "",
        "User-agent: *",
        "Disallow: /secret/",
        "Allow: /secondary/",
        "",
        "",
    ]


@pytest.mark.parametrize("row", papers.TABLE_4, ids=lambda row: row.scenario)
def test_table_4_has_pages_of_its_sizes_types_and_delays(row: DownloadRow) -> None:
    web = papers.download_web(limit_seconds=3.0)
    reply = web.answer(request_for(web, row.url), 0.0)
    assert len(reply.body) == row.size_bytes
    assert reply.header("content-type") == row.content_type
    assert (reply.latency_seconds >= 3.0) == (row.outcome is Outcome.TIMEOUT)


def test_table_4_is_reached_from_its_home() -> None:
    web = papers.download_web(limit_seconds=3.0)
    body = web.answer(request_for(web, papers.HOME), 0.0).body.decode()
    assert all(f'href="{row.path}"' in body for row in papers.TABLE_4)
    assert web.answer(request_for(web, f"{papers.HOME}robots.txt"), 0.0).status == 404


@pytest.mark.parametrize("row", papers.TABLE_5, ids=lambda row: row.url.split("/", 3)[3])
def test_table_5_has_as_many_links_as_it_says(row: LinkRow) -> None:
    web = papers.link_web()
    body = web.answer(request_for(web, row.url), 0.0).body.decode()
    assert body.count("<a href=") == row.links == len(set(row.targets))
    assert row.found == min(row.links, 100)
    places = [body.index(f'href="{target}"') for target in row.targets]
    assert places == sorted(places)
    assert all(web.answer(request_for(web, url), 0.0).status == 200 for url in row.targets)
    if not row.is_valid:
        assert places[0] < body.index("<body>")
        assert places[-1] > body.index("</html>")


def test_table_5_has_twelve_rows() -> None:
    assert [(row.links, row.found) for row in papers.TABLE_5] == [
        (1, 1),
        (100, 100),
        (200, 100),
        (100, 100),
    ] * 3


@pytest.mark.parametrize("row", papers.TABLE_7, ids=lambda row: f"{row.pages}x{row.triples}")
def test_table_7_has_exactly_its_pages_and_triples(row: TreeRow) -> None:
    web = row.web()
    pages = list(web.all_pages())
    assert len(pages) == len(set(pages)) == row.pages
    sample = pages[:: max(1, len(pages) // 20)]
    for url in sample:
        body = web.answer(request_for(web, url), 0.0).body
        assert body.count(b"property=") == row.triples_per_page


def test_table_7_adds_up() -> None:
    assert [row.triples for row in papers.TABLE_7][-5:] == [6, 21, 120, 1023, 11718]
