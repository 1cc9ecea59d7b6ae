"""Hosts and their addresses, compiled and in plain Python: told the same, they do the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.frontier.readiness.addresses import Addresses, Slots
from lycosa.frontier.readiness.agenda import Agenda
from lycosa.frontier.readiness.phases import WorkerContext
from lycosa.frontier.task import Task, TaskKind
from lycosa.model.records import (
    ErrandTaken,
    Fetched,
    HostChanged,
    HostResolved,
    Outcome,
    RobotsLearned,
    RobotsState,
    SiteChanged,
)
from plain_addresses import PlainAddresses
from plain_readiness import PlainReadiness
from seeds import examples

HOSTS = 3
SITES = [f"test.h{n}:{port}" for n in range(HOSTS) for port in ("", "s")]
ADDRESSES = [None, "192.0.2.1", "192.0.2.2", "2001:db8::1"]
SECONDS = st.sampled_from([0.0, 0.1, 0.5, 1.0, 3.0, 20.0, 700.0, 5_000.0])


class Told(Slots):
    """Slots that let claims fail as they are told, and note what is released."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self.released: list[tuple[str, float, bool]] = []

    def take(self, address: str, pause_seconds: float) -> float:
        return self.waits.pop() if self.waits else 0.0

    def let_go(self, address: str, pause_seconds: float, keeps: bool = False) -> None:
        self.released.append((address, pause_seconds, keeps))


class Side:
    """A partition whose readiness is one of the two."""

    def __init__(self, *, is_plain: bool, ip_delay: float, resumed_at: float | None) -> None:
        self.agenda, self.slots = Agenda(), Told()
        self.asked_for: list[int] = []
        self.with_work: dict[int, None] = {}
        self.names: dict[int, str | None] = {}
        kind: Callable[..., Any] = PlainAddresses if is_plain else Addresses
        self.gates = kind(self.agenda, ip_delay, 0.0, self.slots, connections=lambda: 3)
        around = WorkerContext(
            *(self.agenda, cast("Addresses", self.gates), self.resolve, lambda *_: 2.0),
            *(resumed_at, self.with_work, {}, lambda _, host: self.asked_for.append(host)),
            cast("Any", PlainReadiness) if is_plain else None,
        )
        self.partition = Partition(0, PartitionState(), "breadth-first", around)
        self.taken: list[Task] = []

    def resolve(self, number: int, host: int) -> str | None:
        self.asked_for.append(-1 - host)
        return self.names.get(host)

    def told(self) -> object:
        readiness, state = self.partition.readiness, self.partition.state
        return (
            self.agenda.next_moment(),
            len(self.agenda),
            readiness.counts(),
            [readiness.rests_until(host) for host in range(len(state.host_names))],
            list(readiness.robots_wanted),
            list(readiness.bursts_wanted),
            list(readiness.firsts.errands_wanted),
            list(readiness.firsts.repeats_wanted),
            readiness.first_queued(),
            self.partition.scheduler.ready,
            list(self.with_work),
            self.asked_for,
            self.slots.released,
            sorted(self.gates.newcomers),
            self.gates.served(),
        )


