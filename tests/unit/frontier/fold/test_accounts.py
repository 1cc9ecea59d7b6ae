"""What counts: in each partition the records up to its last one in the log."""

from __future__ import annotations

from lycosa.frontier.fold.accounts import Accounts, counted_by
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.records import Admitted, Fetched, Outcome, Place

KEYS = ["test.a:/", "test.b:/"]
FIRST, SECOND, THIRD = Place(1, 100, 50), Place(1, 150, 50), Place(1, 200, 50)


def state_of(key: str, *places: Place) -> PartitionState:
    state = PartitionState()
    state.apply(Admitted(1.0, "", [key], [0]))
    for place in places:
        state.apply(Fetched(2.0, 0, Outcome.KEPT, 200, 7, 0.0, 0.0, place))
    return state


def test_a_dropped_record_between_those_of_other_partitions_does_not_count() -> None:
    """Partition 0 had the second one, and was lost before that was durable."""
    states = {0: state_of(KEYS[0]), 1: state_of(KEYS[1], FIRST, THIRD)}
    accounts = counted_by(states, KEYS.index)
    assert accounts(FIRST, KEYS[1])
    assert not accounts(SECOND, KEYS[0])
    assert accounts(THIRD, KEYS[1])


def test_a_robots_file_is_asked_about_without_a_key() -> None:
    states = {0: state_of(KEYS[0]), 1: state_of(KEYS[1], FIRST, THIRD)}
    accounts = counted_by(states, KEYS.index)
    assert accounts(SECOND)
    assert not accounts(Place(1, 250, 10))


def test_without_a_division_the_last_record_of_any_partition_decides() -> None:
    states = {0: state_of(KEYS[0]), 1: state_of(KEYS[1], FIRST, THIRD)}
    assert counted_by(states)(SECOND, KEYS[0])


def test_only_the_segments_that_were_asked_for_are_remembered() -> None:
    accounts = Accounts(KEYS.index, {2})
    accounts.add(0, state_of(KEYS[0], FIRST, Place(2, 10, 5)))
    assert accounts.ends == {2: 15}
    assert not accounts(FIRST, KEYS[0])
    assert accounts(Place(2, 10, 5), KEYS[0])
