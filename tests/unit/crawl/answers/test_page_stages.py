"""Stages and links of a page, compiled and in plain Python, decide alike on made-up answers."""

from __future__ import annotations

import gzip
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest
from benchmarks.partitions import waiting_partition
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from lycosa.crawl.answers.page_answer import PageAnswer
from lycosa.crawl.answers.stages import PageAnswers
from lycosa.crawl.budget import Budget
from lycosa.crawl.links._routes import TOO_DEEP
from lycosa.crawl.links.router import Router
from lycosa.crawl.points import Feature, Points, Spine
from lycosa.crawl.ports import Store
from lycosa.crawl.scope import JobScope
from lycosa.features.of_job import features_of
from lycosa.frontier.distance import MOST_REDIRECTS, STEP, TOO_MANY_REDIRECTS
from lycosa.frontier.partitioners import make_partitioner
from lycosa.frontier.readiness.agenda import Agenda
from lycosa.model.job import Job
from lycosa.model.records import (
    Answer,
    Capture,
    Outcome,
    Place,
    Purpose,
    Request,
    SiteProbed,
    Validators,
)
from lycosa.model.url import key_of, url_of
from lycosa.storage.log.memory import MemoryLog
from plain_routes import PlainRouter
from plain_stages import PlainPageAnswers
from seeds import examples
from unit.crawl.drawn_web import DrawnWeb, ports_of

URLS = [
    *("http://www.a.test/", "http://www.a.test/1", "http://www.a.test/cal/2024-01?a=1&b=2&c=3"),
    *("https://www.a.test/s", "http://www.b.test/", "http://www.b.test/x;sid=1", "http://c.test/7"),
]
TEXT = b" ".join(b"word%d" % (n % 40) for n in range(60))
RDFA = b"<div vocab=http://schema.org/ typeof=Book><p property=name>A name</p></div>"
PAGES = [
    b"",
    b"<html><title>T</title><p>"
    + TEXT
    + b"<a href=/1>one</a><a href=http://www.b.test/>b</a></html>",
    b"<html><p>" + TEXT + b" more<a href=2 rel=nofollow>two</a><img src=i.png></html><a href=/out>",
    b"<html><meta name=robots content='nofollow,noindex,noarchive'>" + TEXT + b"<a href=/n>n</a>",
    b"<html><base href=http://c.test/base/>" + TEXT[:90] + b"<a href=x?id=1>x</a>" + RDFA,
    b"<html lang=de><script>go()</script><body>few</body></html>",
    b"<?xml version='1.0'?><urlset><url><loc>http://www.a.test/l</loc></url></urlset>",
    b"http://www.a.test/l1\nhttp://www.a.test/l2\n",
    b"body { background: url(/b.png) }",
    gzip.compress(b"<urlset><loc>http://www.a.test/z</loc></urlset>", mtime=0),
    "<html>Käse ✓".encode("utf-16"),
    b"<html><p>"
    + b"".join(b"<a href=/new/%d>to %d</a>" % (n, n) for n in range(5))
    + b"<a href=/q?1>",
]
HEADERS = st.lists(
    st.sampled_from(
        [
            ("Content-Type", "text/html"),
            ("Content-Type", "text/html"),
            ("Content-Type", "text/html; charset=utf-8"),
            ("Content-Type", "text/plain"),
            ("Content-Type", "text/css"),
            ("Content-Type", "image/png"),
            ("Content-Type", "application/xml"),
            ("Content-Type", "application/gzip"),
            ("X-Robots-Tag", "noindex, nofollow"),
            ("X-Robots-Tag", "noarchive"),
            ("Link", "</linked>; rel=canonical"),
            ("Location", "http://www.b.test/"),
            ("Location", "/1"),
            ("Retry-After", "40"),
            ("Set-Cookie", "a=b"),
        ]
    ),
    max_size=4,
    unique=True,
)
STATUSES = st.sampled_from([200, 200, 200, 200, 200, 204, 301, 302, 304, 404, 410, 429, 503, 500])
FAILURES = st.sampled_from(
    [
        *[None] * 8,
        *(Outcome.TIMEOUT, Outcome.CONNECT_FAILURE, Outcome.CUT_SHORT, Outcome.REFUSED_ADDRESS),
        *(Outcome.REFUSED_PORT, Outcome.STALE_CONNECTION, Outcome.NAME_FAILURE),
    ]
)


