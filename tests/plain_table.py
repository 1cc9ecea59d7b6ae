"""The URL table in pure Python: a dict, two sorted lists and no cleverness.

It answers every question of the contract literally, and the tests compare the compiled table with
it. Adding, marking and waking move list entries about, so it is for tests and for small crawls.
"""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Sequence

import msgspec

from lycosa._support.decoders import msgpack_decoder
from lycosa.frontier.urltable.segments import host_node, is_node, segment_end


class PlainUrlTable:
    """Implements `lycosa.frontier.urltable.contract.UrlTable`."""

    def __init__(self) -> None:
        self._keys: list[str] = []
        self._numbers: dict[str, int] = {}
        self._in_order: list[str] = []
        self._names: list[str] = []
        self._sites: dict[str, int] = {}
        self._marked: list[set[str]] = []
        self._awake: set[int] = set()
        self._spilled: set[int] = set()
        self._ready: list[str] = []
        self._served: dict[str, str] = {}
        """For every node that `round_robin` came through: the child that was served last."""

    # -- numbers --------------------------------------------------------------------------

    def add(self, key: str) -> int:
        """Take a key in."""
        number = self._numbers.get(key)
        if number is None:
            name = key[: key.index("/")]
            site = self._sites.get(name)
            if site is None:
                site = self._sites[name] = len(self._names)
                self._names.append(name)
                self._marked.append(set())
            self._spilled.discard(site)
            number = self._numbers[key] = len(self._keys)
            self._keys.append(key)
            insort(self._in_order, key)
        return number

    def add_many(self, keys: Sequence[str]) -> list[int]:
        """Take keys in."""
        return [self.add(key) for key in keys]

    def find(self, key: str) -> int | None:
        """Look a key up."""
        return self._numbers.get(key)

    def find_many(self, keys: Sequence[str]) -> list[int]:
        """Look keys up."""
        return [self._numbers.get(key, -1) for key in keys]

    def key(self, number: int) -> str:
        """Return the key."""
        if number < 0:
            raise IndexError(number)
        return self._keys[number]

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def walk(self, prefix: str = "") -> Iterator[tuple[str, int]]:
        """Yield what begins with a prefix; keys that come meanwhile may be left out."""
        first, end = _range(self._in_order, prefix)
        for key in self._in_order[first:end]:
            yield key, self._numbers[key]

    def children(self, node: str) -> Iterator[str]:
        """Yield each first step below a node once."""
        last = node
        for key, _ in self.walk(node):
            if key != node:
                child = key[: segment_end(key, len(node))]
                if child != last:
                    yield child
                last = child

    def site_count(self) -> int:
        """Return how many sites there are."""
        return len(self._names)

    def find_site(self, name: str) -> int | None:
        """Look a site up."""
        return self._sites.get(name)

    def site_name(self, site: int) -> str:
        """Return the name."""
        return self._names[site]

    # -- counts ---------------------------------------------------------------------------

    @property
    def ready(self) -> int:
        """How many URLs are marked on sites that are awake."""
        return len(self._ready)

    def mark(self, number: int) -> None:
        """Count a URL as pending."""
        key, site = self._key_and_site(number)
        if key not in self._marked[site]:
            self._spilled.discard(site)
            self._marked[site].add(key)
            if site in self._awake:
                insort(self._ready, key)

    def unmark(self, number: int) -> None:
        """Count it no longer."""
        key, site = self._key_and_site(number)
        if key in self._marked[site]:
            self._spilled.discard(site)
            self._marked[site].remove(key)
            if site in self._awake:
                del self._ready[bisect_left(self._ready, key)]

    def is_marked(self, number: int) -> bool:
        """Return whether it is counted."""
        key, site = self._key_and_site(number)
        return key in self._marked[site]

    def marked(self, site: int) -> int:
        """Return how many of a site are counted."""
        return len(self._marked[site])

    def clear(self, site: int) -> None:
        """Unmark all of a site."""
        self.rest(site)
        if self._marked[site]:
            self._spilled.discard(site)
            self._marked[site].clear()

    def wake(self, site: int) -> None:
        """Let a site's pending URLs be ready."""
        if site not in self._awake:
            self._awake.add(site)
            self._spilled.discard(site)
            at = bisect_left(self._ready, self._names[site] + "/")
            self._ready[at:at] = sorted(self._marked[site])

    def rest(self, site: int) -> None:
        """Let them be ready no longer."""
        if site in self._awake:
            self._awake.remove(site)
            first, end = _range(self._ready, self._names[site] + "/")
            del self._ready[first:end]

    def is_awake(self, site: int) -> bool:
        """Return whether it is awake."""
        return site in self._awake

    # -- walks over what is ready ---------------------------------------------------------

    def ready_below(self, prefix: str) -> int:
        """Count what begins with a prefix."""
        first, end = _range(self._ready, prefix)
        return end - first

    def first_ready(self, prefix: str = "") -> int | None:
        """Return the first in key order."""
        first, end = _range(self._ready, prefix)
        return self._number_at(first) if first < end else None

    def last_ready(self, prefix: str = "") -> int | None:
        """Return the last in key order."""
        first, end = _range(self._ready, prefix)
        return self._number_at(end - 1) if first < end else None

    def first_ready_leaf(self, prefix: str = "") -> int | None:
        """Descend as long as something ready lies below what was found."""
        at, end = _range(self._ready, prefix)
        if at == end:
            return None
        while self._is_above_next(at):
            at += 1
        return self._number_at(at)

    def next_ready_leaf(self, number: int) -> int | None:
        """Pass over what lies above others."""
        at = bisect_right(self._ready, self.key(number))
        while self._is_above_next(at):
            at += 1
        return self._number_at(at) if at < len(self._ready) else None

    def previous_ready_leaf(self, number: int) -> int | None:
        """Pass over what lies above others."""
        at = bisect_left(self._ready, self.key(number)) - 1
        while at >= 0 and self._is_above_next(at):
            at -= 1
        return self._number_at(at) if at >= 0 else None

    def _is_above_next(self, at: int) -> bool:
        keys = self._ready
        return at + 1 < len(keys) and is_node(keys[at]) and keys[at + 1].startswith(keys[at])

    def next_ready(self, number: int, prefix: str = "") -> int | None:
        """Return what follows in key order."""
        first, end = _range(self._ready, prefix)
        at = max(first, bisect_right(self._ready, self.key(number)))
        return self._number_at(at) if at < end else None

    def previous_ready(self, number: int, prefix: str = "") -> int | None:
        """Return what stands before it in key order."""
        first, end = _range(self._ready, prefix)
        at = min(end, bisect_left(self._ready, self.key(number))) - 1
        return self._number_at(at) if at >= first else None

    def next_ready_host(self, after: str = "") -> str | None:
        """Return the next host's node."""
        at = _range(self._ready, after)[1] if after else 0
        if at == len(self._ready):
            return None
        return host_node(self._ready[at])

    def round_robin(self, prefix: str = "") -> int | None:
        """Go down from turn to turn."""
        node = prefix
        while True:
            first, end = _range(self._ready, node)
            if first == end:
                return None
            at, served = first, self._served.get(node)
            if served == node:
                at += self._ready[first] == node
            elif served is not None:
                at = (_after if is_node(served) else bisect_right)(self._ready, served)
            key = self._ready[at if at < end else first]
            child = node if key == node else key[: segment_end(key, len(node))]
            self._served[node] = child
            if child == node or not is_node(child):
                return self._numbers[key]
            node = child

    # -- memory ---------------------------------------------------------------------------

    def spill(self, site: int) -> bool:
        """Note that a site is spilled; nothing is saved by it here."""
        if site in self._awake:
            return False
        self._spilled.add(site)
        return True

    def bring_back(self, site: int) -> None:
        """Note that it is not."""
        self._spilled.discard(site)

    def is_spilled(self, site: int) -> bool:
        """Return whether it is."""
        return site in self._spilled

    def bytes_held(self) -> int:
        """Return roughly what the keys and the containers take."""
        containers = (self._keys, self._numbers, self._in_order, self._names, self._ready)
        return sum(map(sys.getsizeof, containers)) + sum(map(sys.getsizeof, self._keys))

    def pack(self) -> bytes:
        """Return the keys in the order of their numbers."""
        return msgspec.msgpack.encode(self._keys)

    def unpack(self, data: bytes) -> None:
        """Add them again."""
        self.add_many(msgpack_decoder(list[str]).decode(data))

    def _key_and_site(self, number: int) -> tuple[str, int]:
        key = self.key(number)
        return key, self._sites[key[: key.index("/")]]

    def _number_at(self, place: int) -> int:
        return self._numbers[self._ready[place]]


def _range(keys: list[str], prefix: str) -> tuple[int, int]:
    """Return where the keys that begin with a prefix begin and end in a sorted list."""
    return bisect_left(keys, prefix), _after(keys, prefix)


def _after(keys: list[str], prefix: str) -> int:
    """Return the first place after all keys that begin with a prefix or stand before it."""
    return bisect_right(keys, prefix, key=lambda key: key[: len(prefix)])
