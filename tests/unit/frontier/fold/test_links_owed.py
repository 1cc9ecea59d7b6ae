"""Links that could not be passed on are remembered until that is done or given up."""

from __future__ import annotations

from lycosa.frontier.fold.state import PartitionState
from lycosa.model.records import LinksOwed
from lycosa.storage.log.format import decode_events, encode


def test_what_is_owed_is_remembered_also_by_a_snapshot() -> None:
    state = PartitionState()
    state.apply(LinksOwed(1.0, [4, 2, 7, 2]))
    state.apply(LinksOwed(2.0, done=[2]))
    state.apply(LinksOwed(3.0, given_up=[7]))
    for one in (state, PartitionState.unpack(state.pack(3))):
        assert (one.links_owed, one.links_given_up) == ({4}, 1)


def test_the_event_has_its_own_tag_for_good() -> None:
    event = LinksOwed(1.0, [4], [5], [6])
    batch = encode([event])
    assert list(decode_events(batch)) == [event]
    assert b"\x96\x27" in batch, "an array of six that begins with 39"
