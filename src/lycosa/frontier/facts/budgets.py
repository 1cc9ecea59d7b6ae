"""The budgets of topics: a part of the fold.

A budget limits how many pages are kept from the queues of a topic, over all partitions. Partition 0
is its bank: it lends pages to partitions that ask, and takes back what they do not use. Its
decisions, and the knowledge of partitions about them, are events, so a kill forgets none of it.
Cluster or one worker makes no difference.

Always true, of each budget that is not lowered:
  * what all partitions are allowed, by the bank, is no more than the budget;
  * what a partition is allowed, by its own log, is no more than the bank has it allowed, and it
    keeps no page beyond that.
"""

from __future__ import annotations

from typing import Any

from lycosa.model.records import BudgetAsked, BudgetGiven, BudgetShared


class Budgets:
    """Pages that a partition may keep of each budget; in partition 0 also those that all may."""

    def __init__(self) -> None:
        self.allowed: dict[int, int] = {}
        """How many pages of a budget this partition may keep, in all."""
        self.told: dict[int, int] = {}
        """How many it had kept when it last told the bank."""
        self.asked: set[int] = set()
        """The budgets that it waits for."""
        self.used_up: set[int] = set()
        """The topics of which nothing more is fetched."""
        self.shares: dict[int, dict[int, tuple[int, int]]] = {}
        """In the bank: by budget and partition what it is allowed, and had kept when it told."""
        self.waiting: dict[int, dict[int, None]] = {}
        """In the bank: the partitions that wait for a budget, the first to ask first."""
        self.closed: set[int] = set()
        """In the bank: budgets that are used up."""

    @property
    def is_used(self) -> bool:
        """Whether the crawl has budgets."""
        return bool(self.told or self.used_up)

    def apply_asked(self, event: BudgetAsked) -> None:
        """Note that the bank was told, and that the rest was given back."""
        self.allowed[event.budget] = self.allowed.get(event.budget, 0) - event.returned
        self.told[event.budget] = event.taken
        if event.is_wanting:
            self.asked.add(event.budget)

    def apply_given(self, event: BudgetGiven) -> None:
        """Note what the bank has answered."""
        self.asked.discard(event.budget)
        self.allowed[event.budget] = self.allowed.get(event.budget, 0) + event.pages
        if event.is_used_up:
            self.used_up.update(event.topics)
        else:
            self.used_up.difference_update(event.topics)

    def apply_shared(self, event: BudgetShared) -> None:
        """Note what the bank has decided."""
        if event.partition < 0:
            (self.closed.add if event.is_used_up else self.closed.discard)(event.budget)
            return
        shares = self.shares.setdefault(event.budget, {})
        shares[event.partition] = event.allowed, event.taken
        waiting = self.waiting.setdefault(event.budget, {})
        if not event.is_waiting:
            waiting.pop(event.partition, None)
        else:
            waiting.setdefault(event.partition)

    def pack(self) -> dict[str, Any]:
        """Return the data for a snapshot; nothing where there are no budgets."""
        if not self.is_used and not self.shares:
            return {}
        return {
            "allowed": self.allowed,
            "told": self.told,
            "asked": sorted(self.asked),
            "used_up": sorted(self.used_up),
            "shares": [
                [budget, partition, *share]
                for budget, shares in self.shares.items()
                for partition, share in shares.items()
            ],
            "waiting": {budget: list(some) for budget, some in self.waiting.items()},
            "closed": sorted(self.closed),
        }

    def unpack(self, packed: dict[str, Any]) -> None:
        """Take it back."""
        if not packed:
            return
        self.allowed, self.told = packed["allowed"], packed["told"]
        self.asked, self.used_up = set(packed["asked"]), set(packed["used_up"])
        for budget, partition, allowed, taken in packed["shares"]:
            self.shares.setdefault(budget, {})[partition] = allowed, taken
        self.waiting = {budget: dict.fromkeys(some) for budget, some in packed["waiting"].items()}
        self.closed = set(packed["closed"])
