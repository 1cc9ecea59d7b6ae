"""Partitioners: pure functions from a URL's key to the number of its partition.

`domain` keeps all hosts of a registrable domain together, so that one owner sees the whole site
and its pauses per host and per address are all the politeness that is needed. `host-hash`
spreads hosts one by one. `host-even-sum` and `host-odd-sum` are Tarantula's equations 1 and 2,
`url-sum` is KSpider's hash and `url-hash` a modern one in its place.

    suffixes  lists of public suffixes, which say what a domain is
    sums      the hashes of the papers: sums of character codes
    urls      partitioners of single URLs: the pages of one host lie in all partitions

Always true:
  * the same key gives the same partition on every machine, in every run and in every
    Python, for a given list of public suffixes; a job must keep partitioner and number
    for as long as its log lives;
  * all URLs of one host, whatever scheme and port, are in one partition, unless the partitioner
    `splits_hosts`. Owners of such partitions take turns at a host
    (`lycosa.crawl.messages.batons`).

Cost: a dictionary look-up for recently seen hosts, else a walk through the host's labels and
one hash. Measured spread of a million URLs: docs/reference/partitioners.md.
Not here: the owner of a partition (`runtime.processes.assignments`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from lycosa.errors import ConfigError
from lycosa.frontier.partitioners.suffixes import Suffixes, installed, installed_release
from lycosa.model.url.key import host_of, reversed_host_of

if TYPE_CHECKING:
    from lycosa.frontier.partitioners.urls import UrlPartitioner

MOST_CACHED_HOSTS = 100_000


class Partitioner(Protocol):
    """The interface of a partitioner."""

    splits_hosts: bool
    """Whether the URLs of one host lie in several partitions."""

    @property
    def identity(self) -> str:
        """The name of the function: two partitioners with one identity agree on every key."""

    def is_noted(self, noted: bytes | None) -> bool:
        """Return whether a note names this division, as this release or an earlier one names it."""

    def partition_of(self, key: str) -> int:
        """Return the number of the key's partition, from 0 on."""

    def partition_of_site(self, site: str) -> int:
        """Return the partition that receives other partitions' facts about a site."""


class HashPartitioner:
    """Spread names over the partitions by a hash; URLs with one `name_of` stay together."""

    splits_hosts = False

    def __init__(
        self,
        partitions: int,
        name_of: Callable[[str], str],
        identity: str,
        hash_of: Callable[[str], int] | None = None,
    ) -> None:
        self.partitions = partitions
        self._identity = f"{identity} over {partitions} partitions"
        self._name_of = name_of
        self._hash_of = hash_of or stable_hash
        self._known: dict[str, int] = {}

    @property
    def identity(self) -> str:
        """The name of the function and the number of partitions."""
        return self._identity

    def is_noted(self, noted: bytes | None) -> bool:
        """Return whether a note names this division."""
        return noted == self.identity.encode()

    def partition_of(self, key: str) -> int:
        """Return the partition of the name that the key's host belongs to."""
        host = reversed_host_of(key)
        partition = self._known.get(host)
        if partition is None:
            partition = self._hash_of(self._name_of(host)) % self.partitions
            if len(self._known) >= MOST_CACHED_HOSTS:
                # Dropped as a whole: a crawl's hosts change over time, and those still in use come
                # back after one lookup each.
                self._known.clear()
            self._known[host] = partition
        return partition

    def partition_of_site(self, site: str) -> int:
        """Return the partition of a site's pages."""
        return self.partition_of(site + "/")


def stable_hash(name: str) -> int:
    """Return 64 bits that depend on the name alone; Python's own hash differs by process."""
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8)
    return int.from_bytes(digest.digest(), "big")


def reversed_domain_of(reversed_host: str) -> str:
    """Return the registrable domain of a host by the installed list, both reversed."""
    return installed().reversed_domain_of(reversed_host)


class DomainPartitioner(HashPartitioner):
    """Keep the hosts of a registrable domain together, by one list of public suffixes."""

    def __init__(self, partitions: int, suffixes: Suffixes | None = None) -> None:
        """Take the list that a crawl keeps, or else the installed one."""
        self.suffixes = suffixes or installed()
        self.is_kept = suffixes is not None
        super().__init__(partitions, self.suffixes.reversed_domain_of, "domain")

    @property
    def identity(self) -> str:
        """The list is named by its content: lists of two releases may be the same."""
        return f"domain by suffixes {self.suffixes.digest} over {self.partitions} partitions"

    def is_noted(self, noted: bytes | None) -> bool:
        """Return whether a note names this division.

        Before crawls kept their list, the note named its release. A list that such a crawl keeps
        was added by an installation with that release.
        """
        if noted is None or super().is_noted(noted):
            return noted is not None
        release = "" if self.is_kept else f"{installed_release()} "
        begins, ends = (
            f"domain by publicsuffixlist {release}",
            f" over {self.partitions} partitions",
        )
        return noted.startswith(begins.encode()) and noted.endswith(ends.encode())


def by_host(partitions: int) -> HashPartitioner:
    """Spread hosts one by one."""
    return HashPartitioner(partitions, str, "host-hash")


def by_even_characters(partitions: int) -> HashPartitioner:
    """Spread hosts by Tarantula's equation 1."""
    from lycosa.frontier.partitioners.sums import even_sum

    return HashPartitioner(partitions, _host, "host-even-sum", even_sum)


def by_odd_characters(partitions: int) -> HashPartitioner:
    """Spread hosts by Tarantula's equation 2."""
    from lycosa.frontier.partitioners.sums import odd_sum

    return HashPartitioner(partitions, _host, "host-odd-sum", odd_sum)


def _host(reversed_host: str) -> str:
    """Return the host in its usual order: the papers count its characters from the left."""
    return host_of(f"{reversed_host}:/")


def by_url(partitions: int) -> UrlPartitioner:
    """Spread URLs one by one."""
    from lycosa.frontier.partitioners.urls import UrlPartitioner, modern_hash

    return UrlPartitioner(partitions, modern_hash, modern_hash, "url-hash")


def by_url_characters(partitions: int) -> UrlPartitioner:
    """Spread URLs one by one, by KSpider's hashes."""
    from lycosa.frontier.partitioners.urls import UrlPartitioner, host_sum, url_sum

    return UrlPartitioner(partitions, url_sum, host_sum, "url-sum")


PARTITIONERS: dict[str, Callable[[int], HashPartitioner]] = {
    "domain": DomainPartitioner,
    "host-hash": by_host,
    "host-even-sum": by_even_characters,
    "host-odd-sum": by_odd_characters,
}
"""Partitioners that keep the pages of a host together."""

URL_PARTITIONERS: dict[str, Callable[[int], UrlPartitioner]] = {
    "url-hash": by_url,
    "url-sum": by_url_characters,
}
"""Partitioners that split hosts."""


def make_partitioner(
    name: str, partitions: int, phases: int = 0, suffixes: Suffixes | None = None
) -> Partitioner:
    """Return the partitioner with the name that `[frontier] partitioner` gives.

    `suffixes` is the list that the crawl keeps, if it keeps one.
    """
    if suffixes is not None:
        return DomainPartitioner(partitions, suffixes)
    if name in URL_PARTITIONERS:
        return URL_PARTITIONERS[name](partitions).in_phases(phases or partitions)
    if name not in PARTITIONERS:
        names = ", ".join([*PARTITIONERS, *URL_PARTITIONERS])
        raise ConfigError(f"there is no partitioner `{name}`\n  choose one of: {names}")
    return PARTITIONERS[name](partitions)
