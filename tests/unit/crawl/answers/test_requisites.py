"""What a page needs to be shown is fetched, one hop out of scope; other hosts' pages are not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from lycosa.model.job import Job
from unit.crawl.drawn_web import DrawnWeb, crawl, file, kept, linking, moved, page

HOME = "http://site.test/"
SECOND = "http://site.test/second.html"
FOREIGN_PAGES = {
    "http://other.test/",
    "http://other.test/page.html",
    "http://other.test/frame.html",
}
PARTS = {
    "http://site.test/style.css",
    "http://site.test/more.css",
    "http://site.test/back.png",
    "http://site.test/code.js",
    "http://site.test/picture.png",
    "http://site.test/picture-2x.png",
    "http://other.test/far.png",
    "http://other.test/far.css",
    "http://other.test/deep.woff2",
}
WEB = DrawnWeb(
    {
        HOME: page(
            '<img src="/picture.png" srcset="/picture-2x.png 2x"><script src="/code.js"></script>'
            '<img src="http://other.test/far.png"><a href="/second.html">on</a>'
            '<a href="http://other.test/page.html">away</a>'
            '<iframe src="http://other.test/frame.html"></iframe>',
            '<link rel="stylesheet" href="/style.css">'
            '<link rel="stylesheet" href="http://other.test/far.css">',
        ),
        SECOND: page('<img src="picture.png">'),
        "http://site.test/style.css": file(
            "text/css", '@import "more.css"; body { background: url(back.png) }'
        ),
        "http://site.test/more.css": file("text/css", "p { color: red }"),
        "http://site.test/back.png": file("image/png"),
        "http://site.test/code.js": file("text/javascript"),
        "http://site.test/picture.png": file("image/png"),
        "http://site.test/picture-2x.png": file("image/png"),
        "http://other.test/far.png": file("image/png"),
        "http://other.test/far.css": file(
            "text/css", "@font-face { font-family: F; src: url(deep.woff2) }"
        ),
        "http://other.test/deep.woff2": file("font/woff2"),
        **dict.fromkeys(FOREIGN_PAGES, linking(HOME)),
    }
)


def job(
    requisites: bool = True,
    rules: Iterable[Mapping[str, object]] = (),
    **sections: Mapping[str, object],
) -> Job:
    quiet: dict[str, Mapping[str, object]] = {"robots": {"sitemaps": False}}
    return Job.of([HOME], rules, extract={"requisites": requisites}, **quiet | sections)


def test_everything_that_a_page_needs_is_kept_also_from_another_host(tmp_path: Path) -> None:
    assert kept(crawl(WEB, job(), tmp_path)) == {HOME, SECOND} | PARTS


def test_pages_and_frames_of_the_other_host_are_not_even_admitted(tmp_path: Path) -> None:
    assert set(crawl(WEB, job(), tmp_path)).isdisjoint(FOREIGN_PAGES)


def test_without_the_switch_no_part_is_asked_for(tmp_path: Path) -> None:
    assert set(crawl(WEB, job(requisites=False), tmp_path)) == {HOME, SECOND}


def test_parts_cost_no_depth(tmp_path: Path) -> None:
    found = crawl(WEB, job(limits={"depth_static": 0, "depth_dynamic": 0}), tmp_path)
    assert kept(found) == {HOME} | PARTS


def test_a_rule_that_rejects_by_name_holds_for_parts_too(tmp_path: Path) -> None:
    rules = [{"action": "reject", "extension": "png"}]
    found = set(crawl(WEB, job(rules=rules), tmp_path))
    assert found == {HOME, SECOND} | {url for url in PARTS if not url.endswith(".png")}


def test_a_page_that_is_only_shown_as_a_part_leads_nowhere_out_of_scope(tmp_path: Path) -> None:
    web = DrawnWeb(
        {
            HOME: page('<object data="http://other.test/shown.html"></object>'),
            "http://other.test/shown.html": linking("http://other.test/page.html", SECOND),
            "http://other.test/page.html": linking(),
            SECOND: linking(),
        }
    )
    found = crawl(web, job(), tmp_path)
    assert "http://other.test/page.html" not in found
    assert SECOND in found


def test_where_a_part_is_redirected_to_does_not_join_the_scope(tmp_path: Path) -> None:
    """Only the seed's own redirect says where the site is; a picture's says nothing."""
    web = DrawnWeb(
        {
            HOME: page(
                '<img src="http://other.test/far.png"><img src="/near.png">'
                '<a href="/second.html">on</a>'
            ),
            "http://other.test/far.png": moved("http://third.test/far.png"),
            "http://site.test/near.png": moved("http://fourth.test/near.png"),
            SECOND: linking("http://third.test/", "http://fourth.test/"),
            "http://third.test/": linking(),
            "http://third.test/far.png": file("image/png"),
            "http://fourth.test/": linking(),
            "http://fourth.test/near.png": file("image/png"),
        }
    )
    found = crawl(web, job(), tmp_path)
    assert {"http://third.test/", "http://fourth.test/"}.isdisjoint(found)


def test_a_part_on_another_host_is_kept_where_it_has_moved_to(tmp_path: Path) -> None:
    web = DrawnWeb(
        {
            HOME: page('<img src="http://other.test/far.png">'),
            "http://other.test/far.png": moved("https://third.test/far.png"),
            "https://third.test/far.png": file("image/png"),
        }
    )
    assert kept(crawl(web, job(), tmp_path)) == {HOME, "https://third.test/far.png"}


def test_a_part_in_scope_is_kept_where_it_has_moved_to_out_of_scope(tmp_path: Path) -> None:
    web = DrawnWeb(
        {
            HOME: page(
                '<img src="/near.png"><img src="http://www.site.test/other.png">'
                '<a href="/gone">a page that has moved away</a><a href="/linked.png">on</a>'
            ),
            "http://site.test/near.png": moved("https://cdn.test/near.png"),
            "https://cdn.test/near.png": file("image/png"),
            "http://site.test/linked.png": moved("https://cdn.test/linked.png"),
            "https://cdn.test/linked.png": file("image/png"),
            "http://site.test/gone": moved("https://cdn.test/gone"),
            "https://cdn.test/gone": linking(),
        }
    )
    found = crawl(web, job(), tmp_path)
    assert kept(found) == {HOME, "https://cdn.test/near.png"}
    assert {"https://cdn.test/gone", "https://cdn.test/linked.png"}.isdisjoint(found)


def test_a_link_that_another_page_shows_as_a_part_is_one(tmp_path: Path) -> None:
    web = DrawnWeb(
        {
            HOME: linking("/second.html", "/third.html", "/near.png"),
            SECOND: page('<img src="/near.png">'),
            "http://site.test/near.png": moved("https://cdn.test/near.png"),
            "https://cdn.test/near.png": file("image/png"),
        }
    )
    assert "https://cdn.test/near.png" in kept(crawl(web, job(), tmp_path))
