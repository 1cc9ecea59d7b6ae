"""The fold of rendering: what waits is known until it is rendered, and after a snapshot."""

from __future__ import annotations

from lycosa.frontier.facts.rendering import (
    MOST_NOT_FOUND,
    RENDERED_ALWAYS,
    NotFound,
    Rendering,
    Sample,
    Waiting,
)
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.records import (
    Admitted,
    Forgotten,
    Outcome,
    PartsInRow,
    PartsNoted,
    Place,
    RecordsLost,
    Released,
    Rendered,
    RenderQueued,
    Taken,
)

KEYS = ["test.a:/", "test.a:/x", "test.b:/"]
PLACE = Place(3, 100, 50)


def state_of(*events: object) -> PartitionState:
    state = PartitionState()
    state.apply(Admitted(1.0, "", KEYS, [0, 1, 0]))
    for event in events:
        state.apply(event)  # type: ignore[arg-type]
    return state


def test_a_page_waits_until_it_is_rendered_and_its_record_counts() -> None:
    state = state_of(RenderQueued(2.0, 1, 0, [KEYS[2]]))
    assert state.rendering.waiting == {1: Waiting(0, [KEYS[2]])} and state.rendering.is_at_work
    assert not state.rendering.is_ready(lambda _: True)
    assert state.rendering.is_ready(lambda key: key != KEYS[2]), "all its parts have come"
    state.apply(RenderQueued(3.0, 1, 1))
    assert state.rendering.is_ready(lambda _: True)
    state.apply(Rendered(4.0, 1, "rendered", PLACE, True, RENDERED_ALWAYS))
    assert not state.rendering.is_at_work
    assert state.rendering.places == {1: PLACE} and state.segment_ends == {3: 150}
    assert state.rendering.samples == {0: Sample(1, 1, 1)}
    assert state.rendering.verdicts == {0: RENDERED_ALWAYS}
    assert state.kept_pages == 0 and not state.outcomes


def test_a_snapshot_has_all_of_it() -> None:
    state = state_of(
        RenderQueued(2.0, 1, 2, [KEYS[2]]),
        Rendered(2.5, 0, "shell"),
        PartsNoted({KEYS[2]: 7}, [], {"test.c:/": PLACE, "test.d:/": None}, {"test.e:/": "f"}),
        PartsNoted(parts=[KEYS[1]], refused={"test.d:/": Outcome.NOT_FOUND}),
        RenderQueued(2.0, 2),
        Rendered(3.0, 2, "timed-out", PLACE, refused={"http://d.test/": "not_found"}),
    )
    assert state.rendering.parts == {KEYS[1], KEYS[2]}
    assert state.rendering.lacking == {"not_found": 1}
    again = PartitionState.unpack(state.pack(5))
    assert vars(again.rendering) == vars(state.rendering)
    assert again.rendering.shells == {0} and again.rendering.sought == {KEYS[2]: {7}}
    again.apply(PartsNoted(told=[KEYS[2]]))
    assert not again.rendering.sought


def test_a_page_waits_for_a_part_of_another_partition_until_it_has_come() -> None:
    state = state_of(RenderQueued(2.0, 1, 1, ["test.c:/"]), PartsNoted(moved={"test.c:/": "d:/"}))
    assert not state.rendering.is_ready(lambda _: True)
    state.apply(PartsNoted(came={"d:/": None}))
    assert state.rendering.is_ready(lambda _: True)


def test_a_partition_that_has_parts_alone_keeps_them_in_its_snapshot() -> None:
    state = state_of(PartsNoted({KEYS[2]: 7}), PartsNoted(told=[KEYS[2]]))
    again = PartitionState.unpack(state.pack(5))
    assert again.rendering.parts == {KEYS[2]}


def test_a_snapshot_of_an_older_version_has_no_parts() -> None:
    packed = state_of(RenderQueued(2.0, 1, 2, [KEYS[2]])).rendering.pack()
    for name in ("parts", "refused", "lacking"):
        del packed[name]
    rendering = Rendering()
    rendering.unpack(packed)
    assert rendering.waiting == {1: Waiting(2, [KEYS[2]])} and not rendering.parts


def test_a_lost_document_is_rendered_again_and_a_forgotten_page_is_not() -> None:
    state = state_of(RenderQueued(2.0, 1), Rendered(4.0, 1, "rendered", PLACE, True))
    state.apply(RecordsLost(5.0, [1], [Outcome.RENDERED], [0], [PLACE]))
    assert state.rendering.waiting == {1: Waiting(0, [])} and not state.rendering.places
    assert state.lost == {3: {100}} and not state.outcomes
    state.apply(Forgotten(6.0, 0))
    assert not state.rendering.is_at_work


VIEW = "#/guide"
OTHER = "#!last"


