"""Limits over several processes: never exceeded, always reached, whoever dies on the way.

Workers, their supervisor and the messages between them are played: at every step chance
delivers a message, starts or ends a fetch, commits, or kills a worker. What a dead worker had
not committed is gone; its successor begins with what the log says.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lycosa.crawl.budget import Limit
from lycosa.model.job import Job
from lycosa.runtime.limits import document
from lycosa.runtime.limits.document import Amount, Grant, Ledger
from lycosa.runtime.workers.grants import GrantedBudget, Grants, SupervisorLink
from lycosa.runtime.workers.protocol import Relimited
from seeds import examples

LARGEST = 1000


class Played:
    """One worker: a budget, fetches under way, and what its log holds."""

    def __init__(self, job: Job, log: Amount) -> None:
        self.log = log
        self.uncommitted: list[int] = []
        self.waiting: list[Callable[[], None]] = []
        self.soon: deque[Callable[[], None]] = deque()
        self.said: deque[str | Relimited | tuple[Amount, Amount]] = deque()
        self.commands: deque[Grant | tuple[int, Job] | None] = deque()
        self.under_way: list[int] = []
        self.limits: list[Limit] = []
        link = SupervisorLink(
            want_grant=lambda: self.said.append("want"),
            account=lambda durable, returned: self.said.append((durable, returned)),
            limit_reached=self.limits.append,
            call_soon=self.soon.append,
            when_durable=lambda callback: self.waiting.append(callback),
        )
        self.budget = GrantedBudget(job, lambda: 1 << 62, link)

    def start(self) -> None:
        reserved = self.budget.reserve(0.0)
        if reserved is not None:
            self.under_way.append(reserved)

    def end(self, chance: random.Random) -> None:
        reserved = self.under_way.pop(chance.randrange(len(self.under_way)))
        size = chance.choice([1, 10, 100, LARGEST])
        if chance.random() < 0.3:
            self.budget.give_back(reserved)
        elif self.budget.keep(reserved, size, "http://a.test/"):
            self.uncommitted.append(size)

    def commit(self) -> None:
        for size in self.uncommitted:
            self.log = self.log.plus(Amount(1, size))
        self.uncommitted = []
        waiting, self.waiting = self.waiting, []
        for callback in waiting:
            callback()

    def relimit(self, order: int, job: Job) -> None:
        kept = self.log.plus(Amount(len(self.uncommitted), sum(self.uncommitted)))
        reply = Relimited(kept, self.budget.relimit(job.limits), order)
        self.waiting.append(lambda: self.said.append(reply))

    def settle(self) -> None:
        while self.soon:
            self.soon.popleft()()


class Play:
    """The supervisor, its workers, and chance."""

    def __init__(self, job: Job, workers: int, seed: int, kills: int) -> None:
        self.job = job
        self.chance = random.Random(seed)
        self.kills = kills
        self.orders = 0
        self.ledger = Grants(job, workers)
        self.workers = [Played(job, Amount()) for _ in range(workers)]
        self.closed: dict[int, None] = {}
        for number in range(workers):
            self.ledger.opened(number, Amount())

    def run(self) -> Limit:
        for _ in range(200_000):
            self.step()
            self.check()
            limits = [limit for worker in self.workers for limit in worker.limits]
            if limits:
                return limits[0]
            if self.ledger.reached:
                return self.ledger.reached
        raise AssertionError("the limit was never reached")

    def step(self) -> None:
        number = self.chance.randrange(len(self.workers))
        worker = self.workers[number]
        if number in self.closed:
            if self.chance.random() < 0.1:
                del self.closed[number]
                self.ledger.opened(number, worker.log)
            return
        dice = self.chance.random()
        if self.kills and dice < 0.01:
            self.kills -= 1
            self.workers[number] = Played(self.job, worker.log)
            self.closed[number] = None
            self.ledger.died(number)
        elif dice < 0.3:
            worker.start()
        elif dice < 0.5 and worker.under_way:
            worker.end(self.chance)
        elif dice < 0.55:
            worker.commit()
        elif dice < 0.8 and worker.said:
            said = worker.said.popleft()
            if isinstance(said, Relimited):
                self.ledger.relimited(number, said)
            elif isinstance(said, tuple):
                self.ledger.account(number, *said)
            else:
                self.ledger.wants(number)
        elif worker.commands:
            command = worker.commands.popleft()
            if isinstance(command, tuple) and not isinstance(command, Grant):
                worker.relimit(*command)
            elif command is not None:
                worker.budget.grant(command)
                worker.start()
            else:
                worker.budget.recall()
        worker.settle()
        for target, command in self.ledger.given():
            self.workers[target].commands.append(command)

    def order(self, job: Job) -> None:
        """Let the operator change the limits."""
        self.job, self.orders = job, self.orders + 1
        self.ledger = Grants(job, len(self.workers), self.orders)
        for number, worker in enumerate(self.workers):
            if number not in self.closed:
                worker.commands.append((self.orders, job))

    def check(self) -> None:
        """Everything kept, and everything that may still be kept, is within the limit."""
        limits = self.job.limits
        pages = sum(w.log.pages + len(w.uncommitted) + len(w.under_way) for w in self.workers)
        size = sum(w.log.bytes + sum(w.uncommitted) + sum(w.under_way) for w in self.workers)
        assert not limits.pages or pages <= limits.pages
        assert not limits.bytes or size <= limits.bytes

    def kept(self) -> Amount:
        return Amount(
            sum(w.log.pages for w in self.workers), sum(w.log.bytes for w in self.workers)
        )


def job_of(pages: int = 0, size: int = 0) -> Job:
    return Job.of(limits={"pages": pages, "bytes": size}, fetch={"largest_body_bytes": LARGEST})


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(1, 120), st.integers(1, 6), st.integers(0, 999), st.integers(0, 12))
def test_a_limit_of_pages_is_exact(pages: int, workers: int, seed: int, kills: int) -> None:
    play = Play(job_of(pages), workers, seed, kills)
    assert play.run() is Limit.PAGES
    assert play.kept().pages == pages


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(LARGEST, 30_000), st.integers(1, 6), st.integers(0, 999), st.integers(0, 12))
@example(2311, 6, 97, 5)  # the rest was granted while a dead worker's charge stood too high
def test_a_limit_of_bytes_ends_with_a_page_that_does_not_fit(
    size: int, workers: int, seed: int, kills: int
) -> None:
    play = Play(job_of(size=size), workers, seed, kills)
    assert play.run() is Limit.BYTES
    for worker in play.workers:
        worker.commit()
    play.check()
    assert play.kept().bytes > size - LARGEST


@settings(max_examples=examples(30), deadline=None)
@given(st.integers(1, 60), st.integers(3000, 90_000), st.integers(1, 5), st.integers(0, 999))
def test_both_limits_hold_at_once(pages: int, size: int, workers: int, seed: int) -> None:
    assert Play(job_of(pages, size), workers, seed, 5).run() in (Limit.PAGES, Limit.BYTES)


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(1, 60), st.integers(2, 5), st.integers(0, 999))
def test_a_limit_that_is_raised_again_and_again_is_exact(
    pages: int, workers: int, seed: int
) -> None:
    play = Play(job_of(pages), workers, seed, 0)
    for more in range(1, 8):
        for _ in range(play.chance.randrange(60)):
            play.step()
            play.check()
        play.order(job_of(pages + more))
    assert play.run() is Limit.PAGES
    for worker in play.workers:
        worker.commit()
    assert play.kept().pages == pages + 7


@pytest.mark.parametrize("workers", [1, 3])
def test_without_limits_nobody_says_anything(workers: int) -> None:
    worker = Played(job_of(), Amount())
    for _ in range(100):
        worker.start()
    for _ in range(100):
        worker.end(random.Random(1))
    worker.commit()
    worker.settle()
    assert not worker.said and not worker.waiting


def test_grants_are_large_while_much_is_left_and_single_pages_at_the_end() -> None:
    ledger = Grants(job_of(pages=1000), 4)
    for number in range(4):
        ledger.opened(number, Amount())
    ledger.wants(0)
    [(_, first)] = ledger.given()
    assert first is not None and first.pages == 125
    ledger = Grants(job_of(pages=1000), 4)
    for number in range(4):
        ledger.opened(number, Amount(249, 0))
    ledger.wants(3)
    assert ledger.given() == [(3, Grant(1, 0, is_rest=False))]


def test_a_worker_is_charged_anew_when_limits_change() -> None:
    ledger = Grants(job_of(pages=20), 2)
    ledger.opened(0, Amount(6, 600), Amount(2, 0))
    assert ledger.given() == []  # what the other one has is not known yet
    ledger.account(1, Amount(5, 500), Amount())  # sent before it knew of other limits
    assert ledger.reached is None
    ledger.opened(1, Amount(10, 900), Amount(1, 0))
    ledger.wants(0)
    assert ledger.given() == [(0, Grant(1, 0, is_rest=False))]  # 19 of 20 are kept or reserved
    ledger.wants(1)
    assert dict(ledger.given()) == {0: None, 1: None}
    ledger.account(0, Amount(3, 300), Amount())
    assert ledger.reached is None
    ledger.account(1, Amount(1, 90), Amount())
    assert ledger.reached is Limit.PAGES


def test_a_limit_below_what_is_kept_is_reached_when_all_workers_have_said_so() -> None:
    ledger = Grants(job_of(pages=5), 2)
    ledger.opened(0, Amount(6, 0), Amount(1, 0))
    assert ledger.reached is None
    ledger.opened(1, Amount(0, 0), Amount(0, 0))
    assert ledger.reached is Limit.PAGES
    assert ledger.given() == []


def is_caught() -> bool:
    """Return whether some seed shows that the code was broken."""
    for seed in range(60):
        try:
            play = Play(job_of(20 + seed), 4, seed, 9)
            assert play.run() is Limit.PAGES
            assert play.kept().pages == 20 + seed
        except AssertionError:
            return True
    return False


def test_a_dead_workers_grant_given_back_at_once_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def died(self: Grants, worker: int) -> None:
        life = self._lives[worker]
        lives = {one: line for one, line in self._ledger.lives.items() if one != life}
        lives[life] = document.Line()
        self._ledger = Ledger(self._ledger.kept, lives, self._ledger.is_short)
        self._wanting.pop(worker, None)

    assert not is_caught()
    monkeypatch.setattr(Grants, "died", died)
    assert is_caught()


def test_an_account_of_what_is_not_durable_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def settle(self: GrantedBudget) -> None:
        self._durable = self._kept
        original(self)

    original = GrantedBudget._settle
    monkeypatch.setattr(GrantedBudget, "_settle", settle)
    assert is_caught()
