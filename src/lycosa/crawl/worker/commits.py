"""Makes the decisions of a worker durable, in an order that a kill cannot turn into a loss.

About twice a second, and at once when a host asked to be left alone or a robots file
came in, the worker cuts a batch: everything its partitions have decided since. It does so
sooner where hosts with a pause are about to be due, or where many without one have
answered (docs/decisions/0008-politeness-after-a-kill.md). Off the worker's thread the batch
is then made durable in this order:

    1. segment bytes are flushed: an event never points at bytes that are not there;
    2. hosts that joined the scope are noted;
    3. links go to the inboxes of other partitions;
    4. the events are appended, each partition's on condition that it is still ours.

(3) and (4) are the log's `commit`. After that a partition that has grown long since its
last snapshot is snapshotted, and its log trimmed to the archive. One commit is under
way at a time; what is decided meanwhile goes into the next one.

A power cut may take commits that the disk does not have. The disk is asked before a
snapshot or an archive that rests on them, before a segment is sealed, and where a host
asked for a longer pause than a resume would give it.

A log in a server may not answer for a while. Then the same writes are given again until it does;
a write that had happened happens once.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from lycosa._support.failpoints import reach
from lycosa._support.tuples import NamedTuple
from lycosa.crawl.ports import Ports
from lycosa.errors import LogUnavailable, LycosaError, ObjectsUnavailable
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.model.records import AnyEvent
from lycosa.storage.log.format import encode
from lycosa.storage.log.protocol import Write

RETRY_SECONDS = 0.5
"""How soon the same writes are given again to a log that has not answered."""

SAID_AFTER = 4
"""How many tries without an answer are worth a message."""

log_messages = logging.getLogger(__name__)


class Snapshot(NamedTuple):
    """A partition's state as it will be when its write is committed."""

    partition: int
    sequence: int
    state: bytes


class Count(NamedTuple):
    """Counts of a partition, as its log has them up to a sequence."""

    sequence: int
    pages: int
    bytes: int
    losses: int = 0
    """The last loss of a machine that is in it."""

    @classmethod
    def of(cls, state: PartitionState, sequence: int) -> Count:
        """Return what a partition holds that is durable at this sequence."""
        return cls(sequence, state.kept_pages, state.kept_bytes, state.losses)


class Batch(NamedTuple):
    """The decisions that one commit makes durable."""

    notes: dict[str, bytes]
    """Of the scope: they must be there before what is posted in their knowledge."""
    writes: list[Write]
    snapshots: list[Snapshot]
    events: list[list[AnyEvent]]
    """Of each write."""
    counts: list[Count]
    """Of each write's partition, once it is committed."""
    is_synced: bool
    """Whether a power cut must not take it either."""


class CommitTimes(NamedTuple):
    """Number and time of all commits."""

    commits: int = 0
    queued_seconds: float = 0.0
    """From the cut to the moment at which it was the commit's turn beside the worker."""
    writing_seconds: float = 0.0
    """From then on until everything was durable, waiting for other writers included."""
    waiting_since: float = 0.0
    """When the commit under way was cut, on the clock of `perf_counter`; 0 if there is none."""
    last_moment: float = 0.0
    """When the last commit was durable, by the machine's clock; 0 before the first."""


