"""The agenda beside a plain list of entries."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from math import inf

from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.frontier.readiness.agenda import Agenda
from seeds import examples

MOMENTS = st.one_of(
    st.floats(0, 5), st.floats(0, 3_000), st.floats(0, 1e6), st.sampled_from([0.0, 1.0, 2.0, 1e3])
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("note"), MOMENTS, st.integers(0, 2)),
        st.tuples(st.just("run"), MOMENTS, st.just(0)),
    ),
    max_size=60,
)


class Noting:
    """Notes what is done, and again what is to be done at once or later."""

    def __init__(self, done: list[tuple[int, int, float]], number: int) -> None:
        self.done = done
        self.number = number
        self.again: Callable[[int, float], None] = lambda subject, now: None

    def act(self, subject: int, now: float) -> None:
        self.done.append((self.number, subject, now))
        self.again(subject, now)


class Plain:
    """All entries in a list."""

    def __init__(self) -> None:
        self.entries: list[tuple[float, Callable[[int, float], None], int]] = []

    def note(self, moment: float, action: Callable[[int, float], None], subject: int) -> None:
        self.entries.append((moment, action, subject))

    def run(self, now: float) -> None:
        while due := [entry for entry in self.entries if entry[0] <= now]:
            first = min(due, key=lambda entry: entry[0])
            self.entries.remove(first)
            first[1](first[2], now)

    def next_moment(self) -> float | None:
        return min((moment for moment, _, _ in self.entries), default=None)


def steps_on(agenda: Agenda | Plain, steps: list[tuple[str, float, int]]) -> list[object]:
    """Note and run by a clock that goes on; returns what was done, and what was next each time."""
    done: list[tuple[int, int, float]] = []
    noting = [Noting(done, number) for number in range(3)]
    noting[2].again = lambda subject, now: (
        agenda.note(now + subject % 3, noting[0].act, subject + 1) if subject % 2 else None
    )
    told: list[object] = []
    now = 0.0
    for number, (kind, seconds, which) in enumerate(steps):
        if kind == "note":
            agenda.note(now + seconds - 1, noting[which].act, number)
        else:
            now += seconds
            agenda.run(now)
        told.append(agenda.next_moment())
        if isinstance(agenda, Agenda):
            assert len(agenda.sample(10_000)) == len(agenda)
    return [*told, *done]


@settings(max_examples=examples(200))
@given(STEPS)
def test_it_does_what_a_plain_list_does(steps: list[tuple[str, float, int]]) -> None:
    assert steps_on(Agenda(), steps) == steps_on(Plain(), steps)


def test_what_is_never_due_is_not_done() -> None:
    agenda = Agenda()
    agenda.note(inf, Noting([], 0).act, 0)
    assert agenda.next_moment() is None and len(agenda) == 0


def test_a_sample_begins_with_what_is_next() -> None:
    agenda, noting = Agenda(), Noting([], 0)
    agenda.run(100.0)
    for moment in (5_000.0, 101.5, 130.0, 100.5, 140.0):
        agenda.note(moment, noting.act, int(moment))
    assert agenda.sample(4) == [
        (moment, noting, int(moment)) for moment in (100.5, 101.5, 130.0, 140.0)
    ]


def test_who_has_noted_is_let_go_once_it_is_done() -> None:
    agenda, noting = Agenda(), Noting([], 0)
    gone = weakref.ref(noting)
    for moment in (10.0, 10.0, 5_000.0):
        agenda.note(moment, noting.act, 0)
    agenda.run(10_000.0)
    assert len(noting.done) == 3
    del noting
    gc.collect()
    assert gone() is None
