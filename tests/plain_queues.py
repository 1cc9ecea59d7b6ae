"""Queues of URLs by rank and by topic in pure Python: what the compiled ones must do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class PlainQueues:
    """Queues by rank: looks through everything at every choice."""

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

    def withdraw(self, page: int, site: int) -> None:
        """Forget a URL."""
        del self._ranks[page]

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


class _Waiting(NamedTuple):
    site: int
    topic: int
    position: int


class PlainTopicQueues:
    """The same by topic: looks through everything at every choice."""

    def __init__(self) -> None:
        self._urls: dict[int, _Waiting] = {}
        """In the order in which they were put in or moved."""
        self._awake: set[int] = set()

    @property
    def ready(self) -> int:
        """Count the URLs of awake sites."""
        return sum(url.site in self._awake for url in self._urls.values())

    def put(self, page: int, site: int, topic: int, position: int) -> None:
        """Take in a URL."""
        self._urls[page] = _Waiting(site, topic, position)

    def move(self, page: int, site: int, topic: int, position: int) -> None:
        """Take it out and in again."""
        if self._urls[page] != (site, topic, position):
            del self._urls[page]
            self.put(page, site, topic, position)

    def withdraw(self, page: int, site: int) -> None:
        """Forget a URL."""
        del self._urls[page]

    def drop(self, site: int) -> None:
        """Forget a site."""
        self._awake.discard(site)
        self._urls = {page: url for page, url in self._urls.items() if url.site != site}

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
        return sum(url.site == site for url in self._urls.values())

    def waiting_of(self, topic: int) -> int:
        """Count the URLs of a topic."""
        return sum(url.topic == topic for url in self._urls.values())

    def ready_of(self, topic: int) -> int:
        """Count the URLs of a topic on awake sites."""
        return sum(url.topic == topic and url.site in self._awake for url in self._urls.values())

    def choose(self) -> int | None:
        """Take the best of the first URLs of all sites and topics."""
        return self._take(self._firsts())

    def choose_in(self, topic: int) -> int | None:
        """Take the best of the first URLs of all sites in a topic."""
        return self._take(first for first in self._firsts() if first[2] == topic)

    def choose_from(self, site: int, topic: int = -1) -> int | None:
        """Take the best of the first URLs of a site."""
        return self._take(
            first
            for first in self._firsts()
            if self._urls[first[1]].site == site and topic in (-1, first[2])
        )

    def _firsts(self) -> Iterator[tuple[int, int, int]]:
        """Yield position, number and topic of the first URL of each site and topic."""
        lists: dict[tuple[int, int], tuple[int, int, int]] = {}
        for page, url in self._urls.items():
            first = lists.get((url.site, url.topic))
            if url.site in self._awake and (first is None or url.position < first[0]):
                lists[url.site, url.topic] = (url.position, page, url.topic)
        yield from lists.values()

    def _take(self, firsts: Iterator[tuple[int, int, int]]) -> int | None:
        best = min(firsts, default=None)
        if best is None:
            return None
        del self._urls[best[1]]
        return best[1]
