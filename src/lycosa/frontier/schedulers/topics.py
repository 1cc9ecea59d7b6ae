"""By topic: one queue for each field of knowledge, and in each the most promising URL first.

The topic and the position of a URL are predicted while it waits (`features.topics`), and stand
in the state. A URL without a prediction waits in a queue of its own, `NO_TOPIC`, at the position of
its depth. URLs that failed are tried again after all others of their topic.

Turns are given for all partitions of a worker together by `features.topics.allocator`, which
sets `turn` before it asks for a URL. Without a turn the best position of all topics is chosen.

Cost: `offer` and `choose` are O(log sites + topics), however many URLs a site has; 12 bytes a URL.
"""

from __future__ import annotations

from collections.abc import Iterable

from lycosa.frontier.distance import depth_of
from lycosa.frontier.facts.columns import Pages
from lycosa.frontier.facts.topics import NO_TOPIC, Topics
from lycosa.frontier.schedulers._topic_queues import TopicQueues
from lycosa.frontier.schedulers.queues import has_failed

ANY = -1
"""The turn of all topics."""
LAST = 0xFF
"""The position of what has failed."""


class ByTopic(TopicQueues):
    """URLs by topic; implements `Scheduler`, `ChoosesFrom` and `MovesBetweenQueues`."""

    def __init__(self, pages: Pages, topics: Topics) -> None:
        self._pages = pages
        self._topics = topics
        self.turn = ANY
        """The topic to choose from next."""
        self.under_way: dict[int, int] | None = None
        """With budgets: the URLs that were chosen, with the queues that they were taken from, until
        they are offered again or somebody sees that they have ended."""

    def offer(self, page: int, site: int) -> None:
        """Queue a URL by its topic."""
        if self.under_way:
            self.under_way.pop(page, None)
        self.put(page, site, *self._place(page))

    def move(self, page: int, site: int, *place: int) -> None:
        """Queue a URL without a prediction again when it has come nearer."""
        if place:
            TopicQueues.move(self, page, site, *place)
        elif self._topics.of(page) == NO_TOPIC:
            TopicQueues.move(self, page, site, *self._place(page))

    def move_to(self, page: int, site: int, queue: int, position: int) -> None:
        """Note that a URL has come to a position of this queue."""
        TopicQueues.move(self, page, site, queue, min(position, LAST - 1))

    def choose(self) -> int | None:
        """Take the best URL of the topic in turn."""
        page = TopicQueues.choose(self) if self.turn < 0 else self.choose_in(self.turn)
        return page if self.under_way is None else self._noted(page)

    def choose_from(self, site: int, topic: int = ANY) -> int | None:
        """Take the best URL of a site, of the topic in turn: for bursts."""
        page = TopicQueues.choose_from(self, site, self.turn if topic < 0 else topic)
        return page if self.under_way is None else self._noted(page)

    def queue_of(self, page: int) -> int:
        """Return the queue that a URL was taken from."""
        queue = self._topics.of(page)
        return queue if self.under_way is None else self.under_way.get(page, queue)

    def counts(self, topics: Iterable[int]) -> dict[int, int]:
        """Return how many URLs of these topics wait."""
        return {topic: self.waiting_of(topic) for topic in topics}

    def _noted(self, page: int | None) -> int | None:
        if page is not None and self.under_way is not None:
            self.under_way[page] = self.turn if self.turn >= 0 else self._topics.of(page)
        return page

    def _place(self, page: int) -> tuple[int, int]:
        topic = self._topics.of(page)
        if has_failed(self._pages, page):
            return topic, LAST
        if topic == NO_TOPIC:
            return topic, min(depth_of(self._pages.distance[page]), LAST - 1)
        return topic, min(self._topics.grade[page], LAST - 1)
