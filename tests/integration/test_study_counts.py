"""A study counts what is there: whole crawls of webs that know their own pages, links and words."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from lycosa.analysis.study.build import study
from lycosa.model.records import LinkKind
from lycosa.operate.inspect.edits import block_host
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl
from lycosa.storage.archive.reader import table
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.webs.books import AUTHOR_TRIPLES, BOOK_TRIPLES, NOTICE_TRIPLES, LibraryWeb
from lycosa_testweb.webs.papers import TABLE_7, TreeRow
from seeds import few_of
from structured_webs import ChangingWeb, job_of, page
from unit.analysis.study.drawn_crawl import rows

pytestmark = pytest.mark.quick

SCHEMA, DUBLIN_CORE = "http://schema.org/", "http://purl.org/dc/"
BOOKS, AUTHORS, NOTICES = 10, 5, 3


def test_the_library_is_counted_to_the_last_triple(tmp_path: Path) -> None:
    web = LibraryWeb()
    with SocketWeb(web, tls=False) as server:
        directory = CrawlDirectory.create(tmp_path / "crawl", job_of(server, *web.seeds()))
        assert run_crawl(directory).reason == "exhausted"
    study(directory.path)
    vocabularies = rows(directory.path, "vocabularies")
    expected = 4 + BOOKS * BOOK_TRIPLES + AUTHORS * AUTHOR_TRIPLES + NOTICES * NOTICE_TRIPLES
    assert sum(row["triples"] for row in vocabularies) == expected
    counts: Counter[str] = Counter()
    for row in vocabularies:
        counts[row["vocabulary"]] += row["triples"]
    assert counts == {
        SCHEMA: expected - 2 * BOOKS - 3 * NOTICES - 1,
        "http://ogp.me/ns#": 2 * BOOKS,
        f"{DUBLIN_CORE}elements/1.1/": 2 * NOTICES,
        f"{DUBLIN_CORE}terms/": NOTICES,
        "http://www.w3.org/ns/rdfa#": 1,  # the front page says which vocabulary it uses
    }
    classes = {row["class"]: (row["pages"], row["uses"]) for row in rows(directory.path, "classes")}
    assert classes == {
        f"{SCHEMA}Library": (1, 1),
        f"{SCHEMA}Book": (BOOKS, BOOKS),
        f"{SCHEMA}Offer": (BOOKS, BOOKS),
        f"{SCHEMA}Person": (AUTHORS, AUTHORS),
    }
    (name,) = [
        row for row in rows(directory.path, "properties") if row["property"] == f"{SCHEMA}name"
    ]
    assert name["uses"] == name["pages"] == 1 + BOOKS + AUTHORS
    pages = {row["url"] for row in rows(directory.path, "ranks")}
    assert pages == set(web.pages())
    assert sum(row["pages"] for row in rows(directory.path, "languages")) == len(pages)


ROWS = sorted((row for row in TABLE_7 if 7 <= row.pages <= 121), key=lambda row: -row.triples)


@pytest.mark.parametrize("row", few_of(ROWS, 2), ids=str)
def test_table_7_is_counted_without_a_triple_store(row: TreeRow, tmp_path: Path) -> None:
    web = row.web()
    with SocketWeb(web, tls=False) as server:
        directory = CrawlDirectory.create(tmp_path / "crawl", job_of(server, web.home()))
        assert run_crawl(directory).reason == "exhausted"
    study(directory.path)
    assert sum(r["triples"] for r in rows(directory.path, "vocabularies")) == row.triples
    assert max((r["pages"] for r in rows(directory.path, "properties")), default=0) == (
        row.pages if row.triples else 0
    )
    assert not (directory.path / "index" / "triples").exists()


def test_links_depths_and_sites_are_those_that_the_web_knows(tmp_path: Path) -> None:
    web = GeneratedWeb.tree(levels=3, fanout=3, hosts=2)
    homes = [web.home(0), web.home(1)]
    with SocketWeb(web, tls=False) as server:
        directory = CrawlDirectory.create(tmp_path / "crawl", job_of(server, *homes))
        assert run_crawl(directory).reason == "exhausted"
    study(directory.path)
    ranks = {row["url"]: row for row in rows(directory.path, "ranks")}
    assert set(ranks) == set(web.all_pages())
    links = {
        (url, target, kind) for url in ranks for target, kind in web.links_of(url) if target != url
    }
    kinds = Counter(kind.name.lower() for _, _, kind in links)
    assert {r["kind"]: r["links"] for r in rows(directory.path, "link_kinds")} == dict(kinds)
    inward = Counter(t for _, t, kind in links if kind is LinkKind.ANCHOR and t in ranks)
    assert {url: row["in_degree"] for url, row in ranks.items()} == {
        url: inward[url] for url in ranks
    }
    for depth in {row["depth"] for row in ranks.values()}:
        expected = {url for url, row in ranks.items() if row["depth"] <= depth}
        assert expected == set(web.pages_within(homes, depth))
    sizes = table(directory.path, "pages", ["host", "size_bytes", "outcome"]).to_pylist()
    for row in rows(directory.path, "sites"):
        own = [p for p in sizes if p["outcome"] == "kept" and p["host"] == row["host"]]
        assert (row["pages"], row["bytes"]) == (len(own), sum(p["size_bytes"] for p in own))
    outcomes = {row["outcome"]: row["fetches"] for row in rows(directory.path, "outcomes")}
    assert outcomes["kept"] == len(ranks)


def test_a_forgotten_host_is_gone_from_the_study(tmp_path: Path) -> None:
    web = ChangingWeb(
        {
            "http://a.test/": [page("stays", "http://b.test/")],
            "http://b.test/": [page("secret", "/secret")],
            "http://b.test/secret": [page("secret too")],
        }
    )
    with SocketWeb(web, tls=False) as server:
        job = job_of(server, "http://a.test/", "http://b.test/")
        directory = CrawlDirectory.create(tmp_path / "crawl", job)
        assert run_crawl(directory).reason == "exhausted"
    study(directory.path)
    assert {row["host"] for row in rows(directory.path, "sites")} == {"a.test", "b.test"}
    block_host(directory, "b.test", forget=True)
    assert not (directory.path / "index" / "study").exists()
    study(directory.path)
    assert {row["host"] for row in rows(directory.path, "sites")} == {"a.test"}
