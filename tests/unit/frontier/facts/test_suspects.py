"""Pages that are read apart because a process died that had read them."""

from __future__ import annotations

from lycosa.frontier.fold.state import PartitionState
from lycosa.model.records import Suspected


def test_a_suspect_is_read_apart_for_good_and_all_others_for_a_time() -> None:
    state = PartitionState()
    assert not state.suspects.has(3, 0.0)
    state.apply(Suspected(100.0, 700.0, 3))
    assert state.suspects.has(4, 699.0)
    assert not state.suspects.has(4, 700.0)
    assert state.suspects.has(3, 10_000.0)


def test_a_death_of_no_page_makes_no_suspect() -> None:
    state = PartitionState()
    state.apply(Suspected(100.0, 700.0))
    assert not state.suspects.pages
    assert state.suspects.has(0, 200.0)


def test_a_rendered_tree_makes_a_suspect_of_itself_alone() -> None:
    state = PartitionState()
    state.apply(Suspected(100.0, 700.0, 3, is_rendered=True))
    assert state.suspects.rendered == {3}
    assert not state.suspects.has(3, 800.0)


def test_suspects_are_in_a_snapshot() -> None:
    state = PartitionState()
    state.apply(Suspected(100.0, 700.0, 3))
    state.apply(Suspected(50.0, 650.0, 9, is_rendered=True))
    found = PartitionState.unpack(state.pack(1)).suspects
    assert (found.until, found.pages, found.rendered) == (700.0, {3}, {9})
