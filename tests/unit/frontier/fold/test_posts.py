"""What a partition knows of the requests that plugins have posted."""

from __future__ import annotations

import pytest

from lycosa.frontier.facts.columns import ANSWERED, NOTED, UNSENT
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.records import Admitted, Outcome, Posted, Reopened, Settled


def state_of(*states: int) -> PartitionState:
    state = PartitionState()
    state.apply(Admitted(1.0, "", ["test.a:/x#POST:form:a=1"], [0]))
    for known in states:
        state.apply(Posted(2.0, 0, known))
    return state


@pytest.mark.parametrize(
    ("states", "known"),
    [((), None), ((NOTED,), NOTED), ((NOTED, ANSWERED), ANSWERED), ((NOTED, UNSENT), None)],
)
def test_the_last_event_counts_also_in_a_snapshot(
    states: tuple[int, ...], known: int | None
) -> None:
    state = state_of(*states)
    assert state.posts.get(0) == known
    assert PartitionState.unpack(state.pack(1)).posts.get(0) == known


def test_a_retry_of_an_unknown_or_answered_post_lets_it_be_sent() -> None:
    unknown = state_of(NOTED)
    unknown.apply(Settled(3.0, [0], Outcome.UNKNOWN_POST))
    for state in (unknown, state_of(NOTED, ANSWERED)):
        state.apply(Reopened(4.0, [], [0]))
        assert state.posts == {}


def test_reopening_for_another_reason_does_not_let_a_noted_post_be_sent() -> None:
    state = state_of(NOTED)
    state.apply(Settled(3.0, [0], Outcome.EXCLUDED))
    state.apply(Reopened(4.0, [], [0]))
    assert state.posts == {0: NOTED}
