"""Calls the hooks of a crawl's plugins, catching and logging their failures.

Always true:
  * no call of a page's or a URL's hook raises, even if the plugin fails;
  * every failure is in the log file: the first ones of a hook with their traceback, the rest
    with one line each;
  * the time that hooks take is measured, and a hook that blocks the crawl for longer than
    `SLOW_SECONDS` is named in the log file.

Cost: without plugins there is no `Hooks`, and the crawl makes one comparison a page.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from time import perf_counter
from typing import TypeVar

import pyarrow as pa

from lycosa.errors import PluginError
from lycosa.features.plugins.columns import Columns
from lycosa.features.plugins.items import Kinds
from lycosa.features.plugins.pages import Additions, SeenPage
from lycosa.features.plugins.plugin import Pending, Plugin, Rejection, Ruling
from lycosa.frontier.schedulers import Scheduler
from lycosa.model.url import Verdict, canonical_key, url_of

SLOW_SECONDS = 1.0
"""A hook that takes longer for one page or URL is logged, because it blocks its worker."""

MOST_TRACEBACKS = 100
"""Tracebacks logged for one hook; further failures are logged as one line each."""

REASON = "hook:"
"""The prefix of the reasons under which plugins refuse URLs."""

T = TypeVar("T")

log_messages = logging.getLogger("lycosa.plugins")


class Spent:
    """Calls, time and failures of a hook."""

    def __init__(self) -> None:
        self.calls = 0
        self.seconds = 0.0
        self.failures = 0
        self.slow = 0


class Hooks:
    """The plugins of a crawl; one for each process."""

    def __init__(self, plugins: Sequence[Plugin], local: Sequence[str] = ()) -> None:
        """`local` are the names of plugins that are functions of this process alone."""
        self.plugins = tuple(plugins)
        self.local = tuple(local)
        self.columns = Columns(self.plugins)
        self.kinds = Kinds(self.plugins)
        """Of the items that plugins emit."""
        self.spent: dict[tuple[str, str], Spent] = {}
        self._extractors = {
            kind: (plugin.name, function)
            for plugin in reversed(self.plugins)
            for kind, function in plugin.extractors.items()
        }
        self.failure = ""
        """The newest failure of a hook, in one line."""
        self.content_types = tuple(self._extractors)
        """The content types that plugins read."""
        self._on_page = [(p.name, p.on_page) for p in self.plugins if p.on_page is not None]
        self._on_url = [(p.name, p.on_url) for p in self.plugins if p.on_url is not None]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the plugins, in their order."""
        return tuple(plugin.name for plugin in self.plugins)

    @property
    def extra_columns(self) -> pa.Schema:
        """The columns that plugins add to `pages`."""
        return self.columns.schema

    @property
    def has_rules(self) -> bool:
        """Whether any plugin has an `on_url` hook."""
        return bool(self._on_url)

    # -- pages ----------------------------------------------------------------------------

    def extract(self, page: SeenPage, additions: Additions) -> bool:
        """Call the extractor of the page's content type; False when it failed."""
        name, function = self._extractors[page.content_type]
        return self._called("extractor", name, function, page, additions)

    def look_at(self, page: SeenPage, additions: Additions) -> bool:
        """Show a page to all plugins; False when one failed."""
        return all(
            self._called("on_page", name, function, page, additions)
            for name, function in self._on_page
        )

    def _called(
        self,
        hook: str,
        name: str,
        function: Callable[[SeenPage], None],
        page: SeenPage,
        additions: Additions,
    ) -> bool:
        additions.slots = self.columns.slots[name]

        call = partial(_shown, hook, function, page)
        return self._guarded(hook, name, page.url, call) is not None

    # -- URLs -----------------------------------------------------------------------------

    def rule(self, key: str) -> Verdict | str:
        """Call `on_url` of all plugins: a verdict, or the key for the job's rules to judge."""
        for name, function in self._on_url:
            ruled = self._guarded("on_url", name, url_of(key), partial(_asked, name, function, key))
            if ruled is None:
                return Verdict(None, f"{REASON}{name}")
            if isinstance(ruled, Verdict):
                return ruled
            key = ruled
        return key

    # -- schedulers, scores, partitioners -------------------------------------------------

    def scheduler(self, named: str) -> Callable[[Pending], Scheduler]:
        """Return the factory of the scheduler `plugin:name`."""
        return _of_plugin(named, "scheduler", self._plugin(named).schedulers)

    def score(self, named: str) -> Callable[[str, int], float]:
        """Return the score `plugin:name`."""
        return _of_plugin(named, "score", self._plugin(named).scores)

    def partitioner(self, named: str) -> tuple[Callable[[str], str], str]:
        """Return the partitioner function `plugin:name`, and its identity."""
        plugin = self._plugin(named)
        identity = f"{named} {plugin.version}" if plugin.version else named
        return _of_plugin(named, "partitioner", plugin.partitioners), identity

    def _plugin(self, named: str) -> Plugin:
        wanted = named.partition(":")[0]
        for plugin in self.plugins:
            if plugin.name == wanted:
                return plugin
        raise PluginError(
            f"the job names `{named}`, but does not use the plugin `{wanted}`\n"
            f"  add it to [plugins] use, which has: {', '.join(self.names) or 'nothing'}"
        )

    # -- guard ----------------------------------------------------------------------------

    def _guarded(self, hook: str, name: str, url: str, call: Callable[[], T]) -> T | None:
        """Return the result of a call; None when it failed."""
        spent = self.spent.get((name, hook))
        if spent is None:
            spent = self.spent[name, hook] = Spent()
        spent.calls += 1
        began = perf_counter()
        try:
            return call()
        except (Exception, SystemExit) as error:
            spent.failures += 1
            self.failure = f"plugin {name}: {hook}: {type(error).__name__}"
            with suppress(Exception):  # the text of an exception is code of the plugin, too
                self.failure += f": {error}"
            with_traceback = spent.failures <= MOST_TRACEBACKS
            log_messages.error(
                "plugin %s: %s failed on %s: %s: %s",
                *(name, hook, url, type(error).__name__, error),
                exc_info=error if with_traceback else None,
            )
            return None
        finally:
            seconds = perf_counter() - began
            spent.seconds += seconds
            if seconds > SLOW_SECONDS:
                self._slow(spent, hook, name, url, seconds)

    def _slow(self, spent: Spent, hook: str, name: str, url: str, seconds: float) -> None:
        spent.slow += 1
        if spent.slow <= MOST_TRACEBACKS:
            log_messages.warning(
                "plugin %s: %s took %.1f s for %s, and its worker stood still meanwhile",
                *(name, hook, seconds, url),
            )

    def tell(self) -> None:
        """Write the time that the plugins took to the log file."""
        for (name, hook), spent in self.spent.items():
            log_messages.info(
                "plugin %s: %s was called %d times, took %.3f s, failed %d times",
                *(name, hook, spent.calls, spent.seconds, spent.failures),
            )


