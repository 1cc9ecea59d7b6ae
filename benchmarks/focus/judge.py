"""One draw of a focused crawl: training pages, page model, seeds, and what is counted.

A fifth of the pages trains the page model; they may be crawled, but count in neither harvest nor
recall. The seeds are five of them about the topic, so that the crawl starts from pages it knows.
R is the number of the relevant pages that count. The model is trained by the labels of these pages,
or without: by keywords and the seeds of each topic (`unlabelled`).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from benchmarks.focus.corpus import Corpus
from benchmarks.focus.unlabelled import model_without_labels, pools_for

from lycosa.extract.topics._softmax import word_weights
from lycosa.extract.topics.model import TopicModel
from lycosa.extract.topics.training import Example, train

SEEDS = 5
TRAINED_SHARE = 0.2
WORD_BITS = 12
CURVE_STEPS = 20

TUNING_TOPICS = (
    "History",
    "Design_and_Technology",
    "Language_and_literature",
    "History.British_History",
    "Design_and_Technology.Railway_transport",
    "Business_Studies",
)
JUDGING_TOPICS = (
    "Science",
    "Geography",
    "People",
    "Countries",
    "Science.Biology",
    "Science.Physics",
    "Science.Chemistry",
    "Geography.African_Geography",
)


class Task(NamedTuple):
    """What an order is given, and the truth by which it is judged."""

    topic: str
    links: list[list[int]]
    """Of every page the pages it links to."""
    page: list[float]
    """The page model's probability that a page is about the topic; known once it is fetched."""
    text: list[list[float]]
    """The same by the text of each link."""
    words: list[list[tuple[int, ...]]]
    """Of each link the numbers of its words."""
    threshold: float
    seeds: list[int]
    is_relevant: list[bool]
    counts: list[bool]
    """Whether a page counts: those that trained the model do not."""

    @property
    def relevant(self) -> int:
        """R."""
        return sum(a and b for a, b in zip(self.is_relevant, self.counts, strict=True))


class Result(NamedTuple):
    """How well an order did."""

    harvest: float
    recall: float
    curve: list[float]
    """The harvest after each twentieth of 2 R pages; pages after an early end are misses."""


def field_of(label: str, topic: str) -> str:
    """Return the topic that the page model gives a label: its field, or the topic of the crawl."""
    return topic if f"{label}.".startswith(f"{topic}.") else label.partition(".")[0]


def link_words(corpus: Corpus) -> list[list[tuple[int, ...]]]:
    """Return the numbers of the words of every link, below 2**`WORD_BITS`."""
    return [
        [tuple(word_weights(b"", link.text.encode(), WORD_BITS)) for link in links]
        for links in corpus.links
    ]


class Draw:
    """Pages chosen by chance, and the models trained on them."""

    def __init__(
        self,
        corpus: Corpus,
        number: int,
        words: list[list[tuple[int, ...]]],
        *,
        has_labels: bool = True,
    ) -> None:
        """Take the words of every link too, since they are the same in all draws."""
        self.corpus = corpus
        self.number = number
        self.has_labels = has_labels
        chance = random.Random(number)
        pages = list(range(len(corpus.paths)))
        chance.shuffle(pages)
        self.trained = sorted(pages[: int(len(pages) * TRAINED_SHARE)])
        self._models: dict[str, TopicModel] = {}
        self._words = words

    def model(self, topic: str = "") -> TopicModel:
        """Return a model of all fields, and of the topic if it is below a field."""
        key = topic if "." in topic else ""
        if key not in self._models:
            self._models[key] = self._trained(topic)
        return self._models[key]

    def _trained(self, topic: str) -> TopicModel:
        if self.has_labels:
            return train(self._examples(topic), seed=self.number)
        return model_without_labels(
            self.corpus, self.trained, pools_for(topic), self.seeds, self.number
        )

    def accuracy(self) -> float:
        """Return how often the model of all fields is right about labelled pages that count."""
        corpus, model = self.corpus, self.model()
        judged = set(range(len(corpus.paths))) - set(self.trained)
        right = [
            model.names[found.index(max(found))]
            in {field_of(one, "") for one in corpus.labels[page]}
            for page in judged
            if corpus.labels[page]
            for found in [model.probabilities(corpus.titles[page], corpus.contents[page])]
        ]
        return sum(right) / len(right)

    def seeds(self, topic: str) -> list[int]:
        """Return five training pages about a topic, or all if there are fewer."""
        chance = random.Random(f"{self.number} {topic}")
        about = sorted(set(self.corpus.pages_about(topic)) & set(self.trained))
        return chance.sample(about, min(SEEDS, len(about)))

    def _examples(self, topic: str) -> Iterator[Example]:
        corpus = self.corpus
        for page in self.trained:
            topics = tuple(dict.fromkeys(field_of(one, topic) for one in corpus.labels[page]))
            yield Example(corpus.titles[page], corpus.contents[page], topics)

    def relevant(self, topic: str) -> int:
        """Return R."""
        return len(set(self.corpus.pages_about(topic)) - set(self.trained))

    def task(self, topic: str) -> Task:
        """Return what a crawl for a topic is given."""
        corpus, model = self.corpus, self.model(topic)
        number = model.names.index(topic)
        relevant = set(corpus.pages_about(topic))
        trained = set(self.trained)
        pages = range(len(corpus.paths))
        return Task(
            topic,
            [[link.target for link in links] for links in corpus.links],
            [
                model.probabilities(corpus.titles[page], corpus.contents[page])[number]
                for page in pages
            ],
            self.texts(topic, "text"),
            self._words,
            model.header.thresholds[number],
            self.seeds(topic),
            [page in relevant for page in pages],
            [page not in trained for page in pages],
        )

    def texts(self, topic: str, part: str) -> list[list[float]]:
        """Return the page model's probability for a part of every link: see `Link`."""
        model = self.model(topic)
        number = model.names.index(topic)
        known: dict[str, float] = {}

        def probability(text: str) -> float:
            if text not in known:
                known[text] = model.probabilities("", text.encode("utf-8", "replace"))[number]
            return known[text]

        return [[probability(getattr(link, part)) for link in links] for links in self.corpus.links]


def judge(task: Task, order: Iterable[int]) -> Result:
    """Crawl 2 R pages in an order and count."""
    most = 2 * task.relevant
    marks = [max(1, most * step // CURVE_STEPS) for step in range(1, CURVE_STEPS + 1)]
    counted = right = 0
    curve: list[float] = []
    at_r = 0.0
    for page in order:
        if not task.counts[page]:
            continue
        counted += 1
        right += task.is_relevant[page]
        while len(curve) < len(marks) and counted == marks[len(curve)]:
            curve.append(right / counted)
        if counted == task.relevant:
            at_r = right / counted
        if counted == most:
            break
    if counted < task.relevant:
        at_r = right / task.relevant
    curve += [right / mark for mark in marks[len(curve) :]]
    return Result(at_r, right / task.relevant, curve)
