"""Settings that the operator changes reach a worker while it runs."""

from __future__ import annotations

from typing import Any

import pytest

from lycosa.cluster.board.keys import LEDGER, SETTINGS, lines_key, member_key
from lycosa.cluster.board.memory import MemoryBoard
from lycosa.cluster.board.protocol import Entry
from lycosa.cluster.ledger.desk import Desk
from lycosa.cluster.ledger.document import Amount, Changed, Count, Limits, unpack
from lycosa.cluster.membership.calls import Get, make
from lycosa.cluster.membership.record import Member, Standing, pack
from lycosa.cluster.settings import READ_SECONDS, Settings, SettingsDesk, Value
from lycosa.cluster.settings import pack as pack_settings
from lycosa.config import Job
from lycosa.crawl.member.adopting import Adopter
from lycosa.crawl.member.chair import GRAVE_SECONDS, clear_graves
from lycosa.crawl.pauses import usual_pause
from lycosa.log.format import encode
from lycosa.log.loose import LooseServer
from lycosa.log.protocol import Take
from lycosa.records import Taken


class FakeWorker:
    """What the adopter does to a worker and its surroundings."""

    def __init__(self) -> None:
        self.connections = 8
        self.addresses = self
        self.pumped = 0
        self.told: dict[str, Any] = {}

    def pump(self) -> None:
        self.pumped += 1

    def pace(self, seconds: float) -> None:
        self.told["ip"] = seconds

    def limit_bandwidth(self, rate: int) -> None:
        self.told["rate"] = rate

    def partitions(self) -> dict[int, object]:
        return {}

    def halt(self, *, is_halted: bool) -> None:
        self.told["halted"] = is_halted

    def adopt(self, revision: int) -> None:
        self.told["limits"] = revision


class Clock:
    moment = 1_000.0

    def now(self) -> float:
        return self.moment


def adopter(job: Job) -> tuple[Adopter, FakeWorker, Clock]:
    clock, worker = Clock(), FakeWorker()
    made = Adopter(job, clock, lambda: 2)  # type: ignore[arg-type]
    made.employ(worker, worker)  # type: ignore[arg-type]
    return made, worker, clock


def read(made: Adopter, settings: Settings, revision: int) -> None:
    made.desk.call(float("inf"))
    made.desk.answered(Entry(pack_settings(settings), revision), 0.0)


def test_no_request_begins_before_the_settings_were_read() -> None:
    made, worker, _ = adopter(Job.of(fetch={"connections": 16}))
    made.look(worker)
    assert worker.connections == 0
    read(made, Settings(), 0)
    made.look(worker)
    assert (worker.connections, worker.pumped) == (16, 1)
    made.employ(worker, worker)  # type: ignore[arg-type]
    assert worker.connections == 0, "another life may have missed a change"


def test_all_parts_of_a_worker_go_by_a_change_at_once() -> None:
    job = Job.of(politeness={"delay_seconds": 5.0, "ip_delay_seconds": 1.0})
    made, worker, _ = adopter(job)
    values: dict[str, Value] = {
        "politeness.delay_seconds": 2.0,
        "politeness.ip_delay_seconds": 0.5,
        "fetch.connections": 3,
        "fetch.bytes_per_second": 9_000,
    }
    read(made, Settings(values), 7)
    made.look(worker)
    assert usual_pause(made.job, 0) == 2.0
    assert worker.told == {"ip": 0.5, "rate": 9_000, "limits": 7, "halted": False}
    assert worker.connections == 3
    assert usual_pause(job, 0) == 5.0, "the job of the directory stays as it is"
    read(made, Settings(), 8)
    made.look(worker)
    assert (usual_pause(made.job, 0), made.revision) == (5.0, 8)


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
    made, worker, clock = adopter(Job.of(politeness=politeness))
    read(made, Settings({name: value}), 3)
    made.look(worker)
    assert worker.connections == 0
    clock.moment += held_seconds - 0.1
    made.look(worker)
    assert worker.connections == 0
    clock.moment += 0.1
    made.look(worker)
    assert worker.connections > 0


def test_a_paused_crawl_begins_no_request() -> None:
    made, worker, _ = adopter(Job())
    read(made, Settings(is_paused=True), 1)
    made.look(worker)
    assert worker.connections == 0
    read(made, Settings(), 2)
    made.look(worker)
    assert worker.connections == Job().fetch.connections


def test_a_stale_answer_does_not_bring_old_settings_back() -> None:
    desk, board = SettingsDesk(), MemoryBoard()
    revision = board.put(SETTINGS, pack_settings(Settings(is_paused=True)), 0).revision
    call = desk.call(0.0)
    assert call == Get(SETTINGS)
    desk.answered(make(call, board), 0.0)
    assert (desk.settings.is_paused, desk.revision, desk.is_fresh) == (True, revision, True)
    assert desk.call(READ_SECONDS - 0.1) is None
    assert desk.call(READ_SECONDS) is not None
    desk.answered(Entry(b"", 0), READ_SECONDS)
    assert (desk.settings.is_paused, desk.revision) == (True, revision)
    assert desk.call(2 * READ_SECONDS) is not None
    desk.ask()
    desk.answered(None, 5.0)
    assert not desk.is_fresh


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
    first.adopt(Changed(5, 12, 0))
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
