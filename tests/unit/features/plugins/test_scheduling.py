"""Schedulers and partitioners of plugins: used, and held to their promises."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.errors import PluginError
from lycosa.features.plugins.guarded import HeldScheduler
from lycosa.features.plugins.hooks import Hooks
from lycosa.features.plugins.plugin import Pending, Plugin
from lycosa.features.plugins.scheduling import partitioner_of, require_plugins
from lycosa.model.job import Job
from lycosa.model.url import key_of
from unit.crawl.drawn_web import DrawnWeb, crawl, linking, page

URLS = [f"http://a.test/{name}" for name in ("", "x", "m", "b")]


class Alphabetical:
    """A scheduler as a user would write it: by URL, among the sites that are awake."""

    def __init__(self, pending: Pending) -> None:
        self.ready = 0
        self._pending = pending
        self._offered: dict[int, int] = {}
        self._awake: set[int] = set()

    def offer(self, page: int, site: int) -> None:
        self._offered[page] = site

    def move(self, page: int, site: int) -> None: ...

    def drop(self, site: int) -> None:
        self._offered = {page: s for page, s in self._offered.items() if s != site}

    def wake(self, site: int) -> None:
        self._awake.add(site)

    def rest(self, site: int) -> None:
        self._awake.discard(site)

    def waiting(self, site: int) -> int:
        return sum(s == site for s in self._offered.values())

    def choose(self) -> int | None:
        ready = [page for page, site in self._offered.items() if site in self._awake]
        chosen = min(ready, key=self._pending.url, default=None)
        if chosen is not None:
            del self._offered[chosen]
        return chosen


class Rude(Alphabetical):
    """Does not care who is asleep."""

    def choose(self) -> int | None:
        return next(iter(self._offered), None)


class Broken(Alphabetical):
    def choose(self) -> int | None:
        raise RuntimeError("no idea")


PLUGIN = Plugin(
    "p",
    schedulers={"alphabet": Alphabetical, "rude": Rude, "broken": Broken},
    scores={"late": lambda url, depth: (ord(url[-1]) - 47) / 100, "wild": lambda url, depth: 7},
    partitioners={"all": lambda host: "one", "none": lambda host: 5},  # type: ignore[dict-item, return-value]
    version="1.0",
)


def job(**frontier: object) -> Job:
    return Job.of([URLS[0]], frontier={"partitions": 4, **frontier})


def test_a_crawl_goes_in_the_order_of_a_plugin(tmp_path: Path) -> None:
    asked: list[str] = []
    looking = Plugin("q", on_page=lambda page: asked.append(page.url))
    web = DrawnWeb({URLS[0]: linking(*URLS[1:]), **{url: page() for url in URLS[1:]}})
    crawl(web, job(scheduler="p:alphabet"), tmp_path, Hooks([PLUGIN, looking]))
    assert asked == sorted(URLS)


def test_best_first_goes_by_the_score_of_a_plugin(tmp_path: Path) -> None:
    asked: list[str] = []
    looking = Plugin("q", on_page=lambda page: asked.append(page.url))
    web = DrawnWeb({URLS[0]: linking(*URLS[1:]), **{url: page() for url in URLS[1:]}})
    order = job(scheduler="best-first", score="p:late")
    crawl(web, order, tmp_path, Hooks([PLUGIN, looking]))
    assert asked == [URLS[0], *sorted(URLS[1:], key=lambda url: url[-1], reverse=True)]


def test_a_score_out_of_bounds_ends_the_crawl_and_is_named(tmp_path: Path) -> None:
    web = DrawnWeb({URLS[0]: page()})
    order = job(scheduler="best-first", score="p:wild")
    with pytest.raises(PluginError, match=r"`p:wild` of a plugin failed: it returned 7 for http"):
        crawl(web, order, tmp_path, Hooks([PLUGIN]))


def test_a_scheduler_that_raises_ends_the_crawl_and_is_named(tmp_path: Path) -> None:
    web = DrawnWeb({URLS[0]: page()})
    with pytest.raises(PluginError, match=r"`p:broken` of a plugin failed: RuntimeError: no idea"):
        crawl(web, job(scheduler="p:broken"), tmp_path, Hooks([PLUGIN]))


def test_no_scheduler_can_be_impolite() -> None:
    held = HeldScheduler(Rude(Pending()), "p:rude")
    held.offer(0, 0)
    assert held.choose() is None
    held.offer(1, 1)
    held.wake(1)
    with pytest.raises(PluginError, match="only ready URLs may be chosen"):
        held.choose()


def test_a_scheduler_is_believed_no_page_twice_and_no_silence() -> None:
    class Twice(Alphabetical):
        def choose(self) -> int | None:
            return self.answer

        answer: int | None = 0

    scheduler = Twice(Pending())
    held = HeldScheduler(scheduler, "p:twice")
    held.wake(0)
    held.offer(0, 0)
    held.offer(1, 0)
    assert (held.choose(), held.ready, held.waiting(0)) == (0, 1, 1)
    with pytest.raises(PluginError, match="it chose 0"):
        held.choose()
    scheduler.answer = None
    with pytest.raises(PluginError, match="chose nothing while URLs were ready"):
        held.choose()


def test_a_site_that_is_dropped_is_forgotten() -> None:
    held = HeldScheduler(Alphabetical(Pending()), "p:alphabet")
    held.offer(0, 0)
    held.wake(0)
    held.drop(0)
    assert (held.ready, held.waiting(0), held.choose()) == (0, 0, None)


def test_a_partitioner_of_a_plugin_keeps_hosts_together() -> None:
    found = partitioner_of(job(partitioner="p:all"), Hooks([PLUGIN]))
    assert found.identity == "p:all 1.0 over 4 partitions"
    keys = [key_of(url) for url in ("http://a.test/", "https://b.test/x", "http://[::1]/")]
    assert len({found.partition_of(key) for key in keys}) == 1


def test_a_partitioner_that_gives_no_text_is_named() -> None:
    found = partitioner_of(job(partitioner="p:none"), Hooks([PLUGIN]))
    with pytest.raises(PluginError, match="`p:none` of a plugin failed: it returned 5"):
        found.partition_of(key_of("http://a.test/"))


@pytest.mark.parametrize(
    ("frontier", "said"),
    [
        ({"score": "p:other"}, "has no score `other`\n  it has: late, wild"),
        ({"scheduler": "p:other"}, "has no scheduler `other`\n  it has: alphabet, rude, broken"),
        ({"partitioner": "p:other"}, "has no partitioner `other`"),
        ({"partitioner": "q:all"}, "does not use the plugin `q`"),
    ],
)
def test_what_a_plugin_does_not_have_is_refused_before_the_crawl(
    frontier: dict[str, object], said: str
) -> None:
    with pytest.raises(PluginError) as caught:
        require_plugins(job(**frontier), [PLUGIN])
    assert said in str(caught.value)
    require_plugins(job(), [PLUGIN])
