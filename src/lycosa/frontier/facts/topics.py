"""The topics of a partition's URLs: a part of the fold.

While a URL waits, its entry says in which topic's queue and at which position; once it is kept,
what it is about and how sure that is. A crawl without topics has no entries and pays nothing.

Topics are numbers of the crawl's model. Pages are counted twice: by the topic of the queue from
which they were taken, which a budget limits, and by the topic that was found.

Cost: two bytes for each URL, up to the last one with an entry; three with budgets.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator
from typing import Any

from lycosa.frontier.facts.budgets import Budgets
from lycosa.model.records import Classified

NO_TOPIC = 0xFF
"""The entry of a URL that has none: a model has fewer topics than that."""


class Topics:
    """The topics of all URLs of a partition."""

    def __init__(self) -> None:
        self.topic = array("B")
        """The topic in whose queue a URL waits, or the first one that was found."""
        self.grade = array("B")
        """The position in the queue, 0 for the best, or how sure the topic is, 255 for the most."""
        self.taken: Counter[int] = Counter()
        """Kept pages by the queue that they were taken from."""
        self.found: Counter[int] = Counter()
        """Kept pages by the topic that was found first; `NO_TOPIC` for none."""
        self.budgets = Budgets()
        self.source = array("B")
        """With budgets: the queue that a kept page was taken from, for the case that it is lost."""

    def queued(self, first: int, queues: bytes, positions: bytes) -> None:
        """Enter URLs that were admitted, with numbers from `first` on."""
        if queues:
            self._reach(first + len(queues))
            self.topic[first : first + len(queues)] = array("B", queues)
            self.grade[first : first + len(queues)] = array("B", positions)

    def moved(self, pages: list[int], queues: bytes, positions: bytes) -> None:
        """Enter URLs that have come to another queue or position."""
        self._reach(max(pages, default=-1) + 1)
        for page, queue, position in zip(pages, queues, positions, strict=True):
            self.topic[page] = queue
            self.grade[page] = position

    def apply_classified(self, event: Classified) -> None:
        """Enter what a page is about."""
        page = event.page
        self._reach(page + 1)
        if event.is_again and self.was_classified(page):
            self._uncount(self.found, self.topic[page])
        if event.queue >= 0 and not event.is_again:
            self.taken[event.queue] += 1
            if self.budgets.is_used:
                self.source.frombytes(bytes([NO_TOPIC]) * (page + 1 - len(self.source)))
                self.source[page] = event.queue
        self.topic[page] = event.topics[0] if event.topics else NO_TOPIC
        self.grade[page] = event.confidences[0] if event.topics else 0
        if event.has_text:
            self.found[self.topic[page]] += 1
        else:
            self.grade[page] = 0xFF

    def lost(self, page: int) -> None:
        """Take back a page whose record is lost; it waits again in the queue of its topic."""
        if page < len(self.source) and self.source[page] != NO_TOPIC:
            self._uncount(self.taken, self.source[page])
            self.source[page] = NO_TOPIC
        if self.was_classified(page):
            self._uncount(self.found, self.topic[page])

    def was_classified(self, page: int) -> bool:
        """Return whether a kept page has its topics; it was kept before, or had no text, if not."""
        return self.of(page) != NO_TOPIC or self.grade_of(page) == 0

    def of(self, page: int) -> int:
        """Return the topic of a URL, or `NO_TOPIC`."""
        return self.topic[page] if page < len(self.topic) else NO_TOPIC

    def grade_of(self, page: int) -> int:
        """Return position or confidence of a URL; the worst if it has none."""
        return self.grade[page] if page < len(self.grade) else 0xFF

    def of_topics(self, topics: bytes, size: int) -> Iterator[int]:
        """Yield those of the first `size` URLs that have one of these topics."""
        self._reach(size if NO_TOPIC in topics else 0)
        return (page for page, topic in enumerate(self.topic) if topic in topics)

    def pack(self) -> dict[str, Any]:
        """Return the data for a snapshot; nothing where there are no topics."""
        if not self.topic and not self.budgets.pack():
            return {}
        return {
            "budgets": self.budgets.pack(),
            "source": self.source.tobytes(),
            "topic": self.topic.tobytes(),
            "grade": self.grade.tobytes(),
            "taken": dict(self.taken),
            "found": dict(self.found),
        }

    def unpack(self, packed: dict[str, Any]) -> None:
        """Take it back."""
        if packed:
            self.topic = array("B", packed["topic"])
            self.grade = array("B", packed["grade"])
            self.budgets.unpack(packed.get("budgets", {}))
            self.source.frombytes(packed.get("source", b""))
            self.taken.update(packed["taken"])
            self.found.update(packed["found"])

    def _reach(self, size: int) -> None:
        missing = size - len(self.topic)
        if missing > 0:
            self.topic.frombytes(bytes([NO_TOPIC]) * missing)
            self.grade.frombytes(b"\xff" * missing)

    @staticmethod
    def _uncount(counts: Counter[int], topic: int) -> None:
        counts[topic] -= 1
        if not counts[topic]:
            del counts[topic]
