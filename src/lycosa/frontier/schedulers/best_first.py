"""Best first: by score, and among equals what was found first (WebParF, 3.2.1).

Every score has a position, and the URLs of a position form a first-in-first-out list. A URL
moves forward when it gets better: when one more link to it is seen, or when it comes nearer to
the seeds, whatever the score goes by. It never moves back, unless it fails: then it is tried
again after all others, for as long as this crawl runs. Were it first again, a host that fails at
its best URL would be given up with all the others untried.

Cost: as `ranked`, and two bytes for every URL of the partition.
"""

from __future__ import annotations

from array import array

from lycosa.frontier.columns import Pages
from lycosa.frontier.schedulers.again import has_failed
from lycosa.frontier.schedulers.ranked import Ranked
from lycosa.frontier.schedulers.scores import LAST, Score

BEHIND = LAST + 1
"""The position of what has failed."""
UNKNOWN = LAST + 2


class BestFirst(Ranked):
    """URLs ranked by the position of their score."""

    def __init__(self, score: Score, pages: Pages) -> None:
        self._positions = array("H")
        super().__init__(self._positions)
        self._score = score
        self._pages = pages
        self.counts_links = score.counts_links

    def offer(self, page: int, site: int) -> None:
        """Queue a URL at the position of its score."""
        positions = self._positions
        if page >= len(positions):
            positions.extend(array("H", [UNKNOWN]) * (page + 1 - len(positions)))
        if has_failed(self._pages, page):
            positions[page] = BEHIND
        else:
            self._improve(page)
        super().offer(page, site)

    def move(self, page: int, site: int) -> None:
        """Queue a URL again if it has become better."""
        if self._improve(page):
            super().move(page, site)

    def linked(self, page: int, site: int | None) -> None:
        """Note one more link to a URL; `site` is None unless the URL is offered."""
        if self._score.linked(page) and site is not None:
            self.move(page, site)

    def _improve(self, page: int) -> bool:
        """Bring a URL's position up to date; returns whether it has become better."""
        before = self._positions[page]
        if before == BEHIND:
            return False
        now = self._score.position(page)
        if now < before:
            self._positions[page] = now
        return now < before
