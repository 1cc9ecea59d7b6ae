"""Makes the decisions of a worker durable, in an order that a kill cannot turn into a loss.

About twice a second, and at once when a host asked to be left alone or a robots file
came in, the worker cuts a batch: everything its partitions have decided since. It does so
sooner where hosts with a pause are about to be due, or where many without one have
answered (docs/decisions/0037-repeats-after-a-kill.md). Off the worker's thread the batch
is then made durable in this order:

    1. segment bytes are flushed: an event never points at bytes that are not there;
    2. links go to the inboxes of other partitions;
    3. the events are appended, each partition's on condition that it is still ours.

(2) and (3) are the log's `commit`. After that a partition that has grown long since its
last snapshot is snapshotted, and its log trimmed to the archive. One commit is under
way at a time; what is decided meanwhile goes into the next one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from lycosa.crawl.ports import Ports
from lycosa.failpoints import reach
from lycosa.frontier.partition import Partition
from lycosa.log.format import encode
from lycosa.log.protocol import Write
from lycosa.records import AnyEvent


class Snapshot(NamedTuple):
    """A partition's state as it will be when its write is committed."""

    partition: int
    sequence: int
    state: bytes


class Batch(NamedTuple):
    """What one commit makes durable."""

    writes: list[Write]
    snapshots: list[Snapshot]
    events: list[list[AnyEvent]]
    """Of each write."""


class CommitTimes(NamedTuple):
    """What commits have cost, all in all."""

    commits: int = 0
    queued_seconds: float = 0.0
    """From the cut to the moment at which it was the commit's turn beside the worker."""
    writing_seconds: float = 0.0
    """From then on until everything was durable, waiting for other writers included."""


class Committer:
    """Cuts batches and makes them durable, one after the other."""

    def __init__(
        self, ports: Ports, on_superseded: Callable[[int, Sequence[AnyEvent]], None]
    ) -> None:
        self._ports = ports
        self._on_superseded = on_superseded
        self._batches_since: dict[int, int] = {}
        self._waiting: list[Callable[[], None]] = []
        self.is_busy = False
        self.times = CommitTimes()

    def commit(self, partitions: Iterable[Partition], on_done: Callable[[], None]) -> bool:
        """Begin a commit of what these have decided; False when one is under way already.

        `on_done` is called when it is durable, also when there was nothing to do.
        """
        if self.is_busy:
            return False
        owned = {partition.number: partition for partition in partitions}
        batch = self._cut(owned.values())
        released, self._waiting = self._waiting, []
        if not batch.writes:
            for release in released:
                release()
            on_done()
            return True
        self.is_busy = True
        cut = time.perf_counter()

        def done(results: list[int | None]) -> None:
            self.is_busy = False
            for write, events, sequence in zip(batch.writes, batch.events, results, strict=True):
                if sequence is None:
                    self._on_superseded(write.partition, events)
                elif (partition := owned.get(write.partition)) is not None:
                    partition.state.sequence = sequence
            for release in released:
                release()
            on_done()

        def make_durable() -> list[int | None]:
            began = time.perf_counter()
            results = self._make_durable(batch)
            before, ended = self.times, time.perf_counter()
            self.times = CommitTimes(
                before.commits + 1,
                before.queued_seconds + began - cut,
                before.writing_seconds + ended - began,
            )
            return results

        self._ports.clock.run_aside(make_durable, done)
        return True

    def after_next(self, release: Callable[[], None]) -> None:
        """Call `release` when everything decided so far is durable."""
        self._waiting.append(release)

    def note_snapshot(self, partition: int, batches_since: int) -> None:
        """Learn on resume how many batches a partition has had since its last snapshot."""
        self._batches_since[partition] = batches_since

    def _cut(self, partitions: Iterable[Partition]) -> Batch:
        writes: list[Write] = []
        snapshots: list[Snapshot] = []
        all_events: list[list[AnyEvent]] = []
        for partition in partitions:
            events, posts = partition.cut()
            if not events and not posts:
                continue
            state = partition.state
            posted = [(target, encode(messages)) for target, messages in posts.items()]
            writes.append(
                Write(partition.number, state.sequence, encode(events), posted, state.inbox_read)
            )
            all_events.append(events)
            since = self._batches_since.get(partition.number, 0) + 1
            if since >= self._ports.job.log.snapshot_batches and not snapshots:
                sequence = state.sequence + 1
                snapshots.append(Snapshot(partition.number, sequence, state.pack(sequence)))
                since = 0
            self._batches_since[partition.number] = since
        return Batch(writes, snapshots, all_events)

    def _make_durable(self, batch: Batch) -> list[int | None]:
        ports = self._ports
        reach("commit.before-flush")
        ports.store.flush()
        reach("commit.flushed")
        results = ports.log.commit(batch.writes)
        written = {
            write.partition: sequence for write, sequence in zip(batch.writes, results, strict=True)
        }
        for snapshot in batch.snapshots:
            if written[snapshot.partition] == snapshot.sequence:
                ports.snapshots.write(*snapshot)
                ports.log.trim(snapshot.partition, snapshot.sequence)
        reach("commit.done")
        return results
