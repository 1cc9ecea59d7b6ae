"""Closes connections to hosts that have nothing to fetch.

A connection stands between two requests because the next one to its site then needs no handshake.
To a host whose URLs are all fetched it is of no use: it takes a file descriptor here and at the
server, and over TLS 20 kB of memory. So a connection that has been idle for a while is closed if
its host is idle, too. Not at once: links from other hosts may be on their way, and where a few
hosts link to each other, each has nothing to fetch many times a second.

Cost: nothing for a page; some 3 us for each standing connection at each look.
"""

from __future__ import annotations

from collections.abc import Mapping

from lycosa.crawl.ports import Ports
from lycosa.frontier.partition import Partition
from lycosa.frontier.readiness.agenda import NEVER
from lycosa.model.url import key_of, reversed_host_of

IDLE_SECONDS = 5.0
"""Least idle time before a connection is closed, and time between two looks at idle ones."""


class Partings:
    """Decides which connections of a worker are wanted."""

    def __init__(self, ports: Ports, partitions: Mapping[int, Partition]) -> None:
        self._transport = ports.transport
        self._partitioner = ports.partitioner
        self._partitions = partitions
        # A host that several partitions share may be idle in one and not in another.
        self._next = NEVER if ports.partitioner.splits_hosts else 0.0

    def look(self, now: float) -> None:
        """Close what is not wanted, if the last look is long enough ago."""
        if now >= self._next:
            self._next = now + IDLE_SECONDS
            self._transport.let_go(self._is_wanted, IDLE_SECONDS)

    def _is_wanted(self, site: str) -> bool:
        """Return whether the host of a site, given as a URL, has anything to fetch."""
        key = key_of(site + "/")
        partition = self._partitions.get(self._partitioner.partition_of(key))
        if partition is None:
            return False
        host = partition.state.host_number(reversed_host_of(key))
        return host is not None and partition.readiness.rests_until(host) != NEVER
