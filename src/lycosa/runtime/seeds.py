"""Plant the seeds of a crawl: make them canonical and post them to their partitions.

Seeds are posted to inboxes like any link, at distance 0, and their hosts join the scope. The job's
rules apply to them too. A refused seed is reported to the operator, because it is a mistake in the
list, and not counted like a refused link. A seed may name its topic (`features.topics`).

A new crawl plants a list in chunks of some thousands, so that a long list needs no memory. A seed
may be posted twice without harm: after a kill the next run plants the list again. Seeds added to an
existing crawl are posted in one transaction, because no later run would repeat that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from lycosa._support.tuples import NamedTuple
from lycosa.crawl.scope import JobScope
from lycosa.errors import ConfigError
from lycosa.frontier.distance import SEED
from lycosa.frontier.partitioners import Partitioner
from lycosa.model.job import Job, SeedList
from lycosa.model.job.seeds import parted
from lycosa.model.records import Discovered
from lycosa.model.url import LONGEST_URL, canonical_key, host_of, refusal
from lycosa.storage.log.format import encode
from lycosa.storage.log.memory import MemoryLog
from lycosa.storage.log.protocol import Log

if TYPE_CHECKING:
    from lycosa.features.topics.seed_topics import SeedTopics

CHUNK_SEEDS = 5_000
MOST_TOLD = 100
"""Most refused seeds that are named; the others are counted by reason."""


def refusal_text(seed: str, reason: str) -> str:
    """Explain the refusal of a seed, with a remedy."""
    seed, topic = parted(seed)
    match reason:
        case "topic":
            return (
                f"the model of the crawl has no topic `{topic}`; leave it out, or name one of those"
                " that `lycosa topics show` lists"
            )
        case "scheme":
            scheme = seed.strip().partition(":")[0].lower()
            near = _nearest(scheme)
            guess = f"; did you mean {near}?" if near else "; a crawl asks http and https"
            return f"unknown scheme `{scheme}`{guess}"
        case "invalid" if " " in seed.strip():
            return "it has a space, so it is not a URL; a space within a URL is written %20"
        case "invalid":
            return "it is not a URL; write it like https://example.org/"
        case "credentials":
            return "it carries a user name or a password, which a crawl does not send; leave it out"
        case "too-long":
            return f"it is longer than {LONGEST_URL:,} characters"
        case "out-of-scope":
            key = canonical_key(seed.strip())
            host = host_of(key) if key else "HOST"
            return f"your --include leaves out your own seed; add --include {host}, or drop it"
        case "loopback-only":
            return (
                "this crawl only asks certain servers on this machine ([fetch] loopback_origins);"
                " begin a new crawl for this seed, or resume with --allow-private"
            )
    action, _, name = reason.partition(":")
    if action == "reject":
        return (
            f"your --exclude, or a rule of the job, rejects your own seed ({name});"
            " use a narrower pattern"
        )
    return reason


def _nearest(scheme: str) -> str:
    import difflib  # only where something is misspelt

    return next(iter(difflib.get_close_matches(scheme, ("https", "http"), 1, 0.7)), "")


def require_a_seed(job: Job) -> None:
    """Refuse a job of which no seed can be crawled, before any file is written for it.

    A long list is not read for this. Rules of plugins decide later.
    """
    if isinstance(job.seeds, SeedList):
        return
    scope = None if job.plugins.use else JobScope(job, MemoryLog(1))
    keys = {seed: canonical_key(parted(seed)[0]) for seed in job.seeds}
    refused: dict[str, str] = {}
    if scope is not None:
        # Seeds define the scope, so all of them join it before the first is judged.
        scope.joining(key for key in keys.values() if key)
    for seed, key in keys.items():
        verdict = scope.judge(key) if key and scope is not None else None
        if key is None:
            url, _ = parted(seed)
            refused[seed] = refusal(url, url) or "invalid"
        elif verdict is not None and verdict.key is None:
            refused[seed] = verdict.reason
    if len(refused) == len(keys):
        raise no_seed(refused)


def no_seed(refused: Mapping[str, str]) -> ConfigError:
    """Return the error of a crawl whose seeds were all refused, with the reasons."""
    lines = [f"{seed}: {refusal_text(seed, reason)}" for seed, reason in refused.items()]
    if len(lines) == 1:
        return ConfigError(f"{lines[0]}\n  the crawl has no other seed to begin with")
    more = [f"and {len(lines) - 10:,} more"] if len(lines) > 10 else []
    told = "\n  ".join(lines[:10] + more or ["give one: lycosa crawl https://example.org/ -o DIR"])
    return ConfigError(f"the crawl has no seed to begin with\n  {told}")


class Planted(NamedTuple):
    """Number of accepted seeds of a list, and the refused seeds."""

    accepted: int
    refused: dict[str, str]
    """Refused seeds with their reasons, the first `MOST_TOLD`."""
    more_refused: dict[str, int]
    """Numbers of further refused seeds, by reason."""


class _Chunk(NamedTuple):
    posts: list[tuple[int, bytes]]
    notes: dict[str, bytes]
    accepted: Mapping[str, str]


class Prepared(NamedTuple):
    """Seeds that can be posted in one transaction, with the notes to write before them."""

    posts: list[tuple[int, bytes]]
    notes: dict[str, bytes]
    planted: Planted
    named: list[str]
    """The first accepted seeds."""


class Planter:
    """Posts seeds to the inboxes of their partitions."""

    def __init__(
        self,
        scope: JobScope,
        partitioner: Partitioner,
        log: Log,
        topics: SeedTopics | None = None,
    ) -> None:
        self._scope = scope
        self._topics = topics
        self._partition_of = partitioner.partition_of
        self._log = log
        self._accepted = 0
        self._refused: dict[str, str] = {}
        self._more_refused: Counter[str] = Counter()

    def plant(
        self, seeds: Iterable[str], now: float, told: Callable[[int], None] = lambda count: None
    ) -> Planted:
        """Post seeds in chunks; `told` is called with the number read so far."""
        count = 0
        for chunk in _chunks(seeds):
            prepared = self._prepare(chunk, now)
            self._log.post_all(prepared.posts, prepared.notes)
            count += len(chunk)
            told(count)
        return self._planted()

    def prepare(
        self,
        seeds: Iterable[str],
        now: float,
        told: Callable[[int], None] = lambda count: None,
        most_named: int = 0,
    ) -> Prepared:
        """Return all seeds, ready to be posted in one transaction; the first ones are named."""
        posts: list[tuple[int, bytes]] = []
        notes: dict[str, bytes] = {}
        named: list[str] = []
        count = 0
        for chunk in _chunks(seeds):
            prepared = self._prepare(chunk, now)
            posts += prepared.posts
            notes |= prepared.notes
            named += islice(prepared.accepted.values(), most_named - len(named))
            count += len(chunk)
            told(count)
        return Prepared(posts, notes, self._planted(), named)

    def _planted(self) -> Planted:
        return Planted(self._accepted, self._refused, dict(self._more_refused))

    def _prepare(self, seeds: list[str], now: float) -> _Chunk:
        """Return the messages and notes that plant some seeds."""
        found: dict[str, str] = {}
        for seed in seeds:
            url, topic = parted(seed)
            key = canonical_key(url)
            if key is None:
                self._refuse(seed, refusal(url, url) or "invalid")
            elif topic and self._topics is not None and not self._topics.is_known(topic):
                self._refuse(seed, "topic")
            else:
                found.setdefault(key, seed)
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
            (partition, encode(self._messages(now, keys, accepted)))
            for partition, keys in targets.items()
        ]
        return _Chunk(posts, dict(notes), accepted)

    def _messages(
        self, now: float, keys: list[str], seed_of: Mapping[str, str]
    ) -> Sequence[Discovered]:
        if self._topics is None:
            return [Discovered(now, "", keys, [SEED] * len(keys))]
        return self._topics.messages(now, [(key, parted(seed_of[key])[1]) for key in keys])

    def _judged(self, found: dict[str, str]) -> dict[str, str]:
        """Return the seeds that the rules accept, by the keys that transforms give them."""
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
    seeds: Iterable[str],
    scope: JobScope,
    partitioner: Partitioner,
    log: Log,
    now: float,
    *,
    topics: SeedTopics | None = None,
) -> Planted:
    """Post seeds to their partitions."""
    return Planter(scope, partitioner, log, topics).plant(seeds, now)


def topics_of(job: Job) -> SeedTopics | None:
    """Return the topics of the job's seeds; None if topics do not choose the order."""
    if job.frontier.scheduler != "topics":
        return None
    from lycosa.features.topics.seed_topics import SeedTopics  # few crawls have a model

    return SeedTopics(job)


def _chunks(seeds: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(seeds)
    while chunk := list(islice(rest, CHUNK_SEEDS)):
        yield chunk
