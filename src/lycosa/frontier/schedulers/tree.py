"""Schedulers that walk the tree of URLs: the table counts ready URLs, a walk picks the next one.

An offered URL is marked in the URL table, and so is whether a site is awake. The table knows how
many URLs are ready below every node, so a walk never looks at others
(`lycosa.frontier.urltable.contract`).

A URL that failed and is to be tried again comes after all others of its site. In its own position
it would often be the next one again, and a host that fails at one URL would be given up with all
the others untried. Until then it stands in a line beside the table.

Always true:
  * a site with URLs in that line has a marked one too: the table knows everything that is ready.

Cost: a few walks down the tree for each call; beside the table only failed URLs.
"""

from __future__ import annotations

from collections import deque
from typing import Protocol

from lycosa.frontier.facts.columns import Pages
from lycosa.frontier.schedulers.queues import has_failed
from lycosa.frontier.schedulers.scores import Score
from lycosa.frontier.urltable.contract import UrlTable


class Walk(Protocol):
    """A way through the tree."""

    def next_page(self) -> int:
        """Return the next ready URL; there is one."""

    def next_below(self, prefix: str) -> int | None:
        """Return the next ready URL of a part of the tree, or None."""

    def keeps_turn(self) -> bool:
        """Return whether another URL is to be chosen before those of other trees."""


class RoundRobin:
    """At every node the next child with ready URLs (the XTrie: RDFa spider, 4.6).

    The node's own URL is the first of its children. So the domains of the web take turns, then
    the hosts of a domain, then the folders of a host, down to single URLs.
    """

    def __init__(self, table: UrlTable) -> None:
        self._table = table

    def next_page(self) -> int:
        """Return the URL whose turn it is."""
        page = self._table.round_robin()
        if page is None:
            raise AssertionError("a URL is ready, and no turn leads to it")
        return page

    def next_below(self, prefix: str) -> int | None:
        """Return the URL whose turn it is below a prefix."""
        return self._table.round_robin(prefix)

    def keeps_turn(self) -> bool:
        """Return False: trees take turns, one URL each."""
        return False


class TreeOrder:
    """Implements `lycosa.frontier.schedulers.Scheduler`, `CountsLinks`, `ChoosesFrom` and
    `KeepsTurn`."""

    def __init__(
        self, table: UrlTable, walk: Walk, pages: Pages, score: Score | None = None
    ) -> None:
        self._table = table
        self._walk = walk
        self._pages = pages
        self._score = score
        self.counts_links = score is not None and score.counts_links
        self._again: dict[int, deque[int]] = {}
        """Site → what has failed there and is not marked yet."""
        self._ready_again = 0
        """How many of those are of awake sites."""

    @property
    def ready(self) -> int:
        """How many URLs can be chosen."""
        return self._table.ready + self._ready_again

    def offer(self, page: int, site: int) -> None:
        """Mark a URL, or let it stand in line."""
        table = self._table
        if has_failed(self._pages, page) and table.marked(site):
            self._again.setdefault(site, deque()).append(page)
            self._ready_again += table.is_awake(site)
        else:
            table.mark(page)

    def move(self, page: int, site: int) -> None:
        """Take no notice: the tree does not change by it."""

    def linked(self, page: int, site: int | None) -> None:
        """Note one more link to a URL."""
        if self._score is not None:
            self._score.linked(page)

    def take_steps(self) -> dict[int, int]:
        """Return what the score has counted since the last call."""
        return {} if self._score is None else self._score.take_steps()

    def withdraw(self, page: int, site: int) -> None:
        """Unmark a URL, or take it out of the line."""
        line = self._again.get(site)
        if line is None or page not in line:
            self._taken(page)
            return
        line.remove(page)
        self._ready_again -= self._table.is_awake(site)
        if not line:
            del self._again[site]

    def drop(self, site: int) -> None:
        """Unmark everything of a site."""
        self.rest(site)
        self._again.pop(site, None)
        self._table.clear(site)

    def wake(self, site: int) -> None:
        """Let a site's URLs count."""
        if site in self._again and not self._table.is_awake(site):
            self._ready_again += len(self._again[site])
        self._table.wake(site)

    def rest(self, site: int) -> None:
        """Let them count no longer."""
        if site in self._again and self._table.is_awake(site):
            self._ready_again -= len(self._again[site])
        self._table.rest(site)

    def waiting(self, site: int) -> int:
        """Return how many URLs of a site are marked or stand in line."""
        marked = self._table.marked(site)
        return marked + len(self._again[site]) if site in self._again else marked

    def choose(self) -> int | None:
        """Take the next URL of the walk."""
        return self._taken(self._walk.next_page()) if self._table.ready else None

    def choose_from(self, site: int) -> int | None:
        """Take the next URL of one site, if it is awake."""
        page = self._walk.next_below(self._table.site_name(site) + "/")
        return None if page is None else self._taken(page)

    def keeps_turn(self) -> bool:
        """Return whether the walk is in the middle of something, such as a window."""
        return self._walk.keeps_turn()

    def _taken(self, page: int) -> int:
        self._table.unmark(page)
        if self._again:
            self._mark_again(self._pages.site[page])
        return page

    def _mark_again(self, site: int) -> None:
        """Mark the first URL in line of a site that has no other left."""
        line = self._again.get(site)
        if line and not self._table.marked(site):
            self._table.mark(line.popleft())
            self._ready_again -= self._table.is_awake(site)
            if not line:
                del self._again[site]
