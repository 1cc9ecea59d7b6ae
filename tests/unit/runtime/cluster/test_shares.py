"""Shares of a cluster: even, steady, and never taken from the living."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from cluster_simulation import to_take
from lycosa.runtime.cluster.cordons import MOST_DEATHS, Cordons, pack, unpack
from lycosa.runtime.cluster.shares import forgettable, is_free, plan, to_release
from lycosa.runtime.membership.record import Member, Standing, tombstone


def member(number: int, weight: int = 1, **more: object) -> Member:
    return Member(number, f"m{number}", "1.0", 2, weight, **more)  # type: ignore[arg-type]


def cluster(*weights: int) -> dict[int, Member]:
    return {number: member(number, weight) for number, weight in enumerate(weights, 1)}


def fulfilled(owners: list[int | None], members: dict[int, Member]) -> list[int | None]:
    """Return the owners when every wish has come true."""
    wishes = plan(owners, members, ())
    return [wish or owner for wish, owner in zip(wishes, owners, strict=True)]


def settled(partitions: int, members: dict[int, Member]) -> list[int | None]:
    return fulfilled([None] * partitions, members)


weights = st.lists(st.integers(1, 9), min_size=1, max_size=16)


@settings(deadline=None)
@given(st.integers(1, 300), weights)
def test_shares_differ_by_what_weights_demand(partitions: int, given_weights: list[int]) -> None:
    members = cluster(*given_weights)
    load = Counter(settled(partitions, members))
    for one in members.values():
        for other in members.values():
            assert load[one.number] / one.weight <= (load[other.number] + 1) / other.weight


@settings(deadline=None)
@given(st.integers(1, 300), weights.filter(lambda found: len(found) > 1), st.data())
def test_when_one_leaves_only_its_partitions_move(
    partitions: int, given_weights: list[int], data: st.DataObject
) -> None:
    members = cluster(*given_weights)
    before = settled(partitions, members)
    gone = data.draw(st.sampled_from(sorted(members)))
    members[gone] = tombstone(members[gone], 0)
    after = fulfilled(before, members)
    for old, new in zip(before, after, strict=True):
        assert new != gone
        assert new == old or old == gone


def test_when_one_of_16_leaves_its_64_partitions_move_and_no_other() -> None:
    members = cluster(*[1] * 16)
    before = settled(1024, members)
    members[7] = tombstone(members[7], 1)
    after = fulfilled(before, members)
    moved = [partition for partition in range(1024) if before[partition] != after[partition]]
    assert len(moved) == 64
    assert {before[partition] for partition in moved} == {7}
    sizes = Counter(after).values()
    assert (min(sizes), max(sizes)) == (68, 69)


@settings(deadline=None)
@given(st.integers(1, 300), weights, st.integers(1, 9))
def test_what_moves_when_one_joins_goes_to_it(
    partitions: int, given_weights: list[int], weight: int
) -> None:
    members = cluster(*given_weights)
    before = settled(partitions, members)
    newest = len(members) + 1
    members[newest] = member(newest, weight)
    after = fulfilled(before, members)
    for old, new in zip(before, after, strict=True):
        assert new in (old, newest)


owner_lists = st.lists(st.none() | st.integers(1, 8), min_size=1, max_size=60)
standings = st.lists(
    st.tuples(st.sampled_from(Standing), st.booleans(), st.integers(1, 4)), min_size=6, max_size=6
)


@settings(deadline=None)
@given(owner_lists, standings, st.sets(st.integers(0, 59)))
def test_whatever_stands_on_the_board(
    owners: list[int | None],
    given_standings: list[tuple[Standing, bool, int]],
    cordoned: set[int],
) -> None:
    members = {
        number: member(number, weight, standing=standing, is_cordoned=is_cordoned)
        for number, (standing, is_cordoned, weight) in enumerate(given_standings, 1)
    }
    wishes = plan(owners, members, cordoned)
    assert wishes == plan(owners, members, cordoned)
    taken: list[int] = []
    for number, one in members.items():
        mine = to_take(number, wishes, owners, members)
        taken += mine
        for partition in mine:
            assert one.takes
            assert partition not in cordoned
            assert is_free(owners[partition], members)
        for partition in to_release(number, wishes, owners):
            wish = wishes[partition]
            leaves = one.is_gone or one.standing is Standing.LEAVING
            assert members[wish].takes if wish else leaves
    assert len(taken) == len(set(taken))
    for partition, owner in enumerate(owners):
        if owner not in members and owner is not None:
            assert wishes[partition] == owner, "its record may not have been seen yet"
        if owner in members and members[owner].is_cordoned and not members[owner].is_gone:
            leaving = members[owner].standing is Standing.LEAVING
            assert leaving or wishes[partition] == owner
    # A plan that has come true is its own plan.
    after = [wish or owner for wish, owner in zip(wishes, owners, strict=True)]
    assert [w or o for w, o in zip(plan(after, members, cordoned), after, strict=True)] == after


def test_a_leaving_member_gives_everything_and_a_partition_waits_for_its_release() -> None:
    members = cluster(1, 1)
    members[1] = member(1, standing=Standing.LEAVING)
    owners: list[int | None] = [1, 1, 2, 2]
    wishes = plan(owners, members, ())
    assert wishes == [2, 2, 2, 2]
    assert to_release(1, wishes, owners) == [0, 1]
    assert to_take(2, wishes, owners, members) == []
    assert to_take(2, wishes, [None, 1, 2, 2], members) == [0]


def test_the_last_member_leaves_although_no_other_takes() -> None:
    members = {1: member(1, standing=Standing.LEAVING), 2: member(2, is_cordoned=True)}
    assert plan([1, 2, None], members, ()) == [0, 2, 0]
    assert to_release(1, [0, 2, 0], [1, 2, None]) == [0]
    assert to_release(2, [0, 2, 0], [1, 2, None]) == []


def test_a_partition_whose_owners_die_four_times_is_cordoned() -> None:
    cordons = Cordons()
    for life in (3, 5, 5, 7):  # an answer was lost, so one death is told twice
        cordons = unpack(pack(cordons.died(9, life)))
    assert cordons.cordoned == frozenset()
    cordons = cordons.died(9, 8)
    assert MOST_DEATHS == 4
    assert cordons.cordoned == {9}
    assert plan([None] * 10, cluster(1), cordons.cordoned)[9] == 0
    assert cordons.cleared(9) == Cordons()


def test_an_owner_that_lives_strikes_the_deaths_out() -> None:
    cordons = Cordons().died(1, 3).died(1, 4).died(1, 5).cleared(1).died(1, 6)
    assert cordons.cordoned == frozenset()


def test_a_tombstone_stays_while_the_log_or_the_ledger_names_its_life() -> None:
    members = {n: tombstone(member(n), 9) for n in (1, 2, 3)} | {9: member(9)}
    assert forgettable([1, 9, None], members, charged={2}) == {3}


def test_a_life_whose_process_is_alive_has_not_died_of_its_partitions() -> None:
    cordons = Cordons().died(9, 3).died(9, 4).died(9, 5).died(9, 6).died(2, 4)
    assert cordons.cordoned == {9}
    assert cordons.without([7]) is cordons
    assert cordons.without([4, 7]) == Cordons({9: (3, 5, 6)})
    assert cordons.without([4, 7]).cordoned == frozenset()
