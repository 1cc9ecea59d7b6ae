"""Settings, log lines and figures of all machines, in one place."""

from __future__ import annotations

import time
from random import Random

import msgspec
import pytest

from lycosa.errors import ConfigError, LogError
from lycosa.model.job import Job
from lycosa.runtime.cluster.courier import Courier
from lycosa.runtime.cluster.figures import figures
from lycosa.runtime.cluster.lines import LONGEST_LINE, MOST_LINES, LineDesk, merged
from lycosa.runtime.cluster.settings import CHANGEABLE, Settings, behind, check_value
from lycosa.runtime.coordination.changes import change
from lycosa.runtime.coordination.keys import CORDONS, LEDGER, LINES, lines_key
from lycosa.runtime.coordination.memory import Faults, LooseBoard, MemoryBoard
from lycosa.runtime.coordination.protocol import LARGEST_VALUE_BYTES, Entry
from lycosa.runtime.limits import desk as ledger_desk
from lycosa.runtime.limits.document import Amount, Count, Limits
from lycosa.runtime.membership.calls import make
from lycosa.runtime.membership.record import Member, Progress, Standing, tombstone


def test_a_setting_replaces_a_key_of_the_job() -> None:
    job = Job.of(seeds=["http://a.test/"], politeness={"delay_seconds": 5.0})
    changed = Settings({"politeness.delay_seconds": 9.5, "limits.pages": 10}).applied(job)
    assert (changed.politeness.delay_seconds, changed.limits.pages) == (9.5, 10)
    assert changed.fetch == job.fetch
    assert Settings({"limits.pages": 10}).applied(job).politeness == job.politeness
    assert Settings().applied(job) is job


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("fetch.allow_private", True),
        ("fetch.proxy", "http://192.0.2.1:3128"),
        ("fetch.hosts_file", "/tmp/hosts"),
        ("notify.command", "touch /tmp/owned"),
        ("store.place", "s3://another/place"),
        ("plugins.use", "another"),
        ("robots.obey", False),
        ("politeness.delay_seconds", -1.0),
        ("politeness.delay_seconds", "soon"),
        ("nothing.known", 1),
    ],
)
def test_settings_change_no_more_of_a_job_than_an_order_may(
    name: str, value: bool | float | str
) -> None:
    job = Job()
    assert Settings({name: value}).applied(job) == job


def test_all_settings_are_keys_of_the_job() -> None:
    job = Job.of(seeds=["http://a.test/"])
    for name in CHANGEABLE:
        section, key = name.split(".")
        assert hasattr(getattr(job, section), key)


def test_a_setting_is_checked_as_the_job_is() -> None:
    with pytest.raises(ConfigError, match="must be at least"):
        check_value("politeness.delay_seconds", -1.0)
    with pytest.raises(ConfigError, match=r"cannot be changed .*\n  these can: politeness"):
        check_value("frontier.partitions", 8)


def test_it_can_be_seen_when_all_have_adopted_a_change() -> None:
    members = {1: Member(1, "m1", "1", 2, settings=4), 2: Member(2, "m2", "1", 2, settings=7)}
    assert behind(members, 7) == [1]
    members[1] = tombstone(members[1], 2)
    assert behind(members, 7) == []


def test_two_changes_at_once_are_both_kept_through_lost_answers() -> None:
    server = MemoryBoard(kept_versions=8)
    faults = Faults(lost_requests=0.2, lost_answers=0.3, unread=0.2, stale_reads=0.2)
    way = LooseBoard(server, faults, Random(3))

    def mark(number: int) -> int | None:
        def changed(value: bytes) -> bytes:
            return bytes(sorted({*value, number}))

        return change(way, CORDONS, changed)

    revisions = [mark(number) for number in range(7)]
    assert None not in revisions
    entry = server.get(CORDONS)
    assert entry is not None
    assert entry.value == bytes(range(7))
    assert entry.revision == max(one for one in revisions if one is not None)


def test_a_board_that_does_not_answer_is_told() -> None:
    way = LooseBoard(MemoryBoard(), Faults(), Random(1))
    way.is_cut = True
    assert change(way, CORDONS, lambda value: b"x", seconds=0.0) is None


