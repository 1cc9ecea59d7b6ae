"""Batons among partitions, whatever is delivered late and whatever is killed.

The partitions, their logs and inboxes are the real ones; the test decides when a partition sends,
gets an answer, commits, reads its inbox or is killed. At every step one partition holds each baton
or has it in its inbox, and no host is asked twice within its pause.
"""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.crawl.messages.batons import Batons
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.frontier.partitioners import by_url
from lycosa.frontier.readiness.addresses import Addresses
from lycosa.frontier.readiness.agenda import Agenda
from lycosa.frontier.readiness.phases import WorkerContext
from lycosa.frontier.task import Task, TaskKind
from lycosa.model.clock import VirtualClock
from lycosa.model.job import Job
from lycosa.model.records import (
    BatonCame,
    BatonDue,
    BatonWanted,
    Fetched,
    InboxRead,
    Outcome,
    RobotsLearned,
    RobotsState,
    Taken,
)
from lycosa.storage.log.fold import replay
from lycosa.storage.log.format import decode_messages, encode
from lycosa.storage.log.memory import MemoryLog
from lycosa.storage.log.protocol import Take, Write
from seeds import examples

PARTITIONS, PHASES = 4, 5
PAUSE, SLOT = 8.0, 20.0
HOSTS = [f"test.h{number}" for number in range(2)]
JOB = Job.of(
    seeds=["http://h0.test/"],
    frontier={
        "partitions": PARTITIONS,
        "phases": PHASES,
        "partitioner": "url-hash",
        "slot_seconds": SLOT,
    },
    politeness={"delay_seconds": PAUSE, "large_site_delay_seconds": PAUSE},
)


class Member:
    """One partition in the hands of its own worker."""

    def __init__(self, bench: Bench, number: int) -> None:
        self.bench = bench
        self.number = number
        self.agenda = Agenda()
        self.lives = 0
        self.partitions: dict[int, Partition] = {}
        self.under_way: list[Task] = []
        self.begin()

    @property
    def partition(self) -> Partition:
        return self.partitions[self.number]

    def begin(self) -> None:
        bench, number = self.bench, self.number
        now = bench.clock.now()
        self.lives += 1
        self.agenda = Agenda()
        self.partitions = {}
        self.under_way = []
        state = bench.folded(number)
        taken = Taken(now, f"life {self.lives} of {number}")
        sequences = bench.log.take(taken.owner, [Take(number, state.sequence, encode([taken]))])
        assert sequences[0] is not None
        state.apply(taken)
        state.sequence = sequences[0]
        self.batons = Batons(JOB, bench.clock, bench.partitioner, self.partitions, lambda *_: None)
        around = WorkerContext(
            self.agenda,
            Addresses(self.agenda, 0.0, 0.0),
            lambda _, host: state.host_names[host],
            lambda *_: PAUSE + 1.0,
            now if self.lives > 1 else None,
            {},
            {},
            make_readiness=self.batons.make_readiness,
        )
        self.partitions[number] = Partition(number, state, "breadth-first", around)
        self.partition.resume(now)

    def admit(self, host: str, name: int) -> None:
        self.partition.admit(self.bench.clock.now(), "", [f"{host}:/{self.number}/{name}"], [0])

    def send(self) -> None:
        """Send what may be sent now."""
        now = self.bench.clock.now()
        self.agenda.run(now)
        while (task := self.partition.next_task()) is not None:
            self.partition.readiness.take(task.host)
            self.under_way.append(task)
            self.bench.began(self.partition.state.host_names[task.host], self.number)

    def answer(self) -> None:
        """Get the answer to the first request that is under way."""
        if not self.under_way:
            return
        task, now = self.under_way.pop(0), self.bench.clock.now()
        partition = self.partition
        if task.kind is TaskKind.ROBOTS:
            expires = now + 86_400
            partition.learn_robots(
                RobotsLearned(now, task.subject, RobotsState.KNOWN, b"", 0, expires, now + PAUSE)
            )
        else:
            partition.finish(Fetched(now, task.subject, Outcome.KEPT, 200, 1, 0.0, now + PAUSE))
        self.bench.ended(partition.state.host_names[task.host])
        partition.readiness.give_back(task.host, now)

    def commit(self) -> None:
        self.agenda.run(self.bench.clock.now())
        events, posts = self.partition.cut()
        if events or posts:
            state = self.partition.state
            posted = [(target, encode(messages)) for target, messages in posts.items()]
            write = Write(self.number, state.sequence, encode(events), posted, state.inbox_read)
            (sequence,) = self.bench.log.commit([write])
            assert sequence is not None
            state.sequence = sequence

    def read(self) -> None:
        for sequence, batch in self.bench.log.inbox(self.number, self.partition.state.inbox_read):
            for message in decode_messages(batch):
                assert isinstance(message, BatonWanted | BatonDue | BatonCame)
                self.batons.decide(self.partition, message)
            self.partition.record(InboxRead(sequence))

    def kill(self) -> None:
        for task in self.under_way:
            self.bench.ended(self.partition.state.host_names[task.host])
        self.begin()


