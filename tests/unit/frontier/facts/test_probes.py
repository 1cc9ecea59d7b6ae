"""The known error page of a site survives a snapshot, in few bytes."""

from __future__ import annotations

from lycosa.frontier.facts.columns import NONE
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.records import Admitted, Outcome, ProbeChosen, Sampled, SiteProbed

SITE = "test.a.www:"


def state_of(*events: ProbeChosen | Sampled | SiteProbed) -> PartitionState:
    state = PartitionState()
    state.apply(Admitted(1.0, "", [f"{SITE}/", f"{SITE}/1", f"{SITE}/2"], [0, 21, 21]))
    for event in events:
        state.apply(event)
    return state


def again(state: PartitionState) -> PartitionState:
    return PartitionState.unpack(state.pack(7))


SAMPLED = (Sampled(0, 0, 2**64 - 1), Sampled(0, 2, 5))
CHOSEN = ProbeChosen(3.0, 0, f"{SITE}/nowhere.html", 1)


def test_a_probe_is_a_pending_url_of_its_own() -> None:
    state = again(state_of(*SAMPLED, CHOSEN))
    assert state.pending == 4
    assert state.table.key(3) == f"{SITE}/nowhere.html"
    assert [state.probes.is_probe(0, page) for page in range(4)] == [False, False, False, True]


def test_the_sample_lasts_until_the_probe_has_been_answered() -> None:
    state = again(state_of(*SAMPLED, CHOSEN))
    assert list(state.probes.sample(0)) == [(0, 2**64 - 1), (2, 5)]
    assert state.probes.sample_size(0) == 2
    state.apply(SiteProbed(4.0, 0, Outcome.PROBE_HONEST))
    assert state.probes.sample_size(0) == 0
    assert again(state).probes.not_found == {}


def test_a_soft_404_is_remembered_with_the_pages_that_looked_like_it() -> None:
    state = state_of(*SAMPLED, CHOSEN, SiteProbed(4.0, 0, Outcome.PROBE_SOFT, 2**64 - 2, [0]))
    known = again(state).probes.not_found[0]
    assert (known.fingerprint, known.beside) == (2**64 - 2, (0,))


def test_a_site_without_a_url_to_ask_for_is_not_tried_again() -> None:
    state = again(state_of(*SAMPLED, ProbeChosen(3.0, 0, "", 1)))
    assert state.pending == 3
    assert state.probes.chosen == {0: NONE}
    assert state.probes.sample_size(0) == 0


def test_two_folds_of_the_same_events_are_equal() -> None:
    events = (*SAMPLED, CHOSEN, SiteProbed(4.0, 0, Outcome.PROBE_SOFT, 9, [2]))
    assert state_of(*events).pack(1) == state_of(*events).pack(1)
    assert again(state_of(*events)).pack(1) == state_of(*events).pack(1)
