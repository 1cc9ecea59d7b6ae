"""Weights of topics for words, in plain Python."""

from __future__ import annotations

import math
from itertools import compress

from lycosa.extract.topics.words import softmax, words_of

TITLE_WEIGHT = 2
MOST_WORDS = 2048
LINK_TOPICS = 3
"""Number of topics that are reported for a link."""
FLOOR = 0.003
"""No topic is less likely than this, by a page or by the text of its link alone."""
_ALL = (1 << 32) - 1


class PlainSoftmax:
    """Weights of topics for words, in plain Python: what the compiled `Softmax` must do."""

    def __init__(self, topics: int, bits: int = 16) -> None:
        self.topics = topics
        self.bits = bits
        self.bias = [0.0] * topics
        self.weights: dict[int, list[float]] = {}
        self._squares: dict[int, list[float]] = {}

    def scores(self, title: bytes, text: bytes) -> list[float]:
        """Return the score of every topic: the logarithm of its probability, but for a constant."""
        found = list(self.bias)
        for number, weight in word_weights(title, text, self.bits).items():
            for topic, one in enumerate(self.weights.get(number, ())):
                found[topic] += weight * one
        return found

    def learn(self, title: bytes, text: bytes, targets: list[float], rate: float) -> None:
        """Move the weights by one step of AdaGrad towards these probabilities."""
        gaps = [
            found - target
            for found, target in zip(softmax(self.scores(title, text)), targets, strict=True)
        ]
        for number, weight in word_weights(title, text, self.bits).items():
            row = self.weights.setdefault(number, [0.0] * self.topics)
            squares = self._squares.setdefault(number, [0.0] * self.topics)
            for topic, gap in enumerate(gaps):
                step = gap * weight
                squares[topic] += step * step
                row[topic] -= rate * step / (math.sqrt(squares[topic]) + 1e-6)
        for topic, gap in enumerate(gaps):
            self.bias[topic] -= 0.05 * rate * gap

    def link_hint(self, text: str, key: str, temperature: float, wanted: bytes) -> int:
        """Return how likely a link is about what is wanted, as a byte."""
        return round(255 * sum(compress(self._of_link(text, key, temperature), wanted)))

    def link_topics(
        self, text: str, key: str, temperature: float, page: list[float]
    ) -> list[tuple[int, int]]:
        """Return the three likeliest topics of a link, with their probabilities as bytes."""
        mixed = [
            math.sqrt((own + FLOOR) * (said + FLOOR))
            for own, said in zip(page, self._of_link(text, key, temperature), strict=True)
        ]
        best = sorted(range(self.topics), key=lambda topic: -mixed[topic])[:LINK_TOPICS]
        return [(topic, round(255 * mixed[topic] / sum(mixed))) for topic in best]

    def _of_link(self, text: str, key: str, temperature: float) -> list[float]:
        path = key[key.find("/") :] if "/" in key else ""
        said = "" if any("\ud800" <= one <= "\udfff" for one in text) else text
        return softmax(self.scores(b"", f"{said} {path}".encode()), temperature)


def word_weights(title: bytes, text: bytes, bits: int = 16) -> dict[int, float]:
    """Return the numbers of the words of a text with their weights."""
    mask = (1 << bits) - 1
    counts: dict[int, float] = {}
    for part, weight in ((title, TITLE_WEIGHT), (text, 1)):
        for word in words_of(part):
            number = _number(word) & mask
            if number in counts or len(counts) < MOST_WORDS:
                counts[number] = counts.get(number, 0) + weight
    weights = {number: 1 + math.log(count) for number, count in counts.items()}
    length = math.sqrt(sum(weight * weight for weight in weights.values()))
    return {number: weight / length for number, weight in weights.items()}


def _number(word: bytes) -> int:
    h = 2166136261
    for byte in word:
        h = (h ^ byte) * 16777619 & _ALL
    h ^= h >> 16
    h = h * 0x85EBCA6B & _ALL
    h ^= h >> 13
    h = h * 0xC2B2AE35 & _ALL
    return h ^ h >> 16