def test_views_wait_one_after_the_other_and_count_as_pages_once() -> None:
    state = state_of(
        RenderQueued(2.0, 1), Rendered(3.0, 1, "rendered", PLACE, True, views=[VIEW, OTHER])
    )
    assert state.rendering.waiting == {1: Waiting(0, [], VIEW)} and state.kept_pages == 0
    shown = Place(3, 200, 50)
    state.apply(RenderQueued(4.0, 1, 1, [KEYS[2]], VIEW))
    assert state.rendering.waiting == {1: Waiting(1, [KEYS[2]], VIEW)}
    state.apply(Rendered(5.0, 1, "rendered", shown, True, view=VIEW, size_bytes=70))
    assert (state.kept_pages, state.kept_bytes, state.hosts.kept[0]) == (1, 70, 1)
    assert state.rendering.waiting == {1: Waiting(0, [], OTHER)}
    assert state.rendering.places == {1: PLACE}, "a view does not stand in the page's place"
    assert state.rendering.records_of(1) == [PLACE, shown]
    assert state.rendering.samples == {0: Sample(1, 1, 1)}, "a site is judged by pages"
    again = PartitionState.unpack(state.pack(5))
    assert vars(again.rendering) == vars(state.rendering) and again.kept_pages == 1
    state.apply(Rendered(6.0, 1, "timed-out", view=OTHER))
    assert not state.rendering.is_at_work


def test_a_view_whose_record_is_lost_is_shown_again_and_counts_anew() -> None:
    state = state_of(
        RenderQueued(2.0, 1),
        Rendered(3.0, 1, "rendered", PLACE, True, views=[VIEW]),
        Rendered(4.0, 1, "rendered", Place(3, 200, 50), True, view=VIEW, size_bytes=70),
    )
    lost = RecordsLost(5.0, [1], [Outcome.RENDERED], [70], [Place(3, 200, 50)])
    state.apply(lost)
    assert (state.kept_pages, state.kept_bytes) == (0, 0)
    assert state.rendering.waiting == {1: Waiting(0, [], VIEW)}


def test_a_new_version_of_a_page_looks_for_its_views_anew() -> None:
    state = state_of(
        RenderQueued(2.0, 1),
        Rendered(3.0, 1, "rendered", PLACE, True, views=[VIEW]),
        Rendered(4.0, 1, "rendered", Place(3, 200, 50), True, view=VIEW, size_bytes=70),
        RenderQueued(5.0, 1),
    )
    views = state.rendering.views[1]
    assert not views.found and VIEW in views.places, "its record counts, and it is not known"
    state.apply(Rendered(6.0, 1, "rendered", PLACE, True, views=[VIEW]))
    assert state.rendering.waiting == {1: Waiting(0, [], VIEW)}


def test_pages_that_were_not_found_are_wanted_while_all_lead_on() -> None:
    state = state_of()
    known = state.rendering.not_found
    assert NotFound().is_wanted(5), "the first are samples"
    for turn in range(3):
        state.apply(RenderQueued(2.0, 1, body=5))
        state.apply(RenderQueued(2.5, 1, 1, [KEYS[2]], body=5))
        assert state.rendering.waiting[1].body == 5
        state.apply(Rendered(3.0, 1, "rendered", PLACE, True))
        assert known[0] == NotFound(turn + 1, turn + 1, turn + 1, 5)
    assert known[0].is_wanted(5) and not known[0].is_wanted(6)
    assert not state.rendering.samples, "a site is judged by pages that are kept"
    again = PartitionState.unpack(state.pack(5))
    assert vars(again.rendering) == vars(state.rendering)
    state.apply(RenderQueued(4.0, 1, body=5))
    state.apply(Rendered(5.0, 1, "dropped"))
    assert known[0].is_wanted(5), "one that was given up says nothing"
    state.apply(RenderQueued(6.0, 1, body=5))
    state.apply(Rendered(7.0, 1, "rendered"))
    assert not known[0].is_wanted(5)
    assert not NotFound(MOST_NOT_FOUND, 9, 9, 5).is_wanted(5)


def test_a_host_owes_for_a_row_until_it_is_over_whoever_owns_it() -> None:
    state = state_of(PartsInRow(2.0, 0, [0, 1], 3))
    rows = state.owed.rows
    assert rows.most_owed(0) == 3 and rows.before == {}
    assert rows.most_owed(1) == 1
    state.apply(Taken(3.0, "another"))
    assert rows.before == {0: 3} and rows.owed == {} and rows.most_owed(0) == 3
    unpacked = PartitionState.unpack(state.pack(5))
    assert unpacked.owed.rows == rows
    unpacked.apply(PartsInRow(4.0, 1, [0, 1], 3))
    assert unpacked.owed.rows.most_owed(1) == 3, "after a snapshot as before"
    state.apply(PartsInRow(4.0, 0))
    assert not rows.is_known(0)


def test_a_partition_that_was_handed_over_owes_nothing_for_its_rows() -> None:
    state = state_of(PartsInRow(2.0, 0, [0, 1], 3), Released(3.0, {0: 40.0}))
    state.apply(Taken(4.0, "another"))
    assert not state.owed.rows.is_known(0)
    assert state.hosts.due[0] == 44.0
