"""Limits the server's open connections, and drops the slowest when there are too many.

A connection is *waiting* until its whole request has arrived, head and body; then it is *asking*;
while its response goes out it is *reading*. The number of connections is fixed. When all are taken
and another client comes, one connection is dropped: from the address with the most waiting
connections the one that has waited longest for its request; if none waits, the one that has been
reading longest, provided that it is slow. So a client that sends half a request, or a thousand of
them, or reads its response one byte at a time, keeps no other client out. A connection that is
asking is never dropped.

Responses wait in memory for their readers, up to a limit; beyond it the connections that
have been reading longest are dropped.

All methods may be called by any thread.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections import Counter

MOST_CONNECTIONS = 64
MOST_ASKING = 48
"""Fewer than all connections, so that one is always free to turn the next client away."""

SLOW_SECONDS = 5.0
"""A reader that takes longer may be dropped."""

_WAITING, _ASKING, _READING = "waiting", "asking", "reading"


class Connection:
    """One open connection and its state."""

    def __init__(self, client: socket.socket, address: str) -> None:
        self._client = client
        self.address = address
        self.state = _WAITING
        self.since = time.monotonic()
        self.held_bytes = 0

    def become(self, state: str, held_bytes: int = 0) -> None:
        """Change to another state."""
        self.state, self.held_bytes = state, held_bytes
        self.since = time.monotonic()

    def drop(self) -> None:
        """Close the connection; the thread that serves it notices and ends."""
        with contextlib.suppress(OSError):
            self._client.shutdown(socket.SHUT_RDWR)


class Connections:
    """All open connections of a server."""

    def __init__(self, most_held_bytes: int, most_asking_each: int = MOST_ASKING) -> None:
        """Set the memory for waiting responses, and the queries at once from one address."""
        self._most_held_bytes = most_held_bytes
        self._most_asking_each = most_asking_each
        self._all: dict[socket.socket, Connection] = {}
        self._lock = threading.Lock()

    def of(self, client: socket.socket) -> Connection:
        """Return the record of a client's socket; a new one if it was dropped."""
        with self._lock:
            return self._all.get(client) or Connection(client, "")

    def admit(self, client: socket.socket, address: str) -> bool:
        """Accept a client, dropping another if need be; returns whether there was room."""
        with self._lock:
            if len(self._all) >= MOST_CONNECTIONS and not self._make_room():
                return False
            self._all[client] = Connection(client, address)
            return True

    def leave(self, client: socket.socket) -> None:
        """Forget a connection that has ended."""
        with self._lock:
            self._all.pop(client, None)

    def wait(self, connection: Connection) -> None:
        """Note that the server waits for the next request."""
        with self._lock:
            connection.become(_WAITING)

    def ask(self, connection: Connection) -> bool:
        """Note that a request has arrived; returns whether its query may run now."""
        with self._lock:
            asking = [other.address for other in self._all.values() if other.state == _ASKING]
            if len(asking) >= MOST_ASKING:
                return False
            if asking.count(connection.address) >= self._most_asking_each:
                return False
            connection.become(_ASKING)
            return True

    def read(self, connection: Connection, held_bytes: int) -> None:
        """Note that a response goes out, and drop connections that hold too much memory."""
        with self._lock:
            reading = sorted(self._in(_READING), key=lambda other: other.since)
            total = held_bytes + sum(other.held_bytes for other in reading)
            for other in reading:
                if total <= self._most_held_bytes:
                    break
                total -= other.held_bytes
                self._drop(other)
            connection.become(_READING, held_bytes)

    def _in(self, state: str) -> list[Connection]:
        return [connection for connection in self._all.values() if connection.state == state]

    def _make_room(self) -> bool:
        waiting = self._in(_WAITING)
        if waiting:
            each = Counter(connection.address for connection in waiting)
            self._drop(min(waiting, key=lambda one: (-each[one.address], one.since)))
            return True
        slow = time.monotonic() - SLOW_SECONDS
        reading = [connection for connection in self._in(_READING) if connection.since < slow]
        if reading:
            self._drop(min(reading, key=lambda connection: connection.since))
        return bool(reading)

    def _drop(self, connection: Connection) -> None:
        self._all = {key: other for key, other in self._all.items() if other is not connection}
        connection.drop()