def run(desk: LineDesk, board: MemoryBoard | LooseBoard, now: float) -> None:
    call = desk.call(now)
    if call is not None:
        desk.answered(make(call, board), now)


def test_lines_of_all_machines_are_in_one_place_and_bounded() -> None:
    board = MemoryBoard()
    desks = [LineDesk(number) for number in (1, 2)]
    for n in range(3 * MOST_LINES):
        for number, desk in enumerate(desks):
            desk.add(n + number / 2, "warning", f"{n} " + "x" * 1000)
    for desk in desks:
        run(desk, board, 0.0)
    lines = merged(board.list(LINES) or {})
    assert len(lines) == 2 * MOST_LINES
    assert [number for number, _ in lines[:4]] == [1, 2, 1, 2]
    assert all(len(line.text) == LONGEST_LINE for _, line in lines)
    entry = board.get(lines_key(1))
    assert entry is not None
    assert len(entry.value) < LARGEST_VALUE_BYTES / 10


def test_lines_are_written_seldom_and_never_lost_by_a_lost_answer() -> None:
    board = MemoryBoard()
    way = LooseBoard(board, Faults(lost_answers=0.5, lost_requests=0.2), Random(1))
    desk = LineDesk(1)
    for n in range(40):
        desk.add(float(n), "info", str(n))
        run(desk, way, float(n))
    way.faults = Faults()
    for n in range(40, 50):
        run(desk, way, float(n))
    found = [line.text for _, line in merged(board.list(LINES) or {})]
    assert found == [str(n) for n in range(40)]
    busy = LineDesk(2)
    for n in range(100):
        busy.add(n / 10, "info", "x")
        run(busy, board, n / 10)
    entry = board.get(lines_key(2))
    assert entry is not None
    assert entry.revision - (board.get(lines_key(1)) or entry).revision <= 6


def test_figures_are_the_sum_of_the_living() -> None:
    one = Member(1, "m1", "1", 2, progress=Progress(pages=10, in_flight=2))
    two = Member(2, "m1", "1", 2, progress=Progress(pages=5), clock_offset=-3.0)
    three = Member(3, "m2", "1", 2, standing=Standing.LEAVING, progress=Progress(pages=1))
    dead = tombstone(msgspec.structs.replace(one, number=4), 1)
    found = figures([one, two, three, dead])
    assert found.total == Progress(pages=16, in_flight=2)
    assert found.ended == 1
    first, second = found.machines
    assert (first.machine, first.workers, first.progress.pages) == ("m1", 2, 15)
    assert first.clock_offset == -3.0
    assert second.is_leaving
    assert figures([]).total == Progress()


def test_a_courier_carries_the_calls_of_all_desks() -> None:
    board = MemoryBoard()
    lines, ledger = LineDesk(1), ledger_desk.Desk(1, Limits(10, 0, 100, 1))
    courier = Courier(lambda: board, [lines, ledger])
    with courier.lock:
        lines.add(1.0, "info", "hello")
        ledger.account({0: Count(1, Amount())}, Amount(), Amount())
        ledger.want()
        courier.lock.notify_all()
    end = time.monotonic() + 20
    grant = None
    while grant is None:
        assert time.monotonic() < end
        with courier.lock:
            grant = ledger.take_grant()
            courier.lock.wait(0.02)
    courier.close()
    assert grant.pages == 5
    assert board.get(LEDGER) is not None
    assert [line.text for _, line in merged(board.list(LINES) or {})] == ["hello"]


class Broken(MemoryBoard):
    def get(self, key: str, age: int = 0) -> Entry | None:
        raise LogError("the bucket has one replica")


def test_what_ends_the_courier_is_told() -> None:
    ledger = ledger_desk.Desk(1, Limits(10, 0, 100, 1))
    courier = Courier(Broken, [ledger])
    end = time.monotonic() + 20
    while courier.failure is None and time.monotonic() < end:
        time.sleep(0.01)
    courier.close()
    assert isinstance(courier.failure, LogError)
