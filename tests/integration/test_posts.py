"""Plugins post: what the job names, once, and nothing twice that may have arrived."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from integration.posting_crawls import SEARCH, job_for, outcomes, posting
from integration.posting_site import PAGES, ROWS, posting_site
from lycosa import Plugin, SeenPage, run
from lycosa.analysis.study.sql import asked
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl
from lycosa.runtime.verify.inspection import verify
from lycosa.storage.warc import cdx
from warm import lycosa


def test_a_list_comes_by_post_and_each_page_is_posted_once(tmp_path: Path) -> None:
    with posting_site(pages=9) as site:
        crawl = run(tmp_path / "c", job_for(site, "search", delay=0.05), plugins=[SEARCH])
        assert set(site.times().values()) == {1} and len(site.sent) == 9
        assert site.sent[0].body == "token=t0k&q=iron+age"
        moments = sorted([sent.moment for sent in site.sent] + [at for _, at in site.asked])
    rows = [item.values["text"] for item in crawl.items("row")]
    assert len(rows) == len(set(rows)) == 9 * ROWS
    assert min(later - earlier for earlier, later in pairwise(moments)) > 0.045
    assert crawl.outcomes()["kept"] == 10
    assert verify(tmp_path / "c").findings == []


def test_no_url_is_posted_to_that_the_job_does_not_name(tmp_path: Path) -> None:
    with posting_site() as site:
        plugin = posting("/other", "/searching", "/api/../other", "http://other.test/search")
        crawl = run(tmp_path / "c", job_for(site, "api/", "searches"), plugins=[plugin])
        assert site.sent == []
    query = "select target_url, reason from links where target_url like '%#POST:%'"
    with asked(tmp_path / "c", query) as said:
        rows = said.fetchall()
    reasons = {(url.partition("#")[0].rpartition("/")[2], why) for url, why in rows}
    assert reasons == {("search", "out-of-scope"), ("other", "post"), ("searching", "post")}
    assert crawl.outcomes() == {"kept": 1}


def test_robots_rules_hold_for_what_is_posted(tmp_path: Path) -> None:
    robots = "User-agent: *\nDisallow: /search$\nDisallow: /api\nAllow: /api/x$\n"
    with posting_site(robots) as site:
        plugin = posting("/search", "/api/x", "/api/y")
        crawl = run(tmp_path / "c", job_for(site, "search", "api/"), plugins=[plugin])
        assert [sent.path for sent in site.sent] == ["/api/x"]
    counts = crawl.outcomes()
    assert (counts["disallowed"], counts["kept"]) == (2, 2)


def test_limits_hold_for_what_is_posted(tmp_path: Path) -> None:
    with posting_site(pages=50) as site:
        job = job_for(site, "search", limits={"pages": 3})
        crawl = run(tmp_path / "c", job, plugins=[SEARCH])
        assert len(site.sent) == 2
    assert crawl.outcomes()["kept"] == 3


@pytest.mark.parametrize("path", ["never", "dies", "moved"])
def test_what_may_have_arrived_is_not_sent_again_before_the_operator_asks(
    path: str, tmp_path: Path
) -> None:
    folder = tmp_path / "c"
    with posting_site() as site:
        plugin = posting(f"/{path}")
        crawl = run(folder, job_for(site, path), plugins=[plugin])
        assert outcomes(crawl) == {path: "unknown_post"}
        assert len(site.sent) == 1
        run(folder, plugins=[plugin])
        assert len(site.sent) == 1
        said = lycosa("retry", folder)
        assert said.returncode == 0, said.stderr
        run(folder, plugins=[plugin])
        run(folder, plugins=[plugin])
        assert len(site.sent) == 2
        assert {sent.path for sent in site.sent} == {f"/{path}"}


@pytest.mark.parametrize(
    ("path", "outcome"), [("broken", "server_error"), ("later", "unavailable")]
)
def test_a_post_that_was_answered_by_an_error_is_not_tried_again(
    path: str, outcome: str, tmp_path: Path
) -> None:
    with posting_site() as site:
        job = job_for(site, path, fetch={"retry_first_seconds": 0.05})
        crawl = run(tmp_path / "c", job, plugins=[posting(f"/{path}")])
        assert len(site.sent) == 1
    assert outcomes(crawl) == {path: outcome}


def test_after_see_other_the_answer_is_fetched(tmp_path: Path) -> None:
    with posting_site() as site:
        crawl = run(tmp_path / "c", job_for(site, "see"), plugins=[posting("/see")])
        assert len(site.sent) == 1
    assert outcomes(crawl) == {"see": "redirected"}
    assert [page.url for page in crawl.pages(outcome="kept")][-1].endswith("/thanks")


@pytest.mark.parametrize("again", [False, True])
def test_revisits_post_again_only_where_the_job_says_so(again: bool, tmp_path: Path) -> None:
    with posting_site(pages=1) as site:
        revisit = {"policy": "uniform", "cycles": 3, "cycle_seconds": 0, "not_before_seconds": 0}
        job = job_for(site, "search", plugins={"post_again": again}, revisit=revisit)
        crawl = run(tmp_path / "c", job, plugins=[SEARCH])
        assert [path for path, _ in site.asked].count("/") == 3
        assert len(site.sent) == (3 if again else 1)
    assert len(list(crawl.items("row"))) == ROWS


def test_the_same_url_with_other_bodies_are_other_pages(tmp_path: Path) -> None:
    def look(page: SeenPage) -> None:
        if page.title == "Front":
            page.post("/api", {"a": 1})
            page.post("/api", {"a": [1, 2], "b": None})
            page.post("/api", json={"a": {"b": [1.5, None]}})
            page.post("/api", "<a/>", content_type="application/xml; charset=utf-8")
            page.post("/api", {"a": 1})
            page.follow("/search")
        elif page.posted:
            page.emit("body", text=page.posted.decode(), url=page.url)

    plugin = Plugin("mine", on_page=look)
    with posting_site() as site:
        crawl = run(tmp_path / "c", job_for(site, ""), plugins=[plugin])
        assert Counter((sent.body, sent.content_type) for sent in site.sent) == {
            ("a=1", "application/x-www-form-urlencoded"): 1,
            ("a=1&a=2", "application/x-www-form-urlencoded"): 1,
            ('{"a":{"b":[1.5,null]}}', "application/json"): 1,
            ("<a/>", "application/xml; charset=utf-8"): 1,
        }
    assert len({item.values["text"] for item in crawl.items("body")}) == 4
    assert len({page.url for page in crawl.pages(outcome="kept")}) == 6


def test_the_archive_has_what_was_posted(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    with posting_site() as site:
        run(folder, job_for(site, "search"), plugins=[SEARCH])
        place = f"{site.url}search"
    posted = {}
    for path in (folder / "warc").glob("*.gz"):
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                assert "#" not in (record.rec_headers["WARC-Target-URI"] or "")
                if record.rec_type == "request" and record.http_headers.protocol == "POST":
                    assert record.rec_headers["WARC-Target-URI"] == place
                    posted[record.content_stream().read()] = record.http_headers["Content-Type"]
    assert set(posted.values()) == {"application/x-www-form-urlencoded"}
    assert len(posted) == PAGES and b"token=t0k&q=iron+age" in posted
    lines = [
        line
        for path in folder.rglob("*.cdxj")
        for line in path.read_text().splitlines()
        if "__wb_method" in line
    ]
    keys = sorted(line.partition(" ")[2].partition(" {")[0] for line in lines)
    assert len(keys) == PAGES
    wanted = cdx.surt(f"{place}?__wb_method=POST&q=iron age&page=2")
    (line,) = [line for line in lines if line.startswith(wanted)]
    told = json.loads(line[line.index("{") :])
    assert (told["url"], told["method"]) == (place, "POST")
    assert told["requestBody"] == "q=iron age&page=2"


def test_a_resume_without_the_permission_posts_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    with posting_site() as site:
        run(folder, job_for(site, "search", limits={"pages": 2}), plugins=[SEARCH])
        assert len(site.sent) == 1
        directory = CrawlDirectory.open(folder)
        run_crawl(directory, job=job_for(site), plugins=[SEARCH])
        assert len(site.sent) == 1
        assert [path for path, _ in site.asked if "search" in path] == []
