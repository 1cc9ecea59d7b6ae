"""Decisions, by the log, on when a segment may be sealed and which of its records count.

An owner that has lost a partition cannot know which of its last decisions are in the log: the
answer to a write may be lost although the write happened. Therefore

  * a segment of a living process in which partitions were lost (`ArchiveStore.lose`) waits until
    each of them was taken again, or released, after that. From then on the former owner cannot
    write, and the fold of those partitions decides which records count. All other decisions are
    durable before sealing;
  * a segment of a dead process on a cluster waits until the log no longer names the writing life as
    owner of any partition in it. On one machine no write of a dead process can arrive late, so
    there the segment does not wait.

Reads of the log may be old. An account is used only if it reaches the head of its partition, as
read before the fold.

Until then a segment stays unsealed, even after the end of its process. The next call, from any
process, checks it again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from lycosa.crawl.takeover import read_partition
from lycosa.errors import LogUnavailable
from lycosa.features.plugins.scheduling import partitioner_of
from lycosa.frontier.fold.accounts import Accounts
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partitioners import Partitioner
from lycosa.model.job import Job
from lycosa.model.records import Moved, Place, Released, Taken
from lycosa.storage.archive.layout import Name
from lycosa.storage.log.format import decode_events
from lycosa.storage.log.protocol import Log
from lycosa.storage.log.snapshot import Snapshots
from lycosa.storage.segments.digests import Positions, durable_positions
from lycosa.storage.segments.sealing import NOWHERE, Sealed, abandoned, seal_dead
from lycosa.storage.segments.segment import owner_of
from lycosa.storage.segments.survey import Counted, survey

LOOK_SECONDS = 5.0
"""Seconds for which a segment that has to wait is left alone."""


class SealingRules:
    """Tells when the segments of a directory may be sealed, and which records count in them.

    Used outside the worker's thread, by one thread at a time, over a log of its own: the worker's
    commits do not wait for its reads.
    """

    def __init__(
        self,
        folder: Path,
        job: Job,
        open_log: Callable[[], Log],
        snapshots: Snapshots,
        partitioner: Partitioner | None = None,
    ) -> None:
        """Prepare the rules; the partitioner is made at the first use, unless it is given."""
        self._folder = folder
        self._job = job
        self._open_log = open_log
        self._snapshots = snapshots
        self._partitioner = partitioner
        self._wait_until = 0.0
        self._kept: Log | None = None
        """An open log in a server, for the next call."""
        self._divided: dict[Name, frozenset[int]] = {}

    def close(self) -> None:
        """Close the log, if it is open."""
        if self._kept is not None:
            self._kept.close()
            self._kept = None

    # -- segments of this process ---------------------------------------------------------

    def settle(self, lost: Mapping[int, int], *, is_last: bool = False) -> Counted | None:
        """Return the counted records of a segment with these lost partitions; None for not yet.

        `lost` has for each the last sequence that its former owner knew. After a refusal the log is
        left alone for some seconds, unless this `is_last`.
        """
        if time.monotonic() < self._wait_until and not is_last:
            return None
        with suppress(LogUnavailable), self._log() as log:
            division = self._division(log)
            if division is not None and all(
                _is_taken_anew(log, number, after) for number, after in lost.items()
            ):
                accounts = Accounts(division)
                if self._fold(log, lost, accounts) == lost.keys():
                    return _those_of(accounts, division, frozenset(lost))
        self._wait_until = time.monotonic() + LOOK_SECONDS
        return None

    def positions(self) -> Positions:
        """Bring the log to the disk and return its positions; none if a server is silent."""
        with suppress(LogUnavailable), self._log() as log:
            return durable_positions(log)
        return NOWHERE

    # -- segments of dead processes -------------------------------------------------------

    def seal_dead(self, is_given_up: Callable[[], bool] = lambda: False) -> list[Sealed]:
        """Seal the segments of dead processes; `is_given_up` is asked before each partition.

        The segments are listed first: if a writer dies later, its segment is left for the next
        call.
        """
        names = abandoned(self._folder)
        if not names:
            return []
        owners: dict[int, str] = {}
        writers = {name: owner_of(self._folder, name) for name in names}
        try:
            with self._log() as log:
                division = self._division(log)
                accounts = Accounts(division, {name.segment for name in names})
                wanted = {
                    name: self._partitions_in(name, writer, division)
                    for name, writer in writers.items()
                }
                numbers = sorted(frozenset[int]().union(*wanted.values()))
                self._fold(log, numbers, accounts, owners, is_given_up)
                positions = durable_positions(log)
        except LogUnavailable:
            return []
        if is_given_up():
            return []

        def is_decided(name: Name) -> bool:
            writer, numbers = writers[name], wanted[name]
            if writer is None or not numbers <= owners.keys():
                return False
            is_late = division is None or any(owners[number] == writer for number in numbers)
            return not writer or not is_late

        decided = filter(is_decided, names)
        sealed = seal_dead(self._folder, accounts, only=decided, positions=positions)
        from lycosa.storage.log.told_segments import note_sealed  # few crawls were killed

        note_sealed(self._folder)
        return sealed

    def _partitions_in(
        self, name: Name, writer: str | None, division: Callable[[str], int] | None
    ) -> frozenset[int]:
        """Return the partitions whose pages may stand in a segment."""
        if not writer or division is None:
            return frozenset(range(self._job.frontier.partitions))
        if name not in self._divided:
            found: set[int] = set()

            def note(place: Place, key: str) -> bool:
                if key:
                    found.add(division(key))
                return True

            survey(self._folder, name, note)
            self._divided[name] = frozenset(found)
        return self._divided[name]

    # -- the log --------------------------------------------------------------------------

    @contextmanager
    def _log(self) -> Iterator[Log]:
        """Open the log, or take the one that the last call has left open.

        A connection to a server costs several answers; a log in a file belongs to the thread that
        has opened it.
        """
        log, self._kept = self._kept or self._open_log(), None
        try:
            yield log
        except BaseException:
            log.close()  # its connection may be broken
            raise
        if self._job.log.server:
            self._kept = log
        else:
            log.close()

    def _division(self, log: Log) -> Callable[[str], int] | None:
        """Return the log's partitioning of URLs; None if this installation divides them otherwise.

        With an edited job a page's record would be looked up in the account of another partition,
        and dropped.
        """
        if self._partitioner is None:
            self._partitioner = partitioner_of(self._job, noted=log.noted)
        is_same = self._partitioner.is_noted(log.noted("partitioner"))
        return self._partitioner.partition_of if is_same else None

    def _fold(
        self,
        log: Log,
        numbers: Iterable[int],
        accounts: Accounts,
        owners: dict[int, str] | None = None,
        is_given_up: Callable[[], bool] = lambda: False,
    ) -> set[int]:
        """Add partitions to the accounts, one at a time; return those that could be read."""
        done: set[int] = set()
        for number in numbers:
            if is_given_up():
                break
            head = log.head(number).log
            state: PartitionState = read_partition(log, self._snapshots, number).state
            if state.sequence >= head:
                accounts.add(number, state)
                done.add(number)
                if owners is not None:
                    owners[number] = state.owner
        return done


def _is_taken_anew(log: Log, number: int, after: int) -> bool:
    """Return whether the former owner of a partition can no longer write to it."""
    return any(
        isinstance(event, Taken | Released | Moved)
        for _, batch in log.read(number, after)
        for event in decode_events(batch)
    )


def _those_of(accounts: Accounts, division: Callable[[str], int], lost: frozenset[int]) -> Counted:
    """Count the pages of lost partitions by their accounts, and everything else."""

    def is_counted(place: Place, key: str) -> bool:
        return not key or division(key) not in lost or accounts(place, key)

    return is_counted
