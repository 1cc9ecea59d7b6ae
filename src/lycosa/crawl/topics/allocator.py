"""Whose turn it is in a crawl by topic: a topic first, then a partition that has URLs of it.

WebParF takes one URL from each topic in turn. Here every topic has turns by its weight (deficit
round robin): with the policy `each` all weights are 1. A topic without URLs that may be asked for
now misses its turns, and does not catch up. A topic of weight 0 is served while no other can be.
A `focused` crawl has no turns: the most promising URL of all partitions is next.

Partitions in turn would give those without anything promising as many turns as the others. So the
topic, or the promise, is chosen over all partitions of the worker, and then the partition; among
equals they take turns. Robots files and errands go first: they cost no page.

Always true, while all topics have ready URLs: after any number of choices of pages, two topics of
the same weight differ by one at most (per weight).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from lycosa.config import Job
from lycosa.config.topics import numbers_of
from lycosa.crawl.topics.of_job import numbers_below
from lycosa.crawl.worker.turns import PartitionTurns, is_asking
from lycosa.frontier.fold.topics import NO_TOPIC
from lycosa.frontier.partition import Partition
from lycosa.frontier.schedulers.topics import ANY, ByTopic


class TopicTurns(PartitionTurns):
    """The turns of topics, and of partitions within them."""

    def __init__(
        self,
        partitions: Mapping[int, Partition],
        with_work: dict[int, None],
        job: Job,
        names: Sequence[str],
    ) -> None:
        super().__init__(partitions, with_work)
        self._is_focused = job.topics.policy == "focused"
        weights = _weights(job, tuple(names))
        self._queues = [queue for queue, weight in weights.items() if weight]
        self._last_queues = [queue for queue, weight in weights.items() if not weight]
        self._weights = weights
        self._place = 0
        self._credit = self._weights[self._queues[0]]

    def next(self) -> Partition | None:
        """Return the partition of the URL in turn; its scheduler knows the topic."""
        asking = list(self._asking())
        if not asking:
            return None  # nobody has missed a turn
        for partition in asking:
            readiness = partition.readiness
            if readiness.robots_wanted or readiness.errands_wanted:
                return self._serve(partition, ANY)
        return self._most_promising(asking) if self._is_focused else self._in_turn(asking)

    def _asking(self) -> Iterator[Partition]:
        """Yield the partitions that have something to ask for; others come back by themselves."""
        for number in list(self._with_work):
            partition = self._partitions[number]
            if not is_asking(partition) or not partition.has_work():
                del self._with_work[number]
            else:
                yield partition

    def _serve(self, partition: Partition, queue: int) -> Partition:
        del self._with_work[partition.number]
        self._with_work[partition.number] = None
        _scheduler(partition).turn = queue
        return partition

    def _most_promising(self, asking: Sequence[Partition]) -> Partition | None:
        """Return the partition with the best ready URL."""
        best, found = 256, None
        for partition in asking:
            position = _scheduler(partition).best()
            if 0 <= position < best:
                best, found = position, partition
        return self._serve(found, ANY) if found is not None else None

    def _in_turn(self, asking: Sequence[Partition]) -> Partition | None:
        for _ in range(len(self._queues) + 1):
            queue = self._queues[self._place]
            if self._credit >= 1 and (partition := _with_ready(asking, queue)) is not None:
                self._credit -= 1
                return self._serve(partition, queue)
            self._place = (self._place + 1) % len(self._queues)
            self._credit = self._weights[self._queues[self._place]]
        for queue in self._last_queues:
            if (partition := _with_ready(asking, queue)) is not None:
                return self._serve(partition, queue)
        return None


def _with_ready(asking: Sequence[Partition], queue: int) -> Partition | None:
    return next((partition for partition in asking if _scheduler(partition).ready_of(queue)), None)


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
