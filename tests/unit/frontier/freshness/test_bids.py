"""The shares of the bids of many partitions, against sorting everything in one place."""

from __future__ import annotations

from math import inf

from hypothesis import given
from hypothesis import strategies as st

from lycosa.frontier.freshness.bids import (
    FIRST,
    PER_OCTAVE,
    Candidate,
    bid_of,
    bin_of,
    chosen,
    share_out,
)

worths = st.floats(1e-12, 1e12) | st.just(inf)
parts = st.dictionaries(st.integers(0, 7), st.lists(worths, max_size=40), min_size=1)


@given(parts, st.integers(1, 120))
def test_the_best_are_chosen_as_many_as_there_may_be(
    found: dict[int, list[float]], most: int
) -> None:
    candidates = {
        part: [Candidate(worth, page) for page, worth in enumerate(values)]
        for part, values in found.items()
    }
    shares = share_out({part: bid_of(some) for part, some in candidates.items()}, most)
    taken = {part: chosen(some, shares[part]) for part, some in candidates.items()}
    count = sum(map(len, candidates.values()))
    rooms = sum(share.room for share in shares.values())
    assert sum(map(len, taken.values())) == min(most, count)
    assert rooms == max(0, most - count)
    left = [
        bin_of(candidate.worth)
        for part, some in candidates.items()
        for candidate in set(some) - set(taken[part])
    ]
    worst = min((bin_of(one.worth) for some in taken.values() for one in some), default=FIRST)
    assert not left or max(left) <= worst
    for part, some in taken.items():
        others = [one.worth for one in set(candidates[part]) - set(some)]
        assert not others or not some or max(others) <= min(one.worth for one in some)


@given(worths, worths)
def test_bins_keep_the_order(one: float, other: float) -> None:
    assert (bin_of(one) > bin_of(other)) <= (one > other)


def test_a_bin_is_about_one_per_cent_wide() -> None:
    assert bin_of(2.0) - bin_of(1.0) == PER_OCTAVE
    assert bin_of(1.02) > bin_of(1.0)
    assert bin_of(inf) == FIRST > bin_of(1e300)


def test_room_goes_to_those_who_have_most_and_a_little_to_everybody() -> None:
    shares = share_out({0: {0: 90}, 1: {0: 10}, 2: {}}, 400)
    assert [share.room for share in shares.values()] == [185, 65, 50]
    assert [share.room for share in share_out({0: {}, 1: {}}, 9).values()] == [5, 4]
