"""Says what a page is about: an event of its partition, and columns of the table `pages`.

Every page that is kept and has text is classified, once for each version. The columns are

    topic              the surest topic; null for a page without text, `other` for one of none
    topic_confidence   how sure it is, from 0 to 1
    topics             all topics that are sure enough, at most three, with a space between them

Loaded only for a job with a model: others do without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from lycosa.crawl.answers.page_answer import PageAnswer, PageTopics
from lycosa.extract.topics.model import OTHER
from lycosa.features.topics.of_job import has_budgets, read_model
from lycosa.frontier.facts.topics import NO_TOPIC
from lycosa.frontier.schedulers.topics import ByTopic
from lycosa.model.job import Job
from lycosa.model.records import Classified, Outcome

if TYPE_CHECKING:
    from lycosa.extract.facts import Facts

COLUMNS = pa.schema(
    [
        ("topic", pa.string()),
        ("topic_confidence", pa.float32()),
        ("topics", pa.string()),
    ]
)
_NOTHING: tuple[object, ...] = (None, None, None)
"""The columns of a page without text."""


def all_columns(of_plugins: pa.Schema | None) -> pa.Schema:
    """Return all columns of a crawl with topics beside those that every crawl has."""
    return pa.schema([*(of_plugins or ()), *COLUMNS])


class Classifier:
    """Knows the model of a crawl; one per worker."""

    def __init__(self, job: Job, columns_before: int) -> None:
        """`columns_before` is how many columns plugins add."""
        self._nothing_before = (None,) * columns_before
        self._orders_by_topic = job.frontier.scheduler == "topics"
        self.has_budgets = has_budgets(job)
        self.model = read_model(job.topics)
        self.names = self.model.names
        self._other = self.names.index(OTHER)

    def classify(self, facts: Facts) -> PageTopics:
        """Return what a page is about."""
        return self._classify(facts.title, facts.content)

    def _classify(self, title: str, content: bytes) -> PageTopics:
        probabilities = self.model.probabilities(title, content)
        return PageTopics(probabilities, self.model.chosen(probabilities))

    def named(self, title: str, content: bytes) -> list[tuple[str, float]]:
        """Return what a text is about by name, the surest first; `other` for nothing."""
        probabilities, found = self._classify(title, content)
        numbers = found or [self._other]
        return [(self.names[number], probabilities[number]) for number in numbers]

    def columns(self, topics: PageTopics | None, before: tuple[object, ...]) -> tuple[object, ...]:
        """Return the values of a page's columns after those of plugins."""
        before = before or self._nothing_before
        if topics is None:
            return before + _NOTHING
        if not topics.found:
            return (*before, OTHER, topics.probabilities[self._other], "")
        names = [self.names[number] for number in topics.found]
        return (*before, names[0], topics.probabilities[topics.found[0]], " ".join(names))

    def counts(self, answered: PageAnswer) -> bool:
        """Return whether a page is worth an event: if it is about something, or paid for."""
        if answered.topics is not None:
            return True
        is_paid = not answered.is_sitemap and not answered.is_foreign
        return self.has_budgets and is_paid and answered.outcome is Outcome.KEPT

    def event(self, answered: PageAnswer) -> Classified:
        """Return the decision on a page for the log."""
        queue = self._queue_of(answered) if self._orders_by_topic else -1
        if answered.topics is None:
            return Classified(answered.page, [], [], queue, not answered.is_first, has_text=False)
        probabilities, found = answered.topics
        confidences = [round(255 * probabilities[number]) for number in found]
        return Classified(answered.page, found, confidences, queue, not answered.is_first)

    def _queue_of(self, answered: PageAnswer) -> int:
        """Return the queue that a page was taken from; without an entry it was that of `other`."""
        scheduler = answered.partition.scheduler
        assert isinstance(scheduler, ByTopic)
        queue = scheduler.queue_of(answered.page)
        return self._other if queue == NO_TOPIC else queue
