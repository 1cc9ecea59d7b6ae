"""The results of guesses, in the fold."""

from __future__ import annotations

from lycosa.frontier.facts.columns import JUDGED, VAIN
from lycosa.frontier.facts.guesses import Guesses, Yield, rule_name
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.records import (
    Admitted,
    AnyEvent,
    Fetched,
    GuessJudged,
    HostChanged,
    Mined,
    MinedOut,
    MiningRule,
    Outcome,
    Settled,
    Worth,
)

SITE = "test.a.www:"
NUMBER = MiningRule.NUMBER


def state_of(*events: AnyEvent) -> PartitionState:
    """Fold a page and two guesses, and what follows."""
    state = PartitionState()
    keys = [f"{SITE}/page4.html", f"{SITE}/page5.html"]
    first: list[AnyEvent] = [
        Admitted(1.0, "", [f"{SITE}/page3.html"], [0]),
        Mined(2.0, 0, keys, [21, 21], [NUMBER, NUMBER], [0, 0]),
    ]
    for event in (*first, *events):
        state.apply(event)
    return state


def fetched(page: int, outcome: Outcome) -> Fetched:
    return Fetched(3.0, page, outcome, 200, 10, 0.0, 4.0)


def test_a_guess_is_open_until_it_is_judged() -> None:
    state = state_of()
    assert state.guesses.of(0, NUMBER) == Yield(open=2)
    assert [rule_name(guess) for guess in state.pages.guess] == ["", "number", "number"]
    state.apply(fetched(1, Outcome.KEPT))
    state.apply(GuessJudged(1, Worth.PAGE, 5))
    state.apply(fetched(2, Outcome.NOT_FOUND))
    state.apply(GuessJudged(2, Worth.NOTHING, 4))
    assert state.guesses.of(0, NUMBER) == Yield(judged=2, pages=1, open=0, left=4)
    assert (state.guesses.asked, state.guesses.vain, state.guesses.open) == (2, 1, 0)
    assert list(state.pages.guess) == [0, NUMBER | JUDGED, NUMBER | JUDGED | VAIN]


def test_a_guess_that_moved_counts_where_it_moved_to() -> None:
    state = state_of(
        GuessJudged(1, Worth.MOVED, 4), Mined(3.0, 0, [f"{SITE}/new"], [22], [NUMBER], [1])
    )
    assert state.guesses.of(0, NUMBER) == Yield(open=2, left=4)
    assert state.guesses.vain == 0


def test_a_link_makes_a_guess_a_url_like_others() -> None:
    state = state_of(Admitted(3.0, "test.b.www:/", [], [], linked=[1]))
    assert state.pages.guess[1] == 0
    assert state.guesses.of(0, NUMBER) == Yield(open=1)


def test_what_was_found_before_it_was_linked_stays_found() -> None:
    state = state_of(
        fetched(1, Outcome.KEPT),
        GuessJudged(1, Worth.PAGE, 5),
        Admitted(3.0, "test.b.www:/", [], [], linked=[1]),
    )
    assert state.guesses.of(0, NUMBER) == Yield(judged=1, pages=1, open=1, left=5)


def test_what_is_not_asked_for_is_not_judged() -> None:
    state = state_of(Settled(3.0, [1], Outcome.DISALLOWED))
    assert state.guesses.of(0, NUMBER) == Yield(open=1)
    state.apply(HostChanged(4.0, 0, 0.0, 0, Outcome.HOST_GIVEN_UP))
    assert state.guesses.open == 0


def test_a_site_is_mined_out_until_something_new_is_found() -> None:
    state = state_of(MinedOut(3.0, 0))
    assert state.sites.mined_out[0]
    state.apply(fetched(0, Outcome.KEPT))
    assert not state.sites.mined_out[0]
    state.apply(MinedOut(5.0, 0))
    state.apply(Admitted(6.0, "", [f"{SITE}/other"], [21]))
    assert not state.sites.mined_out[0]


def test_yields_survive_a_snapshot() -> None:
    state = state_of(fetched(1, Outcome.KEPT), GuessJudged(1, Worth.PAGE, 5))
    again = PartitionState.unpack(state.pack(7))
    assert again.guesses.of(0, NUMBER) == state.guesses.of(0, NUMBER)
    assert list(again.guesses.by_rule()) == [(NUMBER, Yield(1, 1, 1, 0))]
    assert again.pages.guess == state.pages.guess
    assert again.pack(7) == state.pack(7)


def test_a_snapshot_from_before_there_was_mining_has_none() -> None:
    guesses = Guesses()
    guesses.unpack({})
    assert guesses.of_host(0) == Yield()
    assert list(guesses.by_rule()) == []
