"""Budgets of topics: how many pages are kept from their queues, exactly, over all workers.

Partition 0 is the bank (`lycosa.frontier.facts.budgets`). With each commit a partition looks
at its budgets, and tells the bank if one of these is so:

    it has URLs of a budget, and may ask for none of them    it wants more
    it may keep pages, and has no URLs                       it gives them back
    it has kept all that it may, and nothing is under way    the bank may close the budget

The bank lends to who waits longest: a small part of what is left, so that others have something,
too, and single pages near the end. When nothing is left and nothing is lent, the budget is used up:
all partitions put its URLs off, those that come later too. If a later run has a larger budget, they
are put up again.

A page counts by the queue that it was taken from: what it is about is known when it is fetched,
too late for a limit. A request that fails, and a page that is lost with its machine, count nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from lycosa.extract.topics.model import OTHER
from lycosa.features.topics.of_job import numbers_below
from lycosa.frontier.facts.budgets import Budgets
from lycosa.frontier.facts.columns import PENDING, PUT_OFF
from lycosa.frontier.facts.topics import NO_TOPIC
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.frontier.schedulers.topics import ByTopic
from lycosa.model.job import Job
from lycosa.model.job.topics import numbers_of
from lycosa.model.records import BudgetAsked, BudgetGiven, BudgetShared

BANK = 0
"""The partition that lends."""
SHARE = 2
"""The bank lends so that every partition could get this many times as much."""


class TopicBudgets:
    """The budgets of a job, as a worker deals with them."""

    def __init__(self, job: Job, names: Sequence[str]) -> None:
        self._partitions = job.frontier.partitions
        self.topics: dict[int, bytes] = {}
        """The topics of each budget."""
        self.pages: dict[int, int] = {}
        """How many pages each has."""
        self.entries: dict[int, str] = {}
        """How the job names each."""
        self.budget_of: dict[int, int] = {}
        """The budget of each topic that has one."""
        entries = numbers_of(job.topics.budgets)
        for name in sorted(entries, key=lambda name: name.count(".")):  # the nearest one counts
            below = numbers_below(tuple(names), name)
            self.budget_of.update(dict.fromkeys(below, min(below)))
            self.pages[min(below)], self.entries[min(below)] = entries[name], name
        other = names.index(OTHER)
        if other in self.budget_of:
            self.budget_of[NO_TOPIC] = self.budget_of[other]
        for budget in self.pages:
            some = (topic for topic, own in self.budget_of.items() if own == budget)
            self.topics[budget] = bytes(sorted(some))
        self._seen: dict[int, Partition] = {}

    def attach(self, partition: Partition) -> None:
        """Let a partition note what it takes from its queues."""
        _scheduler(partition).under_way = {}
        partition.moves.last_wanted = NO_TOPIC
        partition.moves.used_up = partition.state.topics.budgets.used_up

    def may_take(self, partition: Partition, queue: int) -> bool:
        """Return whether a URL of a queue may be asked for."""
        budget = self.budget_of.get(queue)
        return budget is None or self._room(partition, budget) > 0

    def taken(self, states: Iterable[PartitionState]) -> dict[str, int]:
        """Return how many pages were taken for each entry of the job, in these partitions."""
        found = dict.fromkeys(self.entries.values(), 0)
        for state in states:
            for topic, pages in state.topics.taken.items():
                if topic in self.budget_of:
                    found[self.entries[self.budget_of[topic]]] += pages
        return found

    # -- partitions -----------------------------------------------------------------------

    def look(self, partitions: Mapping[int, Partition], changed: Iterable[int]) -> None:
        """Look at partitions that have changed, or are new, before they are committed."""
        fresh = [n for n, partition in partitions.items() if self._seen.get(n) is not partition]
        for number in {*changed, *fresh}:
            self._seen[number] = partition = partitions[number]
            if partition.is_leaving:
                continue
            if number == BANK and number in fresh:
                self._open_again(partition)
            self._look_at(partition)

    def _look_at(self, partition: Partition) -> None:
        scheduler, state = _scheduler(partition), partition.state
        budgets = state.topics.budgets
        if scheduler.under_way:
            ended = [p for p in scheduler.under_way if state.pages.status[p] != PENDING]
            for page in ended:
                del scheduler.under_way[page]
            if ended:
                partition.with_work[partition.number] = None
        for budget, topics in self.topics.items():
            waiting = any(scheduler.waiting_of(topic) for topic in topics)
            taken, held = self._taken(partition, budget), self._under_way(partition, budget)
            room = budgets.allowed.get(budget, 0) - taken - held
            is_wanting = waiting and room <= 0 and budget not in budgets.asked
            is_free = room > 0 and not waiting
            is_spent = not room and not held and budgets.told.get(budget, 0) != taken
            if is_wanting or is_free or is_spent:
                # Room that no URL waits for goes back, so that other partitions can spend it.
                returned = room if is_free or room < 0 else 0
                event = BudgetAsked(partition.number, budget, taken, returned, is_wanting)
                partition.record(event)
                partition.post(BANK, event)

    def given(self, partition: Partition, message: BudgetGiven, now: float) -> None:
        """Take in what the bank says."""
        topics, status = partition.state.topics, partition.state.pages.status
        is_changed = message.is_used_up or topics.budgets.used_up.intersection(message.topics)
        partition.record(message)
        some = list(topics.of_topics(message.topics, len(status))) if is_changed else ()
        if message.is_used_up:
            partition.withdraw(page for page in some if status[page] == PUT_OFF)
        else:
            partition.offer_again(some, now)
        partition.with_work[partition.number] = None

    def _room(self, partition: Partition, budget: int) -> int:
        allowed = partition.state.topics.budgets.allowed.get(budget, 0)
        return allowed - self._taken(partition, budget) - self._under_way(partition, budget)

    def _taken(self, partition: Partition, budget: int) -> int:
        taken = partition.state.topics.taken
        return sum(taken[topic] for topic in self.topics[budget])

    def _under_way(self, partition: Partition, budget: int) -> int:
        queues = _scheduler(partition).under_way or {}
        topics, status = self.topics[budget], partition.state.pages.status
        return sum(queue in topics and status[page] == PENDING for page, queue in queues.items())

    # -- the bank -------------------------------------------------------------------------

    def asked(self, bank: Partition, message: BudgetAsked) -> None:
        """Note what a partition has used, and lend what there is."""
        budget, by = message.budget, message.partition
        if budget not in self.pages:  # the job was changed: it has no limit any more
            return
        is_waiting = message.is_wanting or by in _kept(bank).waiting.get(budget, {})
        allowed, _ = _kept(bank).shares.get(budget, {}).get(by, (0, 0))
        allowed -= message.returned
        bank.record(BudgetShared(budget, by, allowed, message.taken, is_waiting))
        self._lend(bank, budget)

    def _lend(self, bank: Partition, budget: int) -> None:
        kept = _kept(bank)
        shares, waiting = kept.shares.get(budget, {}), kept.waiting.get(budget, {})
        left = self._left(kept, budget)
        if left > 0 and budget in kept.closed:  # a page was lost with its machine
            self._open(bank, budget)
        for number in list(waiting):
            if left <= 0:
                break
            pages = left // (SHARE * self._partitions) + 1
            left -= pages
            allowed, taken = shares[number]
            bank.record(BudgetShared(budget, number, allowed + pages, taken, False))
            bank.post(number, BudgetGiven(budget, self.topics[budget], pages))
        if left > 0 or any(allowed > taken for allowed, taken in shares.values()):
            return
        told: Iterable[int] = list(waiting)
        if budget not in kept.closed:
            bank.record(BudgetShared(budget, -1, 0, 0, False, is_used_up=True))
            told = range(self._partitions)
        for number in list(waiting):
            bank.record(BudgetShared(budget, number, *shares[number], False))
        for number in told:
            bank.post(number, BudgetGiven(budget, self.topics[budget], 0, is_used_up=True))

    def _open_again(self, bank: Partition) -> None:
        """Open budgets that are larger now than when they were used up, or topics without one."""
        kept = _kept(bank)
        for budget in sorted(kept.closed):
            if budget in self.pages and self._left(kept, budget) <= 0:
                continue
            self._open(bank, budget)

    def _open(self, bank: Partition, budget: int) -> None:
        """Let everybody put the URLs of a budget up again."""
        bank.record(BudgetShared(budget, -1, 0, 0, False))
        topics = self.topics.get(budget, bytes([budget]))
        for number in range(self._partitions):
            bank.post(number, BudgetGiven(budget, topics, 0))

    def _left(self, kept: Budgets, budget: int) -> int:
        lent = sum(allowed for allowed, _ in kept.shares.get(budget, {}).values())
        return self.pages[budget] - lent


def _kept(bank: Partition) -> Budgets:
    return bank.state.topics.budgets


def _scheduler(partition: Partition) -> ByTopic:
    assert isinstance(partition.scheduler, ByTopic)
    return partition.scheduler
