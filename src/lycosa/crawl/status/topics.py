"""Counts pages and waiting URLs by topic, and computes the harvest rate.

The *harvest rate* is the share of kept pages that are about a wanted topic (ACHE, TRES).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from lycosa.extract.topics.model import OTHER
from lycosa.frontier.facts.columns import PENDING, WAITING
from lycosa.frontier.facts.topics import NO_TOPIC
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.frontier.schedulers.topics import ByTopic
from lycosa.model.job import Job


def topics_at_work(partitions: Iterable[Partition], names: Sequence[str]) -> dict[str, list[int]]:
    """Return by topic how many pages are about it and how many URLs wait, while a crawl runs."""
    pages: Counter[int] = Counter()
    waiting: Counter[int] = Counter()
    numbers = (*range(len(names)), NO_TOPIC)
    for partition in partitions:
        pages.update(partition.state.topics.found)
        if isinstance(partition.scheduler, ByTopic):
            waiting.update(partition.scheduler.counts(numbers))
    return _named(pages, waiting, names)


def topics_of(states: Iterable[PartitionState], names: Sequence[str]) -> dict[str, list[int]]:
    """Return the same from the log alone."""
    pages: Counter[int] = Counter()
    waiting: Counter[int] = Counter()
    for state in states:
        pages.update(state.topics.found)
        some = zip(state.topics.topic, state.pages.status, strict=False)
        waiting.update(topic for topic, status in some if status in (PENDING, WAITING))
    if set(waiting) == {NO_TOPIC}:
        waiting.clear()  # the order of this crawl does not use topics
    return _named(pages, waiting, names)


def harvest(topics: Mapping[str, Sequence[int]], job: Job) -> float | None:
    """Return the share of pages about a wanted topic; None if no page was classified."""
    total = sum(pages for pages, _ in topics.values())
    if not total or not job.topics.wanted:
        return None
    wanted = sum(pages for name, (pages, _) in topics.items() if is_wanted(name, job))
    return wanted / total


def is_wanted(name: str, job: Job) -> bool:
    """Return whether a topic, or one above it, is wanted."""
    return any(name == one or name.startswith(one + ".") for one in job.topics.wanted)


def _named(
    pages: Mapping[int, int], waiting: Mapping[int, int], names: Sequence[str]
) -> dict[str, list[int]]:
    """Return numbers by name, the topic with most pages first; pages without a topic are
    `other`."""
    found: dict[str, list[int]] = {}
    for number in {*pages, *waiting}:
        name = names[number] if number < len(names) else f"topic {number}"
        name = OTHER if number == NO_TOPIC else name
        known = found.setdefault(name, [0, 0])
        known[0] += pages.get(number, 0)
        known[1] += waiting.get(number, 0)
    kept = {name: numbers for name, numbers in found.items() if any(numbers)}
    return dict(sorted(kept.items(), key=lambda entry: (entry[0] == OTHER, -entry[1][0])))
