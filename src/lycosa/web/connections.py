"""Limits the open connections of a server, and drops the slowest when there are too many.

A connection is *waiting* until its whole request has arrived, head and body; then it is
*answering*; while a response that the client has not read waits in memory, it is *reading*. The
number of connections is fixed. When all are taken and another client comes, one connection is
dropped: from the address with the most waiting connections the one that has waited longest for its
request; if none waits, the one that has been reading longest, provided that it is slow. So a client
that sends half a request, or a thousand of them, or reads its response one byte at a time, keeps no
other client out. A connection that is answering is never dropped.

An address has at most a fixed share of the connections. Beyond it the address's own connection that
has waited longest makes room, and if none waits, the new one is refused. The addresses of one /64
network of IPv6 count as one, because one client has them all. Loopback addresses and those of
trusted proxies stand for many clients, so they may take all connections.

Responses wait in memory for their readers, up to a limit; beyond it the connections that have been
reading longest are dropped.

Cost: one look at all connections for each new one and each response that is not read at once.
Not here: sockets and deadlines (`listening`). All methods are called by one thread.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from ipaddress import IPv6Address, ip_address, ip_network
from typing import NamedTuple

from lycosa.fetch.guard import is_loopback_host

SLOW_SECONDS = 5.0
"""Seconds after which a slow reader may be dropped."""

_WAITING, _ANSWERING, _READING = "waiting", "answering", "reading"


class ConnectionLimits(NamedTuple):
    """Limits of the connections of a server, and of each address."""

    most: int = 256
    most_each: int = 64
    """Most connections of an address."""
    most_held_bytes: int = 100_000_000
    """Most bytes of responses that wait for their readers."""
    proxies: tuple[str, ...] = ()
    """Addresses or networks of IPv4 or IPv6 whose connections carry requests of many clients."""


class Connection:
    """An open connection and its state."""

    def __init__(self, address: str, drop: Callable[[], None]) -> None:
        self.client = address
        self.address = counted_address(address)
        self.drop = drop
        self.state = _WAITING
        self.since = 0.0
        self.held_bytes = 0


class Connections:
    """All open connections of a server."""

    def __init__(
        self, limits: ConnectionLimits, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limits = limits
        self._clock = clock
        self._proxies = tuple(ip_network(one) for one in limits.proxies)
        self._all: dict[Connection, None] = {}

    def admit(self, connection: Connection) -> bool:
        """Accept a client, dropping another if necessary; return whether there was room."""
        connection.since = self._clock()
        if not self._is_shared(connection.client):
            own = [other for other in self._all if other.address == connection.address]
            if len(own) >= self._limits.most_each and not self._drop_waiting(own):
                return False
        if len(self._all) >= self._limits.most and not self._make_room():
            return False
        self._all[connection] = None
        return True

    def leave(self, connection: Connection) -> None:
        """Forget a connection that has ended."""
        self._all.pop(connection, None)

    def wait(self, connection: Connection) -> None:
        """Note that the server waits for a request, or for the rest of one."""
        if connection.state != _WAITING:
            self._become(connection, _WAITING)

    def answer(self, connection: Connection) -> None:
        """Note that a whole request has arrived."""
        self._become(connection, _ANSWERING)

    def read(self, connection: Connection, held_bytes: int) -> None:
        """Note that a response waits for its reader; drop responses that hold too much memory."""
        reading = [other for other in self._in(_READING) if other is not connection]
        total = held_bytes + sum(other.held_bytes for other in reading)
        for other in sorted(reading, key=lambda one: one.since):
            if total <= self._limits.most_held_bytes:
                break
            total -= other.held_bytes
            self._drop(other)
        self._become(connection, _READING, held_bytes)

    def _become(self, connection: Connection, state: str, held_bytes: int = 0) -> None:
        connection.state, connection.held_bytes = state, held_bytes
        connection.since = self._clock()

    def _is_shared(self, address: str) -> bool:
        """Return whether an address stands for many clients."""
        if is_loopback_host(address):
            return True
        try:
            parsed = ip_address(address)
        except ValueError:
            return False
        return any(parsed in network for network in self._proxies)

    def _in(self, state: str) -> list[Connection]:
        return [connection for connection in self._all if connection.state == state]

    def _make_room(self) -> bool:
        if self._drop_waiting(self._all):
            return True
        slow = self._clock() - SLOW_SECONDS
        reading = [connection for connection in self._in(_READING) if connection.since < slow]
        if reading:
            self._drop(min(reading, key=lambda connection: connection.since))
        return bool(reading)

    def _drop_waiting(self, connections: Iterable[Connection]) -> bool:
        waiting = [one for one in connections if one.state == _WAITING]
        if waiting:
            each = Counter(one.address for one in waiting)
            self._drop(min(waiting, key=lambda one: (-each[one.address], one.since)))
        return bool(waiting)

    def _drop(self, connection: Connection) -> None:
        self.leave(connection)
        connection.drop()


def counted_address(text: str) -> str:
    """Return an address as limits count it: one of IPv6 by its network."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return text
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        if not address.is_loopback:
            return str(ip_network((address, 64), strict=False).network_address)
    return str(address)
