"""Examples without labels: the pages that match the keywords of a topic best.

Every text gets a score for every topic: BM25 of the topic's keywords, a word of the title counting
three times. The twenty texts that match a topic most clearly (its score less the next topic's) are
its first examples. A model of these reads all texts. Its probabilities times the keywords' shares
say which topic a text has, and the surer half of each topic's texts are the examples of the next
model; twice. Pages that a pool lists by URL, or holds as files, stay
examples of their topic throughout.

Texts without any keyword are `other`, if there are many of them: at least one in twenty.
Otherwise the topics cover the texts, and an `other` made of the few that are left costs more than
it gains.

Measured on 3,874 pages of ten fields, half to train and half to test: decision 61.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from lycosa.errors import LycosaError
from lycosa.extract.topics.model import OTHER, TopicModel
from lycosa.extract.topics.training import Example, train
from lycosa.extract.topics.words import words_of
from lycosa.topics.examples import example_of
from lycosa.topics.pools import Pool
from lycosa.topics.texts import Text

FIRST = 20
"""Texts that are the first examples of a topic; of more, fewer are right."""
ROUNDS = 2
SURER = 0.5
FEWEST_OTHER = 0.05
"""Share of texts without any keyword from which they are taken for `other`."""
_PRIOR = 0.1
"""What a topic counts whose keywords a text does not have; the shares of the others add up to 1.

Without the keywords a model drifts: it teaches itself what it took a topic for at first."""
_TITLE = 3
_SATURATION, _LENGTH = 1.2, 0.75
"""BM25's k1 and b."""

Scores = list[dict[str, float]]
"""For every text the scores of the topics that it matches."""


def train_by_keywords(
    texts: Sequence[Text],
    pools: Sequence[Pool],
    given: Mapping[str, Example] | None = None,
    *,
    seed: int = 0,
    tell: Callable[[str], None] = lambda what: None,
) -> TopicModel:
    """Return a model of the pools' topics; `given` are examples by their addresses."""
    known = dict(given or {})
    keywords = {pool.topic: pool.keywords for pool in pools if pool.keywords}
    tell("matching keywords")
    scores = match(texts, keywords)
    chosen = _best_matches(texts, scores, [pool.topic for pool in pools], known)
    _require(pools, chosen, known)
    others = _unmatched(texts, scores, known)
    for number in range(ROUNDS + 1):
        examples = [*known.values()]
        examples += [example_of(texts[at], (topic,)) for topic in chosen for at in chosen[topic]]
        examples += [example_of(texts[at], ()) for at in others]
        tell(f"training {number + 1} of {ROUNDS + 1}: {len(examples):,} examples")
        model = train(examples, keywords=keywords, seed=seed)
        if number < ROUNDS:
            found = _surest(texts, scores, model, known)
            others = found.pop(OTHER, []) if others else []
            chosen = found
    return model


def match(texts: Sequence[Text], keywords: Mapping[str, Iterable[str]]) -> Scores:
    """Return the scores of all texts for all topics."""
    words = {topic: _words(each) for topic, each in keywords.items()}
    wanted = {word for each in words.values() for word in each}
    counted, lengths = [], []
    for text in texts:
        found = Counter(word for word in words_of(text.content))
        lengths.append(sum(found.values()))
        counts = {word: found[word] for word in wanted & found.keys()}
        for word in words_of(text.title.encode("utf-8", "replace")):
            if word in wanted:
                counts[word] = counts.get(word, 0) + _TITLE
        counted.append(counts)
    rarity = _rarity(counted)
    usual = sum(lengths) / max(len(lengths), 1) or 1.0
    return [
        _scores(counts, words, rarity, 1 - _LENGTH + _LENGTH * length / usual)
        for counts, length in zip(counted, lengths, strict=True)
    ]


def _words(keywords: Iterable[str]) -> list[bytes]:
    """Return keywords as the words of a text; one of several words counts as these."""
    return [word for keyword in keywords for word in words_of(keyword.encode())]


def _rarity(counted: Sequence[Mapping[bytes, int]]) -> dict[bytes, float]:
    in_texts = Counter(word for counts in counted for word in counts)
    return {
        word: math.log(1 + (len(counted) - count + 0.5) / (count + 0.5))
        for word, count in in_texts.items()
    }


def _scores(
    counts: Mapping[bytes, int],
    words: Mapping[str, list[bytes]],
    rarity: Mapping[bytes, float],
    length: float,
) -> dict[str, float]:
    found = {}
    for topic, each in words.items():
        score = sum(
            rarity[word] * counts[word] * (1 + _SATURATION) / (counts[word] + _SATURATION * length)
            for word in each
            if word in counts
        )
        if score:
            found[topic] = score
    return found


def _best_matches(
    texts: Sequence[Text], scores: Scores, topics: Iterable[str], known: Mapping[str, Example]
) -> dict[str, list[int]]:
    """Return for each topic the texts that match it most clearly."""
    clear: dict[str, list[tuple[float, int]]] = {topic: [] for topic in topics}
    for at, found in enumerate(scores):
        if not found or texts[at].address in known:
            continue
        best, *rest = sorted(found, key=lambda topic: -found[topic])
        gap = found[best] - (found[rest[0]] if rest else 0.0)
        if gap > 0:
            clear[best].append((gap, at))
    return {
        topic: [at for _, at in sorted(each, key=lambda one: (-one[0], one[1]))[:FIRST]]
        for topic, each in clear.items()
    }


def _unmatched(texts: Sequence[Text], scores: Scores, known: Mapping[str, Example]) -> list[int]:
    """Return texts without any keyword, if they are many: as many as a topic has examples."""
    none = [at for at, found in enumerate(scores) if not found and texts[at].address not in known]
    if len(none) < FEWEST_OTHER * len(texts):
        return []
    return none[:: max(1, len(none) // FIRST)][:FIRST]


def _surest(
    texts: Sequence[Text], scores: Scores, model: TopicModel, known: Mapping[str, Example]
) -> dict[str, list[int]]:
    """Return for each topic the surer half of the texts that model and keywords give it."""
    given: dict[str, list[tuple[float, int]]] = {}
    for at, text in enumerate(texts):
        if text.address not in known:
            topic, sureness = _agreed(model, text, scores[at])
            given.setdefault(topic, []).append((sureness, at))
    return {
        topic: [
            at
            for _, at in sorted(each, key=lambda one: (-one[0], one[1]))[
                : max(FIRST, int(SURER * len(each)))
            ]
        ]
        for topic, each in given.items()
    }


def _agreed(model: TopicModel, text: Text, scores: Mapping[str, float]) -> tuple[str, float]:
    """Return the topic that model and keywords together give a text, and how likely it is."""
    whole = sum(scores.values())
    found = {
        name: probability * (_PRIOR + (scores.get(name, 0.0) / whole if whole else name == OTHER))
        for name, probability in zip(
            model.names, model.probabilities(text.title, text.content), strict=True
        )
    }
    best = max(found, key=lambda name: found[name])
    return best, found[best] / (sum(found.values()) or 1.0)


def _require(
    pools: Sequence[Pool], chosen: Mapping[str, list[int]], known: Mapping[str, Example]
) -> None:
    """Refuse a topic without any example."""
    there = {topic for example in known.values() for topic in example.topics}
    for pool in pools:
        if pool.topic not in there and not chosen.get(pool.topic) and pool.topic != OTHER:
            what = "no page matches its keywords" if pool.keywords else "it has no keywords"
            raise LycosaError(
                f"the topic `{pool.topic}` has no example: {what}, and none of its URLs is a page"
                " that was given\n  give it other keywords, or crawl its URLs first"
            )
