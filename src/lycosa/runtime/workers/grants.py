"""Share the job's limits among the worker processes of a supervisor so that they hold exactly.

The supervisor keeps the ledger (`lycosa.runtime.limits.document`) in its memory, and changes it as
its workers' messages say (`Grants`). It grants parts of the remaining limits to workers that ask:
large parts at first, single pages near the end. A worker reserves from its grants (`GrantedBudget`)
without a message; a member of a cluster does the same with grants from the board. When a worker
asks and nothing is left, all workers return their unreserved grants, and from then on each returns
its grant as soon as a reservation ends.

Always true, besides the promises of the ledger:
  * a worker's kept pages + its reservations ≤ its grants;
  * a limit is reached when the pages kept are *durable*: the death of a worker cannot undo it;
  * a dead worker stays charged until its successor has folded the partitions and has reported the
    content of their logs: then the ledger names the dead one for nothing.

A job without limits on pages and bytes needs no grants and sends no messages.

When the operator changes a limit, the ledger begins again: each worker reports its kept pages and
its reservations (`Relimited`), forgets its grants, and asks again. A report under limits that were
changed again in the meantime counts for nothing: another one follows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from lycosa.crawl.budget import Budget, Limit, TimeAndDisk, is_wanted
from lycosa.model.job import Job
from lycosa.model.job.requests import Limits
from lycosa.runtime.limits import document
from lycosa.runtime.limits.document import Amount, Count, Grant, Ledger
from lycosa.runtime.workers.protocol import Relimited

_NOTHING = Amount()


class Grants:
    """The ledger in a supervisor's memory: each worker is a unit, each of its processes a life."""

    def __init__(self, job: Job, workers: int, order: int = 0) -> None:
        """Share the limits of `job`, which came with an order of the operator if it is not 0."""
        pages, size = job.limits.pages, job.limits.bytes
        self._order = order
        self._limits = document.Limits(pages, size, job.fetch.largest_body_bytes, workers)
        self._ledger = Ledger()
        self._lives: dict[int, int] = {}
        """The life of each worker, which is also the sequence of its counts."""
        self._before: dict[int, Amount] = {}
        """Amount in the logs of each worker when its life began."""
        self._wanting: dict[int, None] = {}
        self._recalled: set[int] = set()

    def opened(self, worker: int, kept: Amount, reserved: Amount = _NOTHING) -> None:
        """Charge a new process with what it has and no more."""
        dead = self._lives.get(worker, 0)
        self._lives[worker] = life = 1 + max(self._lives.values(), default=0)
        self._before[worker] = kept
        self._recalled.discard(worker)
        ledger = document.counted(self._ledger, life, {worker: Count(life, kept)}, reserved)
        self._ledger = document.freed(ledger, {dead})

    def relimited(self, worker: int, said: Relimited) -> None:
        """Charge a worker that follows these limits with what it has, as if it were new.

        If it still followed earlier ones, a grant would be lost from the ledger and not from the
        worker, which forgets its grants when it learns of these.
        """
        if said.orders >= self._order:
            self.opened(worker, said.kept, said.reserved)

    def died(self, worker: int) -> None:
        """Grant nothing to a dead worker; it stays charged until its successor has opened."""
        self._wanting.pop(worker, None)

    def wants(self, worker: int) -> None:
        """Note that a worker waits for a grant."""
        self._wanting[worker] = None

    def account(self, worker: int, durable: Amount, returned: Amount) -> None:
        """Note the durable and returned parts of a worker's grants."""
        life = self._lives.get(worker)
        if life is None:
            return  # it was sent before the worker knew of other limits
        count = Count(life, self._before[worker].plus(durable))
        ledger = document.counted(self._ledger, life, {worker: count})
        self._ledger = document.settled(ledger, life, durable, returned)

    @property
    def reached(self) -> Limit | None:
        """The limit that the durable pages and bytes have reached."""
        found = document.reached(self._ledger, self._limits)
        return Limit(found) if found else None

    def given(self) -> list[tuple[int, Grant | None]]:
        """Return new grants and their receivers; None recalls what a worker has not reserved."""
        given: list[tuple[int, Grant | None]] = []
        for worker in [one for one in self._wanting if one in self._lives]:
            life = self._lives[worker]
            told = self._ledger.lives[life].granted
            self._ledger = document.granted(self._ledger, life, self._limits)
            grant = document.new_grant(self._ledger.lives[life], told)
            if grant is None:
                return [*given, *self._recalls()] if self._ledger.is_short else given
            self._recalled.discard(worker)
            del self._wanting[worker]
            given.append((worker, grant))
        return given

    def _recalls(self) -> list[tuple[int, None]]:
        """Recall once from each worker that may still hold a part of its grants."""
        lives = self._ledger.lives
        holding = {one for one, life in self._lives.items() if any(lives[life].charged)}
        recalled = sorted(holding - self._recalled)
        self._recalled |= holding
        return [(worker, None) for worker in recalled]


class SupervisorLink(NamedTuple):
    """The calls by which a `GrantedBudget` reaches the supervisor and its own worker."""

    want_grant: Callable[[], None]
    account: Callable[[Amount, Amount], None]
    """Reports the durable and the returned amounts, since the process began."""
    limit_reached: Callable[[Limit], None]
    call_soon: Callable[[Callable[[], None]], object]
    """Calls back in the next turn of the loop."""
    when_durable: Callable[[Callable[[], None]], None]
    """Calls back when everything decided so far is durable."""


