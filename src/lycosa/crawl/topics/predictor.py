"""Predicts what URLs are about before they are fetched: in which queue they wait, and where in it.

Every page that is fetched is a witness for all URLs that it links to, new or known, here or in
another partition (`evidence`). What it says travels as a few bytes:

    said    of the page: pairs of a topic and its probability, the three likeliest; in a focused
            crawl its probability of being about what is wanted, and its promise
    hint    of each link: the same for the text of the link and the words of the URL; two pairs, or
            in a focused crawl one byte

New URLs get their queue when they are admitted (`Admitted`). Known ones move at once in the
scheduler; a move that is large enough for a resume to miss it is recorded with the next commit
(`Predicted`). URLs of other partitions are told of with the commit: new ones with `Discovered`,
those that were sent before with `Hinted`, each URL up to `MOST_HINTS` times. These inboxes are
WebParF's batch database of URLs, and the partition that admits is its dispatcher.

A redirect passes on what was known of the URL that redirects. Seeds come first in the queue of the
topic that their words sound like; where a focused crawl begins, everything is wanted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from lycosa.config import Job
from lycosa.crawl.answers.page_answer import PageAnswer
from lycosa.crawl.topics.classifier import Classifier
from lycosa.crawl.topics.evidence import HINT_BYTES, WEIGHTS, FocusedEvidence, TopicEvidence
from lycosa.crawl.topics.of_job import numbers_below
from lycosa.extract.topics.model import OTHER
from lycosa.frontier.fold.columns import PENDING, PUT_OFF
from lycosa.frontier.partition import Partition
from lycosa.records import Discovered, Hinted, Outcome

MOST_HINTS = 7
"""How often a URL of another partition is spoken for after it was sent there."""
MOST_TOLD = 20_000
"""How many URLs this is counted for; beyond it the counting begins anew."""
SAID = 3
"""Topics of a page that its links hear of."""
LIKELY = 127
"""Up to this position a URL is more likely about what is wanted than not."""

NO_HINT: Mapping[str, bytes] = {}
Place = tuple[int, int, int]
"""A URL, its queue and its position."""


class Witness(NamedTuple):
    """A page whose links are on their way."""

    said: bytes
    hints: Mapping[str, bytes]
    """By the key of the URL."""


NOBODY = Witness(b"", NO_HINT)


class Predictor:
    """Knows what was said about the URLs of a worker's partitions."""

    def __init__(self, job: Job, classifier: Classifier) -> None:
        self._model = classifier.model
        names = classifier.names
        self._other = names.index(OTHER)
        self._wanted: bytes | None = None
        self._first_wanted = self._other
        if job.topics.policy == "focused":
            wanted = {n for name in job.topics.wanted for n in numbers_below(names, name)}
            self._wanted = bytes(number in wanted for number in range(len(names)))
            self._first_wanted = min(wanted)
        self._focused: dict[int, FocusedEvidence] = {}
        self._by_topic: dict[int, TopicEvidence] = {}
        self._witness = NOBODY
        self._told: dict[str, int] = {}

    def attach(self, partition: Partition) -> None:
        """Let a partition ask for the queues of URLs that it admits."""
        partition.predict = lambda first, keys: self._admitted(partition, first, keys)

    def forget(self, partition: int) -> None:
        """Forget a partition that is no longer ours."""
        self._focused.pop(partition, None)
        self._by_topic.pop(partition, None)

    # -- witnesses ------------------------------------------------------------------------

    def hear_page(self, answered: PageAnswer) -> None:
        """Take a page for the witness of its links; known URLs here hear of it at once."""
        targets = answered.links.targets
        if not targets:
            return
        keys = [target.key for target in targets]
        if answered.topics is not None:
            hints = self._model.link_hints(answered.links.texts, keys, self._wanted)
            self._witness = Witness(self._said(answered), _by_key(keys, hints))
        elif answered.outcome is Outcome.REDIRECTED:
            self._witness = self._redirect(answered, keys)
        else:
            return
        number = answered.partition.number
        pages = [target.page if target.partition == number else -1 for target in targets]
        self._tell(answered.partition, keys, pages)

    def hear_message(self, partition: Partition, message: Discovered | Hinted) -> None:
        """Take the sender of a message for the witness; known URLs hear of it at once."""
        if message.said:
            self._witness = Witness(message.said, _by_key(message.keys, message.hints))
            self._tell(partition, message.keys, partition.state.table.find_many(message.keys))

    def end(self) -> None:
        """Forget the witness: its links are routed."""
        self._witness = NOBODY

    def sent(self, keys: Sequence[str]) -> tuple[bytes, bytes]:
        """Return what goes with URLs to another partition."""
        said, hints = self._witness
        if not hints:
            return b"", b""
        return said, b"".join(hints.get(key, self._no_hint) for key in keys)

    def sent_before(
        self, partition: Partition, target: int, keys: Sequence[str], fresh: set[str]
    ) -> None:
        """Speak for URLs that another partition has, all but those that are fresh."""
        said, hints = self._witness
        if not hints:
            return
        told = self._told
        if len(told) > MOST_TOLD:
            told.clear()
        some = [
            key
            for key in keys
            if key not in fresh and key in hints and told.get(key, 0) < MOST_HINTS
        ]
        for key in some:
            told[key] = told.get(key, 0) + 1
        if some:
            message = Hinted(said, some, b"".join(hints[key] for key in some))
            partition.post(target, message)

    # -- inside ---------------------------------------------------------------------------

    @property
    def _no_hint(self) -> bytes:
        return bytes(HINT_BYTES) if self._wanted is None else b"\0"

    def _said(self, answered: PageAnswer) -> bytes:
        assert answered.topics is not None
        probabilities = answered.topics.probabilities
        if self._wanted is None:
            best = sorted(range(len(probabilities)), key=lambda number: -probabilities[number])
            pairs = [(number, round(255 * probabilities[number])) for number in best[:SAID]]
            return bytes([value for pair in pairs for value in pair])
        wanted = sum(
            probability
            for probability, is_wanted in zip(probabilities, self._wanted, strict=True)
            if is_wanted
        )
        own = round(255 * min(wanted, 1.0))
        before = self._focused.get(answered.partition.number)
        promise = before.promise(answered.page) // 2 if before is not None else 0
        return bytes([own, max(own, promise)])

    def _redirect(self, answered: PageAnswer, keys: Sequence[str]) -> Witness:
        """Let a URL that redirects pass on what was known of it."""
        topics, page = answered.partition.state.topics, answered.page
        likely = 255 - topics.grade_of(page)
        if self._wanted is None:
            queue = topics.of(page)
            pair = bytes([self._other if queue == 255 else queue, likely])
            return Witness(pair, dict.fromkeys(keys, pair + b"\0\0"))
        before = self._focused.get(answered.partition.number)
        promise = max(likely, before.promise(page) if before is not None else 0)
        return Witness(bytes([likely, promise]), dict.fromkeys(keys, bytes([likely])))

    def _admitted(
        self, partition: Partition, first: int, keys: Sequence[str]
    ) -> tuple[bytes, bytes]:
        """Return queues and positions of new URLs, whose numbers begin with `first`."""
        said, hints = self._witness
        pages = list(range(first, first + len(keys)))
        if said:
            places = self._heard(
                partition, pages, b"".join(hints.get(key, self._no_hint) for key in keys), said
            )
        else:
            places = self._unheard(partition, pages, keys)
        found = {page: (queue, position) for page, queue, position in places}
        default = (self._other, 254)
        queues = [found.get(page, default) for page in pages]
        return bytes(queue for queue, _ in queues), bytes(position for _, position in queues)

    def _unheard(self, partition: Partition, pages: list[int], keys: Sequence[str]) -> list[Place]:
        """Place URLs that no page has spoken for: seeds first, others by their own words."""
        hints = self._model.link_hints([""] * len(keys), list(keys), self._wanted)
        if self._wanted is not None:
            return [(page, self._first_wanted, 0) for page in pages]
        return [(page, hints[HINT_BYTES * number], 0) for number, page in enumerate(pages)]

    def _heard(
        self, partition: Partition, pages: list[int], hints: bytes, said: bytes
    ) -> list[Place]:
        """Take in what a witness says of URLs; return those that have come to another place."""
        number, topics = partition.number, partition.state.topics
        if self._wanted is None:
            by_topic = self._by_topic.get(number)
            if by_topic is None:
                by_topic = self._by_topic[number] = TopicEvidence()
            return by_topic.hear(pages, said, hints, topics.topic, topics.grade)
        focused = self._focused.get(number)
        if focused is None:
            focused = self._focused[number] = FocusedEvidence(WEIGHTS)
        changed = focused.hear(pages, said[0], said[1], hints, topics.grade)
        return [
            (page, self._first_wanted if position <= LIKELY else self._other, position)
            for page, position in changed
        ]

    def _tell(self, partition: Partition, keys: Sequence[str], pages: Sequence[int]) -> None:
        """Tell those of the URLs that are known, and wait, what the witness says of them."""
        said, hints = self._witness
        status = partition.state.pages.status
        told = [
            (page, hints[key])
            for key, page in zip(keys, pages, strict=True)
            if page >= 0 and (status[page] == PENDING or status[page] == PUT_OFF)
        ]
        if told:
            said_of = b"".join(hint for _, hint in told)
            partition.requeue(self._heard(partition, [page for page, _ in told], said_of, said))


def _by_key(keys: Sequence[str], hints: bytes) -> Mapping[str, bytes]:
    """Return the hints of links by their URLs; all have the same width."""
    if not keys:
        return NO_HINT
    width = len(hints) // len(keys)
    return {key: hints[width * place : width * (place + 1)] for place, key in enumerate(keys)}
