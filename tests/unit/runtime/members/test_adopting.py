"""Settings that the operator changes reach a worker while it runs."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import msgspec
import pytest
from msgspec import structs

from lycosa.crawl.budget import Limit
from lycosa.crawl.pauses.due import usual_pause
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.clock import VirtualClock
from lycosa.model.job import Job
from lycosa.model.records import Taken
from lycosa.runtime.cluster.settings import Value
from lycosa.runtime.coordination.keys import LEDGER, SETTINGS, lines_key, member_key
from lycosa.runtime.coordination.memory import MemoryBoard
from lycosa.runtime.limits.desk import Desk
from lycosa.runtime.limits.document import (
    Amount,
    Changed,
    Count,
    Ledger,
    Limits,
    changed,
    unpack,
)
from lycosa.runtime.members.adopting import Adopter, note_old_settings
from lycosa.runtime.members.chair import GRAVE_SECONDS, clear_graves
from lycosa.runtime.members.limits import SharedLimits
from lycosa.runtime.members.notes import leave_name, leaves_in
from lycosa.runtime.membership.calls import make
from lycosa.runtime.membership.record import Member, Standing, pack
from lycosa.runtime.orders.desk import known_in_force, order_name
from lycosa.runtime.orders.orders import Numbered, Order, Pause, Resume, SetValue, Unset
from lycosa.runtime.orders.orders import pack as pack_order
from lycosa.simulation.cluster.loose_log import LooseServer
from lycosa.storage.archive.journal import Journal
from lycosa.storage.log.format import encode
from lycosa.storage.log.protocol import Take
from unit.crawl.drawn_web import DrawnWeb, ports_of


class FakeWorker:
    """What orders do to a worker and its surroundings."""

    def __init__(self) -> None:
        self.connections = 8
        self.addresses = self
        self.is_over = False
        self.pumped = 0
        self.told: dict[str, Any] = {}

    def pump(self) -> None:
        self.pumped += 1

    def look(self) -> None:
        """Nothing is left to be looked at."""

    def pace(self, seconds: float) -> None:
        self.told["ip"] = seconds

    def limit_bandwidth(self, rate: int) -> None:
        self.told["rate"] = rate

    def partitions(self) -> dict[int, object]:
        return {}


class FakeLimits:
    """The share of the limits of one life."""

    def __init__(self) -> None:
        self.order = 0
        self.is_halted = False
        self.limits: Any = None

    def adopt(self, limits: Any) -> None:
        self.limits = limits

    def halt(self, now: float) -> None:
        self.is_halted = True

    def go_on(self, now: float) -> None:
        self.is_halted = False

    def ordered(self, number: int) -> None:
        self.order = number


class Followed(NamedTuple):
    adopter: Adopter
    worker: FakeWorker
    limits: FakeLimits
    clock: VirtualClock


def employ(made: Adopter, job: Job, clock: VirtualClock) -> tuple[FakeWorker, FakeLimits]:
    worker, limits = FakeWorker(), FakeLimits()
    with TemporaryDirectory() as folder:
        ports = structs.replace(ports_of(DrawnWeb({}), job, Journal(Path(folder))), clock=clock)
        made.employ(ports, worker, worker, limits)  # type: ignore[arg-type]
    return worker, limits


def followed(job: Job) -> Followed:
    clock = VirtualClock()
    made = Adopter(job, clock, lambda: 2)
    return Followed(made, *employ(made, job, clock), clock)


def notes_of(*given: Order, first: int = 1) -> dict[str, bytes]:
    """Return the notes of orders, as they come to a member."""
    return {
        order_name(number): pack_order(Numbered(0, order, str(number), 1.0))
        for number, order in enumerate(given, first)
    }


def test_all_parts_of_a_worker_go_by_a_change_at_once() -> None:
    job = Job.of(politeness={"delay_seconds": 5.0, "ip_delay_seconds": 1.0})
    made, worker, limits, _ = followed(job)
    assert worker.connections == job.fetch.connections
    values: dict[str, Value] = {
        "politeness.delay_seconds": 2.0,
        "politeness.ip_delay_seconds": 0.5,
        "fetch.connections": 3,
        "fetch.bytes_per_second": 9_000,
    }
    made.noted(notes_of(*(SetValue(name, value) for name, value in values.items())))
    assert usual_pause(made.job, 0) == 2.0
    assert worker.told == {"ip": 0.5, "rate": 9_000}
    assert (worker.connections, limits.order, limits.limits) == (3, 4, None)
    assert usual_pause(job, 0) == 5.0, "the job of the directory stays as it is"
    made.noted(notes_of(*map(Unset, values), first=5))
    assert (usual_pause(made.job, 0), made.in_force.last, limits.order) == (5.0, 8, 8)


def test_another_life_goes_by_the_orders_that_earlier_ones_have_followed() -> None:
    made, worker, _, clock = followed(Job.of(limits={"pages": 50}))
    made.noted(notes_of(Pause(), SetValue("limits.pages", 20)))
    assert worker.connections == 0
    worker, limits = employ(made, made.job, clock)
    assert (worker.connections, limits.is_halted, limits.order) == (0, True, 2)
    made.learn([Numbered(3, Resume(), "c", 1.0)])
    assert (worker.connections, limits.is_halted) == (made.job.fetch.connections, False)


def test_orders_are_followed_in_their_order_however_they_come() -> None:
    made, worker, limits, _ = followed(Job())
    first = notes_of(SetValue("fetch.connections", 5))
    second = notes_of(Pause(), first=2)
    third = notes_of(SetValue("fetch.connections", 7), first=3)
    made.noted(third | {"run-1": b""})
    assert made.in_force.last == 0
    made.noted(first)
    assert (made.in_force.last, worker.connections) == (1, 5)
    made.learn([Numbered(1, Pause(), "again", 1.0)])
    assert worker.connections == 5, "it is known, and was another order"
    made.noted(second)
    assert (made.in_force.last, worker.connections, limits.order) == (3, 0, 3)


@pytest.mark.parametrize(
    ("name", "value", "held_seconds"),
    [
        ("politeness.delay_seconds", 9.0, 9.0),
        ("politeness.ip_delay_seconds", 4.0, 8.0),
    ],
)
def test_a_longer_pause_holds_for_hosts_that_rest_already(
    name: str, value: float, held_seconds: float
) -> None:
    politeness = {"delay_seconds": 5.0, "ip_delay_seconds": 1.0, "burst_urls": 1}
    made, worker, _, clock = followed(Job.of(politeness=politeness))
    made.noted(notes_of(SetValue(name, value)))
    assert worker.connections == 0
    clock.run(clock.now() + held_seconds - 0.1)
    made.look()
    assert worker.connections == 0
    clock.run(clock.now() + 0.1)
    made.look()
    assert worker.connections > 0


def test_a_limit_that_was_reached_by_all_is_not_taken_back_by_an_order() -> None:
    job = Job.of(limits={"pages": 5, "seconds": 60.0})
    clock = VirtualClock()
    limits = SharedLimits(job, clock, lambda: 1 << 62, 1, nullcontext())
    limits.begin(PartitionState())
    assert limits.budget.next_moment() == clock.now() + 60.0
    limits.halt(clock.now())
    clock.run(clock.now() + 10.0)
    limits.adopt(Job.of(limits={"pages": 9, "seconds": 90.0}).limits)
    limits.go_on(clock.now())
    assert limits.budget.next_moment() == clock.now() + 90.0
    limits.budget.end(Limit.PAGES)
    limits.adopt(Job.of(limits={"pages": 20}).limits)
    assert limits.budget.reached is Limit.PAGES
    limits.no_longer_chair()
    assert limits.budget.next_moment() == float("inf")


def test_settings_that_an_earlier_version_left_on_the_board_become_orders() -> None:
    board, log = MemoryBoard(), LooseServer(1)
    old = {"values": {"fetch.connections": 3, "limits.pages": 9}, "is_paused": True, "leaving": [2]}
    board.put(SETTINGS, msgspec.json.encode(old), 0)
    for name, note in notes_of(SetValue("limits.pages", 9), SetValue("limits.bytes", 7)).items():
        log.note(name, note)
    for _ in range(2):
        note_old_settings(log, board)
        found = known_in_force(log)
        assert found.values == old["values"] and found.is_paused and found.last == 5
    assert board.get(SETTINGS).value == b""  # type: ignore[union-attr]


def test_a_member_leaves_by_a_note_and_stays_by_another() -> None:
    notes = {leave_name(3, 1): b"", leave_name(12, 1): b"", leave_name(12, 2): b"", "loss-3": b""}
    assert leaves_in(notes) == {3: 1, 12: 2}


LIMITS = Limits(100, 0, 1_000, 1)


def speak(desk: Desk, board: MemoryBoard) -> None:
    for _ in range(4):
        call = desk.call(float("inf"))
        if call is None:
            return
        desk.answered(make(call, board), 0.0)


def test_a_limit_that_one_life_has_adopted_holds_for_the_grants_of_all() -> None:
    board, first, second = MemoryBoard(), Desk(1, LIMITS), Desk(2, LIMITS)
    first.open({0: Count(1, Amount(10, 0))})
    speak(first, board)
    first.adopt(Changed(0, 12, 0, 5))
    speak(first, board)
    second.open({0: Count(2, Amount(10, 0))})
    second.want()
    speak(second, board)
    assert second.take_grant() is not None
    entry = board.get(LEDGER)
    assert entry is not None
    assert unpack(entry.value).charged.pages <= 12
    second.account({0: Count(3, Amount(12, 0))}, Amount(2, 0), Amount())
    speak(second, board)
    assert second.reached == "pages", "it has not adopted the limit itself"


def test_an_order_replaces_a_limit_that_an_earlier_version_has_written() -> None:
    ledger = changed(Ledger(changed=Changed(5_000, 12, 0)), Changed(0, 30, 0, 1))
    assert ledger.changed == Changed(0, 30, 0, 1)
    assert changed(ledger, Changed(9_000, 12, 0)) == ledger


def test_what_old_lives_have_left_is_removed_and_what_is_needed_stays() -> None:
    moment = 0.0
    board, log = MemoryBoard(now=lambda: moment), LooseServer(2)
    log.take("life-2", [Take(1, 0, encode([Taken(1.0, "life-2")]))])
    members = {
        1: Member(1, "m1", "1", 1, standing=Standing.LEFT),
        2: Member(2, "m2", "1", 1, standing=Standing.DEAD),
        3: Member(3, "m3", "1", 1, standing=Standing.DEAD),
        4: Member(4, "m4", "1", 1),
    }
    for number in (1, 2):
        board.put(member_key(number), pack(members[number]), 0)
        board.put(lines_key(number), b"\x90", 0)
    moment = GRAVE_SECONDS
    for number in (3, 4):
        board.put(member_key(number), pack(members[number]), 0)
    assert clear_graves(log, board, members) == 1
    assert sorted(board.list("member/") or {}) == ["member/2", "member/3", "member/4"]
    assert sorted(board.list("lines/") or {}) == ["lines/2"]
