"""Fingerprints that differ in few bits: all pairs, groups, or all that are near a given one.

If two fingerprints differ in at most k bits and are cut into b > k blocks, at least b - k blocks
are equal (Manku, Jain and Das Sarma 2007). So for every choice of b - k blocks the fingerprints are
sorted by those blocks, and only what stands together is compared. Nothing is missed, and nothing is
guessed: what is found has been compared in full.

Blocks are chosen so that few unrelated fingerprints stand together: more of them for more
fingerprints. Cost: 12 bytes a fingerprint and choice for an index; pairs and groups need one
choice at a time. A thousand pages made from one template are half a million pairs, and one group:
`near_groups` holds some 60 bytes a fingerprint, however many pairs there are.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lycosa.graph.bow_tie import weak_components
from lycosa.graph.links import graph_of

BITS = 64
_MOST_SORTS, _MOST_TABLES = 130, 30
"""Choices of blocks: one after the other for pairs, and all at once in an index."""

_MOST_WAITING = 4_000_000
"""Pairs that wait for being settled: 8 bytes each, and some 60 more while they are."""
_LOOKS = frozenset(2**power for power in range(4, 32))
"""After how many neighbours it is looked whether more of them can change anything."""

Fingerprints = NDArray[np.uint64]
Places = NDArray[np.int32]


class Pairs(NamedTuple):
    """Places of fingerprints that are near each other, the lower one first."""

    first: Places
    second: Places


def near_pairs(fingerprints: Fingerprints, bits: int) -> Pairs:
    """Return all pairs of places whose fingerprints differ in at most `bits` bits, in order."""
    found: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    count = len(fingerprints)
    for mask in _masks(count, bits, _MOST_SORTS):
        keys = fingerprints & mask
        order = np.argsort(keys, kind="stable").astype(np.int32)
        keys, ordered = keys[order], fingerprints[order]
        at = np.arange(count - 1)
        for shift in range(1, count):
            at = at[at + shift < count]
            at = at[keys[at] == keys[at + shift]]
            if not len(at):
                break
            is_near = np.bitwise_count(ordered[at] ^ ordered[at + shift]) <= bits
            one, other = order[at[is_near]], order[at[is_near] + shift]
            low, high = np.minimum(one, other), np.maximum(one, other)
            found.append(low.astype(np.int64) * count + high)
    codes = np.unique(np.concatenate(found))
    return Pairs(*(part.astype(np.int32) for part in np.divmod(codes, max(count, 1))))


def near_groups(fingerprints: Fingerprints, bits: int) -> Places:
    """Return for every fingerprint the lowest place in its group.

    Two are in one group if they differ in at most `bits` bits, or if a third is with both.
    """
    groups = _Groups(len(fingerprints))
    for mask in _masks(len(fingerprints), bits, _MOST_SORTS):
        keys = fingerprints & mask
        order = np.argsort(keys, kind="stable").astype(np.int32)
        keys, ordered = keys[order], fingerprints[order]
        at = np.flatnonzero(keys[1:] == keys[:-1])
        shift = 1
        while len(at):
            one, other = groups.of(order[at]), groups.of(order[at + shift])
            is_apart = one != other
            some = at[is_apart]
            is_near = np.bitwise_count(ordered[some] ^ ordered[some + shift]) <= bits
            groups.join(one[is_apart][is_near], other[is_apart][is_near])
            if shift in _LOOKS:
                groups.settle()
                at = at[~_are_together(groups.of(order), keys, at)]
            shift += 1
            at = at[at + shift < len(keys)]
            at = at[keys[at] == keys[at + shift]]
        groups.settle()
    return groups.of(np.arange(len(fingerprints), dtype=np.int32))


class _Groups:
    """Which places are together; what is joined counts once it is settled."""

    def __init__(self, count: int) -> None:
        self._lowest: Places = np.arange(count, dtype=np.int32)
        self._joined: list[tuple[Places, Places]] = []
        self._waiting = 0

    def of(self, places: Places) -> Places:
        """Return the lowest place that each is together with."""
        return self._lowest[places]

    def join(self, one: Places, other: Places) -> None:
        """Take down that groups, named by their lowest places, are one."""
        if len(one):
            self._joined.append((one, other))
            self._waiting += len(one)
            if self._waiting > _MOST_WAITING:
                self.settle()

    def settle(self) -> None:
        """Make groups that were joined one."""
        if not self._joined:
            return
        ends = [np.concatenate(side) for side in zip(*self._joined, strict=True)]
        self._joined, self._waiting = [], 0
        # Others may have been settled since these were named.
        named, at = np.unique(self._lowest[np.concatenate(ends)], return_inverse=True)
        one, other = np.split(at.astype(np.int32), 2)
        component = weak_components(graph_of(one, other, len(named)))
        lowest = np.empty(len(named), np.int32)
        lowest[component[::-1]] = named[::-1]
        names = np.arange(len(self._lowest), dtype=np.int32)
        names[named] = lowest[component]
        self._lowest = names[self._lowest]


def _are_together(groups: Places, keys: Fingerprints, at: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return of which of these places, in order, all that have the same key are in one group."""
    found, which = np.unique(keys[at], return_inverse=True)
    starts, ends = np.searchsorted(keys, found), np.searchsorted(keys, found, side="right")
    edges = np.stack([starts, ends], axis=1).ravel()
    padded = np.append(groups, groups[-1:])
    lowest = np.minimum.reduceat(padded, edges)[::2]
    highest = np.maximum.reduceat(padded, edges)[::2]
    together: NDArray[np.bool_] = (lowest == highest)[which]
    return together


class NearIndex:
    """Fingerprints that can be asked which of them are near another one."""

    def __init__(self, fingerprints: Fingerprints, bits: int) -> None:
        self.bits = bits
        self._tables: list[tuple[np.uint64, Fingerprints, Places]] = []
        self._all = fingerprints
        for mask in _masks(len(fingerprints), bits, _MOST_TABLES):
            keys = fingerprints & mask
            order = np.argsort(keys, kind="stable").astype(np.int32)
            self._tables.append((mask, keys[order], order))

    def near(self, fingerprint: int) -> list[int]:
        """Return the places of all fingerprints that differ in at most so many bits."""
        wanted = np.uint64(fingerprint)
        found: set[int] = set()
        for mask, keys, order in self._tables:
            key = wanted & mask
            low, high = np.searchsorted(keys, key), np.searchsorted(keys, key, side="right")
            places = order[low:high]
            is_near = np.bitwise_count(self._all[places] ^ wanted) <= self.bits
            found.update(places[is_near].tolist())
        return sorted(found)


def _masks(count: int, bits: int, most: int) -> list[np.uint64]:
    """Return which bits the fingerprints are sorted by, one after the other."""
    if not 0 <= bits < BITS:
        raise ValueError(f"fingerprints have {BITS} bits; {bits} of them cannot differ")
    wanted = max(count, 2).bit_length()
    best = (bits + 1, 1)
    for equal in range(1, 5):
        blocks = bits + equal
        if blocks > BITS or comb(blocks, equal) > most:
            break
        best = (blocks, equal)
        if BITS * equal // blocks >= wanted:
            break
    blocks, equal = best
    edges = [BITS * number // blocks for number in range(blocks + 1)]
    parts = [(1 << high) - (1 << low) for low, high in pairwise(edges)]
    return [np.uint64(sum(some)) for some in combinations(parts, equal)]
