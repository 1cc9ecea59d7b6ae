"""Takes a page as a browser has rendered it through the stages that read content.

Plugins see the rendered tree with all its links, structured data is read from it, and topics are
told from its text, as the stages did with the page as it came (`stages`). A page that the browser
did not change is not read again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lycosa.crawl.answers.page_answer import PageAnswer
from lycosa.crawl.links.raw_links import RawLinks
from lycosa.extract.facts import Facts
from lycosa.features.triples import TripleExtraction
from lycosa.model.job import Job
from lycosa.model.records import Answer, Outcome

if TYPE_CHECKING:
    from lycosa.features.plugins.feature import Plugins
    from lycosa.features.topics.feature import TopicOrder, Topics


class RenderedTree:
    """Reads rendered pages; one per worker."""

    def __init__(
        self,
        job: Job,
        plugins: Plugins | None,
        topics: Topics | None,
        order: TopicOrder | None,
    ) -> None:
        self._triples = TripleExtraction(job)
        self._plugins = plugins
        self._posts: dict[str, tuple[str, str]] = {}
        self._classifier = topics.classifier if topics is not None else None
        self._predictor = order.predictor if order is not None else None

    def find_triples(self, answered: PageAnswer, plain: Answer, facts: Facts) -> None:
        """Read structured data that the page as it came, with these facts, does not have."""
        answered.triples = self._triples.new_triples(answered, plain, facts)

    def links(self, found: RawLinks, answered: PageAnswer) -> RawLinks:
        """Return the links with those that structured data names, if the job wants these."""
        return self._triples.with_links(found, answered)

    def show(self, answered: PageAnswer, found: RawLinks) -> RawLinks:
        """Show the page to the plugins; returns its links as they leave them.

        The outcome is `HOOK_FAILED` or `TOO_MANY_ITEMS` if one of them failed.
        """
        if self._plugins is None:
            return found
        shown = self._plugins.begin_rendered(answered, found)
        answered.outcome, answered.facts = shown.end()
        answered.extra, answered.items = shown.values, shown.items
        self._posts = shown.posts if answered.outcome is Outcome.KEPT else {}
        return shown.links

    def post(self, answered: PageAnswer) -> None:
        """Add what plugins post by the page to its links."""
        if self._posts and self._plugins is not None and self._plugins.link is not None:
            self._plugins.link(answered, self._posts)
        self._posts = {}

    def classify(self, answered: PageAnswer, *, had_text: bool) -> None:
        """Find out what the page is about; one that had text was classified before."""
        if self._classifier is None:
            return
        answered.is_first = not had_text and not self._classifier.has_budgets
        if answered.facts.content:
            answered.topics = self._classifier.classify(answered.facts)
        answered.extra = self._classifier.columns(answered.topics, answered.extra)

    def decided(self, answered: PageAnswer) -> None:
        """Record what the page is about, and let its links know."""
        if self._classifier is not None and answered.topics is not None:
            answered.partition.record(self._classifier.event(answered))
        if self._predictor is not None and answered.outcome is Outcome.KEPT:
            self._predictor.hear_page(answered)