class Bench:
    def __init__(self) -> None:
        self.clock = VirtualClock(1000.0)
        self.log = MemoryLog(PARTITIONS)
        self.partitioner = by_url(PARTITIONS).in_phases(PHASES)
        self.asked_by: dict[str, int] = {}
        self.ended_at: dict[str, float] = {}
        self.passes = 0
        self.members = [Member(self, number) for number in range(PARTITIONS)]

    def folded(self, number: int) -> PartitionState:
        state = PartitionState()
        replay(state, self.log.read(number, 0))
        return state

    def began(self, host: str, by: int) -> None:
        assert host not in self.asked_by, f"{host} is asked by {by} and {self.asked_by[host]}"
        gap = self.clock.now() - self.ended_at.get(host, 0.0)
        assert gap >= PAUSE, f"{host} is asked by {by} after {gap} s"
        self.asked_by[host] = by

    def ended(self, host: str) -> None:
        del self.asked_by[host]
        self.ended_at[host] = self.clock.now()

    def wait(self, seconds: float) -> None:
        self.clock.run(self.clock.now() + seconds)

    def holders(self) -> Counter[int]:
        """Return in how many places each baton is, by what is durable."""
        found: Counter[int] = Counter()
        for number in range(PARTITIONS):
            state = self.folded(number)
            for host_set in range(PHASES):
                is_home = self.partitioner.home_of(host_set) == number
                found[host_set] += state.batons.holds(host_set, is_home)
            for _, batch in self.log.inbox(number, state.inbox_read):
                for message in decode_messages(batch):
                    if isinstance(message, BatonCame):
                        found[message.host_set] += 1
        return found

    def deliver(self) -> None:
        """Let everybody commit, then read what has come, and commit that."""
        for member in self.members:
            member.commit()
        for member in self.members:
            member.read()
            member.commit()

    def finish(self) -> None:
        """Let everything go its way until nothing is left to do."""
        for _ in range(2000):
            before = [self.log.head(number) for number in range(PARTITIONS)]
            for member in self.members:
                member.send()
                member.answer()
                member.read()
                member.commit()
            is_idle = not any(member.partition.state.pending for member in self.members)
            if is_idle and before == [self.log.head(number) for number in range(PARTITIONS)]:
                return
            self.wait(1.0)
        raise AssertionError("no end is found")


ONE_EACH = dict.fromkeys(range(PHASES), 1)
STEPS = ("admit", "send", "answer", "commit", "read", "kill", "wait", "deliver", "deliver")


@settings(max_examples=examples(40), deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(STEPS), st.integers(0, PARTITIONS - 1), st.integers(0, 3)),
        min_size=30,
        max_size=150,
    )
)
def test_one_partition_has_each_baton_whatever_is_killed(
    steps: list[tuple[str, int, int]],
) -> None:
    bench = Bench()
    for name, (step, number, choice) in enumerate(steps):
        member = bench.members[number]
        if step == "admit":
            member.admit(HOSTS[choice % 2], name)
        elif step == "wait":
            bench.wait(2.5 * choice)
        elif step == "deliver":
            bench.deliver()
        else:
            getattr(member, step)()
        if step in ("commit", "kill", "deliver"):
            assert bench.holders() == ONE_EACH
    bench.finish()
    assert bench.holders() == ONE_EACH


def busy_bench() -> Bench:
    bench = Bench()
    for member in bench.members:
        for name in range(6):
            member.admit(HOSTS[0], name)
    return bench


def test_a_baton_goes_round_among_those_who_want_it() -> None:
    bench = busy_bench()
    bench.finish()
    kept = [member.partition.state.kept_pages for member in bench.members]
    assert kept == [6] * PARTITIONS
    assert len({member.partition.state.hosts.kept[0] for member in bench.members}) > 1


