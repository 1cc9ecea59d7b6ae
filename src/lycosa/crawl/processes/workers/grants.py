"""Share the job's limits among several processes so that they hold exactly.

The supervisor keeps the `Ledger` and grants parts of the remaining limits to workers that ask:
large parts at first, single pages near the end. A worker reserves from its grants (`GrantedBudget`)
without a message. When a worker asks and nothing is left, all workers return their unreserved
grants, and from then on each returns its grant as soon as a reservation ends.

Always true:
  * pages kept according to the log + pages granted ≤ limit, and the same for bytes;
  * a worker's kept pages + its reservations ≤ its grants;
  * a limit is reached when the pages kept are *durable*: the death of a worker cannot undo it.

The ledger keeps charging a dead worker's grants until its successor has folded the partitions and
reported the content of their logs, which never exceeds the grants.

A job without limits on pages and bytes needs no grants and sends no messages.

When the operator changes a limit, the ledger begins again: each worker reports its kept pages and
its reservations (`Relimited`), forgets its grants, and asks again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from lycosa.cluster.ledger.document import Amount as Amount
from lycosa.config import Job
from lycosa.config.requests import Limits
from lycosa.crawl.budget import Limit, TimeAndDisk, is_wanted
from lycosa.crawl.processes.workers.protocol import Account, Grant, Recall

UNLIMITED = 1 << 62


class _Line:
    """The ledger's line for one worker."""

    def __init__(self, is_open: bool = False) -> None:
        self.is_open = self.was_opened = is_open
        self.before = Amount()
        """Amount kept according to the log, when the partitions were opened."""
        self.granted = Amount()
        self.kept = Amount()
        self.durable = Amount()
        self.returned = Amount()
        self.is_recalled = False

    @property
    def charged(self) -> Amount:
        return self.before.plus(self.granted).minus(self.returned)


