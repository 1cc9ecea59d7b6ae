"""A page model without labels, as a user trains it who has words and five pages for each topic.

The training pages of a draw stand for pages that an earlier crawl has fetched: their labels are not
looked at. Of each topic five of them are known, the seeds of a crawl for it. The keywords of fields
are those of `benchmarks.topic_training`; the keywords of parts of fields, below, were written down
before anything was measured with them. A word that a part of a field has is not its field's too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from benchmarks.focus.corpus import Corpus
from benchmarks.topic_training import KEYWORDS

from lycosa.analysis.topics.examples import example_of
from lycosa.analysis.topics.keywords import train_by_keywords
from lycosa.analysis.topics.pools import Pool
from lycosa.analysis.topics.texts import Text
from lycosa.extract.topics.model import TopicModel

PART_KEYWORDS = {
    "Science.Biology": "biology animal plant species cell bird",
    "Science.Physics": "physics energy particle quantum force light",
    "Science.Chemistry": "chemistry element compound atom acid metal",
    "Geography.African_Geography": "african africa sahara nile congo kenya",
    "History.British_History": "british england scotland parliament tudor norman",
    "Design_and_Technology.Railway_transport": "railway transport train station locomotive track",
}


def pools_for(topic: str) -> list[Pool]:
    """Return the pools of all fields, and of the topic if it is a part of one."""
    own = tuple(PART_KEYWORDS[topic].split()) if "." in topic else ()
    field = topic.partition(".")[0]
    pools = [
        Pool(name, tuple(word for word in words.split() if name != field or word not in own))
        for name, words in KEYWORDS.items()
    ]
    return [*pools, Pool(topic, own)] if own else pools


def model_without_labels(
    corpus: Corpus,
    trained: Iterable[int],
    pools: list[Pool],
    seeds_of: Callable[[str], list[int]],
    seed: int,
) -> TopicModel:
    """Return a model of the pools' topics from the texts of these pages and a few known ones."""
    texts = {
        page: Text(corpus.paths[page], corpus.titles[page], corpus.contents[page])
        for page in trained
    }
    topics: dict[int, list[str]] = {}
    for pool in pools:
        for page in seeds_of(pool.topic):
            topics.setdefault(page, []).append(pool.topic)
    given = {
        texts[page].address: example_of(texts[page], tuple(each)) for page, each in topics.items()
    }
    return train_by_keywords(list(texts.values()), pools, given, seed=seed)
