"""Splits a topic into parts by its texts alone, and tests whether the parts are there.

Texts are vectors of their words (weights as a model has them, times the logarithm of how rare the
word is in the topic), and spherical k-means finds K groups. Such groups always come out, also of
texts that have none. So a split is tested, on texts that the groups were not made from:

    agreement   two halves of the texts are grouped apart. The second half is then also given to the
                groups of the first: which share of it falls into the same groups? Less what chance
                gives, over what chance leaves (Cohen's kappa); mean of six draws. (Lange et al.
                2004; Tibshirani's prediction strength.)
    margin      the advantage of a text's group in the second half over the next one:
                (first - second) / first of the cosines; mean.
    smallest    the share of texts of the smallest group

A split that fails one of them is refused with its figures. Measured: decision 61.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from lycosa.analysis.topics.telling_words import number_of
from lycosa.analysis.topics.texts import Text
from lycosa.errors import LycosaError
from lycosa.extract.topics._softmax import word_weights
from lycosa.extract.topics.words import words_of

LEAST_AGREEMENT = 0.40
LEAST_MARGIN = 0.40
LEAST_SHARE = 0.05
FEWEST_TEXTS = 40
"""Texts a group, below which a test says nothing."""
MOST_PARTS = 8
_BITS = 16
_DRAWS = 6
_STARTS = 10
_STEPS = 30
_FEWEST_IN = 3
"""Texts that a word must be in; and at most half of them."""

Matrix = Any
"""A `scipy.sparse.csr_array`, a text in each row, a column for each word that is used."""
Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]


class Split(NamedTuple):
    """A proposal of parts, and its test."""

    parts: int
    texts: int
    agreement: float
    margin: float
    smallest: float
    groups: list[int]
    """The group of each text."""
    words: list[list[str]]
    """For each group the words that tell it from the others."""

    @property
    def faults(self) -> list[str]:
        """The reasons why the test fails; none if it passes."""
        limits = {
            "agreement": (self.agreement, LEAST_AGREEMENT),
            "margin": (self.margin, LEAST_MARGIN),
            "smallest": (self.smallest, LEAST_SHARE),
        }
        return [
            f"{name} {value:.3f} is below {least:.2f}"
            for name, (value, least) in limits.items()
            if value < least
        ]


def propose(
    texts: Sequence[Text],
    parts: int = 0,
    *,
    seed: int = 0,
    tell: Callable[[str], None] = lambda what: None,
) -> Split:
    """Return the split into `parts` parts, tested; 0 takes the number whose halves agree most.

    If none passes, the one that comes nearest is returned.
    """
    most = min(MOST_PARTS, len(texts) // FEWEST_TEXTS)
    if most < max(parts, 2):
        raise LycosaError(
            f"{len(texts)} texts are too few for {max(parts, 2)} parts: each needs"
            f" {FEWEST_TEXTS}\n  give more pages of the topic"
        )
    vectors, columns = _vectors(texts)
    found = []
    for number in [parts] if parts else range(2, most + 1):
        tell(f"{number} parts")
        split, centres = _tested(vectors, number, np.random.default_rng(seed))
        found.append(split._replace(words=_words(texts, centres, columns)))
    passed = [one for one in found if not one.faults]
    if passed:
        return max(passed, key=lambda one: one.agreement)
    return min(found, key=lambda one: (len(one.faults), -one.agreement - one.margin))


def names_of(topic: str, split: Split, taken: Collection[str] = ()) -> list[str]:
    """Return a name for each part: the topic's, and the first of its words that is free."""
    names: list[str] = []
    for number, words in enumerate(split.words, 1):
        candidates = [f"{topic}.{word}" for word in words if word.isalpha()]
        candidates.append(f"{topic}.part{number}")
        names.append(next(name for name in candidates if name not in names and name not in taken))
    return names


def _tested(vectors: Matrix, parts: int, chance: np.random.Generator) -> tuple[Split, Floats]:
    """Return a split without its words, and the centres of its groups, the largest first."""
    agreements, margins = zip(*_draws(vectors, parts, chance), strict=True)
    centres, groups = _grouped(vectors, parts, chance)
    sizes = np.bincount(groups, minlength=parts)
    order = np.argsort(-sizes, kind="stable")
    place = np.empty(parts, np.int64)
    place[order] = np.arange(parts)
    split = Split(
        parts,
        len(groups),
        float(np.mean(agreements)),
        float(np.mean(margins)),
        float(sizes.min() / len(groups)),
        place[groups].tolist(),
        [],
    )
    return split, centres[order]


