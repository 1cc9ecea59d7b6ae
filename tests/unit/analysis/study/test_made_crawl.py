"""A larger crawl made by a formula: the study counts what the formula says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from benchmarks.made_crawl import make_whole

from lycosa.analysis.study.build import study
from unit.analysis.study.drawn_crawl import rows

PAGES = 2000
KEPT = [page for page in range(PAGES) if page % 64 > 2]


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "crawl"
    make_whole(folder, PAGES, 10 * PAGES)
    assert study(folder).facts["pages"] == len(KEPT)
    return folder


def test_outcomes_heads_and_hosts(crawl: Path) -> None:
    fates = Counter({0: "moved", 1: "moved", 2: "gone"}.get(p % 64, "kept") for p in range(PAGES))
    statuses = {row["status"]: row["fetches"] for row in rows(crawl, "statuses")}
    assert statuses == {200: fates["kept"], 301: fates["moved"], 404: fates["gone"]}
    servers = [row["server"] for row in rows(crawl, "servers")]
    assert set(servers) <= {"nginx/1.24.0", "Apache", "cloudflare", "Microsoft-IIS/10.0"}
    headers = {row["header"]: row["answers"] for row in rows(crawl, "headers")}
    assert headers["server"] == PAGES
    assert headers["strict-transport-security"] == sum(p % 64 % 3 == 0 for p in range(PAGES))
    assert headers["location"] == fates["moved"]
    assert len(rows(crawl, "sites")) == PAGES // 100
    assert sum(row["requests"] for row in rows(crawl, "politeness")) == PAGES + PAGES // 100


def test_duplicates_and_near_duplicates(crawl: Path) -> None:
    copies = Counter(page // 400 for page in KEPT if page % 20 == 0)
    assert Counter(row["set"] for row in rows(crawl, "duplicates")).total() == copies.total()
    assert sorted(Counter(row["set"] for row in rows(crawl, "duplicates")).values()) == sorted(
        copies.values()
    )
    near = Counter(page // 1000 for page in KEPT if page % 10 == 0)
    found = Counter(row["set"] for row in rows(crawl, "near_duplicates"))
    assert sorted(found.values()) == sorted(near.values())


def test_structured_data_languages_and_media(crawl: Path) -> None:
    saying = len(range(0, PAGES, 3))
    vocabularies = {
        (row["vocabulary"], row["kind"]): (row["pages"], row["triples"])
        for row in rows(crawl, "vocabularies")
    }
    assert vocabularies == {
        ("http://schema.org/", "json-ld"): (saying, 4 * saying),
        ("http://ogp.me/ns#", "meta"): (saying, 3 * saying),
        ("http://purl.org/dc/terms/", None): (saying, saying),
    }
    marked = Counter(["en", "de", "fr", "ja"][page % 6] for page in KEPT if page % 6 < 4)
    assert (
        Counter(row["markup"] for row in rows(crawl, "page_languages") if row["markup"]) == marked
    )
    assert sum(row["pages"] for row in rows(crawl, "languages")) == len(KEPT)
    kinds = {row["kind"]: row["links"] for row in rows(crawl, "link_kinds")}
    shown = Counter[str]()
    for row in rows(crawl, "multimedia"):
        shown[row["kind"]] += row["links"]
    assert shown["image"] == kinds["image"] and shown["media"] == kinds["media"]


def test_in_little_memory_everything_is_the_same(crawl: Path) -> None:
    tables = ("ranks", "sites", "duplicates", "near_duplicates", "languages", "headers")
    before = {name: rows(crawl, name) for name in tables}
    study(crawl, rebuild=True, memory_bytes=1)
    assert {name: rows(crawl, name) for name in tables} == before
