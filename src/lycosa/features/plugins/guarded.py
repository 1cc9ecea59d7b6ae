"""Wraps a plugin's scheduler, score or partitioner and checks every result.

Politeness does not depend on a plugin. A URL that its scheduler chooses is fetched only if it is
pending and its site is awake; a partitioner is called with hosts alone, so that all URLs of a host
stay together. A plugin that breaks these rules, or raises, ends the crawl with a `PluginError`,
since the crawl cannot go on without an order. Committed data stays, and the crawl can be resumed.

Cost: one dictionary entry for each pending URL of a crawl whose scheduler is a plugin's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from lycosa.errors import PluginError
from lycosa.features.plugins.hooks import Hooks
from lycosa.features.plugins.plugin import Pending
from lycosa.frontier.distance import depth_of
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partitioners import HashPartitioner
from lycosa.frontier.schedulers import Scheduler
from lycosa.frontier.schedulers.scores import PluginScore
from lycosa.model.url import host_of, url_of


def held_partitioner(hooks: Hooks, named: str, partitions: int) -> HashPartitioner:
    """Return a partitioner of a plugin."""
    function, identity = hooks.partitioner(named)

    def name_of(reversed_host: str) -> str:
        with _telling(named, "partitioner"):
            name = function(host_of(f"{reversed_host}:/"))
        if not isinstance(name, str):
            raise _broken(named, "partitioner", f"it returned {name!r:.200} for a host, not text")
        return name

    return HashPartitioner(partitions, name_of, identity)


def held_scheduler(hooks: Hooks, named: str) -> Callable[[PartitionState], Scheduler]:
    """Return the factory of a plugin's scheduler."""
    make = hooks.scheduler(named)

    def made(state: PartitionState) -> Scheduler:
        with _telling(named, "scheduler"):
            return HeldScheduler(make(PendingIn(state)), named)

    return made


def held_score(hooks: Hooks, named: str) -> PluginScore:
    """Return a score of a plugin."""
    score = hooks.score(named)

    def scored(url: str, depth: int) -> float:
        with _telling(named, "score"):
            value: object = score(url, depth)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise _broken(named, "score", f"it returned {value!r:.200} for {url}, not 0 to 1")
        return value

    return scored


class PendingIn(Pending):
    """The URLs of a partition."""

    def __init__(self, state: PartitionState) -> None:
        self._state = state

    def url(self, page: int) -> str:
        """Return the URL with this number."""
        return url_of(self._state.table.key(page))

    def depth(self, page: int) -> int:
        """Return the number of links from a seed to a URL."""
        return depth_of(self._state.pages.distance[page])


class HeldScheduler:
    """Wraps a plugin's `Scheduler`; only the order of ready URLs is left to the plugin."""

    def __init__(self, scheduler: Scheduler, named: str) -> None:
        self._scheduler = scheduler
        self._named = named
        self._offered: dict[int, int] = {}
        self._waiting: dict[int, int] = {}
        self._awake: set[int] = set()
        self.ready = 0

    def offer(self, page: int, site: int) -> None:
        """Take in a URL that has become pending."""
        self._offered[page] = site
        self._waiting[site] = self._waiting.get(site, 0) + 1
        self.ready += site in self._awake
        with _telling(self._named, "scheduler"):
            self._scheduler.offer(page, site)

    def move(self, page: int, site: int) -> None:
        """Note that a URL has come nearer."""
        with _telling(self._named, "scheduler"):
            self._scheduler.move(page, site)

    def drop(self, site: int) -> None:
        """Forget a site."""
        self.rest(site)
        if self._waiting.pop(site, 0):
            self._offered = {page: s for page, s in self._offered.items() if s != site}
        with _telling(self._named, "scheduler"):
            self._scheduler.drop(site)

    def wake(self, site: int) -> None:
        """Count a site's URLs as ready."""
        if site not in self._awake:
            self._awake.add(site)
            self.ready += self._waiting.get(site, 0)
        with _telling(self._named, "scheduler"):
            self._scheduler.wake(site)

    def rest(self, site: int) -> None:
        """Count a site's URLs as not ready."""
        if site in self._awake:
            self._awake.discard(site)
            self.ready -= self._waiting.get(site, 0)
        with _telling(self._named, "scheduler"):
            self._scheduler.rest(site)

    def waiting(self, site: int) -> int:
        """Return the number of URLs of a site that are offered."""
        return self._waiting.get(site, 0)

    def choose(self) -> int | None:
        """Return the plugin's choice, if it may be asked for."""
        if not self.ready:
            return None
        with _telling(self._named, "scheduler"):
            page = self._scheduler.choose()
        site = self._offered.pop(page, None) if isinstance(page, int) else None
        if page is None or site is None or site not in self._awake:
            what = "chose nothing while URLs were ready" if page is None else f"chose {page!r}"
            raise _broken(self._named, "scheduler", f"it {what}; only ready URLs may be chosen")
        self._waiting[site] -= 1
        self.ready -= 1
        return page


@contextmanager
def _telling(named: str, kind: str) -> Iterator[None]:
    try:
        yield
    except (Exception, SystemExit) as error:
        raise _broken(named, kind, f"{type(error).__name__}: {error}") from error


def _broken(named: str, kind: str, what: str) -> PluginError:
    return PluginError(
        f"the {kind} `{named}` of a plugin failed: {what}\n"
        "  nothing is lost: fix the plugin, then continue with `lycosa resume`"
    )