class Committer:
    """Cuts batches and makes them durable, one after the other."""

    def __init__(
        self, ports: Ports, on_superseded: Callable[[int, Sequence[AnyEvent]], None]
    ) -> None:
        self._ports = ports
        self._on_superseded = on_superseded
        self._batches_since: dict[int, int] = {}
        self._waiting: list[Callable[[], None]] = []
        self._must_sync = False
        self._mark = 0
        """Behind what the store had when the commit under way was cut."""
        self.is_busy = False
        self.times = CommitTimes()
        self.counts: dict[int, Count] = {}
        """Durable counts of each partition."""
        self._unanswered = 0

    def commit(self, partitions: Iterable[Partition], on_done: Callable[[], None]) -> bool:
        """Begin a commit of what these have decided; False when one is under way already.

        `on_done` is called when it is durable, also when there was nothing to do.
        """
        if self.is_busy:
            return False
        owned = {partition.number: partition for partition in partitions}
        batch = self._cut(owned.values())
        self._mark = self._ports.store.mark()
        released, self._waiting = self._waiting, []

        def finish() -> None:
            for release in released:
                release()
            on_done()

        if batch.writes:
            self.is_busy = True
            self._begin(batch, owned, finish)
        else:
            finish()
        return True

    def _begin(self, batch: Batch, owned: dict[int, Partition], finish: Callable[[], None]) -> None:
        """Make a batch durable beside the worker, as often as it takes."""
        cut = time.perf_counter()
        if not self.times.waiting_since:
            self.times = self.times._replace(waiting_since=cut)

        def make_durable() -> list[int | None] | None:
            began = time.perf_counter()
            try:
                results = self._make_durable(batch)
            except (LogUnavailable, ObjectsUnavailable) as problem:
                self._say_silent(problem)
                return None
            before, ended = self.times, time.perf_counter()
            self.times = CommitTimes(
                before.commits + 1,
                before.queued_seconds + began - cut,
                before.writing_seconds + ended - began,
                before.waiting_since,
                time.time(),
            )
            return results

        def done(results: list[int | None] | None) -> None:
            if results is None:
                clock = self._ports.clock
                clock.call_at(clock.now() + RETRY_SECONDS, self._again, batch, owned, finish)
                return
            if self._unanswered >= SAID_AFTER:
                log_messages.info("log and store answer again")
            self._unanswered = 0
            self.is_busy = False
            self.times = self.times._replace(waiting_since=0.0)
            for write, events, count, sequence in zip(
                batch.writes, batch.events, batch.counts, results, strict=True
            ):
                if sequence is None:
                    self._on_superseded(write.partition, events)
                elif (partition := owned.get(write.partition)) is not None:
                    partition.state.sequence = sequence
                    self.counts[write.partition] = count
            finish()

        self._ports.clock.run_aside(make_durable, done)

    def _say_silent(self, problem: LycosaError) -> None:
        """Say it once, and not for an answer or two that were lost."""
        self._unanswered += 1
        if self._unanswered == SAID_AFTER:
            what = "log" if isinstance(problem, LogUnavailable) else "store"
            log_messages.warning("waiting for the %s: %s", what, problem)

    def _again(self, batch: Batch, owned: dict[int, Partition], finish: Callable[[], None]) -> None:
        """Give the same writes again: what has happened of them happens once.

        Writes of partitions that we have dropped meanwhile are left as they are: the next owner
        reads in the log whether they happened.
        """
        if all(partition.is_lost for partition in owned.values()):
            self.is_busy = False
            self.times = self.times._replace(waiting_since=0.0)
        else:
            self._begin(batch, owned, finish)

    def after_next(self, release: Callable[[], None]) -> None:
        """Call `release` when everything decided so far is durable."""
        self._waiting.append(release)

    def sync_next(self) -> None:
        """Let the next commit ask the disk: a power cut must not take what is decided by now."""
        self._must_sync = True

    def note_snapshot(self, partition: int, batches_since: int, state: PartitionState) -> None:
        """Learn how a partition begins: how many batches it has had since its last snapshot."""
        self._batches_since[partition] = batches_since
        self.counts[partition] = Count.of(state, state.sequence)

    def forget(self, partition: int) -> None:
        """Forget a partition that is no longer ours; what is durable of it stays true."""
        self._batches_since.pop(partition, None)

    def _cut(self, partitions: Iterable[Partition]) -> Batch:
        batch = Batch({}, [], [], [], [], self._must_sync)
        self._must_sync = False
        for partition in partitions:
            events, posts = partition.cut()
            if not events and not posts:
                continue
            state, number = partition.state, partition.number
            posted = [(target, encode(messages)) for target, messages in posts.items()]
            batch.writes.append(
                Write(
                    number,
                    state.sequence,
                    encode(events),
                    posted,
                    state.inbox_read,
                    partition.is_released,
                )
            )
            batch.events.append(events)
            batch.counts.append(Count.of(state, state.sequence + 1))
            since = self._batches_since.get(number, 0) + 1
            if since >= self._ports.job.log.snapshot_batches and not batch.snapshots:
                sequence = state.sequence + 1
                batch.snapshots.append(Snapshot(number, sequence, state.pack(sequence)))
                since = 0
            self._batches_since[number] = since
        batch.notes.update(self._ports.scope.take_unwritten())
        return batch

    def _make_durable(self, batch: Batch) -> list[int | None]:
        ports = self._ports
        reach("commit.before-flush")
        ends = ports.store.flush()
        reach("commit.flushed")
        if batch.notes:
            ports.log.post_all((), batch.notes)
        if ends is not None and batch.writes:
            batch.writes[0] = batch.writes[0]._replace(ends=ends)
        results = ports.log.commit(batch.writes)
        if batch.is_synced:
            ports.log.sync()
        written = {
            write.partition: sequence for write, sequence in zip(batch.writes, results, strict=True)
        }
        durable = [number for number, sequence in written.items() if sequence is not None]
        ports.store.settle(self._mark, durable)
        for snapshot in batch.snapshots:
            if written[snapshot.partition] == snapshot.sequence:
                self._keep_snapshot(snapshot)
        reach("commit.done")
        return results

    def _keep_snapshot(self, snapshot: Snapshot) -> None:
        """Write a snapshot and trim the log; if the log does not answer, the next one does."""
        self._ports.log.sync()  # a snapshot outlives a power cut: the log must not be behind it
        self._ports.snapshots.write(*snapshot)
        with suppress(LogUnavailable):
            self._ports.log.trim(snapshot.partition, snapshot.sequence)
