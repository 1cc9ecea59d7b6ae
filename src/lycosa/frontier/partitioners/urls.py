"""Partitioners of single URLs, as in KSpider: the pages of one host lie in all partitions.

The largest site then loads no owner more than others. In return, most links lead to another
partition, and the owners must take turns at every host. A second hash, of the host, puts every host
into one of `phases` host sets; the owners take turns at host sets (KSpider, 2.2).

Cost: one hash of the whole URL for each look-up; nothing is cached, because a URL rarely recurs.
Not here: the turns (`lycosa.crawl.messages.batons`).
"""

from __future__ import annotations

from collections.abc import Callable

from xxhash import xxh3_64_intdigest

from lycosa.frontier.partitioners.sums import character_sum
from lycosa.model.url.key import host_of, reversed_host_of, url_of


class UrlPartitioner:
    """Spread URLs over the partitions by a hash of their keys."""

    splits_hosts = True

    def __init__(
        self,
        partitions: int,
        hash_of: Callable[[str], int],
        host_hash_of: Callable[[str], int],
        identity: str,
    ) -> None:
        self.partitions = partitions
        self.phases = partitions
        self._name = identity
        self._hash_of = hash_of
        self._host_hash_of = host_hash_of

    @property
    def identity(self) -> str:
        """The name of both functions."""
        return f"{self._name} over {self.partitions} partitions in {self.phases} phases"

    def is_noted(self, noted: bytes | None) -> bool:
        """Return whether a note names this division."""
        return noted == self.identity.encode()

    def in_phases(self, phases: int) -> UrlPartitioner:
        """Return itself, with this number of host sets instead of one for each partition."""
        self.phases = phases
        return self

    def partition_of(self, key: str) -> int:
        """Return the partition of one URL."""
        return self._hash_of(key) % self.partitions

    def set_of(self, reversed_host: str) -> int:
        """Return the host set of a host, from 0 on."""
        return self._host_hash_of(reversed_host) % self.phases

    def home_of(self, host_set: int) -> int:
        """Return the partition in which the token (baton) of a host set begins."""
        return host_set % self.partitions

    def partition_of_site(self, site: str) -> int:
        """Return the partition that forwards other partitions' facts about a site."""
        return self.home_of(self.set_of(reversed_host_of(site)))


def modern_hash(key: str) -> int:
    """Return 64 bits of XXH3 over the key; the algorithm is frozen since its version 0.8."""
    return xxh3_64_intdigest(key.encode("utf-8", "surrogatepass"))


def url_sum(key: str) -> int:
    """Return the sum of the characters of the whole URL (KSpider, figure 2)."""
    return character_sum(url_of(key))


def host_sum(reversed_host: str) -> int:
    """Return the sum of the characters of a host (KSpider, figure 4)."""
    return character_sum(host_of(f"{reversed_host}:/"))
