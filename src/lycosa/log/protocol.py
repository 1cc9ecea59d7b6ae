"""The interface of a log, and the records that it takes and returns.

One contract test runs over both implementations: `SqliteLog`, where a commit is a single
transaction, and `MemoryLog`, where posts and appends are separate steps, as they are
in a cluster, and only their order protects the crawl.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

INBOX_MOST = 64
"""How many entries of an inbox are read at a time: it may hold a million seeds."""


class Head(NamedTuple):
    """The last sequences of one partition, and its owner ("" if it has none yet)."""

    log: int
    inbox: int
    owner: str


class Write(NamedTuple):
    """One owner's commit to one partition."""

    partition: int
    expect: int
    """The last sequence of the log that the owner knows."""
    events: bytes
    posts: Sequence[tuple[int, bytes]]
    """Batches of messages for the inboxes of other partitions."""
    inbox_read: int
    """Inbox entries up to this sequence are decided on in `events` and may be dropped."""


class Take(NamedTuple):
    """The batch by which a new owner takes a partition."""

    partition: int
    expect: int
    """The last sequence of the log that the new owner knows."""
    events: bytes


class Log(Protocol):
    """The log and inbox of every partition, and a few notes about the whole job."""

    partitions: int

    def take(self, owner: str, takes: Sequence[Take]) -> list[int | None]:
        """For each take append as the new owner; the new sequence, or None if superseded.

        A superseded take changes nothing, and does not hold up the others.
        """

    def commit(self, writes: Sequence[Write]) -> list[int | None]:
        """For each write post, then append; the new sequence, or None if superseded.

        A superseded write changes nothing: neither its events nor its posts are kept.
        """

    def read(self, partition: int, after: int) -> Iterator[tuple[int, bytes]]:
        """Yield the batches after a sequence, in order, from archive and log."""

    def post(self, partition: int, messages: bytes) -> int:
        """Append to an inbox without owning a partition (seeds, operators)."""

    def post_all(
        self, posts: Sequence[tuple[int, bytes]], notes: Mapping[str, bytes] | None = None
    ) -> None:
        """Note, then post, all or nothing where the log can; what has been noted stays as it is."""

    def inbox(self, partition: int, after: int) -> list[tuple[int, bytes]]:
        """Return the next inbox entries after a sequence, in order; at most `INBOX_MOST`."""

    def heads(self) -> list[Head]:
        """Return the heads of all partitions."""

    def head(self, partition: int) -> Head:
        """Return the head of one partition."""

    def owner(self, partition: int) -> str:
        """Return who owns the partition; asked just before every request."""

    def trim(self, partition: int, through: int) -> int:
        """Move batches up to a sequence to the archive; returns how many."""

    def note(self, name: str, value: bytes) -> bool:
        """Note something about the job once; False if the name has been noted before."""

    def noted(self, name: str) -> bytes | None:
        """Return what was noted under the name."""

    def notes(self, prefix: str) -> dict[str, bytes]:
        """Return everything noted under names that begin so."""

    def notes_since(self, number: int) -> tuple[int, dict[str, bytes]]:
        """Return the number of the last note and what was noted after `number`; perhaps more."""

    def close(self) -> None:
        """Let go of files and connections."""
