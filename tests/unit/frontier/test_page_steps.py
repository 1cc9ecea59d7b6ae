"""Steps of a partition for every page, compiled and in plain Python: both do the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.frontier.readiness.addresses import Addresses
from lycosa.frontier.readiness.agenda import Agenda
from lycosa.frontier.readiness.phases import WorkerContext
from lycosa.frontier.schedulers.breadth_first import BreadthFirst
from lycosa.frontier.task import TaskKind
from lycosa.model.records import (
    Fetched,
    HostChanged,
    Mined,
    Outcome,
    Place,
    RobotsLearned,
    RobotsState,
)
from plain_page_steps import PlainPartition
from seeds import examples

SITES = ["test.h0:", "test.h0:s", "test.h1:"]
KEYS = [f"{site}/{n}" for site in SITES for n in range(8)]
OUTCOMES = [
    *(Outcome.KEPT, Outcome.KEPT, Outcome.REDIRECTED, Outcome.NOT_FOUND, Outcome.TIMEOUT),
    Outcome.STALE_CONNECTION,
]


class Side:
    """A partition of one of the two kinds."""

    def __init__(self, kind: type[Partition], scheduler: str, puts_off: bool) -> None:
        self.agenda = Agenda()
        self.with_work: dict[int, None] = {}
        around = WorkerContext(
            self.agenda,
            Addresses(self.agenda, 0.0, 0.0, connections=lambda: 3),
            lambda number, host: "192.0.2.1",
            lambda state, host: 0.0,
            None,
            self.with_work,
            {},
            lambda number, host: None,
        )
        self.partition = kind(0, PartitionState(), scheduler, around)
        if puts_off:
            self.partition.put_off = _every_third

    def ask(self, outcome: Outcome, due: float, now: float) -> object:
        partition = self.partition
        task = partition.next_task()
        if task is None:
            return None
        readiness = partition.readiness
        if not readiness.claim(task.host, now):
            partition.hand_back(task, now)
            return task
        readiness.take(task.host)
        if task.kind is TaskKind.ROBOTS:
            partition.learn_robots(
                RobotsLearned(now, task.subject, RobotsState.KNOWN, b"", 0.0, 1e9, 0.0)
            )
        else:
            again = due if outcome in (Outcome.TIMEOUT, Outcome.STALE_CONNECTION) else 0.0
            place = Place(1, 100 * task.subject, 100)
            partition.finish(Fetched(now, task.subject, outcome, 200, 9, again, 0.0, place))
        readiness.give_back(task.host, now)
        return task

    def told(self) -> object:
        partition = self.partition
        pages = range(len(partition.state.pages.site))
        return (
            partition.uncommitted,
            partition.state.pack(0),
            partition.has_work(),
            [partition._site_if_offered(page) for page in pages],
            partition.scheduler.ready,
            list(self.with_work),
            self.agenda.next_moment(),
        )


def _every_third(state: PartitionState, keys: Sequence[str]) -> list[int]:
    return list(range(2, len(keys), 3))


class Twins(RuleBasedStateMachine):
    """Does everything on both sides."""

    def __init__(self) -> None:
        super().__init__()
        self.now, self.guesses = 100.0, 0
        self.sides: list[Side] = []

    @rule(
        scheduler=st.sampled_from(["breadth-first", "breadth-first", "best-first", "diverse"]),
        puts_off=st.booleans(),
    )
    @precondition(lambda self: not self.sides)
    def begin(self, scheduler: str, puts_off: bool) -> None:
        self.sides = [Side(kind, scheduler, puts_off) for kind in (Partition, PlainPartition)]
        self.admit([(KEYS[0], 0), (KEYS[9], 0)], 0, KEYS[0], [])

    def both(self, do: Callable[[Side], object]) -> object:
        one, other = (do(side) for side in self.sides)
        assert one == other
        return one

    @rule(
        links=st.lists(st.tuples(st.sampled_from(KEYS), st.integers(0, 90)), max_size=12),
        hops=st.sampled_from([0, 0, 0, 1, 2]),
        source=st.sampled_from(["", *KEYS[:4]]),
        requisites=st.lists(st.integers(0, 11), max_size=2),
    )
    @precondition(lambda self: self.sides)
    def admit(
        self, links: list[tuple[str, int]], hops: int, source: str, requisites: list[int]
    ) -> None:
        keys, distances = [key for key, _ in links], [far for _, far in links]
        needed = [keys[place] for place in requisites if place < len(keys)]
        self.both(
            lambda side: side.partition.admit(self.now, source, keys, distances, needed, hops)
        )

    @rule(outcome=st.sampled_from(OUTCOMES), wait=st.sampled_from([1.0, 100.0]))
    @precondition(lambda self: self.sides)
    def ask(self, outcome: Outcome, wait: float) -> None:
        self.both(lambda side: side.ask(outcome, self.now + wait, self.now))

    @rule(rule_number=st.integers(1, 3))
    @precondition(lambda self: self.sides)
    def guess(self, rule_number: int) -> None:
        """Guess a URL to which links may lead later."""
        known = self.sides[0].partition.state.table
        # Guesses of a site are URLs of this site: the first eight keys are of site 0.
        key = next((key for key in KEYS[:8] if known.find(key) is None), None)
        if key is not None:
            self.both(
                lambda side: side.partition.plant(
                    Mined(self.now, 0, [key], [30], [rule_number], [0])
                )
            )

    @rule(seconds=st.sampled_from([0.5, 20.0, 200.0]))
    @precondition(lambda self: self.sides)
    def time_passes(self, seconds: float) -> None:
        self.now += seconds
        self.both(lambda side: side.agenda.run(self.now))

    @rule(closed=st.sampled_from([None, None, Outcome.HOST_GIVEN_UP]))
    @precondition(lambda self: self.sides)
    def host_changes(self, closed: Outcome | None) -> None:
        event = HostChanged(self.now, 0, self.now, 1, closed)
        self.both(lambda side: side.partition.change_host(event))

    @invariant()
    def they_say_the_same(self) -> None:
        if self.sides:
            self.both(Side.told)


TestTwins = Twins.TestCase
TestTwins.settings = settings(max_examples=examples(60), stateful_step_count=30, deadline=None)


def test_a_scheduler_that_adds_to_the_queues_is_asked_in_python(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(BreadthFirst, "ready", property(lambda self: 0))
    side = Side(Partition, "breadth-first", puts_off=False)
    side.partition.admit(1.0, "", [KEYS[0]], [0])
    side.ask(Outcome.KEPT, 0.0, 1.0)
    assert not side.partition.has_work()
