"""Chooses the K best URLs of many partitions, from short summaries of their worth.

Each partition *bids*: it says how many of its URLs are worth how much, in bins one percent wide.
That is some hundred numbers, however many URLs there are. Each partition's *share* follows from all
bids: everything in the bins above a certain one, and a given number of its best in that bin.

Always true:
  * `most` URLs are chosen in total, or all of them;
  * no URL left out lies in a bin above one that is chosen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from math import floor, inf, log2

from lycosa._support.tuples import NamedTuple

PER_OCTAVE = 64
"""Bins between a worth and its double."""

FIRST = 1 << 20
"""The bin of what comes before everything that has a number."""
LAST = -FIRST

Bid = dict[int, int]
"""Bin → how many URLs are in it."""


class Candidate(NamedTuple):
    """A URL that could be chosen."""

    worth: float
    page: int


class Share(NamedTuple):
    """The URLs that a partition may take, by bin."""

    bin: int
    """All of the bins above this one, ..."""
    of_bin: int
    """... this number of its best in that bin, ..."""
    room: int
    """... and this number of URLs that are found before the next cycle begins."""


def bin_of(worth: float) -> int:
    """Return the bin of a worth, which is greater than 0."""
    if worth == inf:
        return FIRST
    return max(LAST + 1, min(FIRST - 1, floor(PER_OCTAVE * log2(worth))))


def bid_of(candidates: Iterable[Candidate]) -> Bid:
    """Return the bid of a partition."""
    return dict(Counter(bin_of(candidate.worth) for candidate in candidates))


def share_out(bids: Mapping[int, Bid], most: int) -> dict[int, Share]:
    """Return the share of each partition, so that `most` URLs are chosen in all.

    The bids leave room for URLs that are found meanwhile: half of it is spread evenly, half
    as the bids are, because new URLs are found where there are many.
    """
    whole: Counter[int] = Counter()
    for bid in bids.values():
        whole.update(bid)
    left = most
    for bin_number in sorted(whole, reverse=True):
        if whole[bin_number] > left:
            of_bin = _split(left, {part: bid.get(bin_number, 0) for part, bid in bids.items()})
            return {part: Share(bin_number, of_bin[part], 0) for part in bids}
        left -= whole[bin_number]
    evenly = _split(left // 2, dict.fromkeys(bids, 1))
    by_size = _split(left - left // 2, {part: sum(bid.values()) for part, bid in bids.items()})
    return {part: Share(LAST, 0, evenly[part] + by_size[part]) for part in bids}


def chosen(candidates: Sequence[Candidate], share: Share) -> list[Candidate]:
    """Return the candidates that a partition takes, the best first."""
    ordered = sorted(candidates, key=lambda candidate: (-candidate.worth, candidate.page))
    above = [candidate for candidate in ordered if bin_of(candidate.worth) > share.bin]
    at_the_edge = (candidate for candidate in ordered if bin_of(candidate.worth) == share.bin)
    return [*above, *islice(at_the_edge, share.of_bin)]


def _split(amount: int, weights: Mapping[int, int]) -> dict[int, int]:
    """Share an amount out by weight, in whole numbers that add up to it."""
    total = sum(weights.values())
    if not total:
        return _split(amount, dict.fromkeys(weights, 1)) if weights else {}
    shares = {part: amount * weight // total for part, weight in weights.items()}
    rest = amount - sum(shares.values())
    by_remainder = sorted(weights, key=lambda part: (-(amount * weights[part] % total), part))
    for part in by_remainder[:rest]:
        shares[part] += 1
    return shares
