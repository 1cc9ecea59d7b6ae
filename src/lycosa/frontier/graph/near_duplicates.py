"""Groups of fingerprints that differ in few bits: near duplicates.

If two fingerprints differ in at most k bits and are cut into b > k blocks, at least b - k blocks
are equal (Manku, Jain and Das Sarma 2007). So for every choice of b - k blocks the fingerprints are
sorted by those blocks, and only what stands together is compared. Nothing is missed, and nothing is
guessed: what is found has been compared in full.

Blocks are cut so that each tells as much as the others: bits that are nearly always the same count
little. There are more of them, and more sorts, for more fingerprints, so that few unrelated ones
stand together. A thousand pages made from one template are half a million pairs, and one group:
`near_groups` holds some 100 bytes a fingerprint, however many pairs there are, and compares only
what is not in one group yet where many stand together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lycosa.frontier.graph.bow_tie import weak_components
from lycosa.frontier.graph.links import graph_of

BITS = 64
_MOST_SORTS = 130
"""Choices of blocks, one sort for each."""

_SORT = 50
"""Cost of sorting in units of comparing each with one neighbour: 110 ns a fingerprint, and 2 ns."""
_SCATTERED = 12
"""Cost of a comparison when only some fingerprints are compared, relative to comparing all."""
_FIRST_LOOK = 16
"""Comparisons after which groups are brought up to date; the number then doubles."""
_SAMPLE = 65_536
"""Size of the sample of fingerprints by which bits are judged."""
_MOST_WAITING = 4_000_000
"""Pairs that wait for being settled: 8 bytes each, and some 60 more while they are."""

Fingerprints = NDArray[np.uint64]
Places = NDArray[np.int32]
Numbers = NDArray[np.int64]
OnSort = Callable[[int, int], None]
"""Called with the number of sorts done, and of all sorts."""


def near_groups(
    fingerprints: Fingerprints, bits: int, on_sort: OnSort = lambda done, total: None
) -> Places:
    """Return for every fingerprint the lowest place in its group.

    Two are in one group if they differ in at most `bits` bits, or if a third is with both.
    """
    prints, first, which = np.unique(fingerprints, return_index=True, return_inverse=True)
    groups = _Groups(len(prints))
    masks = _masks(prints, bits)
    for done, mask in enumerate(masks, 1):
        _join_near(groups, prints, mask, bits)
        on_sort(done, len(masks))
    named = groups.of(np.arange(len(prints), dtype=np.int32))
    lowest = np.full(len(prints), len(fingerprints), np.int32)
    np.minimum.at(lowest, named, first.astype(np.int32))
    found: Places = lowest[named][which]
    return found


def _join_near(groups: _Groups, prints: Fingerprints, mask: np.uint64, bits: int) -> None:
    """Join all that are near each other and equal in the bits of the mask."""
    order = _sorted_by(prints, mask)
    ordered = prints[order]
    starts = _starts(ordered & mask)
    sizes = np.diff(starts, append=len(ordered))
    close = _worth_comparing(sizes)
    for shift in range(1, close + 1):
        # Near fingerprints belong together, whether or not they are equal in the mask.
        is_near = np.bitwise_count(ordered[shift:] ^ ordered[:-shift]) <= bits
        at = np.flatnonzero(is_near)
        groups.join(order[at], order[at + shift])
    is_large = sizes > close + 1
    starts, sizes = starts[is_large], sizes[is_large]
    at = _ranges(starts, sizes)
    large = _Buckets(order[at], ordered[at], np.repeat(np.arange(len(sizes)), sizes))
    _join_within(groups, large, close, bits)
    groups.settle()


def _worth_comparing(sizes: Numbers) -> int:
    """Return the distances at which all fingerprints are compared, given the sizes of buckets."""
    at_least = np.cumsum(np.bincount(sizes)[::-1])[::-1]
    with_another_so_far = np.cumsum(at_least[::-1])[::-1][2:]
    return int(np.count_nonzero(with_another_so_far * _SCATTERED >= sizes.sum()))


class _Buckets(NamedTuple):
    """Fingerprints that are equal in some bits, those of one bucket side by side."""

    places: Places
    prints: Fingerprints
    numbers: Numbers

    def take(self, which: NDArray[Any]) -> _Buckets:
        """Return some of them, or all in another order."""
        return _Buckets(*(column[which] for column in self))


def _join_within(groups: _Groups, found: _Buckets, close: int, bits: int) -> None:
    """Join all that are near each other and in the same bucket; those that are `close` are done.

    Each is compared with those that come later. As groups grow together, now and then they are put
    side by side, and from then on each is compared with those of later groups alone.
    """
    next_one = np.arange(len(found.places)) + close + 1
    steps = close + _FIRST_LOOK
    while len(found.places):
        one, other = np.arange(len(found.places)), next_one
        ends = np.cumsum(np.bincount(found.numbers))[found.numbers]
        for _ in range(steps):
            is_left = other < ends
            one, other, ends = one[is_left], other[is_left], ends[is_left]
            is_near = np.bitwise_count(found.prints[one] ^ found.prints[other]) <= bits
            groups.join(found.places[one[is_near]], found.places[other[is_near]])
            other = other + 1
        is_open = np.zeros(found.numbers[-1] + 1, np.bool_)
        is_open[found.numbers[one[other < ends]]] = True
        found = found.take(is_open[found.numbers])
        groups.settle()
        order, next_one = _arranged(found.numbers, groups.of(found.places))
        found = found.take(order)
        steps *= 2


def _arranged(buckets: Numbers, groups: Places) -> tuple[Numbers, Numbers]:
    """Return an order by bucket and group, and where in it the next group of each begins.

    The largest group of a bucket is its first: the steps are as many as fingerprints stand behind
    a group, and these are the fewest.
    """
    codes = buckets.astype(np.int64) << 32 | groups
    by = np.argsort(codes, kind="stable")
    codes = codes[by]
    starts = _starts(codes)
    sizes = np.diff(starts, append=len(codes))
    runs = np.lexsort((-sizes, codes[starts] >> 32))
    starts, sizes = starts[runs], sizes[runs]
    return by[_ranges(starts, sizes)], np.repeat(np.cumsum(sizes), sizes)


def _starts(ordered: NDArray[Any]) -> Numbers:
    """Return where a new value begins."""
    is_new = np.ones(len(ordered), np.bool_)
    is_new[1:] = ordered[1:] != ordered[:-1]
    return np.flatnonzero(is_new)


def _ranges(starts: Numbers, sizes: Numbers) -> Numbers:
    """Return the numbers from each start on, as many as its size says, one after the other."""
    before = np.cumsum(sizes) - sizes
    return np.repeat(starts - before, sizes) + np.arange(sizes.sum())


class _Groups:
    """The groups of places; pairs that were joined count once they are settled."""

    def __init__(self, count: int) -> None:
        self._lowest: Places = np.arange(count, dtype=np.int32)
        self._joined: list[tuple[Places, Places]] = []
        self._waiting = 0

    def of(self, places: Places) -> Places:
        """Return the lowest place that each is together with."""
        return self._lowest[places]

    def join(self, one: Places, other: Places) -> None:
        """Record that places belong together."""
        one, other = self._lowest[one], self._lowest[other]
        is_news = one != other
        if is_news.any():
            self._joined.append((one[is_news], other[is_news]))
            self._waiting += len(self._joined[-1][0])
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


def _masks(fingerprints: Fingerprints, bits: int) -> list[np.uint64]:
    """Return the sets of bits by which the fingerprints are sorted, one after the other."""
    if not 0 <= bits < BITS:
        raise ValueError(f"fingerprints have {BITS} bits; {bits} of them cannot differ")
    told = np.cumsum(_told_by_bits(fingerprints))

    def cost(equal: int) -> float:
        neighbours = len(fingerprints) / 2 ** (told[-1] * equal / (bits + equal))
        return comb(bits + equal, equal) * float(_SORT + neighbours)

    most = min(4, BITS - bits)
    choices = [n for n in range(1, most + 1) if comb(bits + n, n) <= _MOST_SORTS or n == 1]
    equal = min(choices, key=cost)
    blocks = bits + equal
    shares = told[-1] * np.arange(1, blocks) / blocks
    edges = [0, *np.searchsorted(told, shares, side="right").tolist(), BITS]
    parts = [(1 << high) - (1 << low) for low, high in pairwise(edges)]
    return [np.uint64(sum(some)) for some in combinations(parts, equal)]


def _told_by_bits(fingerprints: Fingerprints) -> NDArray[np.float64]:
    """Return the information of each bit, the lowest first: its entropy, but never 0."""
    sample = fingerprints[:: max(len(fingerprints) // _SAMPLE, 1)]
    ones = [np.count_nonzero(sample & np.uint64(1 << bit)) for bit in range(BITS)]
    share = (np.array(ones) + 0.5) / (len(sample) + 1)
    entropy: NDArray[np.float64] = -share * np.log2(share) - (1 - share) * np.log2(1 - share)
    return entropy


def _sorted_by(fingerprints: Fingerprints, mask: np.uint64) -> Places:
    """Return the places of fingerprints, in the order of those of their bits that are in a mask.

    The bits and the place go into one number of 64 bits: sorting numbers is five times as fast as
    sorting places by them.
    """
    count = len(fingerprints)
    place_bits = count.bit_length()
    if int(mask).bit_count() + place_bits > BITS:
        return np.argsort(fingerprints & mask, kind="stable").astype(np.int32)
    packed = np.zeros(count, np.uint64)
    for low, width in _runs_of_ones(int(mask)):
        part = fingerprints >> np.uint64(low)
        part &= np.uint64((1 << width) - 1)
        packed <<= np.uint64(width)
        packed |= part
    packed <<= np.uint64(place_bits)
    packed |= np.arange(count, dtype=np.uint64)
    packed.sort()
    packed &= np.uint64((1 << place_bits) - 1)
    return packed.astype(np.int32)


def _runs_of_ones(mask: int) -> Iterator[tuple[int, int]]:
    """Tell where ones stand side by side in a number, the highest first: (lowest bit, how many)."""
    while mask:
        high = mask.bit_length()
        low = ((1 << high) - 1 - mask).bit_length()
        yield low, high - low
        mask &= (1 << low) - 1
