"""Queues of URLs by rank: the smallest rank first, and among equals the URL put in first.

Every site has a first-in-first-out queue for each rank. Of all awake sites the one is served whose
first URL has the smallest rank, and among those the smallest number. Schedulers use `Queues`
(compiled, in `_queues`); `PlainQueues` says in a dozen lines what it has to do, and a
test compares the two.

A rank is a whole number below 2**32 - 1, and a URL's rank can only become smaller while it waits.
"""

from __future__ import annotations

from typing import Protocol

from lycosa.frontier.facts.columns import Pages
from lycosa.frontier.schedulers._queues import Queues
from lycosa.model.records import Outcome

__all__ = ["PlainQueues", "Queues", "RankedQueues"]


class RankedQueues(Protocol):
    """The operations of both kinds of queues."""

    @property
    def ready(self) -> int:
        """How many URLs of awake sites there are."""

    def put(self, page: int, site: int, rank: int) -> None:
        """Take in a URL at the end of what its site has of that rank."""

    def improve(self, page: int, site: int, rank: int) -> None:
        """Give a URL that waits a smaller rank, at its end; harmless if it is not smaller."""

    def drop(self, site: int) -> None:
        """Forget all URLs of a site, and let it rest."""

    def wake(self, site: int) -> None:
        """Let the URLs of a site be ready; harmless when it is awake."""

    def rest(self, site: int) -> None:
        """Let them be ready no longer; harmless when it rests."""

    def is_awake(self, site: int) -> bool:
        """Return whether a site's URLs are ready."""

    def waiting(self, site: int) -> int:
        """Return how many URLs of a site wait."""

    def choose(self) -> int | None:
        """Take the first URL of the smallest rank of all awake sites."""

    def choose_from(self, site: int) -> int | None:
        """Take the first URL of one site, if it is awake."""


class PlainQueues:
    """The same in plain Python: looks through everything at every choice."""

    def __init__(self) -> None:
        self._ranks: dict[int, tuple[int, int]] = {}
        """URL → site and rank, in the order in which they were put in or improved."""
        self._awake: set[int] = set()

    @property
    def ready(self) -> int:
        """Count the URLs of awake sites."""
        return sum(site in self._awake for site, _ in self._ranks.values())

    def put(self, page: int, site: int, rank: int) -> None:
        """Take in a URL."""
        self._ranks[page] = (site, rank)

    def improve(self, page: int, site: int, rank: int) -> None:
        """Take it out and in again."""
        if rank < self._ranks[page][1]:
            del self._ranks[page]
            self._ranks[page] = (site, rank)

    def drop(self, site: int) -> None:
        """Forget a site."""
        self._awake.discard(site)
        self._ranks = {page: entry for page, entry in self._ranks.items() if entry[0] != site}

    def wake(self, site: int) -> None:
        """Wake a site."""
        self._awake.add(site)

    def rest(self, site: int) -> None:
        """Let it rest."""
        self._awake.discard(site)

    def is_awake(self, site: int) -> bool:
        """Return whether it is awake."""
        return site in self._awake

    def waiting(self, site: int) -> int:
        """Count the URLs of a site."""
        return sum(own == site for own, _ in self._ranks.values())

    def choose(self) -> int | None:
        """Compare the first URLs of all awake sites."""
        firsts = [first for site in self._awake if (first := self._first(site)) is not None]
        return self._take(min(firsts)) if firsts else None

    def choose_from(self, site: int) -> int | None:
        """Take the first URL of a site."""
        first = self._first(site) if site in self._awake else None
        return None if first is None else self._take(first)

    def _first(self, site: int) -> tuple[int, int] | None:
        """Return rank and number of a site's first URL."""
        of_site = [(rank, page) for page, (own, rank) in self._ranks.items() if own == site]
        return min(of_site, key=lambda entry: entry[0]) if of_site else None

    def _take(self, first: tuple[int, int]) -> int:
        page = first[1]
        del self._ranks[page]
        return page


_NO_FAILURES = frozenset((0, int(Outcome.KEPT), int(Outcome.NOT_MODIFIED)))


def has_failed(pages: Pages, page: int) -> bool:
    """Return whether the last fetch of a URL failed."""
    return pages.outcome[page] not in _NO_FAILURES
