"""The planner against a plain twin that sorts everything, and what it leaves out."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.frontier.cycle_candidates import Planner
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.freshness.bids import bid_of, bin_of, chosen, share_out
from lycosa.frontier.freshness.changes import Belief, first_belief, of_host
from lycosa.frontier.freshness.worth import POLICIES
from lycosa.model.job import Revisit
from lycosa.model.records import (
    Admitted,
    CycleBegun,
    Fetched,
    HostChanged,
    Outcome,
    Place,
    Sight,
    Visited,
)

NOW = 2_000_000.0
HOSTS = ["test.a", "test.b", "test.c"]


def quality_of(key: str, depth: int) -> float:
    return (hash_of(key) % 97 + 1) / 98


def hash_of(key: str) -> int:
    return sum(map(ord, key)) * 7919


def state_of(pages: list[tuple[int, str, float, float]], closed: int = -1) -> PartitionState:
    """Make a partition of (host, kind, age, evidence seconds); pages are numbered as given."""
    state = PartitionState()
    state.apply(CycleBegun(0.0, 1, [], [], 0))
    for number, (host, kind, age, seconds) in enumerate(pages):
        put_off = [0] if kind == "new" else []
        key = f"{HOSTS[host]}:/{number}"
        state.apply(Admitted(0.0, "", [key], [21 * (number % 3)], put_off=put_off))
        if kind in ("kept", "gone"):
            outcome = Outcome.KEPT if kind == "kept" else Outcome.NOT_FOUND
            state.apply(Fetched(NOW - age, number, outcome, 200, 1, 0.0, 0.0, Place(1, 0, 1)))
        if kind == "kept":
            visited = Visited(NOW - age, number, Sight.FIRST, 1, 1, 1.0, seconds, 1.0, 500.0)
            state.apply(visited)
    if closed >= 0 and state.host_number(HOSTS[closed]) is not None:
        number = state.host_number(HOSTS[closed]) or 0
        state.apply(HostChanged(NOW, number, 0.0, 0, Outcome.BLOCKED))
    return state


kinds = st.sampled_from(["new", "kept", "kept", "kept", "gone", "pending"])
pages = st.tuples(st.integers(0, 2), kinds, st.floats(1.0, 1e6), st.floats(1.0, 1e6))
partitions = st.lists(st.lists(pages, max_size=25), min_size=1, max_size=4)


@settings(deadline=None)
@given(
    partitions,
    st.integers(1, 40),
    st.integers(1, 8),
    st.sampled_from(sorted(POLICIES)),
    st.integers(-1, 2),
)
def test_bids_and_shares_choose_what_sorting_everything_chooses(
    found: list[list[tuple[int, str, float, float]]],
    most: int,
    cap: int,
    policy: str,
    closed: int,
) -> None:
    revisit = Revisit(policy=policy, not_before_seconds=100.0)
    states = [state_of(pages, closed) for pages in found]
    planner = Planner(revisit, lambda state, host: cap)
    bids = {
        number: bid_of(planner.candidates(state, NOW, quality_of))
        for number, state in enumerate(states)
    }
    shares = share_out(bids, most)
    planned = {
        (number, candidate.page)
        for number, state in enumerate(states)
        for candidate in chosen(planner.candidates(state, NOW, quality_of), shares[number])
    }
    everything = plain_twin(found, revisit, cap, closed)
    assert len(planned) == min(most, len(everything))
    assert planned <= everything.keys()
    worst = min((bin_of(everything[one]) for one in planned), default=0)
    assert all(bin_of(everything[one]) <= worst for one in everything.keys() - planned)


def plain_twin(
    found: list[list[tuple[int, str, float, float]]], revisit: Revisit, cap: int, closed: int
) -> dict[tuple[int, int], float]:
    """Return the worth of every candidate, after the cap of each host."""
    policy = POLICIES[revisit.policy]
    worths: dict[tuple[int, int], list[tuple[float, int]]] = defaultdict(list)
    for number, pages in enumerate(found):
        for page, (host, kind, age, seconds) in enumerate(pages):
            quality = quality_of(f"{HOSTS[host]}:/{page}", 0) if policy.needs_quality else 1.0
            if host == closed or kind in ("gone", "pending"):
                continue
            if kind == "new":
                worths[number, host].append((policy.new(quality), -page))
            elif age >= revisit.not_before_seconds:
                own = of_host(_host_belief(revisit))
                belief = Belief(own.shape + 1.0, own.seconds + _single(seconds))
                worths[number, host].append((policy.known(quality, belief, age), -page))
    return {
        (number, -page): worth
        for (number, _), some in worths.items()
        for worth, page in sorted(some, reverse=True)[:cap]
        if worth > 0.0
    }


def _host_belief(revisit: Revisit) -> Belief:
    """What is believed of any host here that has a page which was visited."""
    first = first_belief(revisit.change_seconds)
    return Belief(first.shape + 1.0, first.seconds + 500.0)


def _single(value: float) -> float:
    """Return a number as it is kept, in 32 bits."""
    from array import array

    return float(array("f", [value])[0])


def test_what_a_sitemap_announces_is_worth_as_much_as_what_is_new() -> None:
    state = state_of([(0, "kept", 5000.0, 1e9)])
    planner = Planner(Revisit(policy="profit"), lambda state, host: 9)
    before = planner.assess(state, 0, NOW, quality_of)
    state.apply(Visited(NOW - 10.0, 0, Sight.ANNOUNCED))
    after = planner.assess(state, 0, NOW, quality_of)
    assert before.worth < 0.01 * after.worth
    assert (after.worth, after.fresh) == (after.quality, 0.0)
    state.apply(Visited(NOW, 0, Sight.UNCHANGED, 1, 1, 1.0, 1e9, 1.0, 500.0))
    assert planner.assess(state, 0, NOW + 5000.0, quality_of).worth < 0.01 * after.worth


def test_new_urls_are_taken_in_while_there_is_room_on_the_whole_and_on_their_host() -> None:
    state = PartitionState()
    planner = Planner(Revisit(policy="profit"), lambda state, host: 3)
    keys = [f"test.a:/{n}" for n in range(5)] + [f"test.b:/{n}" for n in range(5)]
    assert planner.put_off(state, keys) == list(range(10)), "before the first cycle there is none"
    state.apply(CycleBegun(0.0, 1, [], [], 5))
    assert planner.put_off(state, keys) == [3, 4, 7, 8, 9]
    state.apply(Admitted(0.0, "", keys, [0] * 10, put_off=[3, 4, 7, 8, 9]))
    assert state.history.room == 0 and state.pending == 5
    assert planner.put_off(state, ["test.c:/"]) == [0]


def test_what_was_put_off_is_not_pending_until_a_cycle_chooses_it() -> None:
    state = PartitionState()
    state.apply(Admitted(0.0, "", ["test.a:/0", "test.a:/1"], [0, 0], put_off=[1]))
    assert (state.pending, state.sites.pending[0], state.is_pending(1)) == (1, 1, False)
    state.apply(CycleBegun(5.0, 1, [1], [0.5], 0))
    assert (state.pending, state.sites.pending[0], state.is_pending(1)) == (2, 2, True)
    assert (state.history.plan, state.history.planned_of(0)) == ({1: 0.5}, 1)


@pytest.mark.parametrize("number", [0, 1])
def test_a_snapshot_keeps_all_of_it(number: int) -> None:
    state = state_of([(0, "kept", 5000.0, 70.0), (1, "new", 1.0, 1.0)])
    state.apply(CycleBegun(NOW, 2, [number], [0.25], 7))
    again = PartitionState.unpack(state.pack(0))
    assert again.pack(0) == state.pack(0)
    assert again.history.plan == {number: 0.25} and again.history.room == 7
