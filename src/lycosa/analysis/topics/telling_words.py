"""The words with most weight for a topic, in one text or in many.

A model knows words by numbers alone (a hash), so words can be named only where a text has them: the
one that is asked about, or a sample of texts.

The part of a word in a text is its weight there, times its weight for the topic less the mean over
all topics, divided by the model's temperature. The parts of all words, and of the topic's bias, add
up to the logarithm of how much likelier the topic is than a topic is on average (the geometric
mean).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from lycosa.analysis.topics.texts import Text
from lycosa.extract.topics._softmax import word_weights
from lycosa.extract.topics.model import READ_BYTES, TopicModel
from lycosa.extract.topics.words import words_of

SAMPLE = 2000
"""Texts that are enough to name the words of a topic."""


class Part(NamedTuple):
    """A word, and its weight for a topic; a negative weight is against it."""

    word: str
    part: float


def parts_of(model: TopicModel, text: Text, topic: int) -> list[Part]:
    """Return the words of a text with their parts in a topic, those that count most first."""
    words = _spelled(text, model.header.bits)
    found = [
        Part(words[number], weight * _leaning(model, number)[topic])
        for number, weight in _weights(text, model.header.bits).items()
    ]
    return sorted(found, key=lambda one: (-abs(one.part), one.word))


def telling_words(model: TopicModel, texts: Iterable[Text], most: int = 10) -> dict[str, list[str]]:
    """Return for each topic the words with most weight, over its pages in a sample.

    A word counts by how much heavier it is in the topic's pages than in all, times its leaning:
    so `the`, which is everywhere, belongs to no topic.
    """
    words: dict[int, str] = {}
    sums: list[defaultdict[int, float]] = [defaultdict(float) for _ in model.names]
    pages = [0] * len(model.names)
    for text in islice(texts, SAMPLE):
        probabilities = model.probabilities(text.title, text.content)
        topic = probabilities.index(max(probabilities))
        pages[topic] += 1
        words.update(_spelled(text, model.header.bits))
        for word, weight in _weights(text, model.header.bits).items():
            sums[topic][word] += weight
    found = {}
    for topic, name in enumerate(model.names):
        heavier = {
            word: weight / pages[topic] - sum(each.get(word, 0.0) for each in sums) / sum(pages)
            for word, weight in sums[topic].items()
        }
        parts = {
            word: more * _leaning(model, word)[topic] for word, more in heavier.items() if more > 0
        }
        best = sorted(parts, key=lambda word: (-parts[word], words[word]))
        found[name] = [words[word] for word in best[:most] if parts[word] > 0]
    return found


def _weights(text: Text, bits: int) -> dict[int, float]:
    title = text.title.encode("utf-8", "replace")
    return word_weights(title, text.content[:READ_BYTES], bits)


def _spelled(text: Text, bits: int) -> dict[int, str]:
    """Return the words of a text by their numbers; of two with one number the first."""
    found: dict[int, str] = {}
    title = text.title.encode("utf-8", "replace")
    for word in {
        word: None for part in (title, text.content[:READ_BYTES]) for word in words_of(part)
    }:
        found.setdefault(number_of(word, bits), word.decode("utf-8", "replace"))
    return found


def number_of(word: bytes, bits: int) -> int:
    """Return the number by which a model knows a word."""
    return next(iter(word_weights(b"", word, bits)))


def _leaning(model: TopicModel, word: int) -> list[float]:
    weights = model.word_weights(word)
    mean = sum(weights) / len(weights)
    return [(weight - mean) / model.header.temperature for weight in weights]
