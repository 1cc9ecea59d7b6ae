"""Judges a model of topics on pages whose topics are known.

    accuracy            share of pages whose likeliest topic is their first label
    accuracy_any        the same, where any of a page's labels counts
    macro_f1            mean of F1 over the topics that occur, small ones counting as much as large
    calibration_error   how far the model's confidence is from its accuracy: pages sorted by
                        confidence, in ten groups of equal size, mean of the differences

Always true: `cross_validate` judges each page by a model that was not trained on it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from lycosa.errors import LycosaError
from lycosa.extract.topics.model import OTHER, TopicModel
from lycosa.extract.topics.training import Example, train

GROUPS = 10


class OfTopic(NamedTuple):
    """The measures of one topic."""

    topic: str
    pages: int
    """That are labelled with it, first."""
    guessed: int
    right: int

    @property
    def precision(self) -> float:
        """Share of the pages guessed to be of it that are."""
        return self.right / self.guessed if self.guessed else 0.0

    @property
    def recall(self) -> float:
        """Share of its pages that are found."""
        return self.right / self.pages if self.pages else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        return 2 * self.right / (self.pages + self.guessed) if self.pages + self.guessed else 0.0


class Group(NamedTuple):
    """Pages of like confidence."""

    confidence: float
    """Their mean confidence."""
    accuracy: float
    pages: int


class Evaluation(NamedTuple):
    """The measures of a model."""

    pages: int
    accuracy: float
    accuracy_any: float
    macro_f1: float
    calibration_error: float
    topics: list[OfTopic]
    confusion: list[list[int]]
    """A row for each labelled topic, a column for each guessed one, in the order of `topics`."""
    calibration: list[Group]


class _Guess(NamedTuple):
    label: str
    labels: tuple[str, ...]
    guessed: str
    confidence: float


def evaluate(model: TopicModel, examples: Iterable[Example]) -> Evaluation:
    """Judge a model on examples."""
    return _judged([_guess(model, example) for example in examples])


def cross_validate(
    examples: Sequence[Example],
    folds: int = 5,
    *,
    seed: int = 0,
    tell: Callable[[str], None] = lambda what: None,
) -> Evaluation:
    """Train a model on all but one part of the examples and judge it on that part, for each."""
    if len(examples) < 2 * folds:
        raise LycosaError(
            f"{len(examples)} labelled pages are too few for {folds} parts\n"
            "  label more: lycosa topics label DIR --labels FILE"
        )
    order = list(range(len(examples)))
    random.Random(seed).shuffle(order)
    guesses = []
    for fold in range(folds):
        tell(f"part {fold + 1} of {folds}")
        aside = order[fold::folds]
        left_out = set(aside)
        model = train([one for at, one in enumerate(examples) if at not in left_out], seed=seed)
        guesses += [_guess(model, examples[at]) for at in aside]
    return _judged(guesses)


def _guess(model: TopicModel, example: Example) -> _Guess:
    probabilities = model.probabilities(example.title, example.content)
    highest = max(probabilities)
    labels = example.topics or (OTHER,)
    return _Guess(labels[0], labels, model.names[probabilities.index(highest)], highest)


def _judged(guesses: Sequence[_Guess]) -> Evaluation:
    if not guesses:
        raise LycosaError("there is no labelled page\n  label some: lycosa topics label DIR")
    names = sorted({one for guess in guesses for one in (guess.label, guess.guessed)} - {OTHER})
    # `other` stands for the lack of a topic: it comes last, and only where it occurs.
    if any(OTHER in (guess.label, guess.guessed) for guess in guesses):
        names.append(OTHER)
    place = {name: at for at, name in enumerate(names)}
    confusion = [[0] * len(names) for _ in names]
    for guess in guesses:
        confusion[place[guess.label]][place[guess.guessed]] += 1
    topics = [
        OfTopic(name, sum(confusion[at]), sum(row[at] for row in confusion), confusion[at][at])
        for at, name in enumerate(names)
    ]
    labelled = [one for one in topics if one.pages]
    groups = _groups(guesses)
    return Evaluation(
        pages=len(guesses),
        accuracy=sum(guess.guessed == guess.label for guess in guesses) / len(guesses),
        accuracy_any=sum(guess.guessed in guess.labels for guess in guesses) / len(guesses),
        macro_f1=sum(one.f1 for one in labelled) / len(labelled),
        calibration_error=sum(abs(one.confidence - one.accuracy) * one.pages for one in groups)
        / len(guesses),
        topics=topics,
        confusion=confusion,
        calibration=groups,
    )


def _groups(guesses: Sequence[_Guess]) -> list[Group]:
    ranked = sorted(guesses, key=lambda guess: guess.confidence)
    groups = []
    for number in range(GROUPS):
        some = ranked[number * len(ranked) // GROUPS : (number + 1) * len(ranked) // GROUPS]
        if some:
            confidence = sum(guess.confidence for guess in some) / len(some)
            right = sum(guess.guessed == guess.label for guess in some)
            groups.append(Group(confidence, right / len(some), len(some)))
    return groups