def _of_plugin(named: str, kind: str, known: Mapping[str, T]) -> T:
    plugin, _, name = named.partition(":")
    if name not in known:
        raise PluginError(
            f"the plugin `{plugin}` has no {kind} `{name}`\n  it has: {', '.join(known) or 'none'}"
        )
    return known[name]


def _shown(hook: str, function: Callable[[SeenPage], None], page: SeenPage) -> bool:
    """Show a page to a hook."""
    result: object = function(page)  # type: ignore[func-returns-value]
    if result is not None:
        raise TypeError(f"{hook} must return None, not {result!r:.200}")
    return True


def _asked(name: str, function: Callable[[str], Ruling], key: str) -> Verdict | str:
    """Call the `on_url` of one plugin."""
    ruling: object = function(url_of(key))
    match ruling:
        case None:
            return key
        case bool():
            return Verdict(key if ruling else None, f"{REASON}{name}")
        case Rejection():
            return Verdict(None, f"{REASON}{name}:{' '.join(ruling.split())[:100]}")
        case str():
            changed = canonical_key(ruling)
            if changed is None:
                raise ValueError(f"on_url returned {ruling!r:.200}, which is not a URL to crawl")
            return changed
    raise TypeError(f"on_url must return a bool, a URL or None, not {ruling!r:.200}")
