"""Orders that were applied: their number, and the time that a pause takes out of the count."""

from __future__ import annotations

from lycosa.frontier.fold.state import PartitionState
from lycosa.model.records import Admitted, OrderApplied, Taken, Waited


def begun(moment: float = 100.0) -> PartitionState:
    state = PartitionState()
    state.apply(Taken(moment, "worker"))
    return state


def test_a_state_knows_the_last_order_that_was_applied() -> None:
    state = begun()
    assert state.orders == 0
    state.apply(OrderApplied(101.0, 1))
    state.apply(OrderApplied(101.0, 2))
    assert (state.orders, state.paused_from) == (2, 0.0)


def test_time_that_is_paused_is_not_time_that_the_crawl_ran() -> None:
    state = begun()
    state.apply(OrderApplied(110.0, 1, is_paused=True))
    state.apply(Waited(150.0, 0.0))
    assert state.seconds_run() == 10.0
    state.apply(OrderApplied(160.0, 2))
    assert state.seconds_run() == 10.0
    state.apply(OrderApplied(165.0, 3))
    assert state.seconds_run() == 15.0


def test_an_order_under_a_pause_counts_no_time_either() -> None:
    state = begun()
    state.apply(OrderApplied(110.0, 1, is_paused=True))
    state.apply(OrderApplied(130.0, 2, is_paused=True))
    assert (state.seconds_run(), state.paused_from) == (10.0, 130.0)
    state.apply(OrderApplied(140.0, 3))
    state.apply(OrderApplied(141.0, 4))
    assert state.seconds_run() == 11.0


def test_a_pause_holds_over_a_takeover() -> None:
    state = begun()
    state.apply(OrderApplied(110.0, 1, is_paused=True))
    state.apply(Taken(500.0, "another"))
    assert (state.seconds_run(), state.paused_from) == (10.0, 500.0)
    state.apply(OrderApplied(600.0, 2))
    state.apply(OrderApplied(602.0, 3))
    assert state.seconds_run() == 12.0


def test_a_snapshot_keeps_orders_and_pause() -> None:
    state = begun()
    state.apply(Admitted(101.0, "", ["test.a.www:/"], [0]))
    state.apply(OrderApplied(110.0, 7, is_paused=True))
    again = PartitionState.unpack(state.pack(3))
    assert (again.orders, again.paused_from, again.seconds_run()) == (7, 110.0, 10.0)
    for one in (state, again):
        one.apply(OrderApplied(120.0, 8))
        one.apply(OrderApplied(125.0, 9))
    assert again.pack(4) == state.pack(4)
    assert again.seconds_run() == 15.0
