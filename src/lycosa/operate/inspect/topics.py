"""Describes the topic of a URL, or its likely topic, for `explain`."""

from __future__ import annotations

from collections.abc import Sequence

from lycosa.errors import LycosaError
from lycosa.extract.topics.model import OTHER
from lycosa.frontier.facts.topics import NO_TOPIC
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.job import Job
from lycosa.model.records import Classified, Outcome


def names_of(job: Job) -> Sequence[str]:
    """Return the topics of a job's model; () if it has none or the file is missing."""
    if not job.topics.model:
        return ()
    from lycosa.features.topics.of_job import read_model  # few crawls have a model

    try:
        return read_model(job.topics).names
    except LycosaError:
        return ()


def topic_text(state: PartitionState, page: int, names: Sequence[str]) -> str:
    """Return the topic of a URL, or the queue in which it waits; "" in a crawl without topics."""
    topics = state.topics
    if not topics.topic:
        return ""
    if state.outcome_of(page) is Outcome.KEPT and not state.is_pending(page):
        if topics.of(page) == NO_TOPIC:
            return "about none of the topics"
        return f"about {_name(topics.of(page), names)} ({topics.grade_of(page) / 255:.0%} sure)"
    if topics.of(page) == NO_TOPIC:
        return "no link has told its topic"
    return queue_text(topics.of(page), topics.grade_of(page), names)


def queue_text(queue: int, position: int, names: Sequence[str]) -> str:
    """Return the queue and the position of a URL in words."""
    return f"in the queue of {_name(queue, names)}, at position {position} of 254"


def found_text(event: Classified, names: Sequence[str]) -> str:
    """Return the topics that were found for a page, in words."""
    found = ", ".join(
        f"{_name(topic, names)} ({confidence / 255:.0%} sure)"
        for topic, confidence in zip(event.topics, event.confidences, strict=True)
    )
    taken = f"; taken from the queue of {_name(event.queue, names)}" if event.queue >= 0 else ""
    return f"found to be about {found or 'none of the topics'}{taken}"


def _name(topic: int, names: Sequence[str]) -> str:
    if topic < len(names):
        return names[topic]
    return OTHER if topic == NO_TOPIC else f"topic {topic}"
