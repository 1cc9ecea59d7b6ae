"""Hooks over a small web in virtual time: what they add, and what their failures cost."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from lycosa.crawl.scope import JobScope
from lycosa.features.plugins import hooks as hooks_module
from lycosa.features.plugins.following import with_query
from lycosa.features.plugins.hooks import Hooks
from lycosa.features.plugins.pages import SeenPage
from lycosa.features.plugins.plugin import Plugin
from lycosa.model.job import Job
from lycosa.model.records import Outcome
from lycosa.model.url import key_of
from lycosa.storage.log.memory import MemoryLog
from lycosa_testweb.web import Reply
from unit.crawl.drawn_web import DrawnWeb, crawl, file, linking, page

A, B, C, D = (f"http://a.test/{name}" for name in ("", "b", "c", "d"))


def job(**sections: Any) -> Job:
    sections = {"robots": {"sitemaps": False}} | sections
    return Job.of([A], frontier={"partitions": 2} | sections.pop("frontier", {}), **sections)


def outcomes(
    replies: dict[str, Reply], tmp_path: Path, *plugins: Plugin, **sections: Any
) -> dict[str, Outcome | None]:
    return crawl(DrawnWeb(replies), job(**sections), tmp_path, Hooks(plugins))


def test_a_hook_adds_and_drops_links(tmp_path: Path) -> None:
    seen: list[tuple[str, ...]] = []

    def look(page: SeenPage) -> None:
        seen.append(tuple(link.url for link in page.links))
        page.drop_links(lambda link: link.url == B)
        page.add_link("c", text="more")
        page.add_link("http://elsewhere.test/")

    found = outcomes({A: linking(B), B: page(), C: page()}, tmp_path, Plugin("p", on_page=look))
    assert found == {A: Outcome.KEPT, C: Outcome.KEPT}
    assert seen == [(B,), ()]


def test_an_added_link_is_followed_where_the_page_says_nofollow(tmp_path: Path) -> None:
    head = '<meta name="robots" content="nofollow">'
    replies = {A: page(f'<a href="{B}">', head), B: page(), C: page()}
    plugin = Plugin("p", on_page=lambda page: page.add_link(C))
    assert outcomes(replies, tmp_path, plugin) == {A: Outcome.KEPT, C: Outcome.KEPT}


def test_hooks_see_what_came_and_what_was_read(tmp_path: Path) -> None:
    seen: list[SeenPage] = []
    replies = {A: page(f'words <a href="{B}" rel="bookmark">to b</a>'), B: page()}
    outcomes(replies, tmp_path, Plugin("p", on_page=seen.append))
    first = seen[0]
    assert (first.url, first.status, first.content_type) == (A, 200, "text/html")
    assert (first.title, first.text, first.depth, seen[1].depth) == ("T", "words to b", 0, 1)
    assert first.body.startswith(b"<!doctype html>")
    assert first.fetched_at.year == 2023
    assert first.links[0]._asdict() == {
        "url": B,
        "kind": "anchor",
        "text": "to b",
        "rel": "bookmark",
    }


@pytest.mark.parametrize("nonsense", ["raise", "return", "column", "value", "title", "exit"])
def test_a_hook_that_fails_costs_its_page_an_outcome(
    nonsense: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def look(page: SeenPage) -> Any:
        if page.url != B:
            return None
        match nonsense:
            case "raise":
                raise RuntimeError("odd page")
            case "return":
                return 5
            case "column":
                page["nowhere"] = 1
            case "value":
                page["n"] = "many"
            case "title":
                page.title = None  # type: ignore[assignment]
            case "exit":
                raise SystemExit(3)
        return None

    replies = {A: linking(B, C), B: linking(D), C: page(), D: page()}
    with caplog.at_level(logging.INFO):
        found = outcomes(replies, tmp_path, Plugin("p", on_page=look, columns={"n": int}))
    assert found == {A: Outcome.KEPT, B: Outcome.HOOK_FAILED, C: Outcome.KEPT}
    (record,) = caplog.records
    assert "plugin p: on_page failed on http://a.test/b" in record.getMessage()
    assert record.exc_info is not None


def test_what_the_plugins_said_before_one_failed_is_void(tmp_path: Path) -> None:
    def fail(page: SeenPage) -> None:
        raise ValueError

    plugins = [Plugin("p", on_page=lambda page: page.add_link(B)), Plugin("q", on_page=fail)]
    assert outcomes({A: page(), B: page()}, tmp_path, *plugins) == {A: Outcome.HOOK_FAILED}


def test_tracebacks_do_not_fill_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooks_module, "MOST_TRACEBACKS", 1)

    def fail(page: SeenPage) -> None:
        if page.url != A:
            raise ValueError(page.url)

    outcomes({A: linking(B, C), B: page(), C: page()}, tmp_path, Plugin("p", on_page=fail))
    assert [bool(record.exc_info) for record in caplog.records] == [True, False]


def test_a_hook_that_keeps_the_crawl_waiting_is_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooks_module, "SLOW_SECONDS", -1.0)
    hooks = Hooks([Plugin("p", on_page=lambda page: None)])
    with caplog.at_level(logging.INFO):
        crawl(DrawnWeb({A: page()}), job(), tmp_path, hooks)
        hooks.tell()
    assert "plugin p: on_page took" in caplog.text
    assert "plugin p: on_page was called 1 times" in caplog.text
    assert "failed 0 times" in caplog.text


def test_an_extractor_reads_what_lycosa_does_not(tmp_path: Path) -> None:
    texts: list[str] = []

    def read(page: SeenPage) -> None:
        page.text = page.body.decode().upper()
        page.add_link("/c")

    plugin = Plugin(
        "p",
        extractors={"application/pdf": read},
        on_page=lambda page: texts.append(page.text),
    )
    replies = {A: linking(B), B: file("application/pdf", "paper"), C: page(), D: page()}
    assert outcomes(replies, tmp_path, plugin) == dict.fromkeys([A, B, C], Outcome.KEPT)
    assert "PAPER" in texts


def test_an_extractor_that_fails_costs_its_page_an_outcome(tmp_path: Path) -> None:
    def read(page: SeenPage) -> None:
        raise ValueError("no paper")

    plugin = Plugin("p", extractors={"application/pdf": read})
    replies = {A: linking(B, C), B: file("application/pdf"), C: file("image/png")}
    found = outcomes(replies, tmp_path, plugin)
    assert found == {A: Outcome.KEPT, B: Outcome.HOOK_FAILED, C: Outcome.WRONG_TYPE}


# -- rules ----------------------------------------------------------------------------------


def judged(url: str, *rules: Any, **sections: Any) -> tuple[str | None, str]:
    plugins = [Plugin(f"p{number}", on_url=rule) for number, rule in enumerate(rules)]
    scope = JobScope(job(**sections), MemoryLog(1), hooks=Hooks(plugins))
    scope.join(key_of(A))
    verdict = scope.judge(key_of(url))
    return verdict.key, verdict.reason


def fail(url: str) -> bool:
    raise ValueError(url)


OUT = "http://b.test/x"


@pytest.mark.parametrize(
    ("url", "rules", "verdict"),
    [
        (B, [lambda url: None], (key_of(B), "extra-host")),
        (OUT, [lambda url: None], (None, "out-of-scope")),
        (OUT, [lambda url: True], (key_of(OUT), "hook:p0")),
        (B, [lambda url: False], (None, "hook:p0")),
        (B, [lambda url: Plugin.reject("a  calendar")], (None, "hook:p0:a calendar")),
        (OUT, [lambda url: B], (key_of(B), "extra-host")),
        (B, [lambda url: OUT], (None, "out-of-scope")),
        (B, [lambda url: None, lambda url: False], (None, "hook:p1")),
        (B, [lambda url: C, lambda url: url == C], (key_of(C), "hook:p1")),
        (B, [fail], (None, "hook:p0")),
        (B, [lambda url: 7], (None, "hook:p0")),
        (B, [lambda url: "not a url"], (None, "hook:p0")),
    ],
)
def test_plugins_are_asked_before_the_rules(
    url: str, rules: list[Any], verdict: tuple[str | None, str]
) -> None:
    found = judged(url, *rules)
    assert (found[0], found[1].replace("accept:extra-host", "extra-host")) == verdict


def test_a_rule_that_raises_refuses_that_url_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def rule(url: str) -> None:
        if url == B:
            raise ValueError("odd URL")

    found = outcomes({A: linking(B, C), B: page(), C: page()}, tmp_path, Plugin("p", on_url=rule))
    assert found == {A: Outcome.KEPT, C: Outcome.KEPT}
    assert "plugin p: on_url failed on http://a.test/b: ValueError: odd URL" in caplog.text


def test_links_are_followed_by_whatever_names_them(tmp_path: Path) -> None:
    def look(page: SeenPage) -> None:
        if page.url == A:
            assert page.follow("c", page.links[0], page.css("img"), page.css("a::attr(href)")) == 4
            with pytest.raises(TypeError, match="the element <p> has no address"):
                page.follow(page.css("p"))
            with pytest.raises(TypeError, match="not 5"):
                page.follow(5)

    replies = {A: page(f'<p><a href="{B}">b</a><img src="d">'), B: page(), C: page(), D: page()}
    found = outcomes(replies, tmp_path, Plugin("p", on_page=look))
    assert found == dict.fromkeys((A, B, C, D), Outcome.KEPT)


@pytest.mark.parametrize(
    ("body", "to"),
    [
        ('<a href="b">b</a><a href="c" rel="next">c</a>', C),
        ('<a href="b">b</a><a href="c"> Next page → </a>', C),
        ('<a href="b">b</a><a href="c">›</a>', C),
        ('<a href="b">the next chapter of the book</a>', None),
        ('<a href="/" rel="next">itself</a>', None),
    ],
)
def test_the_next_page_of_a_list_is_known(body: str, to: str | None, tmp_path: Path) -> None:
    said: list[str | None] = []

    def look(page: SeenPage) -> None:
        if page.url == A:
            said.append(page.follow_next())

    outcomes({A: page(body), B: page(), C: page()}, tmp_path, Plugin("p", on_page=look))
    assert said == [to]


def test_a_query_is_changed_in_place() -> None:
    url = "http://a.test/list?q=a+b&page=1&all"
    assert with_query(url, {"page": 2}) == "http://a.test/list?q=a+b&page=2&all"
    assert with_query(url, {"page": None, "n": 5}) == "http://a.test/list?q=a+b&all&n=5"
