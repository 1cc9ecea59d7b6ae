"""Seeds: where a crawl begins, and what an operator adds later.

Seeds are posted to the inboxes of their partitions, like any link, at distance 0, and
their hosts join the scope. They pass the same rules; a seed that is refused is the
operator's mistake and is reported, not counted. Posting twice is harmless, so a kill in
the middle is mended by starting again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from lycosa.cluster.partitioners import Partitioner
from lycosa.crawl.scoping import JobScope
from lycosa.failpoints import reach
from lycosa.frontier.distance import SEED
from lycosa.log.format import encode
from lycosa.log.protocol import Log
from lycosa.records import Discovered
from lycosa.url import canonicalize, key_of, refusal


class Planted(NamedTuple):
    """What became of a list of seeds."""

    accepted: list[str]
    refused: dict[str, str]
    """Seed → why it cannot be crawled."""


def plant(
    seeds: Iterable[str], scope: JobScope, partitioner: Partitioner, log: Log, now: float
) -> Planted:
    """Post seeds to their partitions."""
    accepted: dict[str, None] = {}
    refused: dict[str, str] = {}
    for seed in seeds:
        url = canonicalize(seed.strip())
        if url is None:
            refused[seed] = refusal(seed, seed) or "invalid"
            continue
        scope.join(key_of(url))
        verdict = scope.judge(key_of(url))
        if verdict.key is None:
            refused[seed] = verdict.reason
        else:
            accepted[verdict.key] = None
    targets: dict[int, list[str]] = {}
    for key in accepted:
        targets.setdefault(partitioner.partition_of(key), []).append(key)
    for partition, keys in targets.items():
        reach("seeds.before-post")
        log.post(partition, encode([Discovered(now, "", keys, [SEED] * len(keys))]))
    return Planted(list(accepted), refused)
