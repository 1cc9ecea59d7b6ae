"""Partitioners: pure functions from the host in a URL's key to the number of its partition.

`domain` keeps all hosts of a registrable domain together, so that one owner sees the whole site
and its pauses per host and per address are all the politeness that is needed. `host-hash`
spreads hosts one by one.

Always true:
  * the same key gives the same partition on every machine, in every run and in every
    Python, for a given list of public suffixes; a job must keep partitioner and number
    for as long as its log lives;
  * all URLs of one host, whatever scheme and port, are in one partition.

Only the ICANN section of the public suffix list counts. With the private section every
user of a hosting service would be a domain of their own, spread over many owners, while
their pages come from the same few machines: one owner for `github.io` is the polite choice.

Cost: a dictionary look-up for recently seen hosts, else a walk through the host's labels and
one hash. Not here: the owner of a partition (`assignment`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Protocol

import publicsuffixlist
from publicsuffixlist import PublicSuffixList

from lycosa.errors import ConfigError
from lycosa.url.key import reversed_host_of

MOST_CACHED_HOSTS = 100_000


class Partitioner(Protocol):
    """The interface of a partitioner."""

    identity: str
    """The name of the function: two partitioners with one identity agree on every key."""

    def partition_of(self, key: str) -> int:
        """Return the number of the key's partition, from 0 on."""


class HashPartitioner:
    """Spread names over the partitions by a hash; `name_of` says what stays together."""

    def __init__(self, partitions: int, name_of: Callable[[str], str], identity: str) -> None:
        self.partitions = partitions
        self.identity = f"{identity} over {partitions} partitions"
        self._name_of = name_of
        self._known: dict[str, int] = {}

    def partition_of(self, key: str) -> int:
        """Return the partition of the name that the key's host belongs to."""
        host = reversed_host_of(key)
        partition = self._known.get(host)
        if partition is None:
            partition = stable_hash(self._name_of(host)) % self.partitions
            if len(self._known) >= MOST_CACHED_HOSTS:
                # Dropped as a whole: a crawl's hosts come and go, and what is still in
                # use is back after one look at each.
                self._known.clear()
            self._known[host] = partition
        return partition


def stable_hash(name: str) -> int:
    """Return 64 bits that depend on the name alone; Python's own hash differs by process."""
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8)
    return int.from_bytes(digest.digest(), "big")


def reversed_domain_of(reversed_host: str) -> str:
    """Return the registrable domain of a host, both reversed: `uk.co.bbc.www` → `uk.co.bbc`.

    A host that is itself a public suffix, has one label or is an IP address stands for
    itself. An unknown top-level domain counts as a suffix.
    """
    if reversed_host[0] == "[" or reversed_host.partition(".")[0].isdigit():
        return reversed_host
    labels = reversed_host.split(".")
    domain = _suffixes().privatesuffix(".".join(labels[::-1]))
    if not domain:
        return reversed_host
    return ".".join(labels[: domain.count(".") + 1])


@cache
def _suffixes() -> PublicSuffixList:
    """Read the list that comes with the package; it takes some 50 ms, so only when needed."""
    return PublicSuffixList(only_icann=True, accept_unknown=True)


def by_domain(partitions: int) -> HashPartitioner:
    """Keep the hosts of a registrable domain together."""
    suffixes = f"publicsuffixlist {_suffixes_version()}"
    return HashPartitioner(partitions, reversed_domain_of, f"domain by {suffixes}")


@cache
def _suffixes_version() -> str:
    """Return the version of the installed list.

    The folder of its metadata is named after it; to read what is in there takes 30 ms.
    """
    installed = Path(publicsuffixlist.__file__).parent.parent
    found = list(installed.glob("publicsuffixlist-*.dist-info"))
    if len(found) == 1:
        return found[0].name.removeprefix("publicsuffixlist-").removesuffix(".dist-info")
    from importlib.metadata import version

    return version("publicsuffixlist")


def by_host(partitions: int) -> HashPartitioner:
    """Spread hosts one by one."""
    return HashPartitioner(partitions, str, "host-hash")


PARTITIONERS: dict[str, Callable[[int], HashPartitioner]] = {
    "domain": by_domain,
    "host-hash": by_host,
}


def make_partitioner(name: str, partitions: int) -> HashPartitioner:
    """Return the partitioner with the name that `[frontier] partitioner` gives."""
    if name not in PARTITIONERS:
        raise ConfigError(
            f"there is no partitioner `{name}`\n  choose one of: {', '.join(PARTITIONERS)}"
        )
    return PARTITIONERS[name](partitions)
