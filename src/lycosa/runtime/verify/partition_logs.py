"""Fold one partition up to the first gap in its batches, and find the missing parts.

The batches of a partition are numbered from 1. They are in the archive or in SQLite, and a snapshot
replaces all batches up to its own number. A partition can therefore be folded up to the last number
that is reached without a gap, from the beginning or from a snapshot.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from lycosa.errors import FormatError, LycosaError
from lycosa.frontier.fold.state import PartitionState
from lycosa.runtime.verify.log_reader import ReadableLog
from lycosa.storage.log.fold import replay
from lycosa.storage.log.format import decode_events
from lycosa.storage.log.protocol import Head
from lycosa.storage.log.snapshot import read_snapshot


class History(NamedTuple):
    """The result for one partition."""

    partition: int
    head: Head | None
    """The head in the log; None if it cannot be read."""
    end: int
    """The last sequence that is reached without a gap."""
    whole_end: int
    """The last sequence that is reached from the beginning, without a snapshot."""
    state: PartitionState
    """The state folded up to `end`."""
    bad_snapshots: list[Path]
    bad_archive: str
    """The problem of the archive, or ""."""
    inbox: list[int]
    """The sequences of the messages that can be read."""


def examine(view: ReadableLog, partition: int, head: Head | None, *, is_quick: bool) -> History:
    """Read archive, snapshots and SQLite of a partition, and fold it up to the first gap.

    With `is_quick`, only the frame headers of an archive are read, unless it must be folded.
    """
    available = view.labelled(partition) if is_quick else _available(view, partition)
    whole_end = _reach(available, 0)
    state, bad_snapshots = PartitionState(), list[Path]()
    for path in _snapshots(view.folder, partition):
        if state.sequence:
            continue
        found = _unpacked(path)
        if found is None or _is_foreign(view, partition, found):
            bad_snapshots.append(path)
        elif _reach(available, found.sequence) >= max(whole_end, head.log if head else 0):
            state = found
    end = _reach(available, state.sequence)
    state, end = _folded(view, partition, state, end)
    return History(
        partition=partition,
        head=head,
        end=end,
        whole_end=min(whole_end, end),
        state=state,
        bad_snapshots=bad_snapshots,
        bad_archive="" if is_quick else view.archive_damage(partition),
        inbox=view.messages(partition),
    )


def batches(view: ReadableLog, partition: int, after: int = 0) -> Iterator[tuple[int, bytes]]:
    """Yield the batches that can be read and decoded."""
    for sequence, batch in view.history(partition, after):
        if _is_readable(batch):
            yield sequence, batch


def _available(view: ReadableLog, partition: int) -> set[int]:
    return {sequence for sequence, _ in batches(view, partition)}


def _is_readable(batch: bytes) -> bool:
    try:
        decode_events(batch)
    except FormatError:
        return False
    return True


def _reach(available: set[int], start: int) -> int:
    while start + 1 in available:
        start += 1
    return start


def _snapshots(folder: Path, partition: int) -> list[Path]:
    found = (folder / "snapshots").glob(f"{partition:04d}-*.snapshot")
    return sorted(found, reverse=True)


def _is_foreign(view: ReadableLog, partition: int, state: PartitionState) -> bool:
    """Return whether a snapshot with this partition's name belongs to another one."""
    if view.partition_of is None or not len(state.table):
        return False
    return view.partition_of(state.table.key(0)) != partition


def _unpacked(path: Path) -> PartitionState | None:
    try:
        found = read_snapshot(path)
        return PartitionState.unpack(found[1]) if found is not None else None
    except Exception:  # damaged bytes may raise anything
        return None


def _folded(
    view: ReadableLog, partition: int, state: PartitionState, end: int
) -> tuple[PartitionState, int]:
    """Fold up to `end`, or up to the first batch that cannot be applied."""
    packed = state.pack(state.sequence)
    for sequence, batch in batches(view, partition, state.sequence):
        if sequence > end:
            break
        try:
            replay(state, [(sequence, batch)])
        except (LycosaError, LookupError, TypeError, ValueError, OverflowError):
            # The state may be half changed: start again and stop before this batch.
            return _folded(view, partition, PartitionState.unpack(packed), sequence - 1)
    return state, state.sequence
