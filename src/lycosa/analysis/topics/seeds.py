"""The pages of an earlier crawl from which a crawl of a topic should begin.

Hubs: pages that link to many good pages of the topic. HITS runs over the links that lead to pages
of the topic, from any page: a directory is a good hub without being about the topic itself. Links
through redirects count for the page they lead to. Without hubs, the pages that are surest to be of
the topic.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lycosa.analysis.topics.names import is_within
from lycosa.analysis.topics.texts import Text, texts_of_crawl
from lycosa.extract.topics.model import TopicModel
from lycosa.frontier.graph.hits import hits
from lycosa.frontier.graph.links import graph_of
from lycosa.frontier.graph.numbering import UNKNOWN, Ids, Numbering, Numbers
from lycosa.storage.archive.reader import rows, table

_MOST_HOPS = 5
_KINDS = ("anchor", "frame", "form", "pagination", "refresh")


class Seed(NamedTuple):
    """A page to begin from."""

    url: str
    score: float
    """Its hub score, or its probability for the topic."""
    links: int
    """Number of pages of the topic to which it links."""


def best_pages(texts: Sequence[Text], likely: Sequence[float], top: int) -> list[Seed]:
    """Return the pages that are surest to be of the topic."""
    order = sorted(range(len(texts)), key=lambda at: (-likely[at], texts[at].address))
    return [Seed(texts[at].address, likely[at], 0) for at in order[:top] if likely[at] > 0]


def best_hubs(folder: Path, texts: Sequence[Text], likely: Sequence[float], top: int) -> list[Seed]:
    """Return the best hubs of the topic."""
    pages = Numbering(np.array([text.url_id for text in texts], np.int64))
    number_of = pages.numbers(np.array([text.url_id for text in texts], np.int64))
    is_wanted = np.zeros(len(pages), bool)
    urls = [""] * len(pages)
    for text, number, one in zip(texts, number_of.tolist(), likely, strict=True):
        is_wanted[number] = one > 0
        urls[number] = text.address
    sources, targets = _links(folder, pages)
    counts = is_wanted[targets] & (sources != targets)
    graph = graph_of(sources[counts], targets[counts], len(pages))
    if not graph.links:
        return []
    hubs, degrees = hits(graph).hubs, graph.out_degrees
    order = sorted(range(len(urls)), key=lambda at: (-hubs[at], urls[at]))
    return [Seed(urls[at], float(hubs[at]), int(degrees[at])) for at in order[:top] if degrees[at]]


def likelihoods(model: TopicModel, texts: Sequence[Text], topic: str) -> list[float]:
    """Return for each text the probability of a topic or its parts; 0 if another is likelier."""
    found = []
    wanted = [at for at, name in enumerate(model.names) if is_within(name, topic)]
    for text in texts:
        probabilities = model.probabilities(text.title, text.content)
        is_likeliest = probabilities.index(max(probabilities)) in wanted
        found.append(sum(probabilities[at] for at in wanted) if is_likeliest else 0.0)
    return found


def newest_texts(folder: Path) -> list[Text]:
    """Return the texts of all pages of a crawl."""
    return list(texts_of_crawl(folder))


def _links(folder: Path, pages: Numbering) -> tuple[Numbers, Numbers]:
    """Return the links between pages as numbers of sources and targets."""
    moved = _Moved(folder)
    found: list[tuple[Numbers, Numbers]] = [(np.zeros(0, np.int32), np.zeros(0, np.int32))]
    for batch in rows(folder, "links", ["source_id", "target_id", "kind"]):
        some = pa.table(batch)
        some = some.filter(pc.is_in(some["kind"], pa.array(_KINDS)))
        source = pages.numbers(_ids(some["source_id"]))
        target = pages.numbers(moved.now(_ids(some["target_id"])))
        is_inside = (source != UNKNOWN) & (target != UNKNOWN)
        found.append((source[is_inside], target[is_inside]))
    return (
        np.concatenate([source for source, _ in found]),
        np.concatenate([target for _, target in found]),
    )


def _ids(column: pa.ChunkedArray) -> Ids:
    ids: Ids = column.to_numpy()
    return ids


class _Moved:
    """The targets of redirects."""

    def __init__(self, folder: Path) -> None:
        found = table(folder, "pages", ["url_id", "redirect_id"])
        found = found.filter(pc.is_valid(found["redirect_id"]))
        self._targets = dict(
            zip(found["url_id"].to_pylist(), found["redirect_id"].to_pylist(), strict=True)
        )

    def now(self, ids: Ids) -> Ids:
        """Return the ids with those that redirect replaced by where they lead to."""
        if not self._targets:
            return ids
        return np.array([self._end(one) for one in ids.tolist()], np.int64)

    def _end(self, one: int) -> int:
        for _ in range(_MOST_HOPS):
            if one not in self._targets:
                break
            one = self._targets[one]
        return one
