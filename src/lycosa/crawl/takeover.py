"""Taking partitions: newest snapshot, replay the rest, become their owner.

Resuming after a stop, after a kill, and taking over from another worker are the same
thing. The log decides between rivals: the `Taken` event is appended only if nothing has
been written since we read it; otherwise we read on and try again.

All that a worker is given is read first, then taken at once: one transaction instead of one for
each partition, which is most of the time that a new crawl's beginning takes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from lycosa.cluster.partitioners import Partitioner
from lycosa.errors import LogError
from lycosa.failpoints import reach
from lycosa.frontier.fold.state import PartitionState
from lycosa.log.fold import replay
from lycosa.log.format import encode
from lycosa.log.protocol import Log, Take
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
        raise _is_behind(log, "the snapshot", number, state.sequence, head)
    if state.sequence < head:
        replay(state, log.read(number, state.sequence))
        # Asked for anew: its owner may have gone on meanwhile.
        if state.sequence > (head := log.head(number).log):
            raise _is_behind(log, "the archive", number, state.sequence, head)
    return Opened(state, bool(state.owner), sequence)


def _is_behind(log: Log, what: str, number: int, sequence: int, head: int) -> LogError:
    folder = getattr(log, "crawl_folder", "DIR")
    return LogError(
        f"{what} of partition {number} goes to sequence {sequence}, the log only to {head}: the log"
        " has lost its end, as when log.sqlite-wal was cut or removed\n"
        f"  bring it forward to what the archive and the segments hold: lycosa verify {folder}"
        " --repair"
    )


def take_partition(
    log: Log, snapshots: Snapshots, number: int, taken: Taken, digest: str
) -> Opened:
    """Fold one partition and become its owner."""
    return take_partitions(log, snapshots, [number], taken, digest)[number]


def take_partitions(
    log: Log, snapshots: Snapshots, numbers: Iterable[int], taken: Taken, digest: str
) -> dict[int, Opened]:
    """Fold partitions and become their owner; what others write meanwhile is read, too."""
    opened = {number: read_partition(log, snapshots, number) for number in numbers}
    waiting = list(opened)
    while waiting:
        events = {number: _events(opened[number].state, taken, digest) for number in waiting}
        takes: list[Take] = []
        for number in waiting:
            reach("take.before")
            takes.append(Take(number, opened[number].state.sequence, encode(events[number])))
        waiting = []
        for (number, _, _), sequence in zip(takes, log.take(taken.owner, takes), strict=True):
            state, _, snapshot_sequence = opened[number]
            if sequence is None:
                before = state.sequence
                replay(state, log.read(number, state.sequence))
                if state.sequence == before:
                    raise _is_behind(log, "what is known", number, before, log.head(number).log)
                opened[number] = Opened(state, bool(state.owner), snapshot_sequence)
                waiting.append(number)
                continue
            reach("take.after")
            for event in events[number]:
                state.apply(event)
            state.sequence = sequence
    return opened


def _events(state: PartitionState, taken: Taken, digest: str) -> list[AnyEvent]:
    """Return what is written to a partition that is taken."""
    return [taken] if state.job_digest == digest else [taken, Configured(taken.moment, digest)]
