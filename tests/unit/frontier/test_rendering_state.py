"""The fold of rendering: what waits is known until it is rendered, and after a snapshot."""

from __future__ import annotations

from lycosa.frontier.facts.rendering import RENDERED_ALWAYS, Rendering, Sample, Waiting
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.records import (
    Admitted,
    Forgotten,
    Outcome,
    PartsNoted,
    Place,
    RecordsLost,
    Rendered,
    RenderQueued,
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