class Ledger:
    """Knows the grants of each worker; decides on grants and recalls."""

    def __init__(self, job: Job, workers: int) -> None:
        limits = job.limits
        self._has_pages, self._has_bytes = bool(limits.pages), bool(limits.bytes)
        self._limit = Amount(limits.pages or UNLIMITED, limits.bytes or UNLIMITED)
        self._largest = job.fetch.largest_body_bytes
        self._lines = [_Line() for _ in range(workers)]
        self._wanting: dict[int, None] = {}

    def opened(self, worker: int, kept: Amount) -> None:
        """Charge a worker with the amounts in the logs of its partitions, and with nothing else."""
        line = self._lines[worker] = _Line(is_open=True)
        line.before = kept

    def relimited(self, worker: int, kept: Amount, reserved: Amount) -> None:
        """Charge a worker with its kept amounts and reservations, after a change of limits."""
        line = self._lines[worker] = _Line(is_open=True)
        line.before, line.granted = kept, reserved

    def died(self, worker: int) -> None:
        """Keep a dead worker's charge until its successor has opened the partitions."""
        self._lines[worker].is_open = False
        self._wanting.pop(worker, None)

    def wants(self, worker: int) -> None:
        """Note that a worker waits for a grant."""
        self._wanting[worker] = None

    def account(self, worker: int, account: Account) -> None:
        """Note the used and returned parts of a worker's grants."""
        line = self._lines[worker]
        if not line.was_opened:
            return  # it was sent before the worker knew of other limits
        line.kept = Amount(account.kept_pages, account.kept_bytes)
        line.durable = Amount(account.durable_pages, account.durable_bytes)
        line.returned = Amount(account.returned_pages, account.returned_bytes)

    @property
    def reached(self) -> Limit | None:
        """The limit that the durable pages and bytes have reached."""
        if not all(line.is_open for line in self._lines):
            return None
        pages = sum(line.before.pages + line.durable.pages for line in self._lines)
        size = sum(line.before.bytes + line.durable.bytes for line in self._lines)
        if pages >= self._limit.pages:
            return Limit.PAGES
        return Limit.BYTES if size >= self._limit.bytes else None

    def commands(self) -> list[tuple[int, Grant | Recall]]:
        """Return the commands and their receivers; the ledger counts them as sent."""
        if not all(line.was_opened for line in self._lines):
            return []
        commands: list[tuple[int, Grant | Recall]] = []
        for worker in list(self._wanting):
            grant = self._grant()
            if grant is None:
                commands += self._recalls()
                break
            line = self._lines[worker]
            line.granted = line.granted.plus(Amount(grant.pages, grant.bytes))
            line.is_recalled = False
            del self._wanting[worker]
            commands.append((worker, grant))
        return commands

    def _grant(self) -> Grant | None:
        """Return the next grant, for any worker that asks; None if nothing is left for now."""
        charged = Amount()
        for line in self._lines:
            charged = charged.plus(line.charged)
        left = self._limit.minus(charged)
        if left.pages <= 0 or left.bytes <= 0:
            return None
        share = 2 * len(self._lines)
        pages = max(1, left.pages // share) if self._has_pages else 0
        if not self._has_bytes:
            return Grant(pages, 0, is_rest=False)
        if left.bytes >= self._largest:
            return Grant(pages, max(self._largest, left.bytes // share), is_rest=False)
        if not all(self._is_settled(line) for line in self._lines):
            return None
        return Grant(pages, left.bytes, is_rest=True)

    def _recalls(self) -> list[tuple[int, Recall]]:
        recalls: list[tuple[int, Recall]] = []
        for worker, line in enumerate(self._lines):
            if line.is_open and not line.is_recalled and self._outstanding(line):
                line.is_recalled = True
                recalls.append((worker, Recall()))
        return recalls

    def _is_settled(self, line: _Line) -> bool:
        """Return whether the worker's death would free nothing, which makes the remainder final."""
        return line.is_open and not self._outstanding(line) and line.kept == line.durable

    def _outstanding(self, line: _Line) -> bool:
        """Return whether the worker still holds a part of its grants, reserved or unused."""
        left = line.granted.minus(line.returned).minus(line.kept)
        return (self._has_pages and left.pages > 0) or (self._has_bytes and left.bytes > 0)


class SupervisorLink(NamedTuple):
    """The calls by which a `GrantedBudget` reaches the supervisor and its own worker."""

    want_grant: Callable[[], None]
    account: Callable[[Account], None]
    limit_reached: Callable[[Limit], None]
    call_soon: Callable[[Callable[[], None]], object]
    """Calls back in the next turn of the loop."""
    when_durable: Callable[[Callable[[], None]], None]
    """Calls back when everything decided so far is durable."""


class GrantedBudget(TimeAndDisk):
    """A worker's share of the job's limits."""

    def __init__(self, job: Job, free_disk: Callable[[], int], link: SupervisorLink) -> None:
        super().__init__(job, free_disk)
        self._link = link
        self._is_limited = bool(job.limits.pages or job.limits.bytes)
        self._unlimited = 0
        """Number of reservations made without a limit."""
        self._granted = Amount()
        self._kept = Amount()
        self._durable = Amount()
        self._reserved = Amount()
        self._returned = Amount()
        self._last: Account | None = None
        self._is_rest = False
        self._is_recalled = False
        self._is_asking = False
        self._is_accounting = False
        self._epoch = 0
        """Number of changes of the limits."""

    # -- commands of the supervisor -------------------------------------------------------

    def begin(self, deadline: float) -> None:
        """Set the moment at which the time limit is reached."""
        self._deadline, self._halted_at = deadline, None

    def relimit(self, limits: Limits) -> Amount:
        """Follow other limits, without a grant; return the reservations of fetches in flight."""
        if not self._is_limited:
            self._reserved = Amount(self._unlimited, self._unlimited * self._largest)
        self.adopt(limits)
        self._is_limited = bool(limits.pages or limits.bytes)
        self._unlimited = 0 if self._is_limited else self._reserved.pages
        self._granted = self._reserved
        self._kept = self._durable = self._returned = Amount()
        self._epoch += 1
        self._last = None
        self._is_rest = self._is_recalled = self._is_asking = False
        return self._reserved

    def grant(self, grant: Grant) -> None:
        """Add a grant; the worker should then try to reserve at once."""
        self._granted = self._granted.plus(Amount(grant.pages, grant.bytes))
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

    def reserve(self, now: float) -> int | None:
        """Return how many bytes a fetch may bring; None if no fetch may start now."""
        self._look_at_time(now)
        if self.reached:
            return None
        if not self._is_limited:
            self._unlimited += 1
            return self._largest
        free, size = self._free(), self._largest
        if self._limits.pages and free.pages < 1:
            self._ask()
            return None
        if self._limits.bytes and free.bytes < size:
            if not self._is_rest or self._reserved.pages or not free.bytes:
                self._ask()
                return None
            size = free.bytes
        self._reserved = self._reserved.plus(Amount(1, size))
        return size

    def keep(self, reserved_bytes: int, size_bytes: int, url: str) -> bool:
        """End a reservation with a page; False if it does not fit and must not be kept."""
        self._release(reserved_bytes)
        if self._limits.bytes and size_bytes > reserved_bytes:
            self._reach(Limit.BYTES)
            return False
        if self._is_limited:
            self._kept = kept = self._kept.plus(Amount(1, size_bytes))
            epoch = self._epoch
            self._link.when_durable(lambda: self._made_durable(kept, epoch))
        if is_wanted(url, self._targets):
            # Reported once durable: a kill must not lose the page that ends the crawl.
            self.reached = self.reached or Limit.FOUND
            self._link.when_durable(lambda: self._link.limit_reached(Limit.FOUND))
        return True

    def give_back(self, reserved_bytes: int) -> None:
        """End a reservation without a page."""
        self._release(reserved_bytes)

    def uncount(self, pages: int, size_bytes: int) -> None:
        """Take back pages that were kept in a partition that has passed to another owner."""
        if self._is_limited:
            self._kept = self._kept.minus(Amount(pages, size_bytes))
            self._durable = min(self._durable, self._kept)

    # -- inside ---------------------------------------------------------------------------

    def _free(self) -> Amount:
        return self._granted.minus(self._returned).minus(self._kept).minus(self._reserved)

    def _ask(self) -> None:
        if not self._is_asking:
            self._is_asking = True
            self._link.want_grant()
            self._account_soon()

    def _release(self, reserved_bytes: int) -> None:
        if not self._is_limited:
            self._unlimited -= 1
        else:
            self._reserved = self._reserved.minus(Amount(1, reserved_bytes))
            if self._is_asking or self._is_recalled:
                self._account_soon()

    def _made_durable(self, kept: Amount, epoch: int) -> None:
        if epoch != self._epoch:
            return  # it is counted in what was kept when the limits changed
        self._durable = min(kept, self._kept)
        if self._is_asking or self._is_recalled or not any(self._reserved):
            self._account_soon()

    def _account_soon(self) -> None:
        if not self._is_accounting:
            self._is_accounting = True
            self._link.call_soon(self._settle)

    def _settle(self) -> None:
        """Return recalled grants, and send an account if it has changed."""
        self._is_accounting = False
        if self._is_recalled:
            free = self._free()
            self._returned = self._returned.plus(
                Amount(
                    free.pages if self._limits.pages else 0, free.bytes if self._limits.bytes else 0
                )
            )
        account = Account(*self._kept, *self._durable, *self._returned)
        if account != self._last:
            self._last = account
            self._link.account(account)

    def _reach(self, limit: Limit) -> None:
        if self.reached is None:
            self.reached = limit
            self._link.limit_reached(limit)
