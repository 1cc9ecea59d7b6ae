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
"""Of the places; so there is always one at which the next client is told to come again."""

SLOW_SECONDS = 5.0
"""A reader who takes longer may have to go."""

_WAITING, _ASKING, _READING = "waiting", "asking", "reading"


class Place:
    """One connection."""

    def __init__(self, connection: socket.socket, address: str) -> None:
        self._connection = connection
        self.address = address
        self.state = _WAITING
        self.since = time.monotonic()
        self.held_bytes = 0

    def become(self, state: str, held_bytes: int = 0) -> None:
        """Go on to another state."""
        self.state, self.held_bytes = state, held_bytes
        self.since = time.monotonic()

    def drop(self) -> None:
        """End the connection; the thread that serves it sees that and leaves."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)


class Places:
    """All connections of a server."""

    def __init__(self, most_held_bytes: int, most_asking_each: int = MOST_ASKING) -> None:
        """Hold so many bytes of answers, and let one address ask so many questions at once."""
        self._most_held_bytes = most_held_bytes
        self._most_asking_each = most_asking_each
        self._all: dict[socket.socket, Place] = {}
        self._lock = threading.Lock()

    def of(self, connection: socket.socket) -> Place:
        """Return the place of a connection; one that was dropped gets one of its own."""
        with self._lock:
            return self._all.get(connection) or Place(connection, "")

    def admit(self, connection: socket.socket, address: str) -> bool:
        """Give a connection a place, somebody else's if need be; returns whether there was one."""
        with self._lock:
            if len(self._all) >= MOST_CONNECTIONS and not self._make_room():
                return False
            self._all[connection] = Place(connection, address)
            return True

    def leave(self, connection: socket.socket) -> None:
        """Give a place back."""
        with self._lock:
            self._all.pop(connection, None)

    def wait(self, place: Place) -> None:
        """Note that the next request is waited for."""
        with self._lock:
            place.become(_WAITING)

    def ask(self, place: Place) -> bool:
        """Note that a request is there; returns whether its question may be asked now."""
        with self._lock:
            asking = [other.address for other in self._all.values() if other.state == _ASKING]
            if len(asking) >= MOST_ASKING:
                return False
            if asking.count(place.address) >= self._most_asking_each:
                return False
            place.become(_ASKING)
            return True

    def read(self, place: Place, held_bytes: int) -> None:
        """Note that an answer is going out, and let those go that hold too much."""
        with self._lock:
            reading = sorted(self._in(_READING), key=lambda other: other.since)
            total = held_bytes + sum(other.held_bytes for other in reading)
            for other in reading:
                if total <= self._most_held_bytes:
                    break
                total -= other.held_bytes
                self._drop(other)
            place.become(_READING, held_bytes)

    def _in(self, state: str) -> list[Place]:
        return [place for place in self._all.values() if place.state == state]

    def _make_room(self) -> bool:
        waiting = self._in(_WAITING)
        if waiting:
            each = Counter(place.address for place in waiting)
            self._drop(min(waiting, key=lambda place: (-each[place.address], place.since)))
            return True
        slow = time.monotonic() - SLOW_SECONDS
        reading = [place for place in self._in(_READING) if place.since < slow]
        if reading:
            self._drop(min(reading, key=lambda place: place.since))
        return bool(reading)

    def _drop(self, place: Place) -> None:
        self._all = {key: other for key, other in self._all.items() if other is not place}
        place.drop()
