"""Taking a partition: newest snapshot, replay the rest, become its owner.

Resuming after a stop, after a kill, and taking over from another worker are the same
thing. The log decides between rivals: the `Taken` event is appended only if nothing has
been written since we read it; otherwise we read on and try again.
"""

from __future__ import annotations

from typing import NamedTuple

from lycosa.cluster.partitioners import Partitioner
from lycosa.errors import LogError, Superseded
from lycosa.failpoints import reach
from lycosa.frontier.state import PartitionState
from lycosa.log.fold import replay
from lycosa.log.format import encode
from lycosa.log.protocol import Log
from lycosa.log.snapshot import Snapshots
from lycosa.records import AnyEvent, Configured, Taken


def check_partitioner(log: Log, partitioner: Partitioner) -> None:
    """Make sure that URLs belong to the partitions in which the log has them.

    Another list of public suffixes could move a host to another partition, where nobody
    knows what was already fetched or when the host was last asked.
    """
    identity = partitioner.identity.encode()
    if not log.note("partitioner", identity) and (before := log.noted("partitioner")) != identity:
        raise LogError(
            f"the crawl was begun with the partitioner '{(before or b'').decode()}',"
            f" this is '{partitioner.identity}'\n"
            "  it is chosen once: install the package version it names, and keep the job's"
            " [frontier] as it was"
        )


class Opened(NamedTuple):
    """A partition's state, ours from now on."""

    state: PartitionState
    is_resumed: bool
    """Somebody, perhaps a killed process, had it before us."""
    snapshot_sequence: int


def read_partition(log: Log, snapshots: Snapshots, number: int) -> Opened:
    """Fold a partition without taking it: for those who only want to look."""
    snapshot = snapshots.newest(number)
    if snapshot is None:
        state, sequence = PartitionState(), 0
    else:
        sequence, packed = snapshot
        state = PartitionState.unpack(packed)
    head = log.head(number).log
    if state.sequence > head:
        raise LogError(
            f"the snapshot of partition {number} is at sequence {state.sequence}, the log only at"
            f" {head}: they do not belong together\n"
            "  restore log/ from one copy, or delete log/snapshots to fold the log alone"
        )
    replay(state, log.read(number, state.sequence))
    return Opened(state, bool(state.owner), sequence)


def take_partition(
    log: Log, snapshots: Snapshots, number: int, taken: Taken, digest: str
) -> Opened:
    """Fold a partition and become its owner."""
    opened = read_partition(log, snapshots, number)
    state = opened.state
    while True:
        is_resumed = bool(state.owner)
        events: list[AnyEvent] = [taken]
        if state.job_digest != digest:
            events.append(Configured(taken.moment, digest))
        reach("take.before")
        try:
            sequence = log.take(number, taken.owner, encode(events), state.sequence)
        except Superseded:
            replay(state, log.read(number, state.sequence))
            continue
        reach("take.after")
        for event in events:
            state.apply(event)
        state.sequence = sequence
        return Opened(state, is_resumed, opened.snapshot_sequence)
