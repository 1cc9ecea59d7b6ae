"""A life's share of the job's limits, from the ledger on the board.

Reservations are made from grants, as in a worker process on one machine (`GrantedBudget`). Grants
come from the ledger's desk, whose calls a courier thread makes, so this module never waits.

A limit that is reached ends the run for all members: the reason is noted in the log. Two limits
are different. A full disk ends only its own machine's part. The time limit is watched by the owner
of partition 0, whose log tells how long the crawl has run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager

from lycosa.crawl.budget import Limit
from lycosa.crawl.takeover import Opened
from lycosa.crawl.worker import commits
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.clock import Clock
from lycosa.model.job import Job
from lycosa.model.job import requests as config
from lycosa.runtime.limits.desk import Desk
from lycosa.runtime.limits.document import Amount, Changed, Count, Limits
from lycosa.runtime.workers.grants import GrantedBudget, SupervisorLink


def limits_of(job: Job) -> Limits | None:
    """Return the limits that the ledger watches; None if the job limits neither pages nor bytes."""
    limits = job.limits
    if not limits.pages and not limits.bytes:
        return None
    return Limits(limits.pages, limits.bytes, job.fetch.largest_body_bytes, job.frontier.partitions)


class SharedLimits:
    """Applies the limits to one life; its worker reserves from `budget`."""

    def __init__(
        self,
        job: Job,
        clock: Clock,
        free_disk: Callable[[], int],
        life: int,
        lock: AbstractContextManager[object],
    ) -> None:
        """Hold `lock` during every call of the desk, which a courier thread shares."""
        limits = limits_of(job)
        self._job = job
        self._clock = clock
        self._lock = lock
        self.desk = None if limits is None else Desk(life, limits)
        self._reached_here: Limit | None = None
        self._reached_by_all: Limit | None = None
        self._losses = -1
        """Number of lost machines; below 0 until the notes have been read."""
        self._losses_told = 0
        self._durable = self._returned = Amount()
        self._is_recalled = False
        self.when_durable: Callable[[Callable[[], None]], None] = lambda callback: None
        """The worker's method of this name, once the worker is made."""
        self.counts: Mapping[int, commits.Count] = {}
        """Durable counts of each partition, from the worker once it is made."""
        self.budget = GrantedBudget(
            job,
            free_disk,
            SupervisorLink(
                want_grant=self._want,
                account=self._accounted,
                limit_reached=self._reach,
                call_soon=lambda callback: clock.call_at(clock.now(), callback),
                when_durable=lambda callback: self.when_durable(callback),
            ),
        )

    @property
    def reached(self) -> Limit | None:
        """The limit that ends the run for all, if this member knows of one."""
        return self._reached_here or self._reached_by_all

    @property
    def losses(self) -> int:
        """Number of lost machines, as far as this member knows."""
        return max(0, self._losses)

    def noted(self, losses: int) -> None:
        """Learn from the notes in the log how many machines were lost."""
        self._losses = max(self._losses, losses)

    # -- partitions -----------------------------------------------------------------------

    def open(self, opened: Mapping[int, Opened]) -> None:
        """Tell the ledger of partitions that were taken, before any of their pages is kept."""
        if self.desk is not None:
            counts = {
                number: Count(
                    state.sequence, Amount(state.kept_pages, state.kept_bytes), state.losses
                )
                for number, (state, *_) in opened.items()
            }
            with self._lock:
                self.desk.open(counts)

    def has_opened(self, partition: int) -> bool:
        """Return whether pages of a partition may be kept."""
        if self.desk is None:
            return True
        with self._lock:
            return self.desk.has_opened(partition)

    def begin(self, state: PartitionState) -> None:
        """Watch the time limit from the running time in the log of partition 0."""
        self._restart(self._clock.now() - state.seconds_run())

    def no_longer_chair(self) -> None:
        """Stop watching the time limit; the new owner of partition 0 does."""
        self._restart(float("inf"))

    def _restart(self, began: float) -> None:
        now, is_halted = self._clock.now(), self.budget.is_halted
        self.budget.go_on(now)
        self.budget.begin_at(began)
        if is_halted:
            self.budget.halt(now)

    # -- orders of the operator -----------------------------------------------------------

    def adopt(self, limits: config.Limits) -> None:
        """Follow other limits; a run that has reached one of the old limits is over all the
        same."""
        reached = self.budget.reached
        self.budget.adopt(limits)
        self.budget.reached = reached

    def halt(self, now: float) -> None:
        """Stop the time limit's clock while the crawl is paused."""
        self.budget.halt(now)

    def go_on(self, now: float) -> None:
        """Start the time limit's clock again."""
        self.budget.go_on(now)

    def ordered(self, number: int) -> None:
        """Tell the ledger of the limits that hold after an order."""
        limits = self._job.limits
        if self.desk is not None:
            with self._lock:
                self.desk.adopt(Changed(0, limits.pages, limits.bytes, number))

    # -- the rhythm -----------------------------------------------------------------------

    def look(self, gone: Collection[int]) -> bool:
        """Read the ledger's replies; return whether the worker may try to reserve again."""
        if self.desk is None:
            return False
        self._tell_losses()
        with self._lock:
            self.desk.losses = self.losses
            self.desk.lives_gone(gone)
            grant, reached = self.desk.take_grant(), self.desk.reached
            is_recalled = self.desk.is_recalled
        # Until the notes have been read, counted pages may be on a machine that was lost.
        self._reached_by_all = Limit(reached) if reached and self._losses >= 0 else None
        if grant is not None:
            self.budget.grant(grant)
        if is_recalled and (not self._is_recalled or grant is not None):
            self.budget.recall()
        self._is_recalled = is_recalled
        return grant is not None

    def _tell_losses(self) -> None:
        """Report the durable counts when a partition has recorded a loss."""
        if self._losses > 0:
            decided = sum(one.losses for one in self.counts.values())
            if decided > self._losses_told:
                self._losses_told = decided
                self._tell()

    def close(self) -> None:
        """Report the last counts and return the unused grants; everything is durable by then."""
        if self.desk is not None:
            self.budget.recall()
            self._tell()
            with self._lock:
                self.desk.close()

    @property
    def is_closed(self) -> bool:
        """Whether the ledger knows that this life is over."""
        if self.desk is None:
            return True
        with self._lock:
            return self.desk.is_closed or self.desk.is_lost

    # -- inside ---------------------------------------------------------------------------

    def _want(self) -> None:
        if self.desk is not None:
            with self._lock:
                self.desk.want()

    def _accounted(self, durable: Amount, returned: Amount) -> None:
        self._durable, self._returned = durable, returned
        self._tell()

    def _tell(self) -> None:
        """Report the durable amounts together with the partitions' counts, which include them."""
        assert self.desk is not None
        counts = {
            number: Count(one.sequence, Amount(one.pages, one.bytes), one.losses)
            for number, one in self.counts.items()
        }
        with self._lock:
            self.desk.account(counts, self._durable, self._returned)

    def _reach(self, limit: Limit) -> None:
        if limit is not Limit.FREE_DISK:
            self._reached_here = self._reached_here or limit
