"""The contract of a log: its methods, its records, and what a caller may count on.

One suite (`tests/contract/test_logs.py`) runs over all of them: `SqliteLog`, `PostgresLog`,
`JetStreamLog`, `MemoryLog`, and `LooseLog`, which does everything that a network may do.

Always true:
  * **A write is all or nothing.** The posts and the append of one `Write` happen together or not
    at all, whatever is killed. Two writes of one commit are independent.
  * **A write is conditional.** It happens only if the log's last sequence is `expect`; so of two
    writers one wins, and an owner that was replaced cannot write.
  * **Log sequences are dense** (1, 2, 3, …). **Inbox sequences only increase**: there may be gaps,
    and two inboxes may share one numbering.
  * **An answer may be lost although the write happened.** Then `LogUnavailable` is raised, and
    nothing is known: the write has happened, has not, or still will. The caller may give the *same*
    `Write` or `Take` again, unchanged, as often as it likes: it happens once at most, and the
    answer is its sequence. It must not give another one with the same `expect`, and it must not
    take the partition for lost: that says `None`, and nothing else does. A post is repeated, so it
    may be there twice (admission is by URL); of a note, `noted` tells whose value stayed.
  * **Reads may be old.** `heads`, `inbox`, `read`, `notes` and `notes_since` may show an earlier
    moment, and not the same one for all partitions. What is decided on them must be fenced by a
    conditional write: a `Take` or `Write` that expects too little is refused, and `note_at` notes
    the end of a crawl only if no head has moved. `head` and `noted` ask whoever decides on writes.
  * **Notes come before what was posted after them**: once `inbox` has shown an entry, `notes_since`
    shows the notes that its sender knew.

The three ways to fail are distinct: `None` (superseded: another owner has the partition),
`LogUnavailable` (wait and try again), any other `LogError` (damage, or a log not to be trusted).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple, Protocol

from lycosa.errors import LogError

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
    releases: bool = False
    """The partition has no owner from this write on: anybody may take it."""
    ends: tuple[int, bytes] | None = None
    """A worker's number, and how far its open tables reach; only a log in a file remembers it."""


class Take(NamedTuple):
    """The batch by which a new owner takes a partition."""

    partition: int
    expect: int
    """The last sequence of the log that the new owner knows."""
    events: bytes


class Contents(NamedTuple):
    """Everything that one partition has in a log, to be moved to another log."""

    batches: Callable[[], Iterable[tuple[int, bytes]]]
    """Reads all batches from sequence 1 on; called again when an answer was lost.

    The last one says that the partition has no owner.
    """
    inbox_read: int
    """The inbox is numbered above this: the owner takes what is not above it for decided on."""
    messages: Sequence[bytes]
    """The entries of the inbox that are not decided on."""


class StoredCrawl(NamedTuple):
    """A crawl that a server holds, as a list of them shows it."""

    name: str
    partitions: int
    notes: dict[str, bytes]


_NAME = re.compile(r"[a-z0-9_]{1,50}")


def check_name(crawl: str) -> None:
    """Refuse a crawl's name that a server could take for something else."""
    if not _NAME.fullmatch(crawl):
        raise LogError(f"a crawl's name has a-z, 0-9 and _, at most 50 of them: {crawl!r}")


def no_such_crawl(place: str, crawl: str) -> LogError:
    """Return the error for a crawl that is not, or no longer, in the server that should have it."""
    return LogError(
        f"{place}: the server has no crawl {crawl}; it was removed, or this is another server\n"
        f"  list what is there: lycosa join {place} --list"
    )


def identity_of(
    partition: int, expect: int, events: bytes, posts: Sequence[tuple[int, bytes]] = ()
) -> bytes:
    """Return 16 bytes by which a log recognises a write that is given again.

    Two different writes with one `expect` differ in their bytes: one of them holds a `Taken`, which
    names its owner, or both come from one owner, which never gives two.
    """
    digest = blake2b(f"{partition} {expect} {len(events)} ".encode(), digest_size=16)
    digest.update(events)
    for target, messages in posts:
        digest.update(f" {target} {len(messages)} ".encode())
        digest.update(messages)
    return digest.digest()


