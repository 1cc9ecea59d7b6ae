"""Examples without labels: the pages that match the keywords of a topic best.

Every text gets a score for every topic: BM25 of the topic's keywords, a word of the title counting
three times. The twenty texts that match a topic most clearly (its score less the next topic's) are
its first examples. A model of these reads all texts. Its probabilities times the keywords' shares
say which topic a text has, and the surer half of each topic's texts are the examples of the next
model; twice. Pages that a pool lists by URL, or holds as files, stay examples of their topic
throughout.

Such a model is too sure of the texts that it chose by itself. So the texts fall into three parts,
and each part is read by a model of the other two. The probabilities of these models and of the
keywords are the examples of the model that is returned: all texts, each with a probability for
every topic.

Texts without any keyword may be of none of the topics (`other`), or of one whose keywords miss
them. Ecologists count animals that no trap has caught from those that were caught once and twice
(Chao 1984), and keywords are traps: if many texts have one keyword of their topic, many have none.
`other` is learnt where more texts have no keyword than that explains, and the more there are, the
more does a text without any keyword count for it.

Measured on fields of an encyclopaedia and on generated webs: decision 61.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from lycosa.analysis.topics.examples import example_of
from lycosa.analysis.topics.pools import Pool
from lycosa.analysis.topics.texts import Text
from lycosa.errors import LycosaError
from lycosa.extract.topics.model import OTHER, TopicModel
from lycosa.extract.topics.training import Example, fit, train
from lycosa.extract.topics.words import words_of

FIRST = 20
"""Texts that are the first examples of a topic; of more, fewer are right."""
ROUNDS = 2
SURER = 0.5
PARTS = 3
"""Parts of the texts; each is read by a model of the others."""
FEWEST_OTHER = 0.05
"""Share of texts without any keyword from which they may be `other`."""
LEAST_EXCESS = 0.5
"""Texts without any keyword as a share of those that the keywords should miss, from which they may
be `other`. Below 1, because Chao's number is too high here: pages of `other` with a keyword or two
are counted as if a topic had caught them."""
MOST_UNCAUGHT = 1 / 3
"""If each topic has one keyword that more texts lack than this, it says nothing of `other`."""
_PUSH = 11.0
"""How much more likely `other` is than a topic, at most, for a text without any keyword."""
_PRIOR = 0.2
"""Share of a topic whose keywords a text does not have; the shares of the others add up to 1.

Without the keywords a model drifts, because it learns from its own first mistakes.
"""
_SURE = 0.5
"""The temperature of models that choose examples: they count more beside the keywords."""
_TITLE = 3
_SATURATION, _LENGTH = 1.2, 0.75
"""BM25's k1 and b."""

Scores = list[dict[str, float]]
"""For every text the scores of the topics that it matches."""


class _Matched(NamedTuple):
    """Texts, and their scores by keywords."""

    texts: Sequence[Text]
    scores: Scores
    topics: list[str]
    push: float
    """The odds of `other` against a topic for a text without any keyword; 0 for no `other`
    at all.
    """

    def some(self, numbers: Iterable[int]) -> _Matched:
        """Return some of the texts."""
        chosen = list(numbers)
        return self._replace(
            texts=[self.texts[at] for at in chosen], scores=[self.scores[at] for at in chosen]
        )


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
    topics = sorted({pool.topic for pool in pools} - {OTHER})
    tell("matching keywords")
    unknown = [text for text in texts if text.address not in known]
    has_other = any(pool.topic == OTHER for pool in pools)
    push = 1.0 if has_other else push_of_other(texts, keywords)
    matched = _Matched(unknown, match(unknown, keywords), [*topics, OTHER], push)
    _require(pools, _best_matches(matched), known)
    order = list(range(len(unknown)))
    random.Random(seed).shuffle(order)
    examples = [*known.values()]
    for part in range(PARTS):
        aside = sorted(order[part::PARTS])
        left_out = set(aside)
        tell(f"training {part + 1} of {PARTS + 1}")
        rest = matched.some(at for at in range(len(unknown)) if at not in left_out)
        model = _taught(rest, [*known.values()], seed + part)
        examples += _doubtful(matched.some(aside), model)
    tell(f"training {PARTS + 1} of {PARTS + 1}: {len(examples):,} examples")
    return train(examples, keywords=keywords, seed=seed)


