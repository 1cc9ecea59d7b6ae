"""Queues of URLs by topic: in each the best position first, and among equals the one put in first.

This is WebParF's ranker (3.2.1): one queue a topic, whose nodes are a position and the
first-in-first-out list of its URLs. Every site has such lists for each topic, so that the URLs of a
site that may not be asked now are passed over. Of all awake sites the one is served whose first URL
has the best position in the topic, and among those the smallest number.

Schedulers use `TopicQueues` (compiled, in `_topic_queues`); `PlainTopicQueues` says in a dozen
lines what it has to do, and a test compares the two.

Topics and positions are whole numbers below 256; 0 is the best position.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from lycosa.frontier.schedulers._topic_queues import TopicQueues

__all__ = ["PlainTopicQueues", "QueuesOfTopics", "TopicQueues"]


class QueuesOfTopics(Protocol):
    """The operations of both kinds of queues."""

    @property
    def ready(self) -> int:
        """How many URLs of awake sites there are."""

    def put(self, page: int, site: int, topic: int, position: int) -> None:
        """Take in a URL at the end of what its site has of that topic and position."""

    def move(self, page: int, site: int, topic: int, position: int) -> None:
        """Give a URL that waits another topic or position, at its end; harmless if it has them."""

    def withdraw(self, page: int, site: int) -> None:
        """Forget a URL that waits."""

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

    def waiting_of(self, topic: int) -> int:
        """Return how many URLs of a topic wait."""

    def ready_of(self, topic: int) -> int:
        """Return how many URLs of a topic are ready."""

    def choose(self) -> int | None:
        """Take the first URL of the best position, whatever its topic; of equals the oldest."""

    def choose_in(self, topic: int) -> int | None:
        """Take the first URL of the best position of a topic."""

    def choose_from(self, site: int, topic: int = -1) -> int | None:
        """Take the best URL of one site, if it is awake; of a topic, if one is given."""


class _Waiting(NamedTuple):
    site: int
    topic: int
    position: int


class PlainTopicQueues:
    """The same in plain Python: looks through everything at every choice."""

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
