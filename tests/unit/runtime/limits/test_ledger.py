"""The ledger against a plain twin: limits hold exactly, through lost answers and deaths."""

from __future__ import annotations

from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.runtime.coordination.memory import Faults, LooseBoard, MemoryBoard
from lycosa.runtime.coordination.protocol import UNDECIDED, Answer, Verdict
from lycosa.runtime.limits import desk, document
from lycosa.runtime.limits.desk import Desk
from lycosa.runtime.limits.document import Amount, Count, Kept, Ledger, Limits, Line, pack, unpack
from lycosa.runtime.membership.calls import Result, make
from seeds import examples


class Worker:
    """A life that keeps pages: its budget, its partitions, and what it has not committed."""

    def __init__(self, crawl: Crawl, number: int) -> None:
        self.crawl = crawl
        self.number = number
        self.desk = Desk(number, crawl.limits)
        self.way = LooseBoard(crawl.board, crawl.faults, crawl.random)
        self.partitions: set[int] = set()
        self.granted = self.kept = self.durable = self.returned = Amount()
        self.uncommitted: list[tuple[int, int]] = []
        self.is_recalled = False

    def take(self, partition: int) -> None:
        """Become the owner in the log, and open the partition in the ledger."""
        self.crawl.take(partition, self.number)
        self.partitions.add(partition)
        self.desk.open({partition: self.crawl.count(partition)})

    def free(self) -> Amount:
        return self.granted.minus(self.returned).minus(self.kept)

    def keep(self, size: int) -> None:
        """Keep a page, if the budget and the ledger allow it."""
        mine = [one for one in sorted(self.partitions) if self.desk.has_opened(one)]
        limits, free = self.crawl.limits, self.free()
        fits_pages = not limits.pages or free.pages >= 1
        fits_bytes = not limits.bytes or free.bytes >= size
        if not mine:
            return
        if not fits_pages or not fits_bytes:
            self.desk.want()
            return
        self.kept = self.kept.plus(Amount(1, size))
        self.uncommitted.append((self.crawl.random.choice(mine), size))

    def commit(self) -> None:
        """Append to the log what it still owns; what was superseded counts for nothing."""
        for partition, size in self.uncommitted:
            if self.crawl.owner[partition] == self.number:
                self.crawl.append(partition, size)
                self.durable = self.durable.plus(Amount(1, size))
        self.uncommitted.clear()
        self.account()

    def release(self) -> None:
        """Give a partition away in order."""
        self.commit()
        for partition in sorted(self.partitions)[:1]:
            if self.owns(partition):
                self.crawl.owner[partition] = 0
            self.partitions.discard(partition)

    def account(self) -> None:
        if self.is_recalled and not self.uncommitted:
            free = self.free()
            limits = self.crawl.limits
            self.returned = self.returned.plus(
                Amount(free.pages if limits.pages else 0, free.bytes if limits.bytes else 0)
            )
        mine = {p: self.crawl.count(p) for p in self.partitions if self.owns(p)}
        self.desk.account(mine, self.durable, self.returned)

    def owns(self, partition: int) -> bool:
        return self.crawl.owner[partition] == self.number

    def step(self) -> None:
        """One call to the board, and what follows from its answer."""
        self.desk.due = min(self.desk.due, 0.0)
        call = self.desk.call(0.0)
        if call is not None:
            self.desk.answered(make(call, self.way), 0.0)
        if (grant := self.desk.take_grant()) is not None:
            self.granted = self.granted.plus(Amount(grant.pages, grant.bytes))
            self.is_recalled = grant.is_rest or grant.pages == 1
        if self.desk.is_recalled and not self.is_recalled:
            self.is_recalled = True
            self.account()