@st.composite
def answers(draw: st.DrawFn, may_fail: bool = True) -> Answer:
    failure = draw(FAILURES) if may_fail else None
    began = draw(st.floats(0, 1e6))
    ended = began + draw(st.sampled_from([0.0, 0.25, 1.2, 3.0, 500.0]))
    if failure is not None:
        beginning = draw(st.none() | answers(may_fail=False))
        return Answer(0, (), b"", began, ended, failure, beginning=beginning)
    headers = tuple(draw(HEADERS))
    by_name: dict[str, str] | None = None
    if draw(st.booleans()):
        by_name = {}
        for name, value in headers:
            by_name.setdefault(name.lower(), value)
    body = draw(st.sampled_from(PAGES) | st.binary(max_size=40))
    return Answer(draw(STATUSES), headers, body, began, ended, by_name=by_name)


JOBS = [
    Job.of(seeds=URLS[:1]),
    Job.of(
        seeds=URLS[:1],
        politeness={"delay_seconds": 0, "answer_time_factor": 2.0, "large_site_pages": 1},
        limits={"host_pages": 2, "depth_static": 1, "depth_dynamic": 0},
        extract={"soft_404_after": 1, "outside_html": True},
    ),
    Job.of(
        seeds=URLS[:1],
        extract={"requisites": True, "wide": True, "obey_nofollow": False},
        politeness={"longest_pause_seconds": 30, "strikes": 2},
        fetch={"cookies": True, "retries": 1},
        limits={"bytes": 3000},
    ),
    Job.of(
        seeds=URLS[:1],
        robots={"sitemaps": False},
        revisit={"seconds": 100},
        extract={"obey_noarchive": True, "links": "followed", "soft_404_after": 0},
        forms={"search": True},
        structured={"links": True},
        traps={"budget": 1, "folder_budget": 1, "host_budget": 1},
    ),
]


class _Store:
    """Keeps captures, each at a place of its own."""

    def __init__(self) -> None:
        self.captures: list[Capture] = []

    def append(self, capture: Capture) -> Place:
        self.captures.append(capture)
        return Place(1, 100 * len(self.captures), 99 if capture.answer.status else 0)

    def links(self, place: Place) -> list[Any]:
        return []


class Notes(Feature):
    """Notes what the stages have made of an answer."""

    last: object = None

    def learned(self, answered: PageAnswer) -> None:
        """Note every field but those that are compared elsewhere."""
        self.last = [
            getattr(answered, name)
            for name in PageAnswer.__struct_fields__
            if name not in ("partition", "links", "refused")
        ]


class Bench:
    """A worker's stages with all that features and links need, and one partition."""

    def __init__(
        self,
        job: Job,
        stages: type[PageAnswers] | type[PlainPageAnswers],
        ways: Sequence[tuple[int, int]] = (),
    ) -> None:
        """`ways` are the distances and the redirects in a row of the first URLs."""
        self.store, self.budget = _Store(), Budget(job)
        self.partition = waiting_partition()
        scope = JobScope(job, MemoryLog(1))
        for url in URLS:
            scope.join(key_of(url))
        self.ports = structs.replace(
            ports_of(DrawnWeb({}), job, cast("Store", self.store)),
            scope=scope,
            budget=self.budget,
            random=random.Random(1),
            partitioner=make_partitioner("host-hash", 2),
        )
        router = Router(self.ports) if stages is PageAnswers else PlainRouter(self.ports)
        partitions = {0: self.partition}
        spine = Spine(self.ports, partitions, router, Agenda(), *[lambda *_: None] * 3)
        self.notes = Notes()
        points = Points([*features_of(spine), self.notes])
        self.stages = stages(self.ports, router, None, points)
        distances = [ways[n][0] if n < len(ways) else 0 for n in range(len(URLS))]
        self.partition.admit(0.0, "", [key_of(url) for url in URLS], distances)
        for page, (_, hops) in enumerate(ways):
            self.partition.state.pages.hops[page] = hops
        for site in range(len(self.partition.state.site_names)):
            self.partition.state.sites.wants_sitemap[site] = 1

    def answer(self, page: int, answer: Answer, validators: Validators | None) -> object:
        """Let a page be answered; returns everything that was decided."""
        state = self.partition.state
        page %= len(state.table)  # links have made more of them
        url = url_of(state.table.key(page))
        request = Request(url, "h", "10.0.0.1", Purpose.PAGE, "test", 10**6, 0, validators, b"")
        reserved = self.budget.reserve(0.0)
        if reserved is None:
            return None
        try:
            must_commit = self.stages.decide(self.partition, page, request, answer, reserved)
        except OverflowError:  # a URL is done twice: no crawl asks for it then
            return OverflowError
        budget = self.budget
        return (
            must_commit,
            _plain(self.store.captures),
            self.partition.uncommitted,
            (self.partition.refusals, self.partition.structured, self.partition.posts),
            (budget.kept_pages, budget.kept_bytes, budget.reserved_pages, budget.reached),
            state.pack(0),
            self.notes.last,
        )


