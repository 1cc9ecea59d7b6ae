"""Profit: within a cycle, the URL whose visit is worth most first (WIRE, 2.1).

URLs chosen for the cycle are ordered by the worth of a visit when the cycle began, in the units of
the policy. URLs found meanwhile, and all URLs in a crawl without cycles, are worth less the farther
they are from a seed. URLs that failed are tried again after all others.

Cost: `offer` and `choose` are O(log sites), however many URLs a site has; 12 bytes per URL.
"""

from __future__ import annotations

from lycosa.frontier.distance import depth_of
from lycosa.frontier.facts.columns import Pages
from lycosa.frontier.facts.visits import History
from lycosa.frontier.freshness.bids import FIRST, LAST, bin_of
from lycosa.frontier.schedulers.queues import Queues, has_failed

BEHIND = FIRST - LAST + 1
"""The rank of what has failed."""


class Profit(Queues):
    """URLs by the worth of a visit; implements `Scheduler` and `ChoosesFrom`."""

    def __init__(self, pages: Pages, history: History) -> None:
        self._pages = pages
        self._history = history

    def offer(self, page: int, site: int) -> None:
        """Queue a URL by its worth."""
        self.put(page, site, BEHIND if has_failed(self._pages, page) else self._rank(page))

    def move(self, page: int, site: int) -> None:
        """Queue a URL that has come nearer again."""
        if not has_failed(self._pages, page):
            self.improve(page, site, self._rank(page))

    def _rank(self, page: int) -> int:
        worth = self._history.plan.get(page, 0.0)
        return FIRST - bin_of(worth or 1.0 / (1 + depth_of(self._pages.distance[page])))
