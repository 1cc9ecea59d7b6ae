"""Evidence of links about waiting URLs, in eight bytes a URL: the contract, and what explains it.

A page that is fetched says two things of every URL that it links to: what it is about itself, and
what the text of the link and the words of the URL sound like. Both are bytes: 255 is certain.

`focused`: how likely is it that the URL is about what is wanted? Kept are, over all links,

    highest   the highest probability of a page that links to it
    total     the sum of these probabilities
    count     how many pages link to it
    promise   the highest promise of such a page: its own probability or, if that is higher, half
              the promise with which it was found itself. So a way through pages that are about
              something else, a tunnel, is followed for a while
    text      the highest probability of the text of a link and the words of the URL

and a logistic function of them gives the position, 0 for the best. Its weights are fixed: they were
fitted on some topics and judged on others, and learning on during a crawl gained little
(docs/decisions/0060-topics-choose-queues.md).

`by topic`: which of all topics is the URL about? Every link is a vote for three topics, those that
its page and its text make likely together. The three heaviest topics are kept; when their weights
no longer fit a byte, all are halved, so later links count more. The heaviest has the queue, and its
share in what could have been said for it the position.

Evidence is not in the log. After a resume a URL begins with what its recorded position says.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from lycosa.features.topics._evidence import FocusedEvidence, TopicEvidence

__all__ = [
    "HINT_BYTES",
    "WEIGHTS",
    "FocusedEvidence",
    "PlainTopicEvidence",
    "TopicEvidence",
    "parts_of",
    "position_of",
]

WEIGHTS = (2.317, -0.59, 1.336, 0.364, 1.352, -1.084)
"""Of one, highest, log of total, promise, text and log of count."""
HINT_BYTES = 6
"""Size of a link's hint: three topics with a probability each."""

_SLOTS, _WEIGHT_UNIT, _MASS_UNIT = 3, 4, 16


def logit(byte: int) -> float:
    """Return the logarithm of the odds of a probability, within ±5."""
    return math.log((byte / 255 + 0.0067) / (1.0067 - byte / 255))


def parts_of(
    highest: int,
    promise: int,
    text: int,
    total: int,
    count: int,
    *,
    weights: Sequence[float] = WEIGHTS,
) -> tuple[float, ...]:
    """Return what each feature of a URL adds to its score, in the order of the weights."""
    features = (
        1.0,
        logit(highest),
        math.log(total / 255 + 0.01),
        logit(promise),
        logit(text),
        math.log(count),
    )
    return tuple(weight * value for weight, value in zip(weights, features, strict=True))


def position_of(score: float) -> int:
    """Return the position that a score gives, 0 for the best."""
    return int(254 / (1 + math.exp(score / 2)) + 0.5)


class PlainTopicEvidence:
    """Which topics URLs are about."""

    def __init__(self) -> None:
        self._votes: dict[int, dict[int, int]] = {}
        """URL → topics with their weights, the heaviest first."""
        self._mass: dict[int, int] = {}
        self._places: dict[int, tuple[int, int]] = {}

    def hear(
        self,
        pages: list[int],
        hints: bytes,
        queues: Sequence[int],
        grades: Sequence[int],
    ) -> list[tuple[int, int, int]]:
        """Take in a link to each page; return the pages that change queue or position, with both.

        `hints` has three pairs of a topic and its probability for each page; `queues` and `grades`
        are those in the log.
        """
        changed = []
        for number, page in enumerate(pages):
            if page not in self._votes:
                self._begin(page, queues, grades)
            before = self._places.get(page, (0, 255))
            if self._mass[page] > 255 - _MASS_UNIT:
                self._halve(page)
            self._mass[page] += _MASS_UNIT
            hint = hints[HINT_BYTES * number :][:HINT_BYTES]
            for topic, probability in zip(hint[::2], hint[1::2], strict=True):
                self._vote(page, topic, probability // _WEIGHT_UNIT)
            place = self._place(page)
            if place != before:
                changed.append((page, *place))
            self._places[page] = place
        return changed

    def place(self, first: int, hints: bytes) -> tuple[bytes, bytes]:
        """Take in a link to each of some new pages; return their queues, and their positions."""
        pages = list(range(first, first + len(hints) // HINT_BYTES))
        for page in pages:
            self._votes.pop(page, None)
            self._places.pop(page, None)
        self.hear(pages, hints, (), ())
        places = [self._places[page] for page in pages]
        return bytes(queue for queue, _ in places), bytes(position for _, position in places)

    def _begin(self, page: int, queues: Sequence[int], grades: Sequence[int]) -> None:
        self._votes[page], self._mass[page] = {}, 0
        if page < len(queues) and queues[page] != 255:
            self._votes[page] = {queues[page]: (255 - grades[page]) // _WEIGHT_UNIT}
            self._mass[page] = _MASS_UNIT
            self._places[page] = (queues[page], grades[page])

    def _vote(self, page: int, topic: int, weight: int) -> None:
        votes = self._votes[page]
        held = {one: old for one, old in votes.items() if old}
        if not weight:
            return
        if topic not in held and len(held) == _SLOTS:
            least = list(held)[-1]
            if held[least] >= weight:
                return
            del held[least]
        held.setdefault(topic, 0)
        self._votes[page] = held
        if held[topic] + weight > 255:
            self._halve(page)
            weight //= 2
        held = self._votes[page]
        held[topic] += weight
        self._votes[page] = dict(sorted(held.items(), key=lambda entry: -entry[1]))

    def _halve(self, page: int) -> None:
        self._votes[page] = {topic: old // 2 for topic, old in self._votes[page].items()}
        self._mass[page] //= 2

    def _place(self, page: int) -> tuple[int, int]:
        votes = self._votes[page]
        topic, weight = next(iter(votes.items()), (0, 0))
        most = self._mass[page] * 255 // (_MASS_UNIT * _WEIGHT_UNIT)
        return topic, 254 - min(254 * weight // max(most, 1), 254)