class Crawl:
    """The plain twin: the logs as they are, whatever the ledger believes."""

    def __init__(self, limits: Limits, faults: Faults, seed: int) -> None:
        self.limits = limits
        self.faults = faults
        self.random = Random(seed)
        self.board = MemoryBoard(kept_versions=16)
        self.owner = [0] * limits.partitions
        self.logs = [Count(0, Amount()) for _ in range(limits.partitions)]
        self.workers: list[Worker] = []
        self.dead: list[Worker] = []
        self.gone: set[int] = set()
        self.last = 0

    def take(self, partition: int, life: int) -> None:
        self.owner[partition] = life
        sequence, kept, _ = self.logs[partition]
        self.logs[partition] = Count(sequence + 1, kept)

    def append(self, partition: int, size: int) -> None:
        sequence, kept, _ = self.logs[partition]
        self.logs[partition] = Count(sequence + 1, kept.plus(Amount(1, size)))

    def count(self, partition: int) -> Count:
        return self.logs[partition]

    def total(self) -> Amount:
        total = Amount()
        for log in self.logs:
            total = total.plus(log.kept)
        return total

    def join(self) -> None:
        self.last += 1
        self.workers.append(Worker(self, self.last))

    def kill(self, worker: Worker, *, is_seen: bool) -> None:
        """End a life; what it has not committed may still be on its way."""
        self.workers.remove(worker)
        self.dead.append(worker)
        if is_seen:
            self.gone.add(worker.number)

    def takeover(self) -> None:
        """Give every partition whose owner is gone, or that has none, to a worker."""
        for partition, owner in enumerate(self.owner):
            if (not owner or owner in self.gone) and self.workers:
                self.random.choice(self.workers).take(partition)
        for worker in self.workers:
            worker.desk.lives_gone(self.gone)

    def check(self) -> None:
        total = self.total()
        assert not self.limits.pages or total.pages <= self.limits.pages
        assert not self.limits.bytes or total.bytes <= self.limits.bytes
        ledger = unpack((self.board.get("ledger") or (b"",))[0])
        if len(ledger.kept) == self.limits.partitions:
            assert not self.limits.pages or ledger.charged.pages >= total.pages

    def act(self) -> None:
        """Do one thing at random."""
        random = self.random
        chance = random.random()
        if not self.workers or (chance < 0.02 and len(self.workers) < 5):
            self.join()
        elif chance < 0.04:
            self.kill(random.choice(self.workers), is_seen=random.random() < 0.7)
        elif chance < 0.05:
            self.gone |= {worker.number for worker in self.dead}
        elif chance < 0.10:
            self.takeover()
        elif chance < 0.12:
            random.choice(self.workers).release()
        elif chance < 0.15 and self.dead:
            # A stopped process goes on, or a commit was under way: the log fences it.
            stopped = random.choice(self.dead)
            stopped.commit()
            stopped.step()
        else:
            worker = random.choice(self.workers)
            if chance < 0.5:
                worker.keep(random.randint(1, self.limits.largest_bytes))
            elif chance < 0.65:
                worker.commit()
            else:
                worker.step()
        self.check()

    def finish(self) -> None:
        """Let all faults be over, and crawl on until nothing more can be kept."""
        self.faults = Faults()
        self.gone |= {worker.number for worker in self.dead}
        if not self.workers:
            self.join()
        for worker in self.workers:
            worker.way.faults = self.faults
        for _ in range(500):
            self.takeover()
            for worker in self.workers:
                worker.keep(self.random.randint(1, self.limits.largest_bytes))
                worker.commit()
                worker.step()
                worker.step()
            self.check()
            if self.workers[0].desk.reached:
                return


ROUGH = Faults(lost_requests=0.1, lost_answers=0.2, unread=0.1, stale_reads=0.2)


def run(seed: int, pages: int, partitions: int) -> None:
    crawl = Crawl(Limits(pages, 0, 100, partitions), ROUGH, seed)
    for _ in range(300):
        crawl.act()
    crawl.finish()
    assert crawl.total().pages == pages


@settings(deadline=None, max_examples=examples(60))
@given(st.integers(0, 2**32), st.integers(1, 60), st.integers(1, 6))
def test_exactly_as_many_pages_as_the_limit_are_kept(
    seed: int, pages: int, partitions: int
) -> None:
    run(seed, pages, partitions)


def test_a_partition_that_came_back_is_opened_anew() -> None:
    """Another life had it meanwhile, and what the old owner knows of the ledger is old."""
    run(13, 4, 1)