class Twins(RuleBasedStateMachine):
    """Does everything on both sides."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 100.0
        self.urls = 0
        self.sides: list[Side] = []

    @rule(ip_delay=st.sampled_from([0.0, 1.0]), resumed_at=st.sampled_from([None, 99.0]))
    @precondition(lambda self: not self.sides)
    def begin(self, ip_delay: float, resumed_at: float | None) -> None:
        self.sides = [
            Side(is_plain=is_plain, ip_delay=ip_delay, resumed_at=resumed_at)
            for is_plain in (False, True)
        ]

    def both(self, do: Callable[[Side], object]) -> object:
        one, other = (do(side) for side in self.sides)
        assert one == other
        return one

    @property
    def state(self) -> PartitionState:
        return self.sides[0].partition.state

    @rule(sites=st.lists(st.sampled_from(SITES), min_size=1, max_size=6))
    @precondition(lambda self: self.sides)
    def urls_come(self, sites: list[str]) -> None:
        keys = [f"{site}/{self.urls + n}" for n, site in enumerate(sites)]
        self.urls += len(keys)
        self.both(lambda side: side.partition.admit(self.now, "", keys, [1] * len(keys)))

    @rule(seconds=SECONDS)
    @precondition(lambda self: self.sides)
    def time_passes(self, seconds: float) -> None:
        self.now += seconds
        self.both(lambda side: side.agenda.run(self.now))

    @rule(
        host=st.integers(0, HOSTS - 1),
        address=st.sampled_from(ADDRESSES),
        seconds=SECONDS,
        is_known=st.booleans(),
    )
    @precondition(lambda self: self.sides)
    def a_name_is_looked_up(
        self, host: int, address: str | None, seconds: float, is_known: bool
    ) -> None:
        if host >= len(self.state.host_names):
            return
        event = HostResolved(self.now, host, address or "", self.now + seconds, address is None)

        def learn(side: Side) -> None:
            side.names[host] = address
            if is_known:
                side.partition.record(event)
            side.partition.readiness.resolved(host, address, self.now)

        self.both(learn)

    @rule(
        site=st.sampled_from(SITES),
        robots=st.sampled_from([*RobotsState][1:]),
        seconds=SECONDS,
    )
    @precondition(lambda self: self.sides)
    def rules_are_learned(self, site: str, robots: RobotsState, seconds: float) -> None:
        number = self.state.site_number(site)
        if number is not None:
            event = RobotsLearned(self.now, number, robots, b"", 0.0, self.now + seconds, 0.0)
            self.both(lambda side: side.partition.learn_robots(event))

    @rule(site=st.sampled_from(SITES), seconds=SECONDS, is_closed=st.booleans())
    @precondition(lambda self: self.sides)
    def a_connection_fails(self, site: str, seconds: float, is_closed: bool) -> None:
        number = self.state.site_number(site)
        if number is not None:
            closed = Outcome.UNREACHABLE if is_closed and seconds > 10 else None
            event = SiteChanged(self.now, number, self.now + seconds, 1, closed, self.now)
            self.both(lambda side: side.partition.change_site(event))

    @rule(host=st.integers(0, HOSTS - 1), seconds=SECONDS)
    @precondition(lambda self: self.sides)
    def a_host_waits(self, host: int, seconds: float) -> None:
        if host < len(self.state.host_names):
            event = HostChanged(self.now, host, self.now + seconds, 1)
            self.both(lambda side: side.partition.change_host(event))

    @rule(host=st.integers(0, HOSTS - 1))
    @precondition(lambda self: self.sides)
    def an_errand_comes(self, host: int) -> None:
        event = ErrandTaken(self.now, "test.other:", f"test.h{host}:/robots.txt", 1)
        self.both(lambda side: side.partition.take_errand(event))

    @rule(wait=st.sampled_from([0.0, 0.0, 0.3]))
    @precondition(lambda self: self.sides)
    def something_is_asked(self, wait: float) -> None:
        def ask(side: Side) -> object:
            task = side.partition.next_task()
            if task is None:
                return None
            side.slots.waits = [wait]
            if not side.partition.readiness.claim(task.host, self.now):
                side.partition.hand_back(task, self.now)
                return task, "handed back"
            side.taken.append(task)
            return task, side.partition.readiness.take(task.host)

        self.both(ask)

    @rule(
        data=st.data(),
        pause=SECONDS,
        outcome=st.sampled_from([Outcome.KEPT, Outcome.STALE_CONNECTION]),
        way=st.sampled_from(["at once", "keeping", "held", "burst", "silent"]),
    )
    @precondition(lambda self: self.sides and self.sides[0].taken)
    def an_answer_comes(
        self, data: st.DataObject, pause: float, outcome: Outcome, way: str
    ) -> None:
        place = data.draw(st.integers(0, len(self.sides[0].taken) - 1))
        due = self.now + pause if outcome is Outcome.STALE_CONNECTION else 0.0

        def answer(side: Side) -> None:
            task, readiness = side.taken.pop(place), side.partition.readiness
            moment = self.now + pause
            if task.kind is TaskKind.PAGE:
                side.partition.finish(
                    Fetched(self.now, task.subject, outcome, 200, 9, due, moment, None)
                )
            address = side.gates.served()[0]
            side.gates.heard(address, self.now, has_answered=way != "silent")
            if way == "burst":
                readiness.let_go_on(task.host)
            if way == "held":
                readiness.free_address(task.host, self.now)
            readiness.give_back(task.host, self.now, way == "keeping")

        self.both(answer)

    @rule(host=st.integers(0, HOSTS - 1))
    @precondition(lambda self: self.sides)
    def a_burst_ends(self, host: int) -> None:
        if host < len(self.state.host_names):
            self.both(lambda side: side.partition.readiness.end_burst(host, self.now))

    @rule(until=st.sampled_from([0.0, 2.0]), address=st.sampled_from(ADDRESSES[1:]))
    @precondition(lambda self: self.sides)
    def addresses_rest(self, until: float, address: str) -> None:
        self.both(lambda side: side.gates.rest(address, self.now + until))
        if until:
            self.both(lambda side: side.gates.rest_all(self.now + until))
        self.both(lambda side: side.gates.owed(self.now))

    @invariant()
    def they_say_the_same(self) -> None:
        if self.sides:
            self.both(lambda side: side.told())


TestTwins = Twins.TestCase
TestTwins.settings = settings(max_examples=examples(60), stateful_step_count=60, deadline=None)
