from __future__ import annotations

from pathlib import Path

from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.frontier.readiness.addresses import Addresses
from lycosa.frontier.readiness.agenda import Agenda
from lycosa.frontier.readiness.phases import WorkerContext
from lycosa.frontier.readiness.slots import AddressSlots
from lycosa.frontier.task import TaskKind
from lycosa.model.records import (
    ErrandTaken,
    Fetched,
    HostChanged,
    HostResolved,
    Outcome,
    RobotsLearned,
    RobotsState,
)

DAY = 86_400.0


class Bench:
    """A partition with known addresses, a pause of ten seconds and no worker."""

    def __init__(
        self,
        addresses: dict[str, str],
        ip_delay: float = 1.0,
        resumed_at: float | None = None,
        slots: AddressSlots | None = None,
    ) -> None:
        self.agenda = Agenda()
        self.names = addresses
        gates = Addresses(self.agenda, ip_delay, 0.0, slots)
        self.around = WorkerContext(
            self.agenda, gates, self.resolve, lambda *_: 10.0, resumed_at, {}, {}
        )
        self.partition = Partition(0, PartitionState(), "breadth-first", self.around)

    def resolve(self, number: int, host: int) -> str | None:
        return self.names.get(self.partition.state.host_names[host])

    def admit(self, *keys: str, now: float = 0.0) -> None:
        self.partition.admit(now, "", list(keys), [0] * len(keys))

    def learn(self, site: str, now: float = 0.0, expires: float = DAY) -> None:
        number = self.partition.state.site_number(site)
        assert number is not None
        self.partition.learn_robots(
            RobotsLearned(now, number, RobotsState.KNOWN, b"", 0.0, expires, 0.0)
        )

    def tasks(self, now: float) -> list[tuple[TaskKind, str]]:
        """Take everything that may be asked for now, as a worker with many connections would."""
        self.agenda.run(now)
        taken = []
        while (task := self.partition.next_task()) is not None:
            state = self.partition.state
            if task.kind is TaskKind.PAGE:
                name = state.table.key(task.subject)
            elif task.kind is TaskKind.ROBOTS:
                name = state.site_names[task.subject]
            else:
                name = state.errands[task.subject].key
            self.partition.readiness.take(task.host)
            taken.append((task.kind, name))
        return taken

    def answer(self, host: str, now: float, due: float) -> None:
        number = self.partition.state.host_number(host)
        assert number is not None
        self.partition.record(HostChanged(now, number, due, 0))
        self.partition.readiness.give_back(number, now)


def test_a_new_site_is_asked_for_its_robots_file_and_nothing_else() -> None:
    bench = Bench({"test.a": "1.1.1.1"})
    bench.admit("test.a:/1", "test.a:/2")
    assert bench.tasks(0.0) == [(TaskKind.ROBOTS, "test.a:")]


def test_a_host_that_was_taken_is_not_handed_out_again_before_it_is_given_back() -> None:
    bench = Bench({"test.a": "1.1.1.1"})
    bench.admit("test.a:/1", "test.a:/2")
    bench.learn("test.a:")
    assert bench.tasks(0.0) == [(TaskKind.PAGE, "test.a:/1")]
    assert bench.tasks(1000.0) == []
    bench.answer("test.a", 1000.0, 1010.0)
    assert bench.tasks(1009.9) == []
    assert bench.tasks(1010.0) == [(TaskKind.PAGE, "test.a:/2")]


def test_two_schemes_of_one_host_share_its_clock() -> None:
    bench = Bench({"test.a": "1.1.1.1"})
    bench.admit("test.a:/1", "test.a:s/1", "test.a:8080/1")
    for site in ("test.a:", "test.a:s", "test.a:8080"):
        bench.learn(site)
    assert len(bench.tasks(0.0)) == 1
    bench.answer("test.a", 1.0, 11.0)
    assert len(bench.tasks(11.0)) == 1


def test_hosts_of_one_address_take_turns_with_its_pause_between_them() -> None:
    bench = Bench({f"test.{n}": "1.1.1.1" for n in "abc"}, ip_delay=2.0)
    bench.admit("test.a:/", "test.b:/", "test.c:/")
    for n in "abc":
        bench.learn(f"test.{n}:")
    assert bench.tasks(0.0) == [(TaskKind.PAGE, "test.a:/")]
    bench.answer("test.a", 5.0, 15.0)
    assert bench.tasks(6.9) == []
    assert bench.tasks(7.0) == [(TaskKind.PAGE, "test.b:/")]
    bench.answer("test.b", 7.5, 17.5)
    assert bench.tasks(9.5) == [(TaskKind.PAGE, "test.c:/")]