def _plain(captures: list[Capture]) -> list[object]:
    """Return what captures say, with the keys of links in place of their targets."""
    return [
        tuple(
            (
                [target.key for target in value.targets],
                *(value.kinds, value.texts, value.rels, value.times),
                *(value.positions, value.reasons),
            )
            if name in ("links", "refused_links")
            else value
            for name in Capture.__struct_fields__
            for value in [getattr(capture, name)]
        )
        for capture in captures[-1:]
    ]


@settings(max_examples=examples(400), deadline=None)
@given(
    st.sampled_from(JOBS),
    st.lists(
        st.tuples(
            st.integers(0, 30),
            answers(),
            st.sampled_from([None, None, Validators("e")]),
            st.sampled_from([None] * 6 + [Outcome.PROBE_HONEST, Outcome.PROBE_SOFT]),
            st.sampled_from([None] * 4 + [0.2, 30.0]),
        ),
        max_size=12,
    ),
    st.lists(
        st.tuples(
            st.sampled_from([0, 0, STEP, 2 * STEP, STEP + 2]),
            st.sampled_from([0, 0, 1, MOST_REDIRECTS - 1, MOST_REDIRECTS]),
        ),
        max_size=len(URLS),
    ),
)
def test_compiled_stages_decide_what_the_plain_ones_decide(
    job: Job,
    told: list[tuple[int, Answer, Validators | None, Outcome | None, float | None]],
    ways: list[tuple[int, int]],
) -> None:
    """A verdict on a site, or an order for another delay, may precede an answer."""
    compiled = Bench(replace(job), PageAnswers, ways)
    plain = Bench(replace(job), PlainPageAnswers, ways)
    for page, answer, validators, verdict, delay in told:
        if delay is not None:
            for one in (compiled.ports.job, plain.ports.job):  # as `live_job` does
                other = replace(one.politeness, delay_seconds=delay)
                object.__setattr__(one, "politeness", other)
        if verdict is not None:
            for bench in (compiled, plain):
                bench.partition.record(SiteProbed(1.0, 0, verdict, 5, []))
        decided = compiled.answer(page, answer, validators)
        assert decided == plain.answer(page, answer, validators)
        if decided is OverflowError:
            return


HTML = (("Content-Type", "text/html"),)
MOVED = (("Location", "http://www.a.test/moved"),)


@pytest.mark.parametrize("stages", [PageAnswers, PlainPageAnswers])
@pytest.mark.parametrize(
    ("hops", "is_followed"), [(MOST_REDIRECTS - 1, True), (MOST_REDIRECTS, False)]
)
def test_the_last_redirect_of_a_row_is_followed_and_no_other(
    stages: type[PageAnswers] | type[PlainPageAnswers], hops: int, is_followed: bool
) -> None:
    bench = Bench(replace(JOBS[0]), stages, [(0, hops)])
    bench.answer(0, Answer(301, MOVED, b"", 0.0, 1.0), None)
    assert (key_of("http://www.a.test/moved") in bench.partition.state.table) is is_followed
    assert bench.partition.refusals.get(TOO_MANY_REDIRECTS, 0) == (not is_followed)


@pytest.mark.parametrize("stages", [PageAnswers, PlainPageAnswers])
def test_every_link_that_is_too_deep_is_counted(
    stages: type[PageAnswers] | type[PlainPageAnswers],
) -> None:
    bench = Bench(replace(JOBS[1]), stages, [(STEP, 0)])
    bench.answer(0, Answer(200, HTML, PAGES[-1], 0.0, 1.0), None)
    assert bench.partition.refusals == {TOO_DEEP: 6}


class Counts(Feature):
    """Counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def judged(self, answered: PageAnswer) -> None:
        """Put facts there that are none."""
        self.asked += 1
        answered.facts = cast("Any", "none")


def test_facts_that_are_none_are_refused() -> None:
    bench = Bench(JOBS[0], PageAnswers)
    bench.stages = PageAnswers(bench.ports, cast("Router", None), None, Points([Counts()]))
    with pytest.raises(TypeError, match="facts are expected, not str"):
        bench.answer(0, Answer(404, (), b"", 0.0, 1.0), None)
    with pytest.raises(TypeError, match="no request and answer"):
        bench.stages.decide(bench.partition, 0, cast("Any", 1), cast("Any", 2), 0)
    with pytest.raises(IndexError):
        bench.stages.decide(
            bench.partition,
            99,
            Request("http://a.test/", "a.test", "", Purpose.PAGE, "", 1),
            Answer(404, (), b"", 0.0, 1.0),
            0,
        )
