"""Classifies pages and predicts URLs in a crawl with a model of topics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from lycosa.crawl.answers.page_answer import PageAnswer
from lycosa.crawl.points import Feature, Handler, Spine
from lycosa.features.topics.allocator import TopicTurns
from lycosa.features.topics.classifier import Classifier
from lycosa.features.topics.predictor import Predictor
from lycosa.frontier.partition import Partition
from lycosa.model.job import Job
from lycosa.model.records import BudgetAsked, BudgetGiven, Hinted

if TYPE_CHECKING:
    from lycosa.features.plugins.hooks import Hooks


class Topics(Feature):
    """Says what pages are about, in columns and events."""

    def __init__(self, job: Job, hooks: Hooks | None) -> None:
        plugged = hooks.extra_columns if hooks is not None else ()
        self._reads_all = hooks is not None
        """Plugins may change the text, so what was read apart does not count."""
        self.classifier = Classifier(job, len(plugged))
        self.topic_names = self.classifier.names

    def columned(self, answered: PageAnswer) -> None:
        """Find out what a page is about; sitemaps and pages without text are about nothing."""
        if answered.is_shown and answered.text and not answered.is_sitemap:
            found = answered.answer.findings
            is_told = found is not None and not self._reads_all
            answered.topics = found.topics if is_told else self.classifier.classify(answered.facts)
        answered.extra = self.classifier.columns(answered.topics, answered.extra)

    def finished(self, answered: PageAnswer) -> None:
        """Record what a page is about."""
        if self.classifier.counts(answered):
            answered.partition.record(self.classifier.event(answered))


class TopicOrder(Feature):
    """Orders the crawl by topic: pages are witnesses for the URLs that they link to."""

    def __init__(self, spine: Spine, topics: Topics) -> None:
        self._job = spine.ports.job
        self._names = topics.classifier.names
        self._partitions = spine.partitions
        self.companion = self.predictor = Predictor(self._job, topics.classifier)

    def attached(self, partition: Partition) -> None:
        """Let a partition ask for the queues of URLs that it admits."""
        self.predictor.attach(partition)

    def lost(self, partition: int) -> None:
        """Forget a partition that is no longer ours."""
        self.predictor.forget(partition)

    def heard(self, answered: PageAnswer) -> None:
        """Take a page for the witness of its links."""
        self.predictor.hear_page(answered)

    def turns(self, with_work: dict[int, None]) -> TopicTurns:
        """Return the turns of topics."""
        budgets = self.predictor.budgets
        return TopicTurns(self._partitions, with_work, self._job, self._names, budgets)

    def messages(self) -> Mapping[type, Handler]:
        """Return who takes what other partitions say of URLs and of budgets."""
        return {
            Hinted: self._hinted,
            BudgetAsked: self._budget_asked,
            BudgetGiven: self._budget_given,
        }

    def _hinted(self, partition: Partition, message: Hinted, now: float) -> None:
        self.predictor.hear_message(partition, message)
        self.predictor.end()

    def _budget_asked(self, partition: Partition, message: BudgetAsked, now: float) -> None:
        if self.predictor.budgets is not None:  # the job may have another policy now
            self.predictor.budgets.asked(partition, message)

    def _budget_given(self, partition: Partition, message: BudgetGiven, now: float) -> None:
        if self.predictor.budgets is not None:
            self.predictor.budgets.given(partition, message, now)
