"""Partitioners of single URLs, as in KSpider: the pages of one host lie in all partitions.

The largest site then burdens no owner more than others. The price: most links lead to another
partition, and the owners must take turns at every host.

Cost: one hash of the whole URL for each look-up; nothing is cached, because a URL seldom recurs.
Not here: the turns (KSpider's phases).
"""

from __future__ import annotations

from collections.abc import Callable

from xxhash import xxh3_64_intdigest

from lycosa.cluster.partitioners.sums import character_sum
from lycosa.url.key import url_of


class UrlPartitioner:
    """Spread URLs over the partitions by a hash of their keys."""

    splits_hosts = True

    def __init__(self, partitions: int, hash_of: Callable[[str], int], identity: str) -> None:
        self.partitions = partitions
        self.identity = f"{identity} over {partitions} partitions"
        self._hash_of = hash_of

    def partition_of(self, key: str) -> int:
        """Return the partition of one URL."""
        return self._hash_of(key) % self.partitions


def modern_hash(key: str) -> int:
    """Return 64 bits of XXH3 over the key; the algorithm is frozen since its version 0.8."""
    return xxh3_64_intdigest(key.encode("utf-8", "surrogatepass"))


def url_sum(key: str) -> int:
    """Return the sum of the characters of the whole URL (KSpider, figure 2)."""
    return character_sum(url_of(key))