def is_caught() -> bool:
    """Return whether some seed shows that the code was broken."""
    for seed in range(60):
        try:
            run(seed, 20 + seed, 4)
        except AssertionError:
            return True
    return False


def test_a_dead_lifes_grant_given_back_at_once_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def at_once(ledger: Ledger, gone: frozenset[int]) -> Ledger:
        lives = {life: line for life, line in ledger.lives.items() if life not in gone}
        return msgspec.structs.replace(ledger, lives=lives)

    monkeypatch.setattr(desk, "freed", at_once)
    assert is_caught()


def test_counts_without_their_sequence_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(ledger: Ledger, life: int, counts: dict[int, Count]) -> Ledger:
        kept = {p: Kept(sequence, *amount, life) for p, (sequence, amount, _) in counts.items()}
        lives = {life: Line(), **ledger.lives}
        return msgspec.structs.replace(ledger, kept={**ledger.kept, **kept}, lives=lives)

    monkeypatch.setattr(desk, "counted", careless)
    assert is_caught()


def test_increments_that_a_lost_answer_repeats_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def added(ledger: Ledger, life: int, durable: Amount, returned: Amount) -> Ledger:
        ledger = document.settled(ledger, life, durable, Amount())
        if life not in ledger.lives:
            return ledger
        line = ledger.lives[life]
        line = msgspec.structs.replace(line, returned=line.returned.plus(returned))
        return msgspec.structs.replace(ledger, lives={**ledger.lives, life: line})

    monkeypatch.setattr(desk, "settled", added)
    assert is_caught()


def test_a_lost_answer_taken_for_success_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def hopeful(self: Desk, result: Result, now: float) -> None:
        written(
            self, Answer(Verdict.WRITTEN, self._revision) if result == UNDECIDED else result, now
        )

    written = Desk._written
    monkeypatch.setattr(Desk, "_written", hopeful)
    assert is_caught()


def test_a_life_whose_line_was_closed_cannot_come_back() -> None:
    board, limits = MemoryBoard(), Limits(100, 0, 10, 1)
    ledger = document.counted(Ledger(), 1, {0: Count(1, Amount())})
    line = Line(granted=Amount(50, 0), settled=Amount(40, 0))
    value = pack(msgspec.structs.replace(ledger, lives={1: line}))
    revision = board.put("ledger", value, 0).revision
    stopped = Desk(1, limits)
    stopped.account({0: Count(9, Amount(40, 0))}, Amount(40, 0), Amount())
    assert stopped.call(0.0) is not None
    stopped.answered(board.get("ledger"), 0.0)
    ended = document.counted(ledger, 2, {0: Count(10, Amount(40, 0))})
    assert board.put("ledger", pack(document.freed(ended, {1})), revision).is_written
    stopped.want()
    for _ in range(6):
        stopped.due = 0.0
        if (call := stopped.call(0.0)) is not None:
            stopped.answered(make(call, board), 0.0)
    assert stopped.is_lost
    assert set(stopped.ledger.lives) == {2}


def test_a_life_that_still_wanted_a_grant_can_close_its_line() -> None:
    board, desk = MemoryBoard(), Desk(1, Limits(10, 0, 10, 1))
    desk.account({0: Count(9, Amount(10, 0))}, Amount(10, 0), Amount())
    desk.want()
    desk.close()
    for _ in range(6):
        desk.due = 0.0
        if (call := desk.call(0.0)) is not None:
            desk.answered(make(call, board), 0.0)
    assert desk.is_closed


def served(desk: Desk, board: MemoryBoard) -> None:
    for _ in range(6):
        desk.due = 0.0
        if (call := desk.call(0.0)) is not None:
            desk.answered(make(call, board), 0.0)


def test_a_partition_that_has_come_back_is_opened_whatever_was_known_before() -> None:
    board, desk = MemoryBoard(), Desk(1, Limits(10, 0, 10, 1))
    desk.open({0: Count(14, Amount(3, 0))})
    desk.account({0: Count(13, Amount(3, 0))}, Amount(3, 0), Amount())
    served(desk, board)
    assert desk.has_opened(0)


