"""Where robots.txt names no sitemap, `/sitemap.xml` is tried; what is none there is no page."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from lycosa.crawl.worker.worker import EXHAUSTED
from lycosa.features.plugins.scheduling import partitioner_of
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.job import Job
from lycosa.model.records import Outcome, Request
from lycosa.operate.inspect.explain import explain
from lycosa.storage.log.format import decode_events
from lycosa.storage.log.memory import MemoryLog
from lycosa_testweb.web import PLAIN, Reply
from unit.crawl.drawn_web import DrawnWeb, crawl, file, kept, linking, moved, page

HOME, LISTED, USUAL = (f"http://site.test/{path}" for path in ("", "listed.html", "sitemap.xml"))
MAP = file(
    "text/xml",
    '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    f"<url><loc>{LISTED}</loc></url></urlset>",
)
FEED = file("text/xml", f"<rss><channel><item><link>{LISTED}</link></item></channel></rss>")
LOST = page('<p>This page is lost. <a href="/lost.html">Really</a>')


class WatchedWeb(DrawnWeb):
    """Notes what is asked for, without robots files."""

    def __init__(self, replies: dict[str, Reply]) -> None:
        super().__init__(replies)
        self.asked: list[str] = []

    def answer(self, request: Request, moment: float) -> Reply:
        if not request.url.endswith("/robots.txt"):
            self.asked.append(request.url)
        return super().answer(request, moment)


def job(**sections: Any) -> Job:
    return Job.of([HOME], **{"discovery": {"mining": "off"}} | sections)


@pytest.mark.parametrize("robots_file", [None, "", "User-agent: *\nDisallow: /private\n"])
@pytest.mark.parametrize("reply", [MAP, FEED])
def test_the_usual_sitemap_is_tried_where_none_is_named(
    robots_file: str | None, reply: Reply, tmp_path: Path
) -> None:
    replies = {HOME: linking(), LISTED: linking(), USUAL: reply}
    if robots_file is not None:
        replies[f"{HOME}robots.txt"] = Reply(200, PLAIN, robots_file.encode())
    web = WatchedWeb(replies)
    assert kept(crawl(web, job(), tmp_path)) == {HOME, USUAL, LISTED}
    assert web.asked == [HOME, USUAL, LISTED]  # the first page does not wait for it


@pytest.mark.parametrize(
    ("robots_file", "sections"),
    [
        ("User-agent: *\nDisallow: /sitemap.xml\n", {}),
        (f"Sitemap: {HOME}other.xml\n", {}),
        ("", {"robots": {"sitemaps": False}}),
        ("", {"limits": {"depth_static": 0, "depth_dynamic": 0}}),
        ("", {"limits": {"pages": 1}}),
    ],
)
def test_the_usual_sitemap_is_not_tried_where_it_is_unwanted_or_of_no_use(
    robots_file: str, sections: dict[str, Any], tmp_path: Path
) -> None:
    robots = Reply(200, PLAIN, robots_file.encode())
    web = WatchedWeb({HOME: linking(), USUAL: MAP, LISTED: linking(), f"{HOME}robots.txt": robots})
    reason = "pages" if "pages" in sections.get("limits", {}) else EXHAUSTED
    crawl(web, job(**sections), tmp_path, reason=reason)
    assert USUAL not in web.asked


@pytest.mark.parametrize(
    "reply",
    [
        Reply(404, PLAIN, b"no"),
        Reply(403, PLAIN, b"no"),
        LOST,
        file("image/png"),
        file("text/plain", "lost"),
        Reply(200, (), b""),
    ],
)
def test_what_is_no_sitemap_is_no_page_either(reply: Reply, tmp_path: Path) -> None:
    second = f"{HOME}second.html"
    web = DrawnWeb({HOME: linking(second), second: linking(), USUAL: reply})
    found = crawl(web, job(limits={"pages": 3}), tmp_path)  # it takes nothing from the limit
    assert found == {HOME: Outcome.KEPT, second: Outcome.KEPT, USUAL: Outcome.NO_SITEMAP}


def test_a_site_that_gives_no_page_is_not_asked(tmp_path: Path) -> None:
    images, new = "http://images.test/", "http://new.test/"
    head = f'<img src="{images}a.png">'
    web = WatchedWeb(
        {HOME: moved(new), new: page(head), f"{images}a.png": file("image/png"), USUAL: MAP}
    )
    wide_open = [{"action": "accept", "regex": "."}]
    sections: dict[str, Any] = {"extract": {"requisites": True}, "discovery": {"mining": "off"}}
    crawl(web, Job.of([HOME], wide_open, **sections), tmp_path)
    assert sorted(web.asked) == sorted([HOME, new, f"{images}a.png", f"{new}sitemap.xml"])


@pytest.mark.parametrize("hops", [1, 3])
def test_a_sitemap_that_has_moved_within_the_site_is_read(hops: int, tmp_path: Path) -> None:
    ways = [USUAL, *(f"{HOME}map{n}.xml" for n in range(1, hops + 1))]
    replies = {here: moved(there) for here, there in pairwise(ways)}
    web = DrawnWeb({HOME: linking(), LISTED: linking(), **replies, ways[-1]: MAP})
    assert kept(crawl(web, job(), tmp_path)) == {HOME, ways[-1], LISTED}


@pytest.mark.parametrize("target", ["/login?next=/sitemap.xml", "http://other.test/", "/"])
def test_a_redirect_to_what_is_no_sitemap_brings_no_page(target: str, tmp_path: Path) -> None:
    login = f"{HOME}login?next=/sitemap.xml"
    web = DrawnWeb({HOME: linking(), USUAL: moved(target), login: LOST, "http://other.test/": LOST})
    found = crawl(web, job(), tmp_path)
    assert kept(found) == {HOME}
    assert found[USUAL] is Outcome.REDIRECTED
    assert found.get(login, Outcome.NO_SITEMAP) is Outcome.NO_SITEMAP


@pytest.mark.parametrize("target", ["", "/all.html"])
def test_a_page_that_is_linked_after_all_is_kept(target: str, tmp_path: Path) -> None:
    """The site calls an ordinary page so; a link to it is found after it was tried in vain."""
    first, second, there = f"{HOME}1.html", f"{HOME}2.html", f"{HOME}all.html"
    replies = {HOME: linking(first), first: linking(second), second: linking(USUAL)}
    replies |= {USUAL: moved(there), there: LOST} if target else {USUAL: LOST}
    web = WatchedWeb(replies)
    found = crawl(web, job(limits={"pages": 5}), tmp_path, reason=EXHAUSTED)
    assert kept(found) == {HOME, first, second, there if target else USUAL}
    assert web.asked.count(USUAL) == 2
    assert f"{HOME}lost.html" in found


def test_a_page_that_the_first_page_links_to_is_not_tried_but_asked_for(tmp_path: Path) -> None:
    web = WatchedWeb({HOME: linking(USUAL), USUAL: LOST})
    assert USUAL in kept(crawl(web, job(), tmp_path))
    assert web.asked.count(USUAL) == 1


def test_explain_says_that_it_was_tried_and_why(tmp_path: Path) -> None:
    the_job = job(frontier={"partitions": 1})
    log, login = MemoryLog(1), f"{HOME}login"
    crawl(DrawnWeb({HOME: linking(), USUAL: moved(login), login: LOST}), the_job, tmp_path, log=log)
    state = PartitionState()
    for _, batch in log.read(0, 0):
        for event in decode_events(batch):
            state.apply(event)
    about = explain(login, the_job, log, {0: state}, partitioner_of(the_job, None))
    assert about.outcome is Outcome.NO_SITEMAP
    assert (about.via, about.rule) == ("mined", "sitemap")
    assert "tried as the site's sitemap, but the answer is not a sitemap" in about.standing
    assert about.history[0].what == f"tried as the site's sitemap: {USUAL} redirects to it"
    about = explain(USUAL, the_job, log, {0: state}, partitioner_of(the_job, None))
    assert about.history[0].what == "tried as the site's sitemap: its robots file names none"
