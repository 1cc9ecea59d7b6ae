"""Gives a model parts of one of its topics, and a crawl such a model in place of its own.

Events of a crawl name topics by their numbers, so those of the old model stay: the parts come
behind them. The topic that was split keeps its number and is never found any more. Each part begins
with the weights of its topic, and training goes on from there with the pages of the crawl; topics
without pages in the crawl keep most of their weights.

A crawl changes its model between two runs. Earlier decisions stay; the next run moves the
waiting URLs of the topic to the queues of its parts, which are events of the log
(`lycosa.features.topics.predictor`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import msgspec
import numpy as np

from lycosa.errors import LycosaError
from lycosa.extract.topics.model import TopicModel
from lycosa.extract.topics.training import Example, train
from lycosa.features.topics.of_job import NEXT_MODEL, read_model
from lycosa.model.job import MODEL_FILE
from lycosa.runtime.directory import CrawlDirectory

MOST_TOPICS = 255
"""A topic is a byte, and one of them means none."""
NEVER = -50.0
"""The bias of a topic that is never found."""


def with_parts(
    model: TopicModel, topic: str, parts: tuple[str, ...], examples: Iterable[Example]
) -> TopicModel:
    """Return a model with parts of a topic, trained on examples; none of them is of the whole."""
    return train(
        examples,
        keywords=model.header.keywords,
        start=_widened(model, topic, parts),
    )


def _widened(model: TopicModel, topic: str, parts: tuple[str, ...]) -> TopicModel:
    """Return a model in which each part has the weights of the topic, and the topic is dead."""
    header, known = model.header, model.weights_to_train()
    if len(header.names) + len(parts) > MOST_TOPICS:
        raise LycosaError(
            f"a model has at most {MOST_TOPICS} topics, and this one has {len(header.names)}\n"
            "  train one with fewer topics: lycosa topics train"
        )
    at, count = header.names.index(topic), len(parts)
    old = np.asarray(known.weights, np.float32).reshape(-1, len(header.names))
    weights = np.hstack([old, np.repeat(old[:, at : at + 1], count, axis=1)])
    bias = np.append(np.asarray(known.bias, np.float32), [known.bias[at]] * count)
    weights[:, at], bias[at] = 0.0, NEVER
    wide = msgspec.structs.replace(
        header,
        names=(*header.names, *parts),
        thresholds=(*header.thresholds, *[header.thresholds[at]] * count),
        split=header.split | {topic: parts},
    )
    return TopicModel(wide, weights.tobytes(), bias.astype(np.float32).tobytes())


def own_model(directory: CrawlDirectory) -> TopicModel:
    """Return the model of a crawl; raise an error if it has none, or cannot change it."""
    job = directory.job()
    if not job.topics.model:
        raise LycosaError(
            f"{directory.path}: the crawl has no model of topics\n"
            "  write a model with the parts instead: --out FILE"
        )
    if job.log.server:
        raise LycosaError(
            f"{directory.path}: the log is in a server, and all machines of the crawl have the"
            " model that it began with\n  write a model for the next crawl: --out FILE"
        )
    return read_model(job.topics)


def give_model(directory: CrawlDirectory, model: TopicModel) -> None:
    """Give a crawl that is not running another model; a kill leaves the old one or the new one."""
    with directory.locked():
        job = directory.whole_job()
        model.write(directory.path / NEXT_MODEL)
        topics = dataclasses.replace(job.topics, model=MODEL_FILE, digest=model.digest)
        directory.write_job(dataclasses.replace(job, topics=topics))
        (directory.path / NEXT_MODEL).replace(directory.model_file)
