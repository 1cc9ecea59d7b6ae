"""`lycosa.testing` finds in a saved page what a crawl records of the same answer."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from lycosa.errors import LycosaError, PluginError
from lycosa.features.plugins.hooks import Hooks
from lycosa.features.plugins.pages import SeenPage
from lycosa.features.plugins.plugin import Plugin
from lycosa.model.job import Job
from lycosa.model.links import FOLLOWED
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.archive.reader import rows, table
from lycosa.storage.tables.rows import SCHEMAS
from lycosa.testing import Shown, show_page
from lycosa_testweb.web import HTML, Reply
from unit.crawl.drawn_web import DrawnWeb, crawl

HOME = "http://a.test/"
BODY = """<!doctype html><html lang=en><title>Ten words</title>
<meta name=description content=short>
<body><h1>One</h1> <a href=b rel=next>next</a> <a href=b>again</a> <a href=/c>see</a>
<a rel=nofollow href=d>shy</a> <a href=http://b.test/>away</a> <a href=mailto:a@b.test>mail</a>
<a href=/skipped>no</a> <img src=e.png>"""


def look(page: SeenPage) -> None:
    page["heads"] = len(page.css("h1"))
    page.title = page.title.upper()
    page.drop_links(lambda link: link.url.endswith("/c"))
    page.add_link("/added", text="more", rel="item")
    page.add_link("http://b.test/added")


def rule(url: str) -> str | bool | None:
    return Plugin.reject("skipped") if url.endswith("/skipped") else None


def failing(page: SeenPage) -> None:
    page["heads"] = 1
    raise ValueError("no heads")


def reading(page: SeenPage) -> None:
    page.text = page.body.decode().upper()
    page.add_link("/from-json")


GOOD = Plugin("p", on_page=look, on_url=rule, columns={"heads": int})
JSON = (("Content-Type", "application/json"),)
PAGE = Reply(200, HTML, BODY.encode())
READER = Plugin("r", extractors={"application/json": reading})
FAILING = Plugin("q", on_page=failing, columns={"heads": int})
CASES: dict[str, tuple[list[Plugin], Reply]] = {
    "kept": ([GOOD], PAGE),
    "failed": ([GOOD, FAILING], PAGE),
    "extracted": ([READER], PAGE._replace(headers=JSON)),
    "not read": ([GOOD], PAGE._replace(headers=JSON)),
    "gone": ([GOOD], PAGE._replace(status=410)),
    "broken": ([GOOD], PAGE._replace(status=500)),
    "moved": ([GOOD], Reply(301, (*HTML, ("Location", "/c")), b"")),
}


def shown(case: str) -> Shown:
    plugins, reply = CASES[case]
    headers = dict(reply.headers)
    return show_page(
        plugins, reply.body, url=HOME, status=reply.status, headers=headers, job=job(case)
    )


def job(case: str) -> Job:
    plugins, _ = CASES[case]
    return Job.of(
        [HOME],
        plugins={"use": [plugin.name for plugin in plugins]},
        robots={"sitemaps": False},
        limits={"depth_static": 1},
        fetch={"retries": 0},
        discovery={"mining": "off"},
        frontier={"partitions": 1},
    )


@pytest.mark.parametrize("case", CASES)
def test_a_page_shows_what_a_crawl_records_of_it(case: str, tmp_path: Path) -> None:
    plugins, reply = CASES[case]
    hooks = Hooks(plugins)
    archive = ArchiveStore(tmp_path, extra_columns=hooks.extra_columns)
    crawl(DrawnWeb({HOME: reply}), job(case), tmp_path, hooks, archive=archive)
    names = [*SCHEMAS["pages"].names, *hooks.extra_columns.names]
    (row,) = (
        row
        for batch in rows(tmp_path, "pages", names)
        for row in batch.to_pylist()
        if row["url"] == HOME
    )
    links = [
        link for link in table(tmp_path, "links").to_pylist() if link["fetch_id"] == row["fetch_id"]
    ]
    found = shown(case)
    assert found.outcome == row["outcome"]
    assert (found.title, found.language) == (row["title"] or "", row["language"] or "")
    assert found.columns == {name: row[name] for name in found.columns}
    assert bool(found.columns) == (case == "kept")
    followed = [link for link in links if link["reason"] in (None, FOLLOWED)]
    if row["redirect_url"] is not None:  # such a link stands beside its page
        assert [(link.url, link.kind) for link in found.links] == [
            (row["redirect_url"], "redirect")
        ]
        return
    assert [(link.url, link.text, link.rel) for link in found.links] == [
        (link["target_url"], link["text"] or "", link["rel"] or "") for link in followed
    ]
    refused = {(link["target_url"], link["reason"]) for link in links if link not in followed}
    assert {(link.url, link.reason) for link in found.refused} >= refused


def test_links_of_hooks_go_through_rules_and_scope() -> None:
    found = shown("kept")
    assert [link.url for link in found.links] == ["http://a.test/b", "http://a.test/added"]
    reasons = {link.url: link.reason for link in found.refused}
    assert reasons["http://a.test/skipped"] == "hook:p:skipped"
    assert reasons["http://b.test/added"] == "out-of-scope"
    assert reasons["http://a.test/d"] == "nofollow"


def test_a_failing_hook_is_named_and_leaves_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        found = shown("failed")
    assert (found.outcome, found.failure) == (
        "hook_failed",
        "plugin q: on_page: ValueError: no heads",
    )
    assert (found.links, found.columns) == ((), {})
    assert caplog.records[0].exc_info is not None


def test_an_exception_that_cannot_be_printed_is_a_failure_too() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    def raising(page: SeenPage) -> None:
        raise Mute

    logging.raiseExceptions, before = False, logging.raiseExceptions
    try:
        found = show_page(Plugin("m", on_page=raising), BODY)
    finally:
        logging.raiseExceptions = before
    assert (found.outcome, found.failure) == ("hook_failed", "plugin m: on_page: Mute")


def test_a_page_is_text_bytes_or_a_file(tmp_path: Path) -> None:
    file = tmp_path / "saved.html"
    file.write_text(BODY, encoding="utf-8")
    as_text, as_bytes, as_file = (
        show_page(GOOD, page, url=HOME) for page in (BODY, BODY.encode(), file)
    )
    assert as_text == as_bytes == as_file
    assert (as_text.title, as_text.columns) == ("TEN WORDS", {"heads": 1})
    assert "next again see" in as_text.text


def test_text_is_read_in_its_character_set() -> None:
    page = "<title>Übung</title>"
    assert show_page(GOOD, page).title == "ÜBUNG"
    headers = {"content-type": "text/html; charset=latin-1"}
    assert show_page(GOOD, page.encode("latin-1"), headers=headers).title == "ÜBUNG"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"url": "mailto:a@b.test"}, "not a URL that can be crawled"),
        ({"page": Path("nowhere.html")}, "nowhere.html: cannot be read"),
    ],
)
def test_a_wrong_argument_is_named(given: dict[str, Any], says: str) -> None:
    with pytest.raises(LycosaError, match=says):
        show_page(GOOD, **({"page": BODY} | given))


def test_an_installed_plugin_is_named_and_one_that_is_not_is_refused() -> None:
    with pytest.raises(PluginError, match="there is no plugin `nowhere`"):
        show_page("nowhere", BODY)


def test_what_is_posted_is_a_link_or_refused() -> None:
    def posting(page: SeenPage) -> None:
        page.post("/search", {"q": "iron age"}, rel="next")
        page.post("/order", {"n": 1})
        page.post("http://b.test/search", {"q": "x"})

    allowed = {"use": ["p"], "post": [f"{HOME}search", "http://b.test/"]}
    found = show_page(
        Plugin("p", on_page=posting),
        "<title>a</title>",
        url=HOME,
        job=Job.of([HOME], plugins=allowed),
    )
    assert [(link.url, link.kind, link.rel) for link in found.links] == [
        (f"{HOME}search#POST:form:q=iron+age", "post", "next")
    ]
    assert [(link.url, link.kind, link.reason) for link in found.refused] == [
        (f"{HOME}order#POST:form:n=1", "post", "post"),
        ("http://b.test/search#POST:form:q=x", "post", "out-of-scope"),
    ]
