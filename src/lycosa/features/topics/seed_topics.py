"""Topics that a list of seeds names: where those seeds begin.

A line of a list may name a topic behind the URL, after a tab (`lycosa.model.job.seeds.parted`).
Then the seed is posted with what a page would say of it that links to it and is certain: nothing
else in the crawl knows where it comes from. With several topics below the one named, the first
three share it, until links tell which it is. In a focused crawl a seed of a topic that is not
wanted comes last, and with a hard focus it is put off.

A seed without a topic is queued by its own words (`predictor`).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from lycosa.features.topics.evidence import HINT_BYTES
from lycosa.features.topics.of_job import numbers_below, read_model
from lycosa.features.topics.predictor import HEARD
from lycosa.frontier.distance import SEED
from lycosa.model.job import Job
from lycosa.model.records import Discovered


class SeedTopics:
    """Says in which queues the seeds of a job begin; the model is read with the first topic."""

    def __init__(self, job: Job) -> None:
        self._topics = job.topics
        self._is_focused = job.topics.policy == "focused"

    def is_known(self, topic: str) -> bool:
        """Return whether the model has a topic, or one below it."""
        return bool(numbers_below(self._names, topic))

    def messages(self, now: float, seeds: Iterable[tuple[str, str]]) -> list[Discovered]:
        """Return the messages for keys of one partition, each with a topic or none."""
        said: dict[bytes, list[tuple[str, bytes]]] = {}
        for key, topic in seeds:
            speech, hint = self._speech(topic) if topic else (b"", b"")
            said.setdefault(speech, []).append((key, hint))
        return [
            Discovered(
                now,
                "",
                [key for key, _ in some],
                [SEED] * len(some),
                said=speech,
                hints=b"".join(hint for _, hint in some),
            )
            for speech, some in said.items()
        ]

    def _speech(self, topic: str) -> tuple[bytes, bytes]:
        """Return what is said of a seed: `said` and its hint, as the predictor reads them."""
        if self._is_focused:
            is_wanted = any(f"{topic}.".startswith(f"{one}.") for one in self._topics.wanted)
            byte = b"\xff" if is_wanted else b"\0"
            return byte * 2, byte
        numbers = numbers_below(self._names, topic)[: HINT_BYTES // 2]
        pairs = b"".join(bytes([number, 255 // len(numbers)]) for number in numbers)
        return HEARD, pairs.ljust(HINT_BYTES, b"\0")

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return read_model(self._topics).names