class GrantedBudget(Budget):
    """A worker's share of the job's limits: a budget that is allowed what it was granted."""

    def __init__(self, job: Job, free_disk: Callable[[], int], link: SupervisorLink) -> None:
        super().__init__(job, free_disk)
        self._link = link
        self._granted = Amount()
        self._durable = Amount()
        self._returned = Amount()
        self._last: tuple[Amount, Amount] | None = None
        self._is_rest = False
        self._is_recalled = False
        self._is_asking = False
        self._is_accounting = False
        self._epoch = 0
        """Number of changes of the limits."""
        self._allow()

    # -- commands of the supervisor -------------------------------------------------------

    def adopt(self, limits: Limits) -> None:
        """Go by other limits; what is allowed by them comes with the next grants."""
        TimeAndDisk.adopt(self, limits)

    def relimit(self, limits: Limits) -> Amount:
        """Follow other limits, without a grant; return the reservations of fetches in flight."""
        self.adopt(limits)
        self._granted = reserved = Amount(self.reserved_pages, self._reserved_bytes)
        self.kept_pages = self.kept_bytes = 0
        self._durable = self._returned = Amount()
        self._epoch += 1
        self._last = None
        self._is_rest = self._is_recalled = self._is_asking = False
        self._allow()
        return reserved

    def grant(self, grant: Grant) -> None:
        """Add a grant; the worker should then try to reserve at once."""
        self._granted = self._granted.plus(Amount(grant.pages, grant.bytes))
        self._allow()
        self._is_rest = grant.is_rest
        self._is_asking = False
        self._is_recalled = grant.is_rest or (grant.pages == 1 and bool(self._limits.pages))
        if self._is_recalled:
            self._account_soon()

    def recall(self) -> None:
        """Return the unreserved part of the grants."""
        self._is_recalled = True
        self._settle()

    def end(self, limit: Limit) -> None:
        """Stop reserving: another worker, or all together, have reached a limit."""
        self.reached = self.reached or limit

    # -- reservations of the worker -------------------------------------------------------

    def keep(self, reserved_bytes: int, size_bytes: int, url: str) -> bool:
        """End a reservation with a page; False if it does not fit and must not be kept."""
        self.give_back(reserved_bytes)
        if self._limits.bytes and size_bytes > reserved_bytes:
            self.reach(Limit.BYTES)
            return False
        if self._is_limited:
            self.kept_pages += 1
            self.kept_bytes += size_bytes
            kept, epoch = self._kept, self._epoch
            self._link.when_durable(lambda: self._made_durable(kept, epoch))
        if is_wanted(url, self._targets):
            # Reported once durable: a kill must not lose the page that ends the crawl.
            self.reached = self.reached or Limit.FOUND
            self._link.when_durable(lambda: self._link.limit_reached(Limit.FOUND))
        return True

    def give_back(self, reserved_bytes: int) -> None:
        """End a reservation without a page."""
        super().give_back(reserved_bytes)
        if self._is_asking or self._is_recalled:
            self._account_soon()

    def uncount(self, pages: int, size_bytes: int) -> None:
        """Take back pages that were kept in a partition that has passed to another owner."""
        if self._is_limited:
            self.kept_pages -= pages
            self.kept_bytes -= size_bytes
            self._durable = min(self._durable, self._kept)

    def reach(self, limit: Limit) -> None:
        """End the crawl of all workers for a reason; the first one counts."""
        if self.reached is None:
            self.reached = limit
            self._link.limit_reached(limit)

    # -- inside ---------------------------------------------------------------------------

    @property
    def _is_limited(self) -> bool:
        return bool(self._limits.pages or self._limits.bytes)

    @property
    def _kept(self) -> Amount:
        return Amount(self.kept_pages, self.kept_bytes)

    def _allow(self) -> None:
        self._allowed_pages, self._allowed_bytes = self._granted.minus(self._returned)

    def _run_short(self) -> None:
        """Ask for a grant."""
        if not self._is_asking:
            self._is_asking = True
            self._link.want_grant()
            self._account_soon()

    def _made_durable(self, kept: Amount, epoch: int) -> None:
        if epoch != self._epoch:
            return  # it is counted in what was kept when the limits changed
        self._durable = min(kept, self._kept)
        if self._is_asking or self._is_recalled or not self.reserved_pages:
            self._account_soon()

    def _account_soon(self) -> None:
        if not self._is_accounting:
            self._is_accounting = True
            self._link.call_soon(self._settle)

    def _settle(self) -> None:
        """Return recalled grants, and send an account if it has changed."""
        self._is_accounting = False
        if self._is_recalled:
            limits, reserved = self._limits, Amount(self.reserved_pages, self._reserved_bytes)
            free = self._granted.minus(self._returned).minus(self._kept).minus(reserved)
            returned = Amount(free.pages if limits.pages else 0, free.bytes if limits.bytes else 0)
            self._returned = self._returned.plus(returned)
            self._allow()
        account = self._durable, self._returned
        if account != self._last:
            self._last = account
            self._link.account(*account)
