"""Pages that only a sitemap lists are found, if the job wants that."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from lycosa.model.job import Job
from lycosa_testweb.web import PLAIN, Reply
from unit.crawl.drawn_web import DrawnWeb, crawl, file, kept, linking, moved

HOME, LISTED = "http://site.test/", "http://site.test/listed.html"


def sitemap(*urls: str, outer: str = "urlset", inner: str = "url") -> str:
    entries = "".join(f"<{inner}><loc>{url}</loc></{inner}>" for url in urls)
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<{outer} xmlns="{space}">{entries}</{outer}>'


def index(*urls: str) -> str:
    return sitemap(*urls, outer="sitemapindex", inner="sitemap")


FEED = f'<rss version="2.0"><channel><item><link>{LISTED}</link></item></channel></rss>'
LINES = f"{HOME}\n{LISTED}\n"
PACKED = gzip.compress(sitemap(LISTED).encode())
SITEMAPS = {
    "XML": ("map.xml", file("application/xml", sitemap(LISTED))),
    "XML as text": ("map.xml", file("text/xml; charset=utf-8", sitemap(LISTED))),
    "gzip": ("map.xml.gz", file("application/gzip", PACKED)),
    "gzip by its old name": ("map.xml.gz", file("application/x-gzip", PACKED)),
    "gzip as mere bytes": ("map.xml.gz", file("application/octet-stream", PACKED)),
    "gzip as XML": ("map.xml.gz", file("application/xml", PACKED)),
    "gzip without a name": ("map?format=gz", file("application/gzip", PACKED)),
    "lines": ("map.txt", file("text/plain", LINES)),
    "many lines": ("map.txt", file("text/plain", f"{LISTED}\r\n" * 1000)),
    "lines in gzip": (
        "map.txt.gz",
        file("application/gzip", gzip.compress(LINES.encode())),
    ),
    "RSS": ("feed", file("application/rss+xml", FEED)),
}


def web(name: str, reply: Reply, **more: Reply) -> DrawnWeb:
    return DrawnWeb(
        {
            HOME: linking(),
            LISTED: linking(),
            f"{HOME}robots.txt": robots(f"{HOME}{name}"),
            f"{HOME}{name}": reply,
            **{f"{HOME}{path}": other for path, other in more.items()},
        }
    )


def robots(*urls: str) -> Reply:
    return Reply(200, PLAIN, "".join(f"Sitemap: {url}\n" for url in urls).encode())


def job(sitemaps: bool = True) -> Job:
    return Job.of([HOME], robots={"sitemaps": sitemaps})


@pytest.mark.parametrize("form", SITEMAPS)
def test_a_page_that_only_a_sitemap_lists_is_found(form: str, tmp_path: Path) -> None:
    name, reply = SITEMAPS[form]
    found = crawl(web(name, reply), job(), tmp_path)
    assert kept(found) == {HOME, LISTED, f"{HOME}{name}"}


@pytest.mark.parametrize("form", SITEMAPS)
def test_sitemaps_are_not_asked_for_without_the_switch(form: str, tmp_path: Path) -> None:
    assert set(crawl(web(*SITEMAPS[form]), job(sitemaps=False), tmp_path)) == {HOME}


def test_an_index_leads_to_its_sitemaps_and_they_to_their_pages(tmp_path: Path) -> None:
    drawn = DrawnWeb(
        {
            HOME: linking(),
            f"{HOME}robots.txt": robots(f"{HOME}index.xml"),
            f"{HOME}index.xml": file("text/xml", index(f"{HOME}1.xml", f"{HOME}2.xml.gz")),
            f"{HOME}1.xml": file("text/xml", sitemap(f"{HOME}a", f"{HOME}b")),
            f"{HOME}2.xml.gz": file("application/gzip", PACKED),
            f"{HOME}a": linking(),
            f"{HOME}b": linking(),
            LISTED: linking(),
        }
    )
    pages = {url for url in drawn.replies if not url.endswith("robots.txt")}
    assert kept(crawl(drawn, job(), tmp_path)) == pages


def test_a_sitemap_does_not_lead_out_of_scope(tmp_path: Path) -> None:
    reply = file("text/xml", sitemap("http://other.test/", LISTED))
    found = crawl(web("map.xml", reply), job(), tmp_path)
    assert "http://other.test/" not in found
    assert LISTED in found


def test_a_packed_file_that_is_no_sitemap_is_of_the_wrong_type(tmp_path: Path) -> None:
    drawn = DrawnWeb(
        {
            HOME: linking("/program.tar.gz", "/empty.gz", "/broken.gz"),
            f"{HOME}program.tar.gz": file("application/gzip", gzip.compress(b"\0" * 5000)),
            f"{HOME}empty.gz": file("application/gzip", gzip.compress(b"")),
            f"{HOME}broken.gz": file("application/gzip", b"\x1f\x8bnothing"),
        }
    )
    assert kept(crawl(drawn, job(), tmp_path)) == {HOME}


def test_plain_text_that_mentions_urls_is_no_sitemap(tmp_path: Path) -> None:
    drawn = DrawnWeb(
        {
            HOME: linking("/read.txt"),
            f"{HOME}read.txt": file("text/plain", f"{HOME}\nis where to go, or\n{LISTED}\n"),
            LISTED: linking(),
        }
    )
    assert kept(crawl(drawn, job(), tmp_path)) == {HOME, f"{HOME}read.txt"}


def test_the_cap_on_links_holds_for_packed_sitemaps(tmp_path: Path) -> None:
    urls = [f"{HOME}{number}" for number in range(10)]
    drawn = DrawnWeb(
        {
            HOME: linking(),
            f"{HOME}robots.txt": robots(f"{HOME}map.xml.gz"),
            f"{HOME}map.xml.gz": file("application/gzip", gzip.compress(sitemap(*urls).encode())),
            **dict.fromkeys(urls, linking()),
        }
    )
    capped = Job.of([HOME], extract={"most_links": 4})
    assert kept(crawl(drawn, capped, tmp_path)) == {HOME, f"{HOME}map.xml.gz", *urls[:4]}


@pytest.mark.parametrize("target", ["http://www.site.test/robots.txt", f"{HOME}robots/all.txt"])
def test_the_sitemaps_of_a_robots_file_that_has_moved_are_read(target: str, tmp_path: Path) -> None:
    drawn = DrawnWeb(
        {
            HOME: linking(),
            LISTED: linking(),
            f"{HOME}robots.txt": moved(target),
            target: robots(f"{HOME}map.xml"),
            f"{HOME}map.xml": file("text/xml", sitemap(LISTED)),
        }
    )
    assert LISTED in kept(crawl(drawn, job(), tmp_path))