def push_of_other(texts: Sequence[Text], keywords: Mapping[str, Iterable[str]]) -> float:
    """Return how much more likely `other` is than a topic for a text without any keyword.

    0 stands for topics that cover the texts: an `other` made of the few that are left costs more
    than it gains.
    """
    words = [set(_words(each)) for each in keywords.values()]
    different, all_ = Counter[int](), Counter[int]()
    for text in texts:
        found = Counter(words_of(text.content))
        found.update(words_of(text.title.encode("utf-8", "replace")))
        different[max((sum(word in found for word in own) for own in words), default=0)] += 1
        all_[max((sum(found[word] for word in own) for own in words), default=0)] += 1
    share = different[0] / max(len(texts), 1)
    is_single = not different[2]  # with a keyword each, only how often it occurs tells something
    caught = all_ if is_single else different
    if share < FEWEST_OTHER or (is_single and share > MOST_UNCAUGHT):
        return 0.0
    missed = caught[1] ** 2 / (2 * max(caught[2], 1))
    excess = caught[0] / missed if missed else 1.0
    if excess < LEAST_EXCESS:
        return 0.0
    return float(_PUSH ** min(1.0, (excess - LEAST_EXCESS) / (1 - LEAST_EXCESS)))


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


def _best_matches(matched: _Matched) -> dict[str, list[int]]:
    """Return for each topic the texts that match it most clearly."""
    clear: dict[str, list[tuple[float, int]]] = {topic: [] for topic in matched.topics}
    for at, found in enumerate(matched.scores):
        if not found:
            continue
        best, *rest = sorted(found, key=lambda topic: -found[topic])
        gap = found[best] - (found[rest[0]] if rest else 0.0)
        if gap > 0:
            clear[best].append((gap, at))
    return {topic: _first(each, FIRST) for topic, each in clear.items()}


def _unmatched(matched: _Matched) -> list[int]:
    """Return texts without any keyword, as many as a topic's examples, if they may be `other`."""
    none = [at for at, found in enumerate(matched.scores) if not found]
    return none[:: max(1, len(none) // FIRST)][:FIRST] if matched.push else []


def _taught(matched: _Matched, known: Sequence[Example], seed: int) -> TopicModel:
    """Return a model that was taught by the keywords, and twice by itself with them."""
    chosen = _best_matches(matched)
    chosen[OTHER] += _unmatched(matched)
    for number in range(ROUNDS + 1):
        examples = [*known]
        for topic, each in chosen.items():
            examples += [example_of(matched.texts[at], (topic,)) for at in each]
        is_last = number == ROUNDS
        temperature = 1.0 if is_last else _SURE
        model = fit(examples, matched.topics, temperature=temperature, seed=seed + number)
        if not is_last:
            chosen = _surest(matched, model)
    return model


def _surest(matched: _Matched, model: TopicModel) -> dict[str, list[int]]:
    """Return for each topic the surer half of the texts that model and keywords give it."""
    given: dict[str, list[tuple[float, int]]] = {}
    for at in range(len(matched.texts)):
        found = _agreed(matched, at, model)
        best = max(found, key=found.__getitem__)
        given.setdefault(best, []).append((found[best], at))
    return {
        topic: _first(each, max(FIRST, int(SURER * len(each)))) for topic, each in given.items()
    }


def _first(ranked: Iterable[tuple[float, int]], count: int) -> list[int]:
    """Return the texts with the highest numbers."""
    return [at for _, at in sorted(ranked, key=lambda one: (-one[0], one[1]))[:count]]


def _doubtful(matched: _Matched, model: TopicModel) -> Iterable[Example]:
    """Yield all texts, with what a model that has not seen them and their keywords say of them."""
    for at, text in enumerate(matched.texts):
        found = _agreed(matched, at, model)
        best = max(found, key=found.__getitem__)
        yield Example(text.title, text.content, (best,), found)


def _agreed(matched: _Matched, at: int, model: TopicModel) -> dict[str, float]:
    """Return how likely each topic of a text is by model and keywords together."""
    text, scores = matched.texts[at], matched.scores[at]
    whole = sum(scores.values())
    found = {}
    for name, probability in zip(
        model.names, model.probabilities(text.title, text.content), strict=True
    ):
        if name == OTHER and not matched.push:
            prior = 0.0
        elif whole:
            prior = _PRIOR + scores.get(name, 0.0) / whole
        else:
            prior = matched.push if name == OTHER else 1.0
        found[name] = probability * prior
    total = sum(found.values())
    return {name: value / total for name, value in found.items()}


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
