"""Scores of URLs, in a few steps: by links, depth, path, or a plugin.

`best-first` orders URLs by a score, and a window can order its URLs by one. A score is
a *position*: a small whole number, 0 for the best, so that URLs of one position form a
first-in-first-out list (WebParF, 3.2.1). A position may change only for the better.

    links   the number of links to the URL seen so far, one for each page: none or one, two or
            three, four to seven, and so on in powers of two
    depth   the number of links from a seed
    path    the number of folders; a query counts as two more
    plugin  a plugin's function of the URL and its depth

Links are counted as the crawl sees them, in this partition and in others. When the number has
reached a power of two, that is written to the log (`lycosa.frontier.facts.popularity`), so a
resumed crawl goes on with the same positions; links beyond a power of two are counted again.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from typing import Protocol

from lycosa.frontier.distance import depth_of
from lycosa.frontier.facts.columns import Pages
from lycosa.frontier.facts.popularity import Popularity
from lycosa.frontier.urltable.contract import UrlTable

LAST = 255
"""The position of what is worth least."""

PluginScore = Callable[[str, int], float]
"""(URL, depth) → from 0, the least, to 1, the best."""


class Score(Protocol):
    """Gives URLs their positions."""

    @property
    def counts_links(self) -> bool:
        """Whether it wants to be told of links."""

    def position(self, page: int) -> int:
        """Return the present position of a URL, from 0 to `LAST`."""

    def linked(self, page: int) -> bool:
        """Note one more link to a URL; returns whether that can change its position."""

    def take_steps(self) -> dict[int, int]:
        """Return what was counted since the last call, for the log."""


class _Unlinked:
    counts_links = False

    def take_steps(self) -> dict[int, int]:
        """Return nothing."""
        return {}

    def linked(self, page: int) -> bool:
        """Take no notice of links."""
        return False


class DepthScore(_Unlinked):
    """The fewer links from a seed, the better."""

    def __init__(self, pages: Pages) -> None:
        self._distance = pages.distance

    def position(self, page: int) -> int:
        """Return the depth."""
        return min(depth_of(self._distance[page]), LAST)


class PathScore(_Unlinked):
    """The shorter the path, the better."""

    def __init__(self, table: UrlTable) -> None:
        self._key = table.key

    def position(self, page: int) -> int:
        """Return the number of folders, and two more for a query."""
        path, mark, _ = self._key(page).partition("?")
        return min(path.count("/") - 1 + (2 if mark else 0), LAST)


class LinksScore:
    """The more links lead to it, the better."""

    counts_links = True

    def __init__(self, popularity: Popularity | None = None) -> None:
        steps = popularity.steps if popularity is not None else ()
        self._counts = array("B", [1 << step for step in steps])
        self._steps: dict[int, int] = {}

    def position(self, page: int) -> int:
        """Return how many doublings the count lacks to 256."""
        count = self._counts[page] if page < len(self._counts) else 0
        return 8 - max(count, 1).bit_length()

    def linked(self, page: int) -> bool:
        """Count a link; only a power of two makes a difference."""
        counts = self._counts
        if page >= len(counts):
            counts.extend(array("B", [1]) * (page + 1 - len(counts)))
        count = counts[page] + 1
        if count > LAST:
            return False
        counts[page] = count
        if count & (count - 1):
            return False
        self._steps[page] = count.bit_length() - 1
        return True

    def take_steps(self) -> dict[int, int]:
        """Return the URLs that have reached a power of two, with its logarithm."""
        steps, self._steps = self._steps, {}
        return steps


class CustomScore(_Unlinked):
    """The score that a plugin's function returns."""

    def __init__(self, pages: Pages, url: Callable[[int], str], function: PluginScore) -> None:
        self._distance = pages.distance
        self._url = url
        self._function = function

    def position(self, page: int) -> int:
        """Return the position of a score between 0 and 1."""
        score = self._function(self._url(page), depth_of(self._distance[page]))
        return math.ceil((1 - score) * LAST)
