"""Sitemaps: no file has too many URLs or bytes, and an index names all of them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.analysis.checks.sitemap import SitemapEntry, export_sitemap, split
from lycosa.errors import LycosaError
from lycosa.extract.sitemap import changes_listed, scan_sitemap
from unit.analysis.study.drawn_crawl import HTML, Fetch, write

CHANGED = ("Last-Modified", "Sat, 01 Feb 2020 10:00:00 GMT")


@given(st.lists(st.text("ab", max_size=9), max_size=30), st.integers(1, 9), st.integers(1050, 1300))
def test_the_parts_are_the_whole_and_within_the_limits(
    paths: list[str], most: int, most_bytes: int
) -> None:
    entries = [SitemapEntry(f"http://a.test/{path}", None) for path in paths]
    parts = list(split(entries, most, most_bytes))
    assert [entry for part in parts for entry in part] == entries
    assert all(len(part) <= most for part in parts)
    for part in parts[:-1]:
        assert part
    sizes = [sum(len(f"<url><loc>{entry.url}</loc></url>\n") for entry in part) for part in parts]
    assert all(
        size <= most_bytes - 1000 or len(part) == 1 for size, part in zip(sizes, parts, strict=True)
    )


def test_a_change_is_told_where_the_server_tells_it(tmp_path: Path) -> None:
    crawl, file = tmp_path / "crawl", tmp_path / "sitemap.xml"
    write(crawl, [Fetch("test.a:/", headers=(HTML, CHANGED)), Fetch("test.a:/b?x=1&y=2")])
    assert export_sitemap(crawl, file).urls == 2
    assert scan_sitemap(file.read_bytes()) == ["http://a.test/", "http://a.test/b?x=1&y=2"]
    moment = datetime(2020, 2, 1, 10, tzinfo=UTC).timestamp()
    assert changes_listed(file.read_bytes()) == {"http://a.test/": moment}


def test_more_than_a_file_holds_becomes_an_index(tmp_path: Path) -> None:
    crawl, file = tmp_path / "crawl", tmp_path / "sitemap.xml.gz"
    write(crawl, [Fetch(f"test.a:/{number}") for number in range(5)])
    with pytest.raises(LycosaError, match="give the URL where they will be published: --base"):
        export_sitemap(crawl, file, most_urls=2)
    written = export_sitemap(crawl, file, "http://a.test/maps", most_urls=2)
    names = [f"sitemap-{number}.xml.gz" for number in (1, 2, 3)]
    assert [path.name for path in written.files] == ["sitemap.xml.gz", *names]
    assert scan_sitemap(file.read_bytes()) == [f"http://a.test/maps/{name}" for name in names]
    listed = [url for part in written.files[1:] for url in scan_sitemap(part.read_bytes())]
    assert listed == [f"http://a.test/{number}" for number in range(5)]
