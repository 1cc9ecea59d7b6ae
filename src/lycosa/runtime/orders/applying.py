"""Applies orders to the partitions of a worker: each order once on each partition, by number.

    learn     new orders: rules and settings are adopted, then the orders reach every partition
    on_begin  a partition that is taken later gets the orders its log lacks, before its first
    request

An order's decision for a partition and the event that records it (`OrderApplied`) are recorded in
one callback, so one batch holds them. After a kill either both are there or neither is; if neither
is, the next owner of the partition applies the order.

Always true: the state of a partition alone tells which orders were applied to it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from lycosa.crawl.ports import Ports
from lycosa.crawl.worker.worker import Worker
from lycosa.fetch.guard import AddressGuard
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.model.job.requests import Limits
from lycosa.model.records import HostChanged, OrderApplied, Reopened
from lycosa.model.url import key_of, reversed_host_of
from lycosa.runtime.orders.live_job import Bandwidth, LiveJob
from lycosa.runtime.orders.orders import (
    Block,
    InForce,
    Numbered,
    Order,
    RemoveRule,
    Retry,
    Unblock,
)

if TYPE_CHECKING:
    from lycosa.runtime.orders.decisions import Decision

log_messages = logging.getLogger(__name__)


class Applier:
    """Applies orders to one worker's partitions."""

    def __init__(
        self, ports: Ports, worker: Worker, on_applied: Callable[[int], None] = lambda number: None
    ) -> None:
        """Call `on_applied` with the number up to which orders are durable on all partitions."""
        self._clock = ports.clock
        self._scope = ports.scope
        self._partitioner = ports.partitioner
        fetch = ports.job.fetch
        self._guard = AddressGuard(
            fetch.allow_private, fetch.private_networks, fetch.loopback_origins
        )
        self._worker = worker
        self._on_applied = on_applied
        self._given: list[Numbered] = []
        self._were_paused: list[bool] = []
        """Whether the crawl was paused after each order."""
        self._begun: dict[int, Partition] = {}
        self._told = -1
        self.in_force = InForce()
        worker.on_begin = self._on_begin

    def learn(self, given: Sequence[Numbered]) -> None:
        """Apply new orders, up to the first gap in their numbers."""
        for one in given:
            if one.number == self.in_force.last + 1:
                self._given.append(one)
                self.in_force = self.in_force.after(one.number, one.order)
                self._were_paused.append(self.in_force.is_paused)
        self._scope.adopt(self.in_force.parsed_rules())
        self.catch_up()

    def catch_up(self) -> None:
        """Apply to all partitions that have begun the orders that they lack."""
        worker, last = self._worker, self.in_force.last
        if worker.is_over:
            return
        has_changed, is_done = False, True
        for number, partition in worker.partitions().items():
            if self._begun.get(number) is not partition or partition.is_leaving:
                is_done = is_done and partition.is_leaving
                continue
            before = partition.state.orders
            if before < last:
                self._apply_live(partition)
                has_changed = has_changed or partition.state.orders > before
                is_done = is_done and partition.state.orders == last
        if is_done and self._told != last:
            self._told = last
            if not self._begun:
                self._on_applied(last)
                return
            worker.when_durable(lambda: self._on_applied(last))
            has_changed = True
        if has_changed:
            worker.look()

    @property
    def has_begun(self) -> bool:
        """Whether at least one partition has begun."""
        return bool(self._begun)

    # -- inside ---------------------------------------------------------------------------

    def _on_begin(self, partition: Partition) -> None:
        """Apply missing orders to a partition before its first request, where only its state
        changes."""
        now, state = self._clock.now(), partition.state
        self._begun[partition.number] = partition
        for given in self._given[state.orders :]:
            self._record(partition, self._decide(partition, given.order, now))
            self._record_applied(partition, given.number, now)
        closed = {
            record.host for record in state.errands.values() if state.hosts.closed[record.host]
        }
        for host in closed:  # an errand was in flight when its host was blocked, then came a kill
            from lycosa.runtime.orders import decisions  # most crawls are given no orders

            decision = decisions.block(state, host, now)
            self._record(partition, decision._replace(events=decision.events[1:]))

    def _apply_live(self, partition: Partition) -> None:
        """Apply missing orders to a partition that is being crawled."""
        now = self._clock.now()
        for given in self._given[partition.state.orders :]:
            if self._must_wait(partition, given.order):
                return
            decision = self._decide(partition, given.order, now)
            if decision is not None:
                self._carry_out(partition, decision, now)
            self._record_applied(partition, given.number, now)

    def _must_wait(self, partition: Partition, order: Order) -> bool:
        """Return whether a request is in flight to a host that is about to be reopened.

        Its URL is pending, and must not be offered a second time.
        """
        if not isinstance(order, Unblock):
            return False
        host = partition.state.host_number(_reversed(order.host))
        return host is not None and partition.readiness.is_taken(host)

    def _record_applied(self, partition: Partition, number: int, now: float) -> None:
        partition.record(OrderApplied(now, number, self._were_paused[number - 1]))

    def _decide(self, partition: Partition, order: Order, now: float) -> Decision | None:
        from lycosa.runtime.orders import decisions  # most crawls are given no orders

        state = partition.state
        match order:
            case Block(host):
                return self._block(partition, _reversed(host), now)
            case Unblock(host):
                return decisions.unblock(state, _reversed(host), now)
            case Retry("traps"):
                return decisions.retry_traps(state, now)
            case Retry():
                return decisions.retry_failed(state, now, self._guard)
            case RemoveRule():
                return decisions.bring_back(state, now, self._scope.is_rejected_since)
        return None

    def _block(self, partition: Partition, wanted: str, now: float) -> Decision | None:
        from lycosa.runtime.orders import decisions  # most crawls are given no orders

        state = partition.state
        host = state.host_number(wanted)
        if host is None:
            is_home = self._partitioner.splits_hosts or (
                self._partitioner.partition_of(f"{wanted}:/") == partition.number
            )
            return decisions.block_unknown(wanted, now) if is_home else None
        waiting = set(partition.readiness.firsts.drop_errands(host))
        under_way = [
            errand
            for errand, record in state.errands.items()
            if record.host == host and errand not in waiting and partition.in_flight
        ]
        return decisions.block(state, host, now, keep=under_way)

    def _record(self, partition: Partition, decision: Decision | None) -> None:
        if decision is not None:
            for event in decision.events:
                partition.record(event)
            self._post(partition, decision)

    def _carry_out(self, partition: Partition, decision: Decision, now: float) -> None:
        for event in decision.events:
            if isinstance(event, HostChanged):
                partition.change_host(event)
            elif isinstance(event, Reopened):
                _reopen(partition, event)
            else:
                partition.record(event)
        self._post(partition, decision)

    def _post(self, partition: Partition, decision: Decision) -> None:
        for message in decision.found:
            partition.post(self._partitioner.partition_of_site(message.site), message)


