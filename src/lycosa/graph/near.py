"""Fingerprints that differ in few bits: all pairs, or all that are near a given one.

If two fingerprints differ in at most k bits and are cut into b > k blocks, at least b - k blocks
are equal (Manku, Jain and Das Sarma 2007). So for every choice of b - k blocks the fingerprints are
sorted by those blocks, and only what stands together is compared. Nothing is missed, and nothing is
guessed: what is found has been compared in full.

Blocks are chosen so that few unrelated fingerprints stand together: more of them for more
fingerprints. Cost: 12 bytes a fingerprint and choice for an index; pairs need one choice at a time.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BITS = 64
_MOST_SORTS, _MOST_TABLES = 130, 30
"""Choices of blocks: one after the other for pairs, and all at once in an index."""

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
