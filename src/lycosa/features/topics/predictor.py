"""Predicts what URLs are about before they are fetched: in which queue they wait, and where in it.

Every page that is fetched is a witness for all URLs that it links to, new or known, here or in
another partition (`evidence`). Its hint travels as a few bytes:

    said    of the page: in a focused crawl its probability of being about what is wanted, and its
            promise; else that it is a witness at all
    hint    of each link: in a focused crawl how likely its text and the words of its URL are about
            what is wanted; else three topics, each with what page and text make of it together

New URLs get their queue when they are admitted (`Admitted`). Known ones move at once in the
scheduler; a move that is large enough for a resume to miss it is recorded with the next commit
(`Predicted`). URLs of other partitions are told of with the commit: new ones with `Discovered`,
those that were sent before with `Hinted`, each URL up to `MOST_HINTS` times. These inboxes are
WebParF's batch database of URLs, and the partition that admits is its dispatcher.

A redirect passes on what was known of the URL that redirects. Seeds come first in the queue of the
topic that their list names (`seed_topics`), or that their words sound like; where a focused crawl
begins, everything is wanted.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

from lycosa.crawl.answers.page_answer import PageAnswer
from lycosa.extract.topics.model import OTHER
from lycosa.features.topics._evidence import gathered, waiting_links
from lycosa.features.topics.budgets import TopicBudgets
from lycosa.features.topics.classifier import Classifier
from lycosa.features.topics.evidence import (
    HINT_BYTES,
    WEIGHTS,
    FocusedEvidence,
    TopicEvidence,
)
from lycosa.features.topics.of_job import has_budgets, is_hard, numbers_below
from lycosa.frontier.facts.columns import DONE, PUT_OFF
from lycosa.frontier.facts.topics import NO_TOPIC
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.model.job import Job
from lycosa.model.links import keys_of, pages_among
from lycosa.model.records import Discovered, Hinted, Outcome, Predicted

MOST_HINTS = 7
"""How often a URL of another partition is spoken for after it was sent there."""
MOST_TOLD = 20_000
"""Most URLs for which this is counted; beyond it the counting begins again."""
HEARD = b"\1"
"""The hint about a page whose links say all."""
HARDLY = 200
"""With a hard focus URLs beyond this position are put off: fewer than one in ten is wanted."""
LIKELY = 127
"""Up to this position a URL is more likely about what is wanted than not."""

Place = tuple[int, int, int]
"""A URL, its queue and its position."""


class Witness(NamedTuple):
    """A page whose links are on their way."""

    said: bytes
    hints: bytes
    places: dict[str, int]
    """Where in `hints` the hint of a URL stands, by its key."""


NOBODY = Witness(b"", b"", {})


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
        self._width = HINT_BYTES if self._wanted is None else 1
        self._queue_at = bytes(
            self._first_wanted if position <= LIKELY else self._other for position in range(256)
        )
        """The queue of a URL in a focused crawl, by its position."""
        self._is_hard = is_hard(job)
        self.budgets = TopicBudgets(job, names) if has_budgets(job) else None
        self._queues = b""
        self._parts = {
            names.index(topic): [names.index(part) for part in parts]
            for topic, parts in self._model.header.split.items()
        }
        """Of topics that were split, in that order: a part may have been split later."""
        self._has_cycles = job.revisit.policy != "off"
        self._positions = b""
        """Of the URLs that are being admitted, as `_queues`."""
        self._focused: dict[int, FocusedEvidence] = {}
        self._by_topic: dict[int, TopicEvidence] = {}
        self._witness = NOBODY
        self._told: dict[str, int] = {}

    def attach(self, partition: Partition) -> None:
        """Let a partition ask for the queues of URLs that it admits."""
        partition.predict = lambda first, keys: self._admitted(partition, first, keys)
        if self._is_hard:
            partition.moves.last_wanted = HARDLY
            partition.put_off = self._put_off
        elif self.budgets is not None:
            self.budgets.attach(partition)
            partition.put_off = self._put_off_used_up
        elif not self._has_cycles:
            self._put_up_all(partition)
        if self._parts and self._wanted is None:
            self._divide(partition)

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
        keys = keys_of(targets)
        if answered.topics is not None:
            self._witness = self._page(answered, keys)
        elif answered.outcome is Outcome.REDIRECTED:
            self._witness = self._redirect(answered, keys)
        else:
            return
        self._tell(answered.partition, pages_among(targets, answered.partition.number))

    def hear_message(self, partition: Partition, message: Discovered | Hinted) -> None:
        """Take the sender of a message for the witness; known URLs hear of it at once.

        A message from before the policy was changed has hints of another width: nothing is heard.
        """
        if message.said and len(message.hints) == self._width * len(message.keys):
            self._witness = _witness(message.said, message.hints, message.keys)
            self._tell(partition, list(partition.state.table.find_many(message.keys)))

    def end(self) -> None:
        """Forget the witness: its links are routed."""
        self._witness = NOBODY

    def sent(self, keys: Sequence[str]) -> tuple[bytes, bytes]:
        """Return what goes with URLs to another partition."""
        said, hints, places = self._witness
        return said, gathered(hints, self._width, places, keys) if said else b""

    def sent_before(
        self, partition: Partition, target: int, keys: Sequence[str], fresh: set[str]
    ) -> None:
        """Speak for URLs that another partition has, all but those that are fresh."""
        said, hints, places = self._witness
        if not said:
            return
        told = self._told
        if len(told) > MOST_TOLD:
            told.clear()
        some = [
            key
            for key in keys
            if key not in fresh and key in places and told.get(key, 0) < MOST_HINTS
        ]
        for key in some:
            told[key] = told.get(key, 0) + 1
        if some:
            partition.post(target, Hinted(said, some, gathered(hints, self._width, places, some)))

    # -- inside ---------------------------------------------------------------------------

    def _page(self, answered: PageAnswer, keys: list[str]) -> Witness:
        assert answered.topics is not None
        texts, probabilities = answered.links.texts, answered.topics.probabilities
        if self._wanted is None:
            return _witness(HEARD, self._model.link_topics(texts, keys, probabilities), keys)
        own = round(255 * min(sum(compress(probabilities, self._wanted)), 1.0))
        before = self._focused.get(answered.partition.number)
        promise = before.promise(answered.page) // 2 if before is not None else 0
        hints = self._model.link_hints(texts, keys, self._wanted)
        return _witness(bytes([own, max(own, promise)]), hints, keys)

    def _redirect(self, answered: PageAnswer, keys: Sequence[str]) -> Witness:
        """Let a URL that redirects pass on what was known of it."""
        topics, page = answered.partition.state.topics, answered.page
        likely = 255 - topics.grade_of(page)
        if self._wanted is None:
            queue = topics.of(page)
            pair = bytes([self._other if queue == NO_TOPIC else queue, likely])
            return _witness(HEARD, pair.ljust(HINT_BYTES, b"\0") * len(keys), keys)
        before = self._focused.get(answered.partition.number)
        promise = max(likely, before.promise(page) if before is not None else 0)
        return _witness(bytes([likely, promise]), bytes([likely]) * len(keys), keys)

    def _admitted(
        self, partition: Partition, first: int, keys: Sequence[str]
    ) -> tuple[bytes, bytes]:
        """Return queues and positions of new URLs, whose numbers begin with `first`."""
        said, hints, places = self._witness
        number = partition.number
        if not said:
            self._queues, self._positions = self._unheard(keys), bytes(len(keys))
            return self._queues, self._positions
        given = gathered(hints, self._width, places, keys)
        if self._wanted is None:
            self._queues, self._positions = self._votes_of(number).place(first, given)
        else:
            self._positions = self._focus_of(number).place(first, said[0], said[1], given)
            self._queues = self._positions.translate(self._queue_at)
        return self._queues, self._positions

    def _put_off(self, state: PartitionState, keys: Sequence[str]) -> list[int]:
        """Return the places of new URLs that promise nothing; `_admitted` has just been asked."""
        return [place for place, position in enumerate(self._positions) if position > HARDLY]

    def _put_off_used_up(self, state: PartitionState, keys: Sequence[str]) -> list[int]:
        """Return the places of new URLs whose topic has no budget left."""
        used_up = state.topics.budgets.used_up
        return [place for place, queue in enumerate(self._queues) if queue in used_up]

    def _put_up_all(self, partition: Partition) -> None:
        """Put up what an earlier run with a hard focus has put off."""
        state = partition.state
        pages = [page for page, status in enumerate(state.pages.status) if status == PUT_OFF]
        if pages:
            queues = bytes(state.topics.of(page) for page in pages)
            positions = bytes(state.topics.grade_of(page) for page in pages)
            partition.record(Predicted(pages, queues, positions, pages))

    def _divide(self, partition: Partition) -> None:
        """Move waiting URLs of topics that were split to their parts, by their own words."""
        state = partition.state
        for topic, parts in self._parts.items():
            some = state.topics.of_topics(bytes([topic]), 0)
            pages = [page for page in some if state.pages.status[page] != DONE]
            if not pages:
                continue
            likely = [float(number in parts) for number in range(len(self._model.names))]
            keys = [state.table.key(page) for page in pages]
            queues = self._model.link_topics([""] * len(keys), keys, likely)[::HINT_BYTES]
            positions = bytes(state.topics.grade_of(page) for page in pages)
            partition.record(Predicted(pages, queues, positions))

    def _unheard(self, keys: Sequence[str]) -> bytes:
        """Return the queues of URLs that no page has spoken for, as seeds: by their own words."""
        if self._wanted is not None:
            return bytes([self._first_wanted]) * len(keys)
        unknown = [1 / len(self._model.names)] * len(self._model.names)
        return self._model.link_topics([""] * len(keys), list(keys), unknown)[::HINT_BYTES]

    def _tell(self, partition: Partition, pages: list[int]) -> None:
        """Tell those of the URLs that are known, and wait, what the witness says of them."""
        said, hints, _ = self._witness
        state = partition.state
        some, given = waiting_links(pages, state.pages.status, hints, self._width, PUT_OFF)
        if some:
            partition.requeue(self._heard(partition, some, said, given))

    def _heard(
        self, partition: Partition, pages: list[int], said: bytes, hints: bytes
    ) -> list[Place]:
        """Take in what a witness says of URLs; return those that have come to another place."""
        topics = partition.state.topics
        if self._wanted is None:
            votes = self._votes_of(partition.number)
            return votes.hear(pages, hints, topics.topic, topics.grade)
        focus, queue_at = self._focus_of(partition.number), self._queue_at
        changed = focus.hear(pages, said[0], said[1], hints, topics.grade)
        return [(page, queue_at[position], position) for page, position in changed]

    def _focus_of(self, number: int) -> FocusedEvidence:
        found = self._focused.get(number)
        if found is None:
            found = self._focused[number] = FocusedEvidence(WEIGHTS)
        return found

    def _votes_of(self, number: int) -> TopicEvidence:
        found = self._by_topic.get(number)
        if found is None:
            found = self._by_topic[number] = TopicEvidence()
        return found


def _witness(said: bytes, hints: bytes, keys: Sequence[str]) -> Witness:
    return Witness(said, hints, dict(zip(keys, range(len(keys)), strict=True)))