def _reopen(partition: Partition, event: Reopened) -> None:
    """Record hosts and URLs that are tried again, and offer them to the scheduler."""
    state: PartitionState = partition.state
    sites = {
        site for host in event.hosts for site in state.sites_of(host) if state.sites.closed[site]
    }
    partition.record(event)
    pages = [page for page in event.pages if state.pages.site[page] not in sites]
    if sites:
        partition.offer_sites(sites, set())
    partition.offer_again(pages, event.moment)
    for host in event.hosts:
        partition.readiness.work_came(host, event.moment)


def _reversed(host: str) -> str:
    return reversed_host_of(key_of(f"http://{host}/"))


class Budget(Protocol):
    """The limits of a worker, which orders change."""

    def adopt(self, limits: Limits) -> None:
        """Follow other limits."""

    def halt(self, now: float) -> None:
        """Stop the time limit's clock."""

    def go_on(self, now: float) -> None:
        """Start the time limit's clock again."""


class Steering:
    """Makes a worker on one machine follow orders: partitions, settings, rules, limits."""

    def __init__(
        self,
        live: LiveJob,
        applier: Applier,
        worker: Worker,
        transport: Bandwidth,
        budget: Budget,
        *,
        share: Callable[[int], int],
    ) -> None:
        """`share` returns this worker's share of the job's connections."""
        self._live = live
        self._applier = applier
        self._worker = worker
        self._transport = transport
        self._budget = budget
        self._share = share

    @property
    def in_force(self) -> InForce:
        """The combined effect of the orders that were learned."""
        return self._applier.in_force

    def learn(self, given: Sequence[Numbered], now: float) -> None:
        """Follow new orders."""
        limits = self._live.job.limits
        # No request may begin under the old settings once an order is recorded as applied.
        self._worker.connections = 0
        self._applier.learn(given)
        settings = self.in_force.settings
        changes = self._live.adopt(settings, self._worker.addresses, self._transport)
        if self._live.job.limits != limits:
            self._budget.adopt(self._live.job.limits)
        if settings.is_paused:
            self._budget.halt(now)
        else:
            self._budget.go_on(now)
        if changes:
            log_messages.info("order %d: %s", self.in_force.last, ", ".join(changes))
        self.look()
        if given and self._applier.has_begun and not self._worker.is_over:
            self._worker.look()

    def look(self) -> None:
        """Apply orders that had to wait, and begin requests again after a pause."""
        self._applier.catch_up()
        connections = self._share(self._live.job.fetch.connections) if self._live.may_ask else 0
        if connections != self._worker.connections:
            self._worker.connections = connections
            if self._applier.has_begun:
                self._worker.pump()
