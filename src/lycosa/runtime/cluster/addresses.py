"""The number of machines that ask an IP address, so that together they keep its pace.

Within a machine an address is asked by one request at a time, and rests `ip_delay_seconds` between
two. Hosts of one address may belong to several machines, which do not wait for each other. Every
life therefore announces, on the board, the addresses that it serves. Each life multiplies its delay
by the number of machines that announce the same address: the *rate* is that of one machine.

An announcement is a sorted list of 32-bit hashes, 4 bytes an address. Two addresses with the same
hash are treated as one, and get a delay that is longer than needed: one address in 40,000, if
another machine serves 100,000.

The number is some seconds old. For that long, an address that a second machine has begun to serve
gets twice its rate.

`AddressDesk` is a state machine without I/O; a `courier` makes its calls.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Collection, Iterable

import msgspec
from xxhash import xxh3_64_intdigest

from lycosa._support.decoders import msgpack_decoder
from lycosa.runtime.coordination.keys import ADDRESSES, addresses_key, number_in
from lycosa.runtime.coordination.protocol import Answer, Entry
from lycosa.runtime.membership.calls import Call, Get, Listing, Put, Result

ANNOUNCE_SECONDS = 10.0
"""Seconds between two writes of announcements, if they have changed, and between two reads."""
MOST_ADDRESSES = 100_000
"""A life that serves more addresses announces that it serves all."""


class Announcement(msgspec.Struct, frozen=True, array_like=True):
    """Value on the board under `addresses/7`."""

    machine: str
    hashes: bytes
    """Sorted, four bytes each, most significant byte first."""
    is_everywhere: bool = False


def hash_of(address: str) -> int:
    """Return 32 bits of an address, the same on every machine."""
    return xxh3_64_intdigest(address.encode()) & 0xFFFFFFFF


class AddressDesk:
    """The addresses of one life, and the numbers of machines that share them."""

    def __init__(self, life: int, machine: str) -> None:
        self._life = life
        self._machine = machine
        self._key = addresses_key(life)
        self._served: frozenset[int] = frozenset()
        self._others: dict[int, Announcement] = {}
        self._gone: Collection[int] = ()
        self._shared: dict[int, int] = {}
        self._everywhere = 0
        self._announced: bytes | None = None
        self._revision: int | None = 0
        self._in_flight: Call | None = None
        self.due = float("-inf")

    def serve(self, addresses: Iterable[str]) -> None:
        """Set the addresses that this life serves now."""
        self._served = frozenset(map(hash_of, addresses))
        self._count()

    def lives_gone(self, gone: Collection[int]) -> None:
        """Set the lives that are over: their announcements no longer count."""
        self._gone = gone
        self._count()

    def machines_at(self, address: str) -> int:
        """Return how many machines serve an address, this one included."""
        return 1 + self._everywhere + self._shared.get(hash_of(address), 0)

    def call(self, now: float) -> Call | None:
        """Return the next call, if one is due."""
        if self._in_flight is not None or now < self.due:
            return None
        value = self._announcement()
        if value != self._announced:
            at = self._revision
            self._in_flight = Get(self._key) if at is None else Put(self._key, value, at)
        else:
            self._in_flight = Listing(ADDRESSES)
        return self._in_flight

    def answered(self, result: Result, now: float) -> None:
        """Process the answer."""
        call, self._in_flight = self._in_flight, None
        if isinstance(call, Listing):
            self.due = now + ANNOUNCE_SECONDS
            if isinstance(result, dict):
                self._listed(result)
        elif isinstance(call, Put):
            is_written = isinstance(result, Answer) and result.is_written
            self._revision = result.revision if is_written else None  # type: ignore[union-attr]
            self._announced = call.value if is_written else None
            self.due = now if is_written else now + 1.0
        elif isinstance(result, Entry):
            self._revision = result.revision
        else:
            self.due = now + 1.0

    def _announcement(self) -> bytes:
        if len(self._served) > MOST_ADDRESSES:
            return msgspec.msgpack.encode(Announcement(self._machine, b"", is_everywhere=True))
        hashes = array("I", sorted(self._served))
        if sys.byteorder == "big":
            hashes.byteswap()
        return msgspec.msgpack.encode(Announcement(self._machine, hashes.tobytes()))

    def _listed(self, entries: dict[str, Entry]) -> None:
        self._others = {
            number_in(key): msgpack_decoder(Announcement).decode(entry.value)
            for key, entry in entries.items()
        }
        self._count()

    def _count(self) -> None:
        """Count, for the addresses that this life serves, the other machines that do."""
        machines: dict[str, set[int]] = {}
        everywhere: set[str] = set()
        for life, one in self._others.items():
            if life in self._gone or one.machine == self._machine:
                continue
            if one.is_everywhere:
                everywhere.add(one.machine)
            hashes = array("I", one.hashes)
            if sys.byteorder == "big":
                hashes.byteswap()
            machines.setdefault(one.machine, set()).update(self._served.intersection(hashes))
        self._everywhere = len(everywhere)
        self._shared = {}
        for machine, shared in machines.items():
            for number in () if machine in everywhere else shared:
                self._shared[number] = self._shared.get(number, 0) + 1
