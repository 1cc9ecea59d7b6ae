"""Breadth-first: the URL nearest to the seeds first, and among equals the one found first.

A partition of this class itself offers new URLs in compiled code that says the same as `offer`
(`lycosa.frontier._page_steps`); change both. A test holds them together.

Cost: `offer` and `choose` are O(log sites), however many URLs a site has; 12 bytes per URL.
"""

from __future__ import annotations

from lycosa.frontier.facts.columns import Pages
from lycosa.frontier.schedulers.queues import Queues


class BreadthFirst(Queues):
    """URLs by their distance; implements `Scheduler` and `ChoosesFrom`."""

    def __init__(self, pages: Pages) -> None:
        self._distance = pages.distance

    def offer(self, page: int, site: int) -> None:
        """Queue a URL at its distance."""
        self.put(page, site, self._distance[page])

    def move(self, page: int, site: int) -> None:
        """Queue a URL that has come nearer again."""
        self.improve(page, site, self._distance[page])
