"""Seeds: where a crawl begins, and what an operator adds later.

Seeds are posted to the inboxes of their partitions, like any link, at distance 0, and
their hosts join the scope. They pass the same rules; a seed that is refused is the
operator's mistake and is reported, not counted.

A list is planted some thousands at a time, so that its length costs time and no memory. Posting
twice is harmless, so a kill in the middle of a beginning is mended by starting again. Seeds that
are added to a crawl have nobody who would start again: they are written all at once or not at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from lycosa.cluster.partitioners import Partitioner
from lycosa.crawl.scope import JobScope
from lycosa.frontier.distance import SEED
from lycosa.log.format import encode
from lycosa.log.protocol import Log
from lycosa.records import Discovered
from lycosa.url import canonical_key, refusal

CHUNK_SEEDS = 5_000
MOST_TOLD = 100
"""How many refused seeds are named; of the rest the reasons are counted."""


class Planted(NamedTuple):
    """What became of a list of seeds."""

    accepted: int
    refused: dict[str, str]
    """Seed → why it cannot be crawled; the first of them."""
    more_refused: dict[str, int]
    """How many more were refused, by reason."""


class _Chunk(NamedTuple):
    posts: list[tuple[int, bytes]]
    notes: dict[str, bytes]


class Planter:
    """Puts seeds into the inboxes of their partitions."""

    def __init__(self, scope: JobScope, partitioner: Partitioner, log: Log) -> None:
        self._scope = scope
        self._partition_of = partitioner.partition_of
        self._log = log
        self._accepted = 0
        self._refused: dict[str, str] = {}
        self._more_refused: Counter[str] = Counter()

    def plant(
        self, seeds: Iterable[str], now: float, told: Callable[[int], None] = lambda count: None
    ) -> Planted:
        """Post seeds, a chunk at a time; `told` hears how many have been looked at."""
        count = 0
        for chunk in _chunks(seeds):
            self._log.post_all(*self._prepare(chunk, now))
            count += len(chunk)
            told(count)
        return self._planted()

    def plant_at_once(
        self, seeds: Iterable[str], now: float, told: Callable[[int], None] = lambda count: None
    ) -> Planted:
        """Post seeds all at once or, after a kill, none of them."""
        posts: list[tuple[int, bytes]] = []
        notes: dict[str, bytes] = {}
        count = 0
        for chunk in _chunks(seeds):
            prepared = self._prepare(chunk, now)
            posts += prepared.posts
            notes |= prepared.notes
            count += len(chunk)
            told(count)
        if posts or notes:
            self._log.post_all(posts, notes)
        return self._planted()

    def _planted(self) -> Planted:
        return Planted(self._accepted, self._refused, dict(self._more_refused))

    def _prepare(self, seeds: list[str], now: float) -> _Chunk:
        """Return what is to be written for some seeds."""
        found: dict[str, str] = {}
        for seed in seeds:
            key = canonical_key(seed.strip())
            if key is None:
                self._refuse(seed, refusal(seed, seed) or "invalid")
            else:
                found[key] = seed
        notes = self._scope.joining(found)
        accepted = found if self._scope.takes_all_seeds else self._judged(found)
        targets: dict[int, list[str]] = {}
        for key, partition in zip(accepted, map(self._partition_of, accepted), strict=True):
            if partition in targets:
                targets[partition].append(key)
            else:
                targets[partition] = [key]
        self._accepted += len(accepted)
        posts = [
            (partition, encode([Discovered(now, "", keys, [SEED] * len(keys))]))
            for partition, keys in targets.items()
        ]
        return _Chunk(posts, dict(notes))

    def _judged(self, found: dict[str, str]) -> dict[str, str]:
        """Return the seeds that the rules accept, under the keys that they give them."""
        accepted = {}
        for key, seed in found.items():
            verdict = self._scope.judge(key)
            if verdict.key is None:
                self._refuse(seed, verdict.reason)
            else:
                accepted[verdict.key] = seed
        return accepted

    def _refuse(self, seed: str, reason: str) -> None:
        if len(self._refused) < MOST_TOLD:
            self._refused[seed] = reason
        elif seed not in self._refused:
            self._more_refused[reason] += 1


def plant(
    seeds: Iterable[str], scope: JobScope, partitioner: Partitioner, log: Log, now: float
) -> Planted:
    """Post seeds to their partitions."""
    return Planter(scope, partitioner, log).plant(seeds, now)


def _chunks(seeds: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(seeds)
    while chunk := list(islice(rest, CHUNK_SEEDS)):
        yield chunk
