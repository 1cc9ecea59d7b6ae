"""Facts of every URL, site and host of a partition, in flat arrays.

There is one array per property, indexed by number. A URL costs 14 bytes here beside the table, a
fetched page 24 more, a host 36 and a site 42 plus its rules. Snapshots hold the arrays as they
are.
"""

from __future__ import annotations

import sys
from array import array
from enum import IntEnum
from typing import Any

import msgspec

from lycosa._support.decoders import msgpack_decoder

NONE = 0xFFFFFFFF

JUDGED, VAIN = 0x80, 0x40
"""Added to the rule of a guess when it is known what it was worth, and when that was nothing."""


class Status(IntEnum):
    """The status of a URL."""

    PENDING = 0
    """Waits to be chosen."""
    WAITING = 1
    """Is due at a moment of its own: to be tried again, or revisited."""
    DONE = 2
    """Has its outcome."""
    PUT_OFF = 3
    """Is known, and waits for a cycle that chooses it."""


# Bound once: reading a member of an enum costs as much as all the rest of a comparison.
PENDING, WAITING, DONE, PUT_OFF = (int(status) for status in Status)

UNSENT, NOTED, ANSWERED = range(3)
"""States of a POST: no connection was made; it is about to be sent, or was; its answer is decided
on, in the same commit."""


class Columns:
    """A set of arrays that can be packed into bytes and unpacked again."""

    _types: dict[str, str]

    def __init__(self) -> None:
        for name, code in self._types.items():
            setattr(self, name, array(code))

    def grow(self, count: int) -> None:
        """Add entries that are all zeros."""
        for name in self._types:
            values: array[Any] = getattr(self, name)
            values.frombytes(bytes(values.itemsize * count))

    def pack(self) -> bytes:
        """Return all arrays, little-endian, by name."""
        packed = {}
        for name in self._types:
            values: array[Any] = getattr(self, name)
            if sys.byteorder == "big":
                values = values[:]
                values.byteswap()
            packed[name] = values.tobytes()
        return msgspec.msgpack.encode(packed)

    def unpack(self, data: bytes) -> None:
        """Replace the contents of all arrays; one that is younger than the data is all zeros."""
        packed = msgpack_decoder(dict[str, bytes]).decode(data)
        length = 0
        for name in self._types:
            values: array[Any] = getattr(self, name)
            del values[:]
            values.frombytes(packed.get(name, bytes(values.itemsize * length)))
            length = len(values)
            if sys.byteorder == "big":
                values.byteswap()


class Pages(Columns):
    """One entry per URL."""

    distance: array[int]
    status: array[int]
    outcome: array[int]
    """0 until there is one."""
    tries: array[int]
    site: array[int]
    fetch: array[int]
    """Index into `Fetches`, or NONE."""
    guess: array[int]
    """The mining rule that guessed it, with `JUDGED` and `VAIN`; 0 when a link led to it."""
    hops: array[int]
    """The fewest redirects in a row that led to it; 0 when anything else did."""

    _types = {  # noqa: RUF012
        "distance": "H",
        "status": "B",
        "outcome": "B",
        "tries": "B",
        "site": "I",
        "fetch": "I",
        "guess": "B",
        "hops": "B",
    }


class Fetches(Columns):
    """One entry per URL that has been asked for: where its record is and when it is due again."""

    segment: array[int]
    offset: array[int]
    length: array[int]
    """0 when nothing is stored."""
    due: array[float]

    _types = {"segment": "I", "offset": "Q", "length": "I", "due": "d"}  # noqa: RUF012


class Sites(Columns):
    """One entry per scheme, host and port: what robots rules belong to."""

    host: array[int]
    following: array[int]
    """The next site of the same host, or NONE."""
    pending: array[int]
    """URLs that are pending or waiting."""
    closed: array[int]
    """The outcome in which all its pending URLs end, or 0 while it is open."""
    robots: array[int]
    robots_tries: array[int]
    robots_expires: array[float]
    crawl_delay: array[float]
    mined_out: array[int]
    """1 when nothing more is to be guessed."""
    strikes: array[int]
    """How often in a row no connection could be made."""
    due: array[float]
    """When the next connection may be tried; the host's own moment is beside it."""
    wants_sitemap: array[int]
    """1 while `/sitemap.xml` is to be tried when the site has given a page."""

    _types = {  # noqa: RUF012
        "host": "I",
        "following": "I",
        "pending": "I",
        "closed": "B",
        "robots": "B",
        "robots_tries": "B",
        "robots_expires": "d",
        "crawl_delay": "d",
        "mined_out": "B",
        "strikes": "B",
        "due": "d",
        "wants_sitemap": "B",
    }

    def add(self, host: int, following: int) -> None:
        """Enter a new site."""
        self.host.append(host)
        self.following.append(following)
        self.pending.append(0)
        self.closed.append(0)
        self.robots.append(0)
        self.robots_tries.append(0)
        self.robots_expires.append(0.0)
        self.crawl_delay.append(0.0)
        self.mined_out.append(0)
        self.strikes.append(0)
        self.due.append(0.0)
        self.wants_sitemap.append(0)


class Hosts(Columns):
    """One entry per host name."""

    due: array[float]
    strikes: array[int]
    closed: array[int]
    kept: array[int]
    first_site: array[int]
    address: array[int]
    """Its number in the `AddressBook`; 0 when none is known."""
    address_expires: array[float]
    missing: array[int]
    """How often in a row the name server said that the name has no address."""
    announced: array[int]
    """1 when the server itself named the time, by Retry-After."""

    _types = {  # noqa: RUF012
        "due": "d",
        "strikes": "B",
        "closed": "B",
        "kept": "I",
        "first_site": "I",
        "address": "Q",
        "address_expires": "d",
        "missing": "B",
        "announced": "B",
    }

    def add(self) -> None:
        """Enter a new host."""
        self.due.append(0.0)
        self.strikes.append(0)
        self.closed.append(0)
        self.kept.append(0)
        self.first_site.append(NONE)
        self.address.append(0)
        self.address_expires.append(0.0)
        self.missing.append(0)
        self.announced.append(0)