def test_a_host_that_is_held_frees_its_address_and_rests() -> None:
    bench = Bench({"test.a": "1.1.1.1", "test.b": "1.1.1.1"})
    bench.admit("test.a:/1", "test.a:/2", "test.b:/1")
    bench.learn("test.a:")
    bench.learn("test.b:")
    assert bench.tasks(0.0) == [(TaskKind.PAGE, "test.a:/1")]
    readiness, state = bench.partition.readiness, bench.partition.state
    host = state.host_number("test.a")
    assert host is not None
    bench.partition.record(HostChanged(0.5, host, 3.0, 0))
    readiness.free_address(host, 0.5)
    assert readiness.counts()["taken"] == 0
    assert bench.tasks(1.5) == [(TaskKind.PAGE, "test.b:/1")]
    bench.answer("test.b", 1.6, 20.0)
    assert bench.tasks(9.0) == []  # the first host is due, and what it said is not durable
    readiness.give_back(host, 9.0)
    assert bench.tasks(9.0) == [(TaskKind.PAGE, "test.a:/2")]
    assert readiness.counts()["taken"] == 1


def test_a_host_whose_address_expired_in_the_queue_keeps_its_place() -> None:
    bench = Bench({f"test.{n}": "1.1.1.1" for n in "abc"}, ip_delay=2.0)
    bench.admit("test.a:/", "test.b:/", "test.c:/")
    for n in "abc":
        bench.learn(f"test.{n}:")
    assert bench.tasks(0.0) == [(TaskKind.PAGE, "test.a:/")]
    del bench.names["test.b"]
    bench.answer("test.a", 5.0, 15.0)
    assert bench.tasks(7.0) == [(TaskKind.PAGE, "test.c:/")]
    bench.admit("test.a:/2", now=7.0)
    bench.names["test.b"] = "1.1.1.1"
    assert bench.tasks(15.0) == []
    bench.partition.readiness.resolved(1, "1.1.1.1", 15.5)
    bench.answer("test.c", 16.0, 26.0)
    assert bench.tasks(18.0) == [(TaskKind.PAGE, "test.b:/")]


def test_a_host_whose_address_changed_in_the_queue_goes_to_the_other_gate() -> None:
    bench = Bench({"test.a": "1.1.1.1", "test.b": "1.1.1.1"}, ip_delay=2.0)
    bench.admit("test.a:/", "test.b:/")
    for n in "ab":
        bench.learn(f"test.{n}:")
    assert bench.tasks(0.0) == [(TaskKind.PAGE, "test.a:/")]
    bench.names["test.b"] = "2.2.2.2"
    bench.answer("test.a", 5.0, 15.0)
    bench.agenda.run(7.0)
    task = bench.partition.next_task()
    assert task is not None
    assert bench.partition.readiness.take(task.host) == "2.2.2.2"


def test_a_name_is_looked_up_shortly_before_its_host_is_due() -> None:
    ahead: list[int] = []
    bench = Bench({"test.a": "1.1.1.1"})
    around = bench.around._replace(look_ahead=lambda number, host: ahead.append(host))
    bench.partition = Partition(0, PartitionState(), "breadth-first", around)
    bench.admit("test.a:/1", "test.a:/2", "test.a:/3")
    bench.learn("test.a:")
    bench.tasks(0.0)
    bench.answer("test.a", 1.0, 101.0)
    bench.agenda.run(90.9)
    assert ahead == []
    bench.agenda.run(91.0)
    assert ahead == [0]
    bench.tasks(101.0)
    bench.partition.record(HostResolved(101.0, 0, "1.1.1.1", 500.0))
    bench.answer("test.a", 102.0, 202.0)
    bench.agenda.run(201.0)
    assert ahead == [0]


def test_after_a_resume_every_host_waits_its_full_pause_also_one_never_heard_of() -> None:
    bench = Bench({"test.a": "1.1.1.1"}, resumed_at=100.0)
    bench.admit("test.a:/", now=105.0)
    assert bench.tasks(109.9) == []
    assert bench.tasks(110.0) == [(TaskKind.ROBOTS, "test.a:")]


