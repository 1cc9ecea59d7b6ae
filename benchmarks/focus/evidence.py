"""What links say of a page that is not yet fetched, and the order made of it.

For each waiting page these are kept, in eight bytes when they are `packed`:

    highest     the highest probability of a page that links to it
    total       the sum of these probabilities
    count       how many pages link to it
    promise     the highest promise of a page that links to it; a page's promise is its own
                probability, or, if that is higher, the promise it was found with times `DECAY`
    text        the highest probability that the page model gives the text of a link to it

A logistic function of them orders the pages. Its weights are given, and may be learnt on: each
page fetched is an example, its answer the page model's probability.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.focus.judge import Task
from benchmarks.focus.orders import WORD_NUMBERS, Waiting

DECAY = 0.5
FEATURES = ("one", "highest", "mean", "log of total", "promise", "text", "log of count")
POSITIONS = 256


class Variant(NamedTuple):
    """How our order is made."""

    weights: tuple[float, ...]
    without: frozenset[str] = frozenset()
    is_packed: bool = False
    rate: float = 0.0
    """How fast the weights of the features are learnt on; 0: they stay."""
    word_rate: float = 0.0
    """The same of the hashed words of links; 0: words are not looked at."""
    is_rescored: bool = False
    """Whether all waiting pages take their new scores each 100 pages."""
    is_shallow: bool = False
    """Whether a page's promise is its own probability alone: no tunnels."""
    text: str = "text"
    """Which part of a link the page model reads: a name in `Link`."""


class Evidence:
    """What links have said of one page."""

    __slots__ = ("count", "highest", "promise", "text", "total", "words")

    def __init__(self) -> None:
        self.highest = self.total = self.promise = self.text = 0.0
        self.count = 0
        self.words: set[int] = set()

    def hear(self, probability: float, promise: float, text: float) -> None:
        """Take in one more link."""
        self.highest = max(self.highest, probability)
        self.total += probability
        self.count += 1
        self.promise = max(self.promise, promise)
        self.text = max(self.text, text)

    def hear_packed(self, probability: float, promise: float, text: float) -> None:
        """Take in one more link, with as many bits as the crawl has for it."""
        self.hear(_byte(probability), _byte(promise), _byte(text))
        self.total = min(self.total, 65535 / 255)
        self.count = min(self.count, 65535)

    def features(self) -> tuple[float, ...]:
        """Return what the logistic function is given, in the order of `FEATURES`."""
        return (
            1.0,
            logit(self.highest),
            logit(self.total / self.count),
            math.log(self.total + 0.01),
            logit(self.promise),
            logit(self.text),
            math.log(self.count),
        )


def _byte(probability: float) -> float:
    return round(probability * 255) / 255


def logit(probability: float) -> float:
    """Return the logarithm of the odds, within ±5."""
    return math.log((probability + 0.0067) / (1.0067 - probability))


def sigmoid(score: float) -> float:
    """Return the probability of a score."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))


class Learner:
    """The logistic function, which may learn on."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.weights = [
            0.0 if name in variant.without else weight
            for name, weight in zip(FEATURES, variant.weights, strict=True)
        ]
        self._squares = [1.0] * len(FEATURES)
        self.words = [0.0] * WORD_NUMBERS
        self._word_squares = [1.0] * WORD_NUMBERS

    def score(self, evidence: Evidence) -> float:
        """Return the score of a page, the logarithm of its odds."""
        found = sum(map(_product, self.weights, evidence.features()))
        if self.variant.word_rate:
            found += sum(self.words[word] for word in evidence.words)
        if self.variant.is_packed:
            found = float(round(sigmoid(found / 2) * (POSITIONS - 1)))
        return found

    def learn(self, evidence: Evidence, answer: float) -> None:
        """Take one step towards the answer."""
        features = evidence.features()
        score = sum(map(_product, self.weights, features))
        score += sum(self.words[word] for word in evidence.words)
        gap = sigmoid(score) - answer
        if self.variant.rate:
            for number, feature in enumerate(features):
                if FEATURES[number] not in self.variant.without:
                    step = gap * feature
                    self._squares[number] += step * step
                    self.weights[number] -= (
                        self.variant.rate * step / math.sqrt(self._squares[number])
                    )
        if self.variant.word_rate:
            for word in evidence.words:
                self._word_squares[word] += gap * gap
                self.words[word] -= (
                    self.variant.word_rate * gap / math.sqrt(self._word_squares[word])
                )


def _product(a: float, b: float) -> float:
    return a * b


class Crawl:
    """One crawl in our order."""

    def __init__(self, task: Task, variant: Variant) -> None:
        self.task = task
        self.variant = variant
        self.waiting = Waiting()
        self.waiting.start(task.seeds)
        self.evidence: dict[int, Evidence] = {}
        self.learner = Learner(variant)
        self._promises: dict[int, float] = defaultdict(float)

    def __iter__(self) -> Iterator[int]:
        learns = bool(self.variant.rate or self.variant.word_rate)
        fetched = 0
        while (page := self.waiting.take()) is not None:
            yield page
            fetched += 1
            probability = self.task.page[page]
            heard = self.evidence.pop(page, None)
            promise = probability
            if heard is not None and not self.variant.is_shallow:
                promise = max(promise, heard.promise * DECAY)
            if heard is not None and learns:
                self.learner.learn(heard, probability)
            self._hear_links(page, probability, promise)
            if self.variant.is_rescored and fetched % 100 == 0:
                for other, known in self.evidence.items():
                    if self.waiting.scores.get(other) != math.inf:
                        self.waiting.offer(other, self.learner.score(known))

    def _hear_links(self, page: int, probability: float, promise: float) -> None:
        task, waiting, evidence = self.task, self.waiting, self.evidence
        for target, text, words in zip(
            task.links[page], task.text[page], task.words[page], strict=True
        ):
            if target in waiting.done:
                continue
            known = evidence.get(target)
            if known is None:
                known = evidence[target] = Evidence()
            if self.variant.is_packed:
                known.hear_packed(probability, promise, text)
            else:
                known.hear(probability, promise, text)
            if self.variant.word_rate:
                known.words.update(words)
            if waiting.scores.get(target) != math.inf:
                waiting.offer(target, self.learner.score(known))


def examples(
    task: Task, variant: Variant, most: int, seed: int
) -> Iterator[tuple[tuple[float, ...], bool]]:
    """Yield features and truth of waiting pages that are drawn by chance during a crawl."""
    chance = random.Random(seed)
    crawl = Crawl(task, variant)
    for fetched, _ in enumerate(crawl, 1):
        if fetched % 10 == 0:
            some = sorted(crawl.evidence)
            for page in chance.sample(some, min(20, len(some))):
                if task.counts[page]:
                    yield crawl.evidence[page].features(), task.is_relevant[page]
        if fetched >= most:
            return
