"""Purses survive a snapshot, are dropped when they are full, and can be emptied and released."""

from __future__ import annotations

from lycosa.frontier.facts.traps import FULL, MOST_CONTENTS, MOST_SHAPES, shape_number
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.records import (
    Admitted,
    AnyEvent,
    MirrorFound,
    Outcome,
    Reopened,
    Settled,
    Weighed,
)

SITE = "test.a.www:"
KEYS = [f"{SITE}/cal/2024-{month:02d}" for month in range(1, 13)]
SHAPE = shape_number(SITE, "/cal/<date>")
FOLDER = shape_number(SITE, "/cal/**")


def state_of(*events: AnyEvent) -> PartitionState:
    state = PartitionState()
    state.apply(Admitted(1.0, "", KEYS, [0] * len(KEYS)))
    for event in events:
        state.apply(event)
    return state


def again(state: PartitionState) -> PartitionState:
    return PartitionState.unpack(state.pack(7))


def outcome_of(state: PartitionState, key: str) -> Outcome | None:
    return state.traps.outcome_of(0, SITE, key)


def test_a_shape_is_shut_when_an_event_says_so() -> None:
    spent = (Weighed(0, SHAPE, 1, 9, 77), Weighed(1, SHAPE, 0, 8, 77, Outcome.TRAP_CALENDAR))
    assert outcome_of(state_of(spent[0]), KEYS[5]) is None
    state = again(state_of(*spent))
    assert outcome_of(state, KEYS[5]) is Outcome.TRAP_CALENDAR
    assert outcome_of(state, f"{SITE}/cal/about") is None
    assert state.traps.holds(0)
    assert state.traps.hosts[0].left == 8


def test_a_folder_is_shut_with_everything_below_it() -> None:
    state = state_of(Weighed(0, FOLDER, 0, 9, 77, Outcome.TRAP_NOTHING_NEW))
    assert outcome_of(state, KEYS[5]) is Outcome.TRAP_NOTHING_NEW
    assert outcome_of(state, f"{SITE}/cal/x/y/z.html") is Outcome.TRAP_NOTHING_NEW
    assert outcome_of(state, f"{SITE}/calx/y") is None


def test_what_was_repeated_is_known_after_a_snapshot() -> None:
    events = [Weighed(n, SHAPE, 20 - n, 90 - n, 100 + n) for n in range(3)]
    state = again(state_of(*events, Weighed(3, SHAPE, 22, 92)))
    purse = state.traps.hosts[0].shapes[SHAPE]
    assert (purse.left, purse.contents) == (22, [100, 101, 102])


def test_full_purses_are_not_kept() -> None:
    state = state_of(Weighed(0, SHAPE, 24, 99, 5), Weighed(1, SHAPE, FULL, FULL))
    assert state.traps.hosts == {}
    assert state.pack(1) == state_of().pack(1)


def test_what_a_host_can_cost_is_bounded() -> None:
    contents = [Weighed(0, SHAPE, 5, 90, n) for n in range(1, 3 * MOST_CONTENTS)]
    shapes = [Weighed(0, SHAPE + n, 5, 90, 1) for n in range(2 * MOST_SHAPES)]
    state = state_of(*contents, *shapes)
    purses = state.traps.hosts[0].shapes
    assert len(purses) == MOST_SHAPES
    assert all(len(purse.contents) <= MOST_CONTENTS for purse in purses.values())


def test_reopening_a_host_forgets_its_traps_and_that_it_is_a_mirror() -> None:
    state = state_of(
        Weighed(0, SHAPE, 0, 8, 77, Outcome.TRAP_CALENDAR), MirrorFound(2.0, 0, "test.b.www")
    )
    assert again(state).traps.mirrors == {0: "test.b.www"}
    state.apply(Reopened(3.0, [0], []))
    assert not state.traps.holds(0)
    assert outcome_of(state, KEYS[5]) is None


def test_two_folds_of_the_same_events_are_equal() -> None:
    events = (Weighed(0, SHAPE, 4, 8, 77), MirrorFound(2.0, 0, "test.b.www"))
    assert state_of(*events).pack(1) == state_of(*events).pack(1)
    assert again(state_of(*events)).pack(1) == state_of(*events).pack(1)


def test_what_is_put_aside_is_counted_until_it_is_wanted_again() -> None:
    state = state_of(Settled(2.0, [3, 4, 5], Outcome.TRAP_CALENDAR))
    assert again(state).traps.put_aside == {Outcome.TRAP_CALENDAR: 3}
    assert state.pending == len(KEYS) - 3
    state.apply(Reopened(3.0, [0], [3, 4]))
    assert state.traps.put_aside[Outcome.TRAP_CALENDAR] == 1
    assert state.pending == len(KEYS) - 1
    assert [state.outcome_of(page) for page in (3, 4, 5)] == [None, None, Outcome.TRAP_CALENDAR]