def test_every_holder_counts_the_pages_of_all() -> None:
    bench = busy_bench()
    bench.finish()
    assert max(member.partition.state.hosts.kept[0] for member in bench.members) == 24


def test_one_robots_file_serves_all() -> None:
    bench = busy_bench()
    asked: list[str] = []
    bench.began = lambda host, by: asked.append(host)  # type: ignore[method-assign]
    bench.ended = lambda host: None  # type: ignore[method-assign]
    bench.finish()
    assert len(asked) == 24 + 1


def test_an_idle_crawl_moves_no_baton() -> None:
    bench = busy_bench()
    bench.finish()
    before = [bench.log.head(number) for number in range(PARTITIONS)]
    for _ in range(50):
        for member in bench.members:
            member.send()
            member.read()
            member.commit()
        bench.wait(SLOT)
    assert [bench.log.head(number) for number in range(PARTITIONS)] == before


def test_a_baton_that_nobody_else_wants_rests() -> None:
    bench = Bench()
    member = bench.members[2]
    for name in range(20):
        member.admit(HOSTS[0], name)
    bench.finish()
    passed = [state for n in range(PARTITIONS) if (state := bench.folded(n)).batons.moved]
    assert len(passed) <= 2
    assert bench.folded(2).kept_pages == 20


def test_a_holder_that_was_killed_passes_nothing_before_the_full_pause() -> None:
    """It may have asked a host of whose existence it has forgotten."""
    bench = Bench()
    host_set = bench.partitioner.set_of(HOSTS[0])
    home = bench.members[bench.partitioner.home_of(host_set)]
    other = bench.members[(home.number + 1) % PARTITIONS]
    home.admit(HOSTS[0], 1)
    home.send()
    home.kill()
    killed_at = bench.clock.now()
    other.admit(HOSTS[0], 2)
    other.commit()
    while not other.under_way:
        home.read()
        home.commit()
        other.read()
        other.send()
        bench.wait(0.5)
    assert bench.clock.now() - killed_at > PAUSE


def test_a_baton_waits_for_the_answer_that_is_awaited() -> None:
    bench = Bench()
    host_set = bench.partitioner.set_of(HOSTS[0])
    home = bench.members[bench.partitioner.home_of(host_set)]
    other = bench.members[(home.number + 1) % PARTITIONS]
    home.admit(HOSTS[0], 1)
    home.send()
    assert home.under_way
    other.admit(HOSTS[0], 2)
    other.commit()
    home.read()
    for _ in range(10):
        home.commit()
        bench.wait(SLOT)
    assert bench.folded(home.number).batons.holds(host_set, is_home=True)
    home.answer()
    home.commit()
    bench.wait(SLOT)
    home.commit()
    state = bench.folded(home.number)
    assert not state.batons.holds(host_set, is_home=True)
    assert state.sites.robots[0] == RobotsState.KNOWN, "the answer is durable with the pass"


def test_a_partition_that_is_handed_over_asks_for_nothing() -> None:
    """Its owner has forgotten it already when `Released` is on its way to the log."""
    bench = Bench()
    host_set = bench.partitioner.set_of(HOSTS[0])
    home = bench.partitioner.home_of(host_set)
    member = bench.members[(home + 1) % PARTITIONS]
    member.partition.is_leaving = True
    member.batons.forget(member.number)
    member.admit(HOSTS[0], 1)
    assert not member.partition.posts
    assert not member.partition.state.batons.asked


@pytest.mark.parametrize("seconds", [SLOT / 2, SLOT * 2])
def test_a_busy_holder_passes_a_baton_when_its_slot_is_over(seconds: float) -> None:
    bench = Bench()
    host_set = bench.partitioner.set_of(HOSTS[0])
    home = bench.members[bench.partitioner.home_of(host_set)]
    other = bench.members[(home.number + 1) % PARTITIONS]
    for name in range(20):
        home.admit(HOSTS[0], name)
    other.admit(HOSTS[0], 99)
    other.commit()
    home.read()
    home.commit()
    for _ in range(int(seconds)):
        home.send()
        home.answer()
        home.commit()
        bench.wait(1.0)
    assert home.partition.state.batons.holds(host_set, is_home=True) == (seconds < SLOT)
