"""What the rows of a crawl say about its pages: who led here, where it moved, what it asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from warcio.archiveiterator import ArchiveIterator

from lycosa.cli.main import main
from lycosa.model.job import Job
from lycosa.model.records import Outcome
from lycosa.model.url import key_of
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.archive.reader import find
from lycosa.storage.tables.rows import signed, url_id
from lycosa_testweb.web import HTML, PLAIN, Reply
from unit.crawl.drawn_web import DrawnWeb, crawl, file, linking, moved, page

HOME = "http://a.test/"
SITEMAP = (
    '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    "<url><loc>http://a.test/listed</loc></url></urlset>"
)


def id_of(url: str) -> int:
    return signed(url_id(key_of(url)))


def rows(folder: Path, kind: str) -> dict[str, dict[str, Any]]:
    """Return the rows of a crawl by their URLs."""
    tables = [pq.read_table(path).to_pylist() for path in sorted((folder / kind).glob("*.parquet"))]
    return {row["url"]: row for table in tables for row in table}


def job(**sections: Any) -> Job:
    quiet: dict[str, Any] = {"discovery": {"mining": "off"}, "extract": {"soft_404_after": 0}}
    return Job.of(seeds=[HOME], **quiet | sections)


def crawled(folder: Path, replies: dict[str, Reply], the_job: Job | None = None) -> None:
    crawl(DrawnWeb(replies), the_job or job(), folder, archive=ArchiveStore(folder))


def test_a_page_says_which_page_led_to_it_and_how(tmp_path: Path) -> None:
    old, new, leaf = "http://a.test/old", "http://a.test/new", "http://a.test/leaf"
    replies = {HOME: linking(old), old: moved(new), new: linking(leaf, HOME), leaf: page("leaf")}
    crawled(tmp_path, replies)
    told = {url: (row["via"], row["source_id"]) for url, row in rows(tmp_path, "pages").items()}
    assert told == {
        HOME: ("seed", None),
        old: ("link", id_of(HOME)),
        new: ("redirect", id_of(old)),
        leaf: ("link", id_of(new)),
        "http://a.test/sitemap.xml": ("mined", None),
    }


def test_the_record_of_a_page_names_the_page_that_led_to_it(tmp_path: Path) -> None:
    old, new, far = "http://a.test/old", "http://a.test/new", "http://b.test/"
    replies = {HOME: linking(old, far), old: moved(new), new: linking(HOME), far: page("far")}
    rules = [{"action": "accept", "suffix": host} for host in ("a.test", "b.test")]
    sections: dict[str, Any] = {"robots": {"sitemaps": False}, "frontier": {"partitions": 64}}
    crawled(tmp_path, replies, Job.of([HOME], rules, **sections))
    told = {}
    for path in (tmp_path / "warc").glob("*.warc.gz"):
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream):
                if record.rec_type == "metadata":
                    lines = record.content_stream().read().decode().splitlines()
                    url = record.rec_headers.get_header("WARC-Target-URI")
                    told[url] = [line for line in lines if line.startswith("via:")]
    assert {url: via for url, via in told.items() if "robots" not in url} == {
        HOME: [],
        old: [f"via: {HOME}"],
        new: [f"via: {old}"],
        far: [],  # it was sent to another partition, which does not know the URL
    }


def test_a_redirect_names_its_target_also_out_of_scope(tmp_path: Path) -> None:
    near, far, none = "http://a.test/near", "http://a.test/far", "http://a.test/none"
    replies = {
        HOME: linking(near, far, none),
        near: moved("/b?x=1#top"),
        far: moved("https://elsewhere.test"),
        none: moved("mailto:someone@a.test"),
    }
    crawled(tmp_path, replies)
    found = rows(tmp_path, "pages")
    targets = {url: found[url]["redirect_url"] for url in (near, far, none, HOME)}
    assert targets == {
        near: "http://a.test/b?x=1",
        far: "https://elsewhere.test/",
        none: None,
        HOME: None,
    }
    assert found[near]["redirect_id"] == id_of("http://a.test/b?x=1")
    assert found[far]["redirect_id"] == id_of("https://elsewhere.test/")
    assert found[near]["redirect_id"] == found["http://a.test/b?x=1"]["url_id"]


def test_wishes_about_search_and_archives_have_columns(tmp_path: Path) -> None:
    asks = {
        "plain": page("plain"),
        "meta": page("meta", '<meta name="robots" content="NOARCHIVE, noindex">'),
        "none": page("none", '<meta name="robots" content="none">'),
        "header": Reply(200, (*HTML, ("X-Robots-Tag", "noarchive")), b"<p>header"),
        "other": Reply(200, (*HTML, ("X-Robots-Tag", "otherbot: noindex")), b"<p>other"),
        "gone": Reply(404, PLAIN, b"gone"),
    }
    replies = {f"http://a.test/{name}": reply for name, reply in asks.items()}
    crawled(tmp_path, {HOME: linking(*replies), **replies})
    found = rows(tmp_path, "pages")
    wishes = {
        name: (
            found[f"http://a.test/{name}"]["noindex"],
            found[f"http://a.test/{name}"]["noarchive"],
        )
        for name in asks
    }
    assert wishes == {
        "plain": (False, False),
        "meta": (True, True),
        "none": (True, False),
        "header": (False, True),
        "other": (False, False),
        "gone": (None, None),
    }


def test_text_stands_with_url_title_and_language(tmp_path: Path) -> None:
    body = b'<html lang="de-AT"><title>Ein \xc3\x9cbel</title><p>Guten Tag'
    crawled(tmp_path, {HOME: Reply(200, HTML, body)})
    (row,) = rows(tmp_path, "text").values()
    assert (row["url"], row["title"], row["language"]) == (HOME, "Ein Übel", "de")
    assert "Guten Tag" in row["text"]


def test_a_sitemap_is_no_page(tmp_path: Path) -> None:
    replies = {
        "http://a.test/robots.txt": file("text/plain", "Sitemap: http://a.test/map.xml\n"),
        "http://a.test/map.xml": file("application/xml", SITEMAP),
        "http://a.test/listed": page("listed"),
        HOME: page("home"),
    }
    outcomes = crawl(
        DrawnWeb(replies),
        job(limits={"pages": 2, "host_pages": 2}),
        tmp_path,
        archive=ArchiveStore(tmp_path),
        reason="pages",
    )
    found = rows(tmp_path, "pages")
    assert found["http://a.test/map.xml"]["outcome"].lower() == "sitemap"
    kept = {url for url, row in found.items() if row["outcome"].lower() == "kept"}
    assert kept == {HOME, "http://a.test/listed"}
    assert outcomes["http://a.test/map.xml"] is Outcome.KEPT, "it is held as a page is"
    assert found["http://a.test/listed"]["source_id"] == id_of("http://a.test/map.xml")
    links = pq.read_table(next((tmp_path / "links").glob("*.parquet"))).to_pylist()
    assert [link["kind"] for link in links] == ["sitemap"]


def test_a_feed_is_a_page(tmp_path: Path) -> None:
    feed = "<rss version='2.0'><channel><item><link>http://a.test/</link></item></channel></rss>"
    replies = {HOME: linking("http://a.test/feed"), "http://a.test/feed": file("text/xml", feed)}
    crawled(tmp_path, replies, job(fetch={"content_types": ["text/html", "text/xml"]}))
    assert rows(tmp_path, "pages")["http://a.test/feed"]["outcome"].lower() == "kept"


def test_endless_sitemaps_do_not_outlast_a_limit(tmp_path: Path, monkeypatch: Any) -> None:
    from lycosa.crawl.answers import stages

    monkeypatch.setattr(stages, "SITEMAPS_WITHOUT_A_PAGE", 3)

    class Endless(DrawnWeb):
        def answer(self, request: Any, moment: float) -> Reply:
            if "/map" not in request.url:
                return super().answer(request, moment)
            number = int(request.url.rpartition("map")[2]) + 1
            listed = SITEMAP.replace("listed", f"map{number}")
            return file("application/xml", listed)

    web = Endless({HOME: linking("http://a.test/map0")})
    crawl(web, job(limits={"pages": 5}), tmp_path, archive=ArchiveStore(tmp_path), reason="pages")
    outcomes = [row["outcome"].lower() for row in rows(tmp_path, "pages").values()]
    assert outcomes.count("kept") == 5
    assert outcomes.count("sitemap") <= 3 + 5


def test_a_noarchive_page_is_kept_and_not_replayed(tmp_path: Path) -> None:
    secret = "http://a.test/secret"
    ask = page("a secret", '<meta name="robots" content="noarchive">')
    for name, is_obeyed in (("obeyed", True), ("ignored", False)):
        folder = tmp_path / name
        crawled(
            folder,
            {HOME: linking(secret), secret: ask},
            job(extract={"soft_404_after": 0, "obey_noarchive": is_obeyed}),
        )
        index = "".join(path.read_text() for path in (folder / "cdx").glob("*.cdxj"))
        assert HOME in index
        assert (secret in index) is not is_obeyed
        row = rows(folder, "pages")[secret]
        assert (row["outcome"], row["noarchive"]) == ("kept", True)
        stored = find(folder, secret)
        assert stored is not None and b"a secret" in stored.body


def test_a_repair_makes_these_columns_again(tmp_path: Path) -> None:
    old, far = "http://a.test/old", "http://a.test/far"
    replies = {
        "http://a.test/robots.txt": file("text/plain", "Sitemap: http://a.test/map.xml\n"),
        "http://a.test/map.xml": file("application/xml", SITEMAP),
        "http://a.test/listed": page("listed", '<meta name="robots" content="noarchive">'),
        HOME: linking(old, far),
        old: moved("/new"),
        far: moved("https://elsewhere.test/"),
        "http://a.test/new": Reply(200, (*HTML, ("X-Robots-Tag", "noindex")), b"<p lang=de>neu"),
    }
    the_job = job()
    directory = CrawlDirectory.create(tmp_path, the_job)
    log = directory.log(the_job)
    crawl(DrawnWeb(replies), the_job, tmp_path, archive=ArchiveStore(tmp_path), log=log)
    log.close()
    kinds = ("pages", "text")
    before = {kind: rows(tmp_path, kind) for kind in kinds}
    indexed = [path.read_text() for path in (tmp_path / "cdx").glob("*.cdxj")]
    for kind in kinds:
        next((tmp_path / kind).glob("*.parquet")).unlink()
    assert main(["verify", str(tmp_path), "--repair"]) == 0
    after = {kind: rows(tmp_path, kind) for kind in kinds}
    for kind in kinds:
        assert after[kind].keys() == before[kind].keys()
        for url, row in before[kind].items():
            assert after[kind][url] == row, url
    assert [path.read_text() for path in (tmp_path / "cdx").glob("*.cdxj")] == indexed