def _vectors(texts: Sequence[Text]) -> tuple[Matrix, Numbers]:
    """Return the vectors of texts, and the number of the word of each column."""
    columns: list[int] = []
    values: list[float] = []
    ends = [0]
    for text in texts:
        weights = word_weights(text.title.encode("utf-8", "replace"), text.content, _BITS)
        columns += weights.keys()
        values += weights.values()
        ends.append(len(columns))
    shape = (len(texts), 1 << _BITS)
    counts = np.bincount(np.array(columns, np.int64), minlength=shape[1])
    is_used = (counts >= _FEWEST_IN) & (counts <= len(texts) / 2)
    rarity = np.where(is_used, np.log(len(texts) / np.maximum(counts, 1)), 0.0)
    scaled = np.array(values, np.float32) * rarity[columns].astype(np.float32)
    matrix = sparse.csr_array((scaled, np.array(columns), np.array(ends)), shape=shape)
    used = np.flatnonzero(is_used)
    matrix = matrix[:, used]
    lengths = np.sqrt(matrix.multiply(matrix).sum(axis=1))
    lengths[lengths == 0] = 1.0
    scale = sparse.diags_array((1 / lengths).astype(np.float32))
    return sparse.csr_array(scale @ matrix), used


def _draws(
    vectors: Matrix, parts: int, chance: np.random.Generator
) -> Iterator[tuple[float, float]]:
    """Yield agreement and margin of halves that are drawn again each time."""
    for _ in range(_DRAWS):
        order = chance.permutation(vectors.shape[0])
        half = len(order) // 2
        first, second = vectors[order[:half]], vectors[order[half:]]
        ours, _ = _grouped(first, parts, chance)
        _, theirs = _grouped(second, parts, chance)
        nearness = second @ ours.T
        ranked = np.sort(nearness, axis=1)
        gap = (ranked[:, -1] - ranked[:, -2]) / np.maximum(ranked[:, -1], 1e-9)
        yield _kappa(nearness.argmax(axis=1), theirs, parts), float(gap.mean())


def _kappa(one: Numbers, other: Numbers, parts: int) -> float:
    table = np.zeros((parts, parts))
    np.add.at(table, (one, other), 1 / len(one))
    rows, columns = linear_sum_assignment(-table)
    by_chance = float((table.sum(axis=1)[rows] * table.sum(axis=0)[columns]).sum())
    return float((table[rows, columns].sum() - by_chance) / max(1 - by_chance, 1e-9))


def _grouped(vectors: Matrix, parts: int, chance: np.random.Generator) -> tuple[Floats, Numbers]:
    """Return centres and groups: the best of several runs of spherical k-means."""
    found = [_run(vectors, parts, chance) for _ in range(_STARTS)]
    _, centres, groups = max(found, key=lambda one: one[0])
    return centres, groups


def _run(vectors: Matrix, parts: int, chance: np.random.Generator) -> tuple[float, Floats, Numbers]:
    centres: Floats = _first_centres(vectors, parts, chance)
    groups: Numbers = np.full(vectors.shape[0], -1)
    for _ in range(_STEPS):
        nearness = vectors @ centres.T
        nearest = nearness.argmax(axis=1)
        if (nearest == groups).all():
            break
        groups = nearest
        centres = _centres(vectors, groups, parts)
    return float(nearness.max(axis=1).sum()), centres, groups


def _first_centres(vectors: Matrix, parts: int, chance: np.random.Generator) -> Floats:
    """Return texts that are far from each other (k-means++)."""
    size = vectors.shape[0]
    chosen = [int(chance.integers(size))]
    distance = np.ones(size)
    while len(chosen) < parts:
        nearness = (vectors @ vectors[[chosen[-1]]].T).toarray().ravel()
        distance = np.minimum(distance, np.clip(1 - nearness, 0, None))
        total = distance.sum()
        shares = distance / total if total > 0 else np.full(size, 1 / size)
        chosen.append(int(chance.choice(size, p=shares)))
    first: Floats = vectors[chosen].toarray()
    return first


def _centres(vectors: Matrix, groups: Numbers, parts: int) -> Floats:
    size = len(groups)
    ones = np.ones(size, np.float32)
    sums = (sparse.csr_array((ones, (groups, np.arange(size))), (parts, size)) @ vectors).toarray()
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    lengths[lengths == 0] = 1.0
    found: Floats = (sums / lengths).astype(np.float32)
    return found


def _words(
    texts: Sequence[Text], centres: Floats, columns: Numbers, most: int = 8
) -> list[list[str]]:
    """Return for each group the words whose weight is the furthest above the other groups'."""
    spelled: dict[int, Counter[bytes]] = {}
    wanted = []
    for number, centre in enumerate(centres):
        others = np.delete(centres, number, axis=0).max(axis=0)
        wanted.append(columns[np.argsort(others - centre, kind="stable")[:most]].tolist())
    numbers = {number for each in wanted for number in each}
    known: dict[bytes, int] = {}
    for text in texts:
        for word in words_of(text.content):
            number = known.setdefault(word, -1)
            if number == -1:
                number = known[word] = number_of(word, _BITS)
            if number in numbers:
                spelled.setdefault(number, Counter())[word] += 1
    return [
        [
            spelled[number].most_common(1)[0][0].decode("utf-8", "replace")
            for number in each
            if number in spelled
        ]
        for each in wanted
    ]
