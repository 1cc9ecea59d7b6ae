"""A host is awake only with the baton of its set, and asks for it when it is due."""

from __future__ import annotations

from functools import partial

from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.frontier.readiness.addresses import Addresses
from lycosa.frontier.readiness.agenda import Agenda
from lycosa.frontier.readiness.phases import WorkerContext
from lycosa.frontier.readiness.turns import TurnReadiness
from lycosa.frontier.task import TaskKind
from lycosa.model.records import HostChanged, RobotsLearned, RobotsState

SLOT = 20.0


class Bench:
    """A partition of hosts that each are a set of their own, with batons that the test gives."""

    slot_seconds = SLOT

    def __init__(self) -> None:
        self.agenda = Agenda()
        self.held: set[int] = set()
        self.wanted: list[tuple[float, int]] = []
        self.settled: list[int] = []
        self.now = 0.0
        around = WorkerContext(
            self.agenda,
            Addresses(self.agenda, 0.0, 0.0),
            lambda _, host: f"10.0.0.{host}",
            lambda *_: 10.0,
            None,
            {},
            {},
            make_readiness=partial(TurnReadiness, turns=self),
        )
        self.partition = Partition(0, PartitionState(), "breadth-first", around)
        assert isinstance(self.partition.readiness, TurnReadiness)
        self.readiness = self.partition.readiness
        self.partition.admit(0.0, "", ["test.a:/1", "test.a:/2"], [0, 0])

    def holds(self, partition: int, host: int) -> bool:
        return host in self.held

    def want(self, partition: int, host: int) -> None:
        self.wanted.append((self.now, host))

    def has_settled(self, partition: int, host: int, now: float) -> None:
        self.settled.append(host)

    def give(self, host: int = 0) -> None:
        self.held.add(host)
        self.readiness.work_came(host, self.now)

    def take_away(self, host: int = 0) -> None:
        self.held.discard(host)
        self.readiness.hand_over([host], self.now)

    def run(self, until: float) -> None:
        while (moment := self.agenda.next_moment()) is not None and moment <= until:
            self.now = max(self.now, moment)
            self.agenda.run(self.now)
        self.now = until

    def learn(self, state: RobotsState, expires: float = 1e6) -> None:
        self.partition.learn_robots(RobotsLearned(self.now, 0, state, b"", 0.0, expires, self.now))


def test_a_host_without_its_baton_is_asked_for_nothing() -> None:
    bench = Bench()
    assert bench.wanted == [(0.0, 0)]
    assert bench.partition.next_task() is None, "not even for its robots file"


def test_a_baton_wakes_its_hosts() -> None:
    bench = Bench()
    bench.give()
    task = bench.partition.next_task()
    assert task is not None and task.kind is TaskKind.ROBOTS


def test_a_host_goes_to_rest_with_its_baton() -> None:
    bench = Bench()
    bench.give()
    bench.learn(RobotsState.KNOWN)
    assert bench.partition.has_work()
    bench.take_away()
    assert bench.partition.next_task() is None
    assert len(bench.wanted) == 2, "it has something to ask, so it asks for the baton again"


def test_a_baton_is_asked_for_when_its_host_is_due() -> None:
    bench = Bench()
    bench.give()
    bench.learn(RobotsState.KNOWN)
    bench.partition.change_host(HostChanged(0.0, 0, 30.0, 0))
    bench.wanted.clear()
    bench.take_away()
    bench.run(29.0)
    assert bench.wanted == []
    bench.run(31.0)
    assert bench.wanted == [(30.0, 0)]


def test_after_a_refusal_others_may_ask_a_slot_earlier() -> None:
    bench = Bench()
    bench.give()
    bench.learn(RobotsState.KNOWN)
    bench.readiness.take(0)
    bench.partition.change_host(HostChanged(0.0, 0, 30.0, 1))
    bench.readiness.give_back(0, 0.0)
    assert not bench.readiness.wants_before(0, 100.0), "it keeps no baton for a host that refuses"
    bench.wanted.clear()
    bench.take_away()
    bench.run(100.0)
    assert bench.wanted == [(30.0 + SLOT, 0)]


def test_the_end_of_a_redirect_is_asked_for_a_slot_later() -> None:
    """Whoever holds the baton then may have learnt it; to wait for a day would be too long."""
    bench = Bench()
    bench.give()
    bench.learn(RobotsState.ELSEWHERE, expires=86_400.0)
    bench.wanted.clear()
    bench.take_away()
    bench.run(100.0)
    assert bench.wanted == [(SLOT, 0)]


def test_what_is_settled_is_told_while_the_baton_is_held() -> None:
    bench = Bench()
    bench.give()
    bench.settled.clear()
    bench.readiness.take(0)
    assert bench.settled == []
    bench.readiness.give_back(0, 1.0)
    assert bench.settled == [0]
