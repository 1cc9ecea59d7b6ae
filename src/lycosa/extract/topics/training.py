"""Trains a model of topics on texts whose topics are known.

Every text gets a step of AdaGrad, in six rounds over all texts in random order. A fifth of the
texts is set aside first: on them the temperature is chosen, so that of texts with a probability of
0.8 four in five are right, the threshold of each topic, at which its F1 is best, and the price of a
change of topic within a text (`changes`). Then the model is trained on all.

Every title is a text of its own as well: texts of links are as short as titles, and a model that
has seen long texts alone is often wrong about them (right about .59 of titles instead of .44).

Texts of one round are drawn so that a small topic counts as much as the square root of its size
says: of 1,000 and 10 texts the small one is drawn as if it had 100.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from lycosa.extract.topics._softmax import Softmax
from lycosa.extract.topics.changes import USUAL_PRICE, best_price, pieces_of
from lycosa.extract.topics.model import FORMAT, OTHER, READ_BYTES, Header, TopicModel
from lycosa.extract.topics.words import softmax

ROUNDS = 6
RATE = 0.3
BITS = 16
ASIDE = 5
"""Every fifth text is set aside."""
FEWEST_ASIDE = 20
"""With fewer of them temperature and thresholds would be chance, and stay as they are."""
USUAL_THRESHOLD = 0.5
_TEMPERATURES = [2 ** (step / 8) for step in range(-16, 17)]


class Example(NamedTuple):
    """A text and its topics, the most important first."""

    title: str
    content: bytes
    topics: tuple[str, ...]
    shares: Mapping[str, float] | None = None
    """Probabilities of the topics, if they are not certain; otherwise all of `topics` count alike.
    """


class _Read(NamedTuple):
    title: bytes
    text: bytes
    targets: list[float]
    topics: frozenset[int]


def train(
    examples: Iterable[Example],
    *,
    keywords: Mapping[str, Sequence[str]] | None = None,
    seed: int = 0,
    start: TopicModel | None = None,
) -> TopicModel:
    """Return a model of all topics of the examples; the same examples give the same model.

    Training may go on from a model to `start` with, which has all these topics: it keeps what it
    knows of those without examples.
    """
    given = list(examples)
    if start is None:
        found = {topic for one in given for topic in (*one.topics, *(one.shares or ()))}
        names = [*sorted(found - {OTHER}), OTHER]
    else:
        names = list(start.names)
    chance = random.Random(seed)
    texts = [_read(one, names) for one in given]
    chance.shuffle(texts)
    aside = texts[: len(texts) // ASIDE]
    temperature, thresholds = 1.0, [USUAL_THRESHOLD] * len(names)
    price = USUAL_PRICE if start is None else start.header.price_of_change
    # These figures need texts that a model has not seen: the final one is trained on all of them.
    if len(aside) >= FEWEST_ASIDE:
        trained = _trained(texts[len(aside) :], len(names), chance, start)
        scores = [trained.scores(one.title, one.text) for one in aside]
        temperature = _best_temperature(scores, aside)
        thresholds = _best_thresholds(scores, aside, temperature)
        price = _best_price(trained, aside, names.index(OTHER), temperature)
    # A topic without examples was not measured now: its threshold stays.
    if start is not None:
        shown = {topic for one in given for topic in one.topics}
        pairs = zip(names, thresholds, start.header.thresholds, strict=True)
        thresholds = [new if name in shown else old for name, new, old in pairs]
    header = Header(
        format=FORMAT,
        bits=BITS,
        names=tuple(names),
        thresholds=tuple(thresholds),
        temperature=temperature,
        keywords={topic: tuple(words) for topic, words in (keywords or {}).items()},
        trained_on=dict(Counter(topic for one in given for topic in one.topics)),
        split=start.header.split if start is not None else {},
        price_of_change=price,
    )
    return TopicModel.of(header, _trained(texts, len(names), chance, start))


def fit(
    examples: Iterable[Example], names: Sequence[str], *, temperature: float = 1.0, seed: int = 0
) -> TopicModel:
    """Return a model of some topics, whose temperature and thresholds are not chosen by texts."""
    chance = random.Random(seed)
    texts = [_read(one, names) for one in examples]
    header = Header(FORMAT, BITS, tuple(names), (USUAL_THRESHOLD,) * len(names), temperature)
    return TopicModel.of(header, _trained(texts, len(names), chance, None))


def _read(example: Example, names: Sequence[str]) -> _Read:
    numbers = [names.index(topic) for topic in example.topics or (OTHER,)]
    targets = [0.0] * len(names)
    for number in numbers:
        targets[number] += 1 / len(numbers)
    if example.shares is not None:
        targets = [example.shares.get(name, 0.0) for name in names]
    title = example.title.encode("utf-8", "replace")
    return _Read(title, example.content[:READ_BYTES], targets, frozenset(numbers))


def _trained(
    texts: Sequence[_Read], topics: int, chance: random.Random, start: TopicModel | None
) -> Softmax:
    found = Softmax(topics, BITS) if start is None else start.weights_to_train()
    texts = [*texts, *(one._replace(title=b"", text=one.title) for one in texts if one.title)]
    sizes = Counter(number for one in texts for number in one.topics)
    largest = max(sizes.values(), default=1)
    weights = [max(math.sqrt(largest / sizes[number]) for number in one.topics) for one in texts]
    for _ in range(ROUNDS):
        for one in _drawn(texts, weights, chance):
            found.learn(one.title, one.text, one.targets, RATE)
    return found


def _drawn(texts: Sequence[_Read], weights: Sequence[float], chance: random.Random) -> list[_Read]:
    """Return every text as often as its weight says, in random order."""
    drawn = [
        one
        for one, weight in zip(texts, weights, strict=True)
        for _ in range(int(weight) + (chance.random() < weight % 1))
    ]
    chance.shuffle(drawn)
    return drawn


def _best_temperature(scores: Sequence[list[float]], texts: Sequence[_Read]) -> float:
    """Return the temperature at which the texts are likeliest."""

    def surprise(temperature: float) -> float:
        total = 0.0
        for one, found in zip(texts, scores, strict=True):
            probabilities = softmax(found, temperature)
            total -= sum(
                target * math.log(max(probability, 1e-9))
                for target, probability in zip(one.targets, probabilities, strict=True)
            )
        return total

    return min(_TEMPERATURES, key=surprise)


def _best_price(trained: Softmax, texts: Sequence[_Read], other: int, temperature: float) -> float:
    """Return the price of a change at which few of the texts with one topic change it."""
    return best_price(
        (
            [trained.probabilities(b"", piece, temperature) for piece in pieces_of(one.text)]
            for one in texts
            if len(one.topics) == 1
        ),
        other,
    )


def _best_thresholds(
    scores: Sequence[list[float]], texts: Sequence[_Read], temperature: float
) -> list[float]:
    """Return for each topic the threshold with the best F1."""
    found = [softmax(one, temperature) for one in scores]
    thresholds = []
    for number in range(len(scores[0])):
        ranked = sorted(
            ((one[number], number in text.topics) for one, text in zip(found, texts, strict=True)),
            reverse=True,
        )
        wanted = sum(is_right for _, is_right in ranked)
        best, threshold, right = 0.0, USUAL_THRESHOLD, 0
        for taken, (probability, is_right) in enumerate(ranked, 1):
            right += is_right
            score = 2 * right / (taken + wanted)
            if wanted and score > best:
                best, threshold = score, probability
        thresholds.append(round(min(max(threshold, 0.1), 0.9), 4))
    return thresholds
