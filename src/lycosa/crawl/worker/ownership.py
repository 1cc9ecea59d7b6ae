"""Takes partitions, hands them over to others, and drops those that others have taken.

    open     take partitions before anything is asked
    take     take more of them while the worker runs, one after the other, beside its callbacks
    release  hand partitions over: ask nothing more, wait for the answers under way, make them
             durable, and write `Released`. The next owner then need not let every host rest
    lose     drop a partition that another owner has taken, or may take from now on, at once: its
             requests under way are cut

Always true:
  * a partition that was lost changes nothing any more: its decisions that were not durable are
    dropped, and its pages are taken back from the limits. A write whose answer was lost may have
    happened, so the log says which of the records count (`recovery.counting`);
  * after `Released` no request of the partition is under way, and none is sent;
  * every host of a partition that was not handed over rests for its full pause and a second more
    before it is asked, and every address for its pause.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from lycosa.crawl.ports import Ports
from lycosa.crawl.takeover import Opened, take_partitions
from lycosa.crawl.worker.commits import Committer
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.frontier.readiness.phases import WorkerContext
from lycosa.frontier.schedulers import Scheduler
from lycosa.frontier.schedulers.factory import Order, make_scheduler
from lycosa.frontier.urltable import FileVault
from lycosa.model.records import AnyEvent, Fetched, Outcome, Released, Rendered, Taken


class Ownership:
    """The partitions of a worker; one per worker."""

    def __init__(
        self,
        ports: Ports,
        partitions: dict[int, Partition],
        around: WorkerContext,
        committer: Committer,
        *,
        begin: Callable[[Partition], None],
        commit: Callable[[], None],
        on_lost: Sequence[Callable[[int], None]],
    ) -> None:
        self._ports = ports
        self._partitions = partitions
        self._around = around
        self._committer = committer
        self._on_lost = on_lost
        self._begin = begin
        self._commit = commit
        self._digest = ""
        self._scheduler = ports.scheduler or self._built_in
        self._leaving: dict[int, Callable[[int], None]] = {}
        self.addresses = around.addresses

    # -- taking ---------------------------------------------------------------------------

    def open(self, numbers: Iterable[int]) -> None:
        """Take partitions; nothing is asked yet."""
        now = self._ports.clock.now()
        opened = self._take(numbers, now)
        # Addresses are shared by all partitions, and so is the pause that they begin with.
        is_resumed = any(partition.is_resumed for partition in opened.values())
        for number, one in opened.items():
            self._add(number, one, is_resumed, now)

    def take(self, numbers: Iterable[int], on_taken: Callable[[int], None]) -> None:
        """Take partitions while others are crawled; each is reported when it is begun."""
        clock = self._ports.clock
        for number in numbers:
            clock.run_aside(partial(self._take_now, number), partial(self._taken, number, on_taken))

    def _take_now(self, number: int) -> Opened:
        return self._take([number], self._ports.clock.now())[number]

    def _taken(self, number: int, on_taken: Callable[[int], None], opened: Opened) -> None:
        self.add(number, opened)
        on_taken(number)

    def add(self, number: int, opened: Opened) -> None:
        """Begin to crawl a partition that has been taken in the log."""
        self._begin(self._add(number, opened, opened.is_resumed, self._ports.clock.now()))

    def _take(self, numbers: Iterable[int], now: float) -> dict[int, Opened]:
        ports = self._ports
        self._digest = self._digest or ports.job_digest or ports.job.digest()
        taken = Taken(now, ports.owner, ports.clock_ahead)
        return take_partitions(ports.log, ports.snapshots, numbers, taken, self._digest)

    def _add(self, number: int, opened: Opened, is_resumed: bool, now: float) -> Partition:
        ports, addresses = self._ports, self._around.addresses
        state = opened.state
        resumed_at: float | None = None
        if is_resumed:
            resumed_at = now
        elif opened.resumed_ago >= 0:  # by an owner before us, and its hosts may still rest
            resumed_at = now - opened.resumed_ago
        if resumed_at is not None:
            addresses.rest_all(resumed_at + ports.job.politeness.ip_delay_seconds)
        for address, seconds in opened.owed_to_addresses.items():
            addresses.rest(address, now + seconds)
        if ports.sealed_folder is not None:
            state.table.put_into(FileVault(ports.sealed_folder))
        around = self._around._replace(resumed_at=resumed_at)
        partition = self._partitions[number] = Partition(number, state, self._scheduler, around)
        self._committer.note_snapshot(number, state.sequence - opened.snapshot_sequence, state)
        return partition

    def _built_in(self, state: PartitionState) -> Scheduler:
        return make_scheduler(state, Order(self._ports.job.frontier, self._ports.clock.now))

    # -- handing over ---------------------------------------------------------------------

    def release(self, numbers: Iterable[int], on_released: Callable[[int], None]) -> None:
        """Hand partitions over; each is reported when another worker may take it."""
        for number in numbers:
            partition = self._partitions.get(number)
            if partition is None:
                on_released(number)
            elif not partition.is_leaving:
                partition.is_leaving = True
                self._around.with_work.pop(number, None)
                self._leaving[number] = on_released
        self.look()

    def look(self) -> None:
        """Write `Released` for partitions that are leaving and have no request under way."""
        for number in list(self._leaving):
            partition = self._partitions[number]
            if not partition.in_flight and not partition.is_released:
                partition.is_released = True
                self._forget(number)
                now = self._ports.clock.now()
                partition.record(self._released(partition, now))
                self._committer.after_next(partial(self._let_go, partition))
                self._commit()

    def _released(self, partition: Partition, now: float) -> Released:
        resumed_at = partition.readiness.resumed_at
        return Released(
            now,
            _owed_to_hosts(partition.state, now),
            self._around.addresses.owed(now),
            -1.0 if resumed_at is None else now - resumed_at,
        )

    def _let_go(self, partition: Partition) -> None:
        if not partition.is_lost:
            self.lose(partition.number, is_released=True)

    # -- losing ---------------------------------------------------------------------------

    def lose(
        self, number: int, refused: Sequence[AnyEvent] = (), *, is_released: bool = False
    ) -> None:
        """Drop a partition that is no longer ours, and the decisions that the log has refused.

        Of one that `is_released` all decisions are durable.
        """
        self._drop(refused)
        partition = self._partitions.pop(number, None)
        if partition is None:
            return
        if self._drop(partition.uncommitted) or not is_released:
            self._ports.store.lose(number, partition.state.sequence)
        self._around.with_work.pop(number, None)
        self._around.changed.pop(number, None)
        self._forget(number)
        self._committer.forget(number)
        self._ports.ending.report(number, None)
        partition.abandon(self._ports.clock.now())
        self._ports.transport.cut(number)  # before anybody hears that it may be taken
        partition.readiness.free_addresses(self._ports.clock.now())
        on_released = self._leaving.pop(number, None)
        if on_released is not None:
            on_released(number)

    def _forget(self, number: int) -> None:
        for forget in self._on_lost:
            forget(number)

    def _drop(self, events: Iterable[AnyEvent]) -> int:
        """Drop decisions; return of how many records."""
        pages = size = records = 0
        for event in events:
            if isinstance(event, Rendered):
                records += event.place is not None
                if event.size_bytes:
                    pages, size = pages + 1, size + event.size_bytes
            elif isinstance(event, Fetched):
                records += event.place is not None
                if event.outcome is Outcome.KEPT:
                    pages, size = pages + 1, size + event.size_bytes
        if pages:
            self._ports.budget.uncount(pages, size)
        return records


def _owed_to_hosts(state: PartitionState, now: float) -> dict[int, float]:
    return {host: due - now for host, due in enumerate(state.hosts.due) if due > now}