def test_rules_that_expire_while_a_host_is_awake_are_asked_for_again() -> None:
    bench = Bench({"test.a": "1.1.1.1"})
    bench.admit("test.a:/1")
    bench.learn("test.a:", expires=50.0)
    bench.agenda.run(0.0)
    task = bench.partition.next_task()
    assert task is not None
    bench.partition.hand_back(task, 60.0)
    assert bench.tasks(60.0) == [(TaskKind.ROBOTS, "test.a:")]


def test_an_unreachable_robots_file_blocks_its_site_and_not_the_host() -> None:
    bench = Bench({"test.a": "1.1.1.1"})
    bench.admit("test.a:/1", "test.a:s/1")
    bench.learn("test.a:s")
    bench.partition.learn_robots(
        RobotsLearned(0.0, 0, RobotsState.UNREACHABLE, b"", 0.0, 500.0, 0.0)
    )
    assert bench.tasks(0.0) == [(TaskKind.PAGE, "test.a:s/1")]
    bench.partition.finish(Fetched(1.0, 1, Outcome.KEPT, 200, 5, 0.0, 11.0))
    bench.partition.readiness.give_back(0, 1.0)
    assert bench.tasks(499.0) == []
    assert bench.tasks(500.0) == [(TaskKind.ROBOTS, "test.a:")]


def test_an_errand_comes_before_the_hosts_own_pages() -> None:
    bench = Bench({"test.a": "1.1.1.1"})
    bench.admit("test.a:/1")
    bench.learn("test.a:")
    bench.partition.take_errand(ErrandTaken(0.0, "test.b:", "test.a:/for-b.txt", 1))
    assert bench.tasks(0.0) == [(TaskKind.ERRAND, "test.a:/for-b.txt")]


def test_a_closed_host_lets_the_next_one_of_its_address_through() -> None:
    bench = Bench({"test.a": "1.1.1.1", "test.b": "1.1.1.1"})
    bench.admit("test.a:/", "test.b:/")
    bench.learn("test.a:")
    bench.learn("test.b:")
    bench.partition.change_host(HostChanged(0.0, 0, 0.0, 0, Outcome.BLOCKED))
    assert bench.tasks(0.0) == [(TaskKind.PAGE, "test.b:/")]
    assert bench.partition.state.pending == 1


def test_a_page_that_is_to_be_tried_again_waits_for_its_own_moment() -> None:
    bench = Bench({"test.a": "1.1.1.1"})
    bench.admit("test.a:/1")
    bench.learn("test.a:")
    assert len(bench.tasks(0.0)) == 1
    bench.partition.finish(Fetched(1.0, 0, Outcome.SERVER_ERROR, 500, 0, 300.0, 11.0))
    bench.partition.readiness.give_back(0, 1.0)
    assert bench.tasks(299.0) == []
    assert bench.tasks(300.0) == [(TaskKind.PAGE, "test.a:/1")]


def test_what_is_known_of_hosts_survives_a_snapshot() -> None:
    bench = Bench({"test.a": "1.1.1.1"})
    bench.admit("test.a:/1", "test.b:s/2?x")
    bench.learn("test.a:")
    bench.partition.finish(Fetched(1.0, 0, Outcome.KEPT, 200, 5, 0.0, 11.0))
    bench.partition.take_errand(ErrandTaken(2.0, "test.c:", "test.a:/c.txt", 2))
    state = bench.partition.state
    again = PartitionState.unpack(state.pack(7))
    assert again.sequence == 7
    assert again.pack(7) == state.pack(7)
    assert again.outcome_of(0) is Outcome.KEPT
    assert again.errands == state.errands


def test_a_partition_that_is_lost_frees_addresses_that_wait_for_its_commit(tmp_path: Path) -> None:
    """The commit never comes, and the process goes on to crawl: in its next life, or elsewhere."""
    now = 100.0
    slots = AddressSlots(tmp_path, lambda: now)
    bench = Bench({"test.a": "1.1.1.1"}, slots=slots)
    bench.admit("test.a:/1")
    bench.agenda.run(0.0)
    task = bench.partition.next_task()
    assert task is not None and bench.partition.readiness.claim(task.host, 0.0)
    bench.partition.readiness.take(task.host)
    bench.partition.abandon(1.0)
    assert slots.take("1.1.1.1", 1.0) > 0.0
    bench.partition.readiness.free_addresses(1.0)
    now = 101.5
    assert slots.take("1.1.1.1", 1.0) == 0.0
    slots.let_go("1.1.1.1", 1.0)
    bench.partition.readiness.give_back(task.host, 3.0)  # what was to happen after the commit
    assert bench.partition.readiness.counts()["waiting"] == 0
    slots.close()
