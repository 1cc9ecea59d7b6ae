"""Gives turns in a crawl by topic: to a topic first, then to a partition that has URLs of it.

WebParF takes one URL from each topic in turn. Here every topic has turns by its weight (deficit
round robin): with the policies `each` and `budget` all weights are 1. A topic without URLs that may
be asked for now misses its turns, and does not catch up. A topic of weight 0 is served while no
other can be.
A `focused` crawl has no turns: the most promising URL of all partitions is next.

Partitions in turn would give those without anything promising as many turns as the others. So the
topic, or the promise, is chosen over all partitions of the worker, and then the partition; among
equals they take turns. The next one in line may ask for a robots file before: that costs no page.

Always true, while all topics have ready URLs: after any number of choices of pages, two topics of
the same weight differ by one at most (per weight).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from lycosa.crawl.worker.turns import PartitionTurns, is_asking
from lycosa.features.topics.budgets import TopicBudgets
from lycosa.features.topics.of_job import numbers_below
from lycosa.frontier.facts.topics import NO_TOPIC
from lycosa.frontier.partition import Partition
from lycosa.frontier.schedulers._topic_queues import best_among, first_with
from lycosa.frontier.schedulers.topics import ANY, ByTopic
from lycosa.model.job import Job
from lycosa.model.job.topics import numbers_of


class TopicTurns(PartitionTurns):
    """The turns of topics, and of partitions within them."""

    def __init__(
        self,
        partitions: Mapping[int, Partition],
        with_work: dict[int, None],
        job: Job,
        names: Sequence[str],
        budgets: TopicBudgets | None = None,
    ) -> None:
        super().__init__(partitions, with_work)
        self._budgets = budgets
        self._is_focused = job.topics.policy == "focused"
        weights = _weights(job, tuple(names))
        self._queues = [queue for queue, weight in weights.items() if weight]
        self._last_queues = [queue for queue, weight in weights.items() if not weight]
        self._weights = weights
        self._numbers: list[int] = []
        self._schedulers: list[ByTopic] = []
        self._start = 0
        """Where the partitions behind the last one that was served begin."""
        self._place = 0
        self._credit = self._weights[self._queues[0]]

    def next(self) -> Partition | None:
        """Return the partition of the URL in turn; its scheduler knows the topic."""
        while self._with_work:
            numbers = list(self._with_work)
            if numbers != self._numbers:
                self._numbers = numbers
                self._schedulers = [_scheduler(self._partitions[number]) for number in numbers]
            first = numbers[self._start % len(numbers)]
            if _has_errands(self._partitions[first]):
                return self._serve(self._start % len(numbers), ANY)
            place, queue = self._choose(self._schedulers)
            if place < 0:
                return self._next_errand(numbers)
            if is_asking(self._partitions[numbers[place]]):
                return self._serve(place, queue)
            del self._with_work[numbers[place]]
        return None

    def settle(self, changed: Iterable[int]) -> None:
        """Let partitions see to their budgets before a commit."""
        if self._budgets is not None:
            self._budgets.look(self._partitions, changed)

    def _next_errand(self, numbers: Sequence[int]) -> Partition | None:
        """Return a partition with a robots file to ask for; those without work come back."""
        found = -1
        for place, number in enumerate(numbers):
            if not _has_errands(self._partitions[number]):
                del self._with_work[number]
            elif found < 0:
                found = place
        return self._serve(found, ANY) if found >= 0 else None

    def _serve(self, place: int, queue: int) -> Partition:
        self._start = place + 1
        self._schedulers[place].turn = queue
        return self._partitions[self._numbers[place]]

    def _choose(self, schedulers: list[ByTopic]) -> tuple[int, int]:
        """Return whose turn it is, and of which queue; nobody's is below 0."""
        start = self._start
        if self._is_focused:
            return best_among(schedulers, start), ANY
        if not any(scheduler.ready for scheduler in schedulers):
            return -1, ANY  # nobody has missed a turn
        for _ in range(len(self._queues) + 1):
            queue = self._queues[self._place]
            if self._credit >= 1 and (place := self._first_with(schedulers, queue)) >= 0:
                self._credit -= 1
                return place, queue
            self._place = (self._place + 1) % len(self._queues)
            self._credit = self._weights[self._queues[self._place]]
        for queue in self._last_queues:
            if (place := self._first_with(schedulers, queue)) >= 0:
                return place, queue
        return -1, ANY

    def _first_with(self, schedulers: list[ByTopic], queue: int) -> int:
        """Return the next partition that has a ready URL of a queue, and may ask for it."""
        place, budgets = first_with(schedulers, queue, self._start), self._budgets
        if place < 0 or budgets is None:
            return place
        for step in range(len(schedulers)):
            at = (place + step) % len(schedulers)
            partition = self._partitions[self._numbers[at]]
            if schedulers[at].ready_of(queue) and budgets.may_take(partition, queue):
                return at
        return -1


def _has_errands(partition: Partition) -> bool:
    readiness, firsts = partition.readiness, partition.readiness.firsts
    has_some = readiness.robots_wanted or firsts.errands_wanted or firsts.repeats_wanted
    return is_asking(partition) and bool(has_some)


def _scheduler(partition: Partition) -> ByTopic:
    assert isinstance(partition.scheduler, ByTopic)
    return partition.scheduler


def _weights(job: Job, names: tuple[str, ...]) -> dict[int, int]:
    """Return the weight of every queue; one for URLs without a prediction comes last."""
    weights = dict.fromkeys(range(len(names)), 1) | {NO_TOPIC: 1}
    if job.topics.policy == "weighted":
        for name, weight in numbers_of(job.topics.weights).items():
            for number in numbers_below(names, name):
                weights[number] = weight
    return weights
