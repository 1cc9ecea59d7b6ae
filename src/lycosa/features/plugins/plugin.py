"""The record `Plugin`: a name, and the functions that a crawl calls.

All functions are called in the thread of the crawl, one at a time: while one of them runs,
nothing else of its worker does.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lycosa.errors import PluginError
from lycosa.features.plugins.pages import SeenPage
from lycosa.frontier.schedulers import Scheduler

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_COLUMN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CONTENT_TYPE = re.compile(r"[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+")


class Rejection(str):
    """The reason why a URL is refused; see `Plugin.reject`."""


class Pending:
    """The URLs that a scheduler orders."""

    def url(self, page: int) -> str:
        """Return the URL with this number."""
        raise NotImplementedError

    def depth(self, page: int) -> int:
        """Return the number of links from a seed to a URL."""
        raise NotImplementedError


Ruling = bool | str | None
"""The result of `on_url`; a `Rejection` is a text that is not a URL."""


@dataclass(frozen=True, eq=False)
class Plugin:
    """A named set of functions that a crawl calls.

    Only the name is required. An installed plugin is an entry point of the group
    `lycosa.plugins` that names a `Plugin`, or a function that takes the job's settings for it
    (a `dict`, empty if there are none) and returns one; its name is that of the entry point.
    """

    name: str
    """The job uses this name, and failures are counted under it."""
    on_page: Callable[[SeenPage], None] | None = None
    """Called for every page that is about to be kept."""
    on_url: Callable[[str], Ruling] | None = None
    """Called with every canonical URL, before the job's rules: True accepts, False and
    `Plugin.reject("why")` reject, a text replaces the URL, None leaves it to the other rules.
    The result must depend on the URL alone: it is cached."""
    columns: Mapping[str, object] = field(default_factory=dict)
    """Columns that the plugin adds to `pages`: name → `bool`, `int`, `float`, `str`, `bytes`,
    `datetime.datetime`, an Arrow type or the name of one."""
    items: Mapping[str, object] = field(default_factory=dict)
    """Kinds of items that the plugin emits (`page.emit`): name → a dataclass, a msgspec `Struct` or
    a `TypedDict`, or columns with their types, as in `{"sku": str, "price": float}`. Items of
    other kinds may be emitted too; their values are not checked."""
    item_keys: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    """Kind of item → the columns that tell its items apart: of items with equal values there the
    newest is shown (`items`), and all are kept (`items_history`)."""
    extractors: Mapping[str, Callable[[SeenPage], None]] = field(default_factory=dict)
    """Content type → a function that reads such pages. They are kept, whatever the job's
    `content_types` say, and Lycosa's own scanner does not read them."""
    schedulers: Mapping[str, Callable[[Pending], Scheduler]] = field(default_factory=dict)
    """Name → a function that makes the scheduler of a partition;
    `[frontier] scheduler = "plugin:name"`."""
    scores: Mapping[str, Callable[[str, int], float]] = field(default_factory=dict)
    """Name → a function from a URL and its depth to a score between 0, the worst, and 1, the best;
    `[frontier] score = "plugin:name"`."""
    partitioners: Mapping[str, Callable[[str], str]] = field(default_factory=dict)
    """Name → a pure function from a host to a group name; hosts of one group share a partition;
    `[frontier] partitioner = "plugin:name"`."""
    version: str = ""
    """By default the version of the package that installs the plugin. It is part of the identity
    of partitioners: a crawl must keep the one that it was started with."""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise PluginError(
                f"a plugin cannot be called {self.name!r}\n"
                "  use letters, digits, `_`, `.` and `-`, and begin with a letter or a digit"
            )
        for what, function in self._functions():
            if not callable(function) or inspect.iscoroutinefunction(function):
                raise PluginError(
                    f"plugin `{self.name}`: {what} must be a plain function, not {function!r}\n"
                    "  the thread of the crawl calls it and waits for it"
                )
        for names, pattern, what in (
            (self.columns, _COLUMN, "a column"),
            (self.extractors, _CONTENT_TYPE, "a content type (in lower case)"),
            (self.schedulers, _NAME, "a scheduler"),
            (self.scores, _NAME, "a score"),
            (self.partitioners, _NAME, "a partitioner"),
        ):
            for name in names:
                if not isinstance(name, str) or not pattern.fullmatch(name):
                    raise PluginError(
                        f"plugin `{self.name}`: {name!r} is not a valid name of {what}"
                    )

    @staticmethod
    def reject(reason: str) -> Rejection:
        """Return the value by which `on_url` refuses a URL, with a reason.

        The crawl counts it as `hook:NAME:reason`.
        """
        return Rejection(reason)

    def _functions(self) -> Iterator[tuple[str, object]]:
        for hook in ("on_page", "on_url"):
            if getattr(self, hook) is not None:
                yield hook, getattr(self, hook)
        for kind in ("extractors", "schedulers", "scores", "partitioners"):
            for name, function in getattr(self, kind).items():
                yield f"{kind} {name!r}", function
