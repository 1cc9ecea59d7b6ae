"""Take partitions over: read the newest snapshot, replay the rest, become the owner.

A worker does the same after a stop, after a kill, and when it takes over from another worker. The
log decides between rivals: it appends the `Taken` event only if there was no write since the worker
read the partition. Otherwise the worker reads on and tries again.

A worker reads all its partitions first and takes them in one transaction. Separate transactions
would take most of a new crawl's starting time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from lycosa._support.failpoints import reach
from lycosa._support.tuples import NamedTuple
from lycosa.errors import LogError, LogUnavailable
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partitioners import Partitioner
from lycosa.model.records import AnyEvent, Configured, Taken
from lycosa.storage.log.fold import replay
from lycosa.storage.log.format import encode
from lycosa.storage.log.protocol import Log, Take
from lycosa.storage.log.snapshot import Snapshots


def check_partitioner(log: Log, partitioner: Partitioner) -> None:
    """Refuse a partitioner that would put URLs into other partitions than the log has.

    A host could move to another partition, which does not know its fetched pages or the time of its
    last request.
    """
    if log.note("partitioner", partitioner.identity.encode()):
        return
    noted = log.noted("partitioner")
    if partitioner.is_noted(noted):
        return
    before = (noted or b"").decode(errors="replace")
    release = re.match(r"domain by publicsuffixlist (\S+) over", before)
    raise LogError(
        f"the crawl divides its URLs by '{before}',"
        f" but would now divide them by '{partitioner.identity}', and fetch pages twice\n"
        + (
            f"  resume it once with that list, then the crawl keeps it: pip install"
            f" publicsuffixlist=={release[1]}"
            if release
            else "  restore [frontier] in crawl.toml; if the crawl has lost its list of public"
            " suffixes, install publicsuffixlist of the day it began"
        )
    )


class Opened(NamedTuple):
    """A partition's state, folded up to the end of its log."""

    state: PartitionState
    is_resumed: bool
    """Whether the partition had an owner that did not release it, such as a killed process."""
    snapshot_sequence: int
    owed_to_addresses: dict[str, float]
    """Seconds for which addresses must rest, according to the owner that released it."""
    resumed_ago: float = -1.0
    """Seconds between the resumption and the release by the last owner; below 0 if not resumed."""


def read_partition(log: Log, snapshots: Snapshots, number: int) -> Opened:
    """Fold a partition without taking it."""
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
        # Read again, because the owner may have written more in the meantime.
        if state.sequence > (head := log.head(number).log):
            raise _is_behind(log, "the archive", number, state.sequence, head)
    return _opened(state, sequence)


def read_partitions(
    log: Log, snapshots: Snapshots, numbers: Iterable[int]
) -> Iterator[tuple[int, Opened]]:
    """Fold partitions without taking them, some in parallel if the log is on a server.

    There, most of the time goes into waiting for answers, a few for each partition.
    """
    if log.reads_at_once == 1:
        for number in numbers:
            yield number, read_partition(log, snapshots, number)
        return
    from concurrent.futures import ThreadPoolExecutor  # a log in a file does not load it

    waiting = iter(numbers)
    with ThreadPoolExecutor(log.reads_at_once) as pool:
        while group := list(islice(waiting, log.reads_at_once)):
            read = pool.map(lambda number: read_partition(log, snapshots, number), group)
            yield from zip(group, read, strict=True)


def _opened(state: PartitionState, snapshot_sequence: int) -> Opened:
    owed = state.owed
    is_resumed = bool(state.owner or state.moved_to)
    return Opened(state, is_resumed, snapshot_sequence, owed.addresses, owed.resumed_ago)


def _is_behind(log: Log, what: str, number: int, sequence: int, head: int) -> LogError:
    folder = getattr(log, "crawl_folder", None)
    if folder is None:
        from lycosa.storage.log.last_write import gone_back  # a log in a file does not load it

        told = f"{what} of partition {number} is at sequence {sequence}, and it ends at {head}"
        return gone_back("the log on the server", told)
    return LogError(
        f"{what} of partition {number} is at sequence {sequence}, but the log ends at {head}: it"
        " has lost its end, as after log.sqlite-wal was cut or removed\n"
        f"  bring it forward to the archive and the segments: lycosa verify {folder}"
        " --repair"
    )


def take_partition(
    log: Log, snapshots: Snapshots, number: int, taken: Taken, digest: str
) -> Opened:
    """Fold one partition and become its owner."""
    return take_partitions(log, snapshots, [number], taken, digest)[number]


def take_partitions(
    log: Log,
    snapshots: Snapshots,
    numbers: Iterable[int],
    taken: Taken,
    digest: str,
    *,
    may_take: Callable[[int, PartitionState], bool] = lambda number, state: True,
) -> dict[int, Opened]:
    """Fold partitions and become their owner, reading on if another owner writes meanwhile.

    Partitions that `may_take` refuses are left out. It is asked about the exact state on which the
    take is conditional, so it decides on the owner that the log has at that moment.
    """
    opened = dict(read_partitions(log, snapshots, numbers))
    waiting = list(opened)
    while waiting:
        for number in [one for one in waiting if not may_take(one, opened[one].state)]:
            del opened[number]
            waiting.remove(number)
        events = {number: _events(opened[number].state, taken, digest) for number in waiting}
        takes: list[Take] = []
        for number in waiting:
            _refuse_moved(log, number, opened[number].state)
            reach("take.before")
            takes.append(Take(number, opened[number].state.sequence, encode(events[number])))
        waiting = []
        for (number, _, _), sequence in zip(takes, log.take(taken.owner, takes), strict=True):
            state, snapshot_sequence = opened[number].state, opened[number].snapshot_sequence
            # Another owner has written: read its batches and try again. If there are none, either
            # the replica that was read is behind, or the server has lost its end.
            if sequence is None:
                before = state.sequence
                replay(state, log.read(number, state.sequence))
                if state.sequence == before:
                    if (head := log.head(number).log) > before:
                        raise LogUnavailable(f"partition {number} cannot be read to its end yet")
                    raise _is_behind(log, "what is known", number, before, head)
                opened[number] = _opened(state, snapshot_sequence)
                waiting.append(number)
                continue
            reach("take.after")
            for event in events[number]:
                state.apply(event)
            state.sequence = sequence
    return opened


def _refuse_moved(log: Log, number: int, state: PartitionState) -> None:
    if state.moved_to and state.moved_to != log.crawl:
        raise LogError(
            f"partition {number}: the log was moved, and continues as {state.moved_to};"
            " no writes are accepted here\n"
            "  to see the new place: lycosa resume DIR; if the move was interrupted, repeat it"
        )


def _events(state: PartitionState, taken: Taken, digest: str) -> list[AnyEvent]:
    """Return the events that record the new owner, and the job if it has changed."""
    return [taken] if state.job_digest == digest else [taken, Configured(taken.moment, digest)]