class Log(Protocol):
    """The log and inbox of every partition, and a few notes about the whole job."""

    partitions: int
    reads_at_once: int
    """How many partitions are best read side by side: in a file one, far away many."""
    lock_seconds: float
    """How long commits have waited for those of other processes, where the log can tell."""

    @property
    def crawl(self) -> str:
        """The name of the crawl in its server; of a log in a file, the name that a move gave it."""

    def take(self, owner: str, takes: Sequence[Take]) -> list[int | None]:
        """For each take append as the new owner; the new sequence, or None if superseded.

        A superseded take changes nothing, and does not hold up the others.
        """

    def commit(self, writes: Sequence[Write]) -> list[int | None]:
        """For each write post and append, both or neither; the new sequence, or None if superseded.

        A superseded write changes nothing: neither its events nor its posts are kept. A write that
        has happened and is given again returns its sequence again.
        """

    def read(self, partition: int, after: int) -> Iterator[tuple[int, bytes]]:
        """Yield the batches after a sequence, in order, from archive and log."""

    def post(self, partition: int, messages: bytes) -> int:
        """Append to an inbox without owning a partition (seeds, operators); return its sequence."""

    def post_all(
        self, posts: Sequence[tuple[int, bytes]], notes: Mapping[str, bytes] | None = None
    ) -> None:
        """Note, then post, all or nothing where the log can; what has been noted stays as it is."""

    def inbox(self, partition: int, after: int) -> list[tuple[int, bytes]]:
        """Return the next inbox entries after a sequence, in order; at most `INBOX_MOST`."""

    def inboxes(self, after: Mapping[int, int]) -> dict[int, list[tuple[int, bytes]]]:
        """Return the next entries of several inboxes, each after its sequence; none if empty."""

    def heads(self) -> list[Head]:
        """Return the heads of all partitions, not necessarily of one moment."""

    def head(self, partition: int) -> Head:
        """Return the head of one partition, as the server that decides on writes knows it."""

    def owner(self, partition: int) -> str:
        """Return the owner of a partition; called before every request, so it costs no network.

        The log of one machine knows every take. That of a cluster knows what this object has
        written and read; there tenure fences requests.
        """

    def trim(self, partition: int, through: int) -> int:
        """Move batches up to a sequence to the archive; returns how many."""

    def note(self, name: str, value: bytes) -> bool:
        """Note something about the job once; False if the name has been noted before."""

    def note_at(self, name: str, value: bytes, heads: Sequence[Head]) -> bool:
        """Note something once, but only if no log and no inbox has moved since `heads`.

        False if the name has been noted before, or something has moved: then look again.
        """

    def noted(self, name: str) -> bytes | None:
        """Return the note with this name."""

    def notes(self, prefix: str) -> dict[str, bytes]:
        """Return all notes whose names begin with a prefix."""

    def notes_since(self, number: int) -> tuple[int, dict[str, bytes]]:
        """Return the number of the last note and what was noted after `number`; perhaps more."""

    def sync(self) -> None:
        """Return when a power cut cannot take anything that was committed before.

        Files that outlive a cut and rest on commits are written after this: sealed segments,
        snapshots, archives. A log in a server keeps what its `durability` says by itself.
        """

    def close(self) -> None:
        """Close files and connections."""


class FillableLog(Log, Protocol):
    """A new log that can be filled with what another one holds."""

    def fill(self, partition: int, contents: Contents) -> None:
        """Fill a partition that has nothing; batches keep their sequences."""


class ServerLog(FillableLog, Protocol):
    """A log in a server."""

    def drop(self) -> None:
        """Remove the whole crawl from the server."""
