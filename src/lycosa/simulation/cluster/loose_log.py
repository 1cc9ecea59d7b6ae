"""A log with everything that may happen between a worker and a server, drawn from a seed.

`LooseServer` is shared by all machines of a simulation. Each machine has a `LooseLog` as its
connection. All failures that the contract (`protocol`) allows happen to it, as often as `Faults`
tells:

    lost answers       the write has happened; the caller gets `LogUnavailable`
    timeouts           the write has not happened
    undecided refusals the server refuses because another write is in flight
    late writes        the write happens after some more calls, if it still can
    failed parts       some of a commit's writes happen, then the connection is gone
    stale reads        earlier heads, inboxes, logs and notes, each partition at another moment
    a cut connection   no call gets through until it is healed (`is_cut_off`)

Failures that the contract rules out never happen: half a write, two writes with one `expect`, an
inbox entry that is shown before the notes its sender knew.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from random import Random
from typing import NamedTuple, TypeVar

from lycosa.errors import LogUnavailable
from lycosa.storage.log.memory import MemoryLog
from lycosa.storage.log.protocol import Head, Take, Write

_T = TypeVar("_T")
_REMEMBERED = 8


class Faults(NamedTuple):
    """Frequencies of faults, as shares of the calls to which they can happen."""

    lost_answers: float = 0.05
    timeouts: float = 0.05
    undecided_refusals: float = 0.05
    late_writes: float = 0.05
    failed_parts: float = 0.05
    stale_reads: float = 0.2
    late_calls: int = 20
    """Most calls until a late write happens."""


NO_FAULTS = Faults(0, 0, 0, 0, 0, 0)


class LooseServer(MemoryLog):
    """The server: remembers earlier heads, for stale reads, and holds back late writes."""

    def __init__(self, partitions: int) -> None:
        super().__init__(partitions)
        self._earlier: list[deque[Head]] = [deque(maxlen=_REMEMBERED) for _ in range(partitions)]
        self._notes_at: dict[int, int] = {}
        self._late: list[tuple[int, Callable[[], object]]] = []
        self._calls = 0

    def post(self, partition: int, messages: bytes) -> int:
        """Append to an inbox."""
        self._earlier[partition].append(self._heads[partition])
        sequence = super().post(partition, messages)
        self._notes_at[sequence] = len(self._notes)
        return sequence

    def notes_before(self, sequence: int) -> int:
        """Return how many notes there were when an inbox entry was posted."""
        return self._notes_at[sequence]

    def earlier_head(self, partition: int, chance: Random) -> Head:
        """Return the head of a partition at some recent moment."""
        return chance.choice([self._heads[partition], *self._earlier[partition]])

    def hold_back(self, write: Callable[[], object], calls: int) -> None:
        """Delay a write by some calls of any machine."""
        self._late.append((self._calls + calls, write))

    def count_call(self) -> None:
        """Do the delayed writes that are due."""
        self._calls += 1
        due = [write for moment, write in self._late if moment <= self._calls]
        if due:
            self._late = [entry for entry in self._late if entry[0] > self._calls]
            for write in due:
                write()

    def _append(self, partition: int, events: bytes, identity: bytes = b"") -> int:
        self._earlier[partition].append(self._heads[partition])
        return super()._append(partition, events, identity)


class LooseLog:
    """A machine's connection to the server."""

    crawl = ""
    reads_at_once = 1
    lock_seconds = 0.0

    def __init__(self, server: LooseServer, seed: int, faults: Faults | None = None) -> None:
        self.partitions = server.partitions
        self.faults = Faults() if faults is None else faults
        self.is_cut_off = False
        self._server = server
        self._chance = Random(seed)
        self._owners: dict[int, str] = {}
        self._notes_shown = 0

    def take(self, owner: str, takes: Sequence[Take]) -> list[int | None]:
        """Append as the new owner; each take may be lost by itself."""
        results = self._write_each(takes, lambda take: self._server.take(owner, [take])[0])
        for take, sequence in zip(takes, results, strict=True):
            self._owners[take.partition] = owner if sequence is not None else ""
        return results

    def commit(self, writes: Sequence[Write]) -> list[int | None]:
        """Write; each write may be lost by itself, but never half of it."""
        results = self._write_each(writes, lambda write: self._server.commit([write])[0])
        for write, sequence in zip(writes, results, strict=True):
            if sequence is None or write.releases:
                self._owners[write.partition] = ""
        return results

    def read(self, partition: int, after: int) -> Iterator[tuple[int, bytes]]:
        """Yield batches after a sequence, perhaps not all."""
        self._reach_server()
        head = self._seen_head(partition).log
        yield from islice(self._server.read(partition, after), max(0, head - after))

    def post(self, partition: int, messages: bytes) -> int:
        """Append to an inbox."""
        return self._write(lambda: self._server.post(partition, messages))

    def post_all(
        self, posts: Sequence[tuple[int, bytes]], notes: Mapping[str, bytes] | None = None
    ) -> None:
        """Note step by step, then post all at once."""
        for name, value in (notes or {}).items():
            self.note(name, value)
        if posts:
            self._write(lambda: self._server.post_all(posts))

    def inbox(self, partition: int, after: int) -> list[tuple[int, bytes]]:
        """Return the next entries after a sequence, perhaps not all."""
        self._reach_server()
        head = self._seen_head(partition).inbox
        entries = [entry for entry in self._server.inbox(partition, after) if entry[0] <= head]
        if entries:
            known = self._server.notes_before(entries[-1][0])
            self._notes_shown = max(self._notes_shown, known)
        return entries

    def inboxes(self, after: Mapping[int, int]) -> dict[int, list[tuple[int, bytes]]]:
        """Return the next entries of several inboxes."""
        found = {partition: self.inbox(partition, last) for partition, last in after.items()}
        return {partition: entries for partition, entries in found.items() if entries}

    def heads(self) -> list[Head]:
        """Return the heads, each as of another moment."""
        self._reach_server()
        return [self._seen_head(partition) for partition in range(self.partitions)]

    def head(self, partition: int) -> Head:
        """Return one head, as the server has it."""
        self._reach_server()
        head = self._server.head(partition)
        self._owners[partition] = head.owner
        return head

    def owner(self, partition: int) -> str:
        """Return the owner, as this machine knows it."""
        return self._owners.get(partition, "")

    def trim(self, partition: int, through: int) -> int:
        """Do nothing: data in memory needs no archive."""
        return 0

    def note(self, name: str, value: bytes) -> bool:
        """Write a note once."""
        return self._write(lambda: self._server.note(name, value))

    def note_at(self, name: str, value: bytes, heads: Sequence[Head]) -> bool:
        """Write a note once, if no head has moved."""
        return self._write(lambda: self._server.note_at(name, value, heads))

    def noted(self, name: str) -> bytes | None:
        """Return a note, as the server has it."""
        self._reach_server()
        return self._server.noted(name)

    def notes(self, prefix: str) -> dict[str, bytes]:
        """Return notes by prefix, perhaps without the newest."""
        seen = self.notes_since(0)[1]
        return {name: value for name, value in seen.items() if name.startswith(prefix)}

    def notes_since(self, number: int) -> tuple[int, dict[str, bytes]]:
        """Return the notes after the first `number`, at least those before entries shown."""
        self._reach_server()
        last, notes = self._server.notes_since(0)
        if self._happens(self.faults.stale_reads):
            last = self._chance.randint(min(self._notes_shown, last), last)
        return max(last, number), dict(islice(notes.items(), number, last))

    def sync(self) -> None:
        """Do nothing: a commit is in the server."""

    def close(self) -> None:
        """Do nothing: there are no resources to close."""

    def _write_each(
        self, writes: Sequence[_T], write_one: Callable[[_T], int | None]
    ) -> list[int | None]:
        results: list[int | None] = []
        for number, one in enumerate(writes):
            if number and self._happens(self.faults.failed_parts):
                raise LogUnavailable("the connection was lost within a commit")
            results.append(self._write(lambda one=one: write_one(one)))  # type: ignore[misc]
        return results

    def _write(self, write: Callable[[], _T]) -> _T:
        self._reach_server()
        faults = self.faults
        if self._happens(faults.timeouts):
            raise LogUnavailable("the log did not answer in time")
        if self._happens(faults.undecided_refusals):
            raise LogUnavailable("the log refused: another write to the partition is in flight")
        if self._happens(faults.late_writes):
            self._server.hold_back(write, self._chance.randint(1, faults.late_calls))
            raise LogUnavailable("the log did not answer in time")
        result = write()
        if self._happens(faults.lost_answers):
            raise LogUnavailable("the log's answer was lost")
        return result

    def _reach_server(self) -> None:
        if self.is_cut_off:
            raise LogUnavailable("the log cannot be reached")
        self._server.count_call()

    def _seen_head(self, partition: int) -> Head:
        if self._happens(self.faults.stale_reads):
            return self._server.earlier_head(partition, self._chance)
        return self._server.head(partition)

    def _happens(self, share: float) -> bool:
        return share > 0 and self._chance.random() < share
