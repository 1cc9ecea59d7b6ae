"""Best-first: the best score first, and among equals the URL found first (WebParF, URL pool).

Every score has a position, and the URLs of a position form a first-in-first-out list. A URL
moves forward when its score improves: when one more link to it is seen, or when it comes nearer to
the seeds, depending on the score. It never moves back.

URLs that failed are tried again after all others. Were they first again, a host that fails at its
best URL would be given up with all the others untried.

Cost: `offer` and `choose` are O(log sites), however many URLs a site has; 12 bytes per URL.
"""

from __future__ import annotations

from lycosa.frontier.facts.columns import Pages
from lycosa.frontier.schedulers.queues import Queues, has_failed
from lycosa.frontier.schedulers.scores import LAST, Score

BEHIND = LAST + 1
"""The position of what has failed."""


class BestFirst(Queues):
    """URLs by the position of their score; implements `Scheduler` and both optional parts."""

    def __init__(self, score: Score, pages: Pages) -> None:
        self._score = score
        self._pages = pages
        self.counts_links = score.counts_links

    def offer(self, page: int, site: int) -> None:
        """Queue a URL at the position of its score."""
        is_behind = has_failed(self._pages, page)
        self.put(page, site, BEHIND if is_behind else self._score.position(page))

    def move(self, page: int, site: int) -> None:
        """Queue a URL again if it has become better."""
        if not has_failed(self._pages, page):
            self.improve(page, site, self._score.position(page))

    def linked(self, page: int, site: int | None) -> None:
        """Note one more link to a URL; `site` is None unless the URL is offered."""
        if self._score.linked(page) and site is not None:
            self.move(page, site)

    def take_steps(self) -> dict[int, int]:
        """Return what the score has counted since the last call."""
        return self._score.take_steps()
