"""What a partition knows of the requests that plugins have posted."""

from __future__ import annotations

import pytest

from lycosa.frontier.fold.state import PartitionState
from lycosa.model.records import Admitted, Outcome, Posted, PostState, Reopened, Settled

NOTED, ANSWERED, UNSENT = PostState.NOTED, PostState.ANSWERED, PostState.UNSENT


def state_of(*states: PostState) -> PartitionState:
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
    states: tuple[PostState, ...], known: PostState | None
) -> None:
    state = state_of(*states)
    assert state.posts.states.get(0) is known
    assert PartitionState.unpack(state.pack(1)).posts.states.get(0) is known


def test_a_retry_of_an_unknown_or_answered_post_lets_it_be_sent() -> None:
    unknown = state_of(NOTED)
    unknown.apply(Settled(3.0, [0], Outcome.UNKNOWN_POST))
    for state in (unknown, state_of(NOTED, ANSWERED)):
        state.apply(Reopened(4.0, [], [0]))
        assert state.posts.states == {}


def test_reopening_for_another_reason_does_not_let_a_noted_post_be_sent() -> None:
    state = state_of(NOTED)
    state.apply(Settled(3.0, [0], Outcome.EXCLUDED))
    state.apply(Reopened(4.0, [], [0]))
    assert state.posts.states == {0: NOTED}
