"""Lost records: the page is pending again, and the limits get back its share."""

from __future__ import annotations

from lycosa.frontier.fold.accounts import counted_by
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.records import (
    Admitted,
    Fetched,
    HostChanged,
    Outcome,
    Place,
    RecordsLost,
    RobotsLearned,
    RobotsState,
)

PLACE, OTHER = Place(1, 100, 50), Place(1, 300, 60)


def state_with_a_page() -> PartitionState:
    state = PartitionState()
    state.apply(Admitted(1.0, "", ["test.a.www:/"], [0]))
    state.apply(RobotsLearned(1.0, 0, RobotsState.KNOWN, b"", 0.0, 1e9, 0.0, OTHER))
    state.apply(Fetched(2.0, 0, Outcome.KEPT, 200, 700, 0.0, 0.0, PLACE))
    return state


LOST = RecordsLost(3.0, [0], [Outcome.KEPT], [700], [PLACE], [0], [OTHER])


def test_a_lost_page_is_pending_and_given_back_to_the_limits() -> None:
    state = state_with_a_page()
    assert (state.pending, state.kept_pages, state.kept_bytes) == (0, 1, 700)
    state.apply(LOST)
    assert (state.pending, state.kept_pages, state.kept_bytes) == (1, 0, 0)
    assert state.hosts.kept[0] == 0
    assert state.outcomes[Outcome.KEPT] == 0
    assert state.place_of(0) is None
    assert state.outcome_of(0) is None
    assert state.sites.robots[0] == RobotsState.UNKNOWN


def test_what_is_lost_counts_no_longer_also_after_a_snapshot() -> None:
    state = state_with_a_page()
    assert counted_by({0: state})(PLACE)
    state.apply(LOST)
    for again in (state, PartitionState.unpack(state.pack(3))):
        accounts = counted_by({0: again})
        assert not accounts(PLACE)
        assert not accounts(OTHER)
        assert accounts(Place(1, 200, 10))


def test_an_older_version_of_a_page_is_given_back_and_not_asked_for() -> None:
    state = state_with_a_page()
    newer = Place(2, 10, 50)
    state.apply(Fetched(5.0, 0, Outcome.KEPT, 200, 900, 0.0, 0.0, newer))
    state.apply(RecordsLost(6.0, [0], [Outcome.KEPT], [700], [PLACE]))
    assert (state.pending, state.kept_pages, state.kept_bytes) == (0, 1, 900)
    assert state.place_of(0) == newer


def test_a_host_that_was_full_is_open_again() -> None:
    state = state_with_a_page()
    state.apply(HostChanged(2.0, 0, 0.0, 0, Outcome.HOST_LIMIT))
    state.apply(LOST)
    assert state.pending == 1
    assert state.is_pending(0)
