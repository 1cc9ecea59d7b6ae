"""The model of a job: read, checked against the job, copied into the crawl directory.

A crawl keeps a copy of its model, `topics.model`, and its job has the model's digest. So a model
that was trained again changes no crawl that has begun, and a file that was replaced is noticed.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

from lycosa.errors import ConfigError
from lycosa.extract.topics.model import OTHER, TopicModel
from lycosa.model.job import MODEL_FILE, Job
from lycosa.model.job.seeds import parted
from lycosa.model.job.topics import Topics, numbers_of

NEXT_MODEL = "topics.model.next"
"""A model that is about to take the place of the crawl's own."""
_NEEDS = {
    "weighted": ("weights", "science=3"),
    "budget": ("budgets", "science=500"),
    "focused": ("wanted", "science"),
}
"""Which key a policy needs, and an entry of it for messages."""


def read_model(topics: Topics) -> TopicModel:
    """Return the model that a job names; refuse another one than the crawl began with."""
    path = Path(topics.model)
    try:
        model = TopicModel.read(path)
    except OSError as error:
        raise ConfigError(
            f"[topics] model: {path} cannot be read: {error.strerror}\n"
            "  check the path, or train a model: lycosa topics train"
        ) from None
    if topics.digest and model.digest != topics.digest:
        following = path.with_name(NEXT_MODEL)
        if following.exists() and TopicModel.read(following).digest == topics.digest:
            following.replace(path)  # somebody was killed while they gave the crawl this one
            return TopicModel.read(path)
        raise ConfigError(
            f"[topics] model: {path} is another model than the crawl began with"
            f" ({model.digest}, not {topics.digest})\n"
            "  put the first one back; to classify the pages again: lycosa topics apply"
        )
    return model


def require_topics(job: Job) -> None:
    """Refuse a job whose model is missing, or has not the topics that the job names."""
    topics, orders_by_topic = job.topics, job.frontier.scheduler == "topics"
    if not topics.model:
        if orders_by_topic:
            raise ConfigError(
                "[frontier] scheduler is `topics`, and [topics] names no model\n"
                '  train one (lycosa topics train), then: model = "topics.model"'
            )
        return
    names = read_model(topics).names
    if puts_off(job) and job.revisit.policy != "off":
        key = 'focus = "hard"' if is_hard(job) else 'policy = "budget"'
        raise ConfigError(
            f"[topics] {key} puts URLs off for good, and the cycles of [revisit] do so"
            ' for a while\n  choose one: another policy of topics, or [revisit] policy = "off"'
        )
    if orders_by_topic and topics.policy in _NEEDS:
        key, sample = _NEEDS[topics.policy]
        if not getattr(topics, key):
            raise ConfigError(
                f"[topics] policy `{topics.policy}` needs `{key}`, which is empty\n"
                f'  name topics of the model, as in {key} = ["{sample}"]; it has {_listed(names)}'
            )
    # The topic of a seed is the queue in which it waits.
    if orders_by_topic and isinstance(job.seeds, tuple):
        for url, topic in map(parted, job.seeds):
            if topic and not numbers_below(names, topic):
                raise ConfigError(
                    f"{url}: the model has no topic `{topic}`, which the list of seeds names\n"
                    f"  it has {_listed(names)}"
                )
    for key, entries in (
        ("wanted", topics.wanted),
        ("weights", numbers_of(topics.weights)),
        ("budgets", numbers_of(topics.budgets)),
    ):
        for name in entries:
            if not numbers_below(names, name):
                raise ConfigError(
                    f"[topics] {key}: the model has no topic `{name}`\n  it has {_listed(names)}"
                )


def is_hard(job: Job) -> bool:
    """Return whether URLs that promise nothing are put off."""
    is_focused = job.frontier.scheduler == "topics" and job.topics.policy == "focused"
    return is_focused and job.topics.focus == "hard"


def puts_off(job: Job) -> bool:
    """Return whether the crawl may end while URLs are put off for their topic."""
    return is_hard(job) or has_budgets(job)


def has_budgets(job: Job) -> bool:
    """Return whether pages are counted against the budgets of topics."""
    return job.frontier.scheduler == "topics" and job.topics.policy == "budget"


def with_own_model(job: Job, folder: Path) -> Job:
    """Copy the model of a new crawl into its folder; return the job that names the copy."""
    if not job.topics.model:
        return job
    model = read_model(job.topics)
    if Path(job.topics.model) != (folder / MODEL_FILE).absolute():
        model.write(folder / MODEL_FILE)
    topics = dataclasses.replace(job.topics, model=MODEL_FILE, digest=model.digest)
    return dataclasses.replace(job, topics=topics)


def same_topics(topics: Topics, before: Topics) -> Topics:
    """Return the section as a crawl has it, if the model named is the one that it began with."""
    if not topics.model or not before.digest or read_model(topics).digest != before.digest:
        return topics
    return dataclasses.replace(topics, model=before.model, digest=before.digest)


def numbers_below(names: tuple[str, ...], name: str) -> list[int]:
    """Return the numbers of a topic and of those below it."""
    return [number for number, one in enumerate(names) if one == name or one.startswith(name + ".")]


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(name for name in names if name != OTHER)