def test_no_limit_is_reached_before_every_count_contains_the_last_loss() -> None:
    board, desk = MemoryBoard(), Desk(1, Limits(10, 0, 10, 2))
    desk.open({0: Count(5, Amount(6, 0), 1), 1: Count(5, Amount(4, 0))})
    served(desk, board)
    assert desk.reached == "pages"
    desk.losses = 1
    assert desk.reached == ""
    desk.account({1: Count(6, Amount(2, 0), 1)}, Amount(), Amount())
    served(desk, board)
    assert (desk.reached, desk.ledger.total.pages) == ("", 8)
    desk.account({1: Count(7, Amount(4, 0), 1)}, Amount(), Amount())
    served(desk, board)
    assert desk.reached == "pages"


@settings(deadline=None, max_examples=examples(30))
@given(st.integers(0, 2**32), st.integers(100, 4000))
def test_no_more_bytes_than_the_limit_are_kept_and_hardly_fewer(seed: int, size: int) -> None:
    crawl = Crawl(Limits(0, size, 100, 3), ROUGH, seed)
    for _ in range(300):
        crawl.act()
    crawl.finish()
    assert size - 100 < crawl.total().bytes <= size, "all but what no page fits into"


def test_a_dead_lifes_grant_is_charged_until_its_partitions_were_counted() -> None:
    limits = Limits(100, 0, 10, 2)
    ledger = document.counted(Ledger(), 1, {0: Count(1, Amount()), 1: Count(1, Amount())})
    ledger = document.granted(ledger, 1, limits)
    assert ledger.charged.pages == 50
    gone = {1}
    assert document.freed(ledger, gone) == ledger
    ledger = document.counted(ledger, 2, {0: Count(3, Amount(30, 300))})
    assert document.freed(ledger, gone) == ledger, "partition 1 may hold 20 more"
    assert ledger.charged.pages == 80, "charged twice, for a while"
    ledger = document.counted(ledger, 2, {1: Count(4, Amount(20, 200))})
    ledger = document.freed(ledger, gone)
    assert ledger.charged.pages == 50
    assert set(ledger.lives) == {2}


def test_a_count_of_an_earlier_owner_changes_nothing() -> None:
    ledger = document.counted(Ledger(), 2, {0: Count(9, Amount(5, 50))})
    late = document.counted(ledger, 1, {0: Count(7, Amount(4, 40))})
    assert late.kept == ledger.kept


def test_nothing_is_granted_before_every_partition_was_counted() -> None:
    ledger = document.counted(Ledger(), 1, {0: Count(1, Amount())})
    assert document.granted(ledger, 1, Limits(100, 0, 10, 2)) == ledger


def test_a_life_that_ends_in_order_frees_its_grant_at_once() -> None:
    limits = Limits(100, 0, 10, 1)
    ledger = document.counted(Ledger(), 1, {0: Count(1, Amount())})
    ledger = document.granted(ledger, 1, limits)
    ledger = document.counted(ledger, 1, {0: Count(5, Amount(7, 70))})
    ledger = document.settled(ledger, 1, Amount(7, 70), Amount())
    ledger = document.closed(ledger, 1)
    assert ledger.charged == Amount(7, 70)
    assert ledger.lives == {}


def test_when_nothing_is_left_all_are_asked_to_give_back() -> None:
    limits = Limits(2, 0, 10, 1)
    ledger = document.counted(Ledger(), 1, {0: Count(1, Amount())})
    ledger = document.counted(ledger, 2, {})
    for life in (1, 2):
        ledger = document.granted(ledger, life, limits)
    assert not ledger.is_short
    ledger = document.granted(ledger, 2, limits)
    assert ledger.is_short
    ledger = document.settled(ledger, 1, Amount(), Amount(1, 0))
    ledger = document.granted(ledger, 2, limits)
    assert not ledger.is_short
    assert ledger.lives[2].granted.pages == 2


@pytest.mark.parametrize("partitions", [1024, 4096])
def test_the_document_stays_small(partitions: int) -> None:
    counts = {p: Count(10**6, Amount(10**5, 10**10)) for p in range(partitions)}
    ledger = document.counted(Ledger(), 1000, counts)
    value = pack(ledger)
    assert len(value) < 30 * partitions
    assert unpack(value) == ledger
