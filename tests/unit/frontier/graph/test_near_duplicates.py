"""Fingerprints that are near each other: all of them are found, and no others."""

from __future__ import annotations

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.frontier.graph import near_duplicates
from lycosa.frontier.graph.near_duplicates import Fingerprints, near_groups

NUMBERS = st.integers(0, 2**64 - 1)


@st.composite
def fingerprints(draw: st.DrawFn) -> list[int]:
    """Some numbers, and others that differ from them in a few bits."""
    found = draw(st.lists(NUMBERS, max_size=8))
    for number in list(found):
        for bits in draw(st.lists(st.lists(st.integers(0, 63), max_size=12), max_size=3)):
            for bit in bits:
                number ^= 1 << bit
            found.append(number)
    return found


def grouped(found: list[int], bits: int) -> list[int]:
    """Return the lowest place in the group of each, by networkx."""
    graph = networkx.Graph()
    graph.add_nodes_from(range(len(found)))
    graph.add_edges_from(
        (one, other)
        for one in range(len(found))
        for other in range(one)
        if (found[one] ^ found[other]).bit_count() <= bits
    )
    lowest = {at: min(part) for part in networkx.connected_components(graph) for at in part}
    return [lowest[at] for at in range(len(found))]


@settings(deadline=None)
@given(fingerprints(), st.integers(0, 10))
def test_groups_are_what_pairs_connect(found: list[int], bits: int) -> None:
    assert near_groups(np.array(found, np.uint64), bits).tolist() == grouped(found, bits)


def grouped_by_comparing_all(found: Fingerprints, bits: int) -> list[int]:
    """Return the same, of thousands: every one is compared with every other, a row at a time."""
    pairs = [
        (one, one + 1 + int(other))
        for one in range(len(found))
        for other in np.flatnonzero(np.bitwise_count(found[one + 1 :] ^ found[one]) <= bits)
    ]
    graph = networkx.Graph(pairs)
    graph.add_nodes_from(range(len(found)))
    lowest = {at: min(part) for part in networkx.connected_components(graph) for at in part}
    return [lowest[at] for at in range(len(found))]


@pytest.fixture(params=["as it is", "crowded", "scattered"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Ways of comparing that by themselves come with other numbers of fingerprints."""
    if request.param == "crowded":  # few sorts, and crowds that are arranged by their groups
        monkeypatch.setattr(near_duplicates, "_SORT", 10**9)
        monkeypatch.setattr(near_duplicates, "_SCATTERED", 0)
        monkeypatch.setattr(near_duplicates, "_FIRST_LOOK", 1)
    elif request.param == "scattered":  # many sorts
        monkeypatch.setattr(near_duplicates, "_SORT", 0)
    return str(request.param)


@pytest.mark.parametrize("dead_bits", [0, 11])
def test_groups_of_thousands_are_what_comparing_all_with_all_finds(
    dead_bits: int, way: str
) -> None:
    random = np.random.default_rng(11)
    strangers = random.integers(0, 2**64, 1500, np.uint64, endpoint=False)
    strangers <<= np.uint64(dead_bits)  # bits that are nearly always the same make crowds
    templates = random.choice(strangers, 5)
    versions = random.choice(templates, 1500)
    for _ in range(6):
        versions ^= np.uint64(1) << random.integers(0, 64, 1500).astype(np.uint64)
    # One bit in each of six blocks of seven: a single sort brings such a pair together.
    bits = [random.integers(64 * part // 7, 64 * (part + 1) // 7, 500) for part in range(7)]
    bits.pop(random.integers(7))
    pairs = strangers[:500] ^ np.bitwise_or.reduce(np.uint64(1) << np.array(bits, np.uint64))
    found = random.permutation(np.concatenate([strangers, versions, pairs, strangers[:50]]))
    groups = near_groups(found, 6)
    assert groups.tolist() == grouped_by_comparing_all(found, 6)
    assert np.bincount(groups).max() > 100


def test_bits_that_say_nothing_are_not_what_is_sorted_by() -> None:
    random = np.random.default_rng(12)
    found = random.integers(0, 2**50, 100_000, np.uint64) << np.uint64(10)
    for mask in near_duplicates._masks(found, 6):
        kinds, sizes = np.unique(found & mask, return_counts=True)
        assert len(kinds) > 1000
        assert sizes.max() < 400


def test_it_is_told_how_far_the_search_is() -> None:
    told: list[tuple[int, int]] = []
    near_groups(np.arange(10, dtype=np.uint64), 6, lambda done, total: told.append((done, total)))
    assert told == [(done, 7) for done in range(1, 8)]


@pytest.mark.parametrize("waiting", [0, 50, 10**6])
def test_many_versions_of_one_page_are_one_group(
    waiting: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(near_duplicates, "_MOST_WAITING", waiting)
    random = np.random.default_rng(3)
    masks = [sum(1 << int(bit) for bit in random.choice(64, 3)) for _ in range(300)]
    versions = [0x0123456789ABCDEF ^ mask for mask in masks]
    chain = [(1 << 62) - (1 << step) for step in range(0, 60, 2)]  # each is near the next alone
    strangers = random.integers(0, 2**64, 300, np.uint64, endpoint=False).tolist()
    found = list(dict.fromkeys([*versions, *strangers, *chain]))
    assert near_groups(np.array(found, np.uint64), 6).tolist() == grouped(found, 6)


def test_more_fingerprints_are_cut_finer_and_still_all_are_found() -> None:
    random = np.random.default_rng(5)
    many = random.integers(0, 2**64, 150_000, np.uint64, endpoint=False)
    places = random.choice(150_000, 200, replace=False)
    many[places[:100]] = many[places[100:]] ^ np.uint64(0b1001 << 30 | 1)
    assert len(near_duplicates._masks(many, 6)) > len(near_duplicates._masks(many[:1000], 6))
    groups = near_groups(many, 6)
    together = np.flatnonzero(groups != np.arange(len(many)))
    expected = {tuple(sorted(pair)) for pair in zip(places[:100], places[100:], strict=True)}
    assert set(zip(groups[together].tolist(), together.tolist(), strict=True)) == expected


def test_more_bits_than_there_are_cannot_differ() -> None:
    with pytest.raises(ValueError, match="64 bits"):
        near_groups(np.zeros(2, np.uint64), 64)
