"""The contract of a log: its methods, its records, and its promises to callers.

One suite (`tests/contract/test_logs.py`) runs over all of them: `SqliteLog`, `PostgresLog`,
`JetStreamLog`, `MemoryLog`, and `LooseLog`, which has every failure of a network.

Always true:
  * **A write is all or nothing.** The posts and the append of one `Write` happen together or not at
    all, whatever process is killed. Two writes of one commit are independent.
  * **A write is conditional.** It happens only if the log's last sequence is `expect`; so of two
    writers one wins, and an owner that was replaced cannot write.
  * **Log sequences are dense** (1, 2, 3, …). **Inbox sequences only increase**: there may be gaps,
    and two inboxes may share one numbering.
  * **An answer may be lost although the write happened.** Then `LogUnavailable` is raised, and the
    result is unknown: the write has happened, has not, or still will. The caller may repeat the
    *same* `Write` or `Take`, unchanged, any number of times: it happens at most once, and the
    answer is its sequence. It must not send a different one with the same `expect`, and it must not
    treat the partition as lost: only `None` means that. A post is repeated, so it may be there
    twice (admission is by URL); for a note, `noted` shows whose value was kept.
  * **Reads may be old.** `heads`, `inbox`, `read`, `notes` and `notes_since` may show an earlier
    moment, and different moments for different partitions. Decisions based on them must be fenced
    by a conditional write: a `Take` or `Write` that expects too little is refused, and `note_at`
    notes the end of a crawl only if no head has moved. `head` and `noted` ask the server that
    decides on writes.
  * **Notes come before later posts**: once `inbox` has shown an entry, `notes_since` shows the
    notes that its sender knew.

Calls fail in three distinct ways: `None` (superseded: another owner has the partition),
`LogUnavailable` (wait and try again), any other `LogError` (damage, or a log not to be trusted).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Protocol

from lycosa._support.tuples import NamedTuple
from lycosa.errors import LogError

INBOX_MOST = 64
"""Most entries of an inbox that are read at a time: an inbox may hold a million seeds."""

INBOXES_MOST = 512
"""Most entries of several inboxes together that are read at a time, where a log can limit it."""


class Head(NamedTuple):
    """The last sequences of one partition, and its owner ("" if it has none yet)."""

    log: int
    inbox: int
    owner: str


class Write(NamedTuple):
    """An owner's commit to one partition."""

    partition: int
    expect: int
    """Last sequence of the log that the owner knows."""
    events: bytes
    posts: Sequence[tuple[int, bytes]]
    """Batches of messages for the inboxes of other partitions."""
    inbox_read: int
    """Inbox entries up to this sequence are decided on in `events` and may be dropped."""
    releases: bool = False
    """The partition has no owner from this write on: any worker may take it."""
    ends: tuple[int, bytes] | None = None
    """A worker's number, and the ends of its open tables; only a log in a file stores them."""


class Take(NamedTuple):
    """The batch by which a new owner takes a partition."""

    partition: int
    expect: int
    """Last sequence of the log that the new owner knows."""
    events: bytes


class Contents(NamedTuple):
    """The whole content of one partition in a log, to be moved to another log."""

    batches: Callable[[], Iterable[tuple[int, bytes]]]
    """Reads all batches from sequence 1 on; called again if an answer was lost.

    The last batch records that the partition has no owner.
    """
    inbox_read: int
    """The new inbox is numbered above this: its owner treats lower numbers as decided on."""
    messages: Sequence[bytes]
    """Entries of the inbox that are not decided on."""


class StoredCrawl(NamedTuple):
    """A crawl on a server, as listed there."""

    name: str
    partitions: int
    notes: dict[str, bytes]


_NAME = r"[a-z0-9_]{1,50}"


def check_name(crawl: str) -> None:
    """Refuse a crawl's name that a server could misread."""
    if not re.fullmatch(_NAME, crawl):
        raise LogError(
            f"a crawl's name consists of at most 50 characters a-z, 0-9 and _: {crawl!r}"
        )


def no_such_crawl(place: str, crawl: str) -> LogError:
    """Return the error for a crawl that is not, or no longer, on the server of its log."""
    return LogError(
        f"{place}: the server has no crawl {crawl}; it was removed, or this is another server\n"
        f"  list the crawls there: lycosa join {place} --list"
    )


def identity_of(
    partition: int, expect: int, events: bytes, posts: Sequence[tuple[int, bytes]] = ()
) -> bytes:
    """Return 16 bytes by which a log recognises a repeated write.

    Two different writes with one `expect` differ in their bytes: either one of them holds a
    `Taken`, which names its owner, or both come from one owner, which never sends two.
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
    """Best number of partitions to read in parallel: one from a file, many from a server."""
    lock_seconds: float
    """Time that commits have waited for other processes' commits, if the log can measure it."""

    @property
    def crawl(self) -> str:
        """Name of the crawl on its server; for a log in a file, the name that a move gave it."""

    def take(self, owner: str, takes: Sequence[Take]) -> list[int | None]:
        """Append each take as the new owner; return the new sequences, None where superseded.

        A superseded take changes nothing, and does not affect the others.
        """

    def commit(self, writes: Sequence[Write]) -> list[int | None]:
        """Post and append for each write, both or neither; return new sequences, None if
        superseded.

        A superseded write changes nothing: neither its events nor its posts are kept. A repeated
        write that has happened returns its sequence again.
        """

    def read(self, partition: int, after: int) -> Iterator[tuple[int, bytes]]:
        """Yield the batches after a sequence, in order, from archive and log."""

    def post(self, partition: int, messages: bytes) -> int:
        """Append to an inbox without owning a partition (seeds, operators); return its sequence."""

    def post_all(
        self, posts: Sequence[tuple[int, bytes]], notes: Mapping[str, bytes] | None = None
    ) -> None:
        """Write notes, then post, all or nothing if the log can; existing notes keep their
        values."""

    def inbox(self, partition: int, after: int) -> list[tuple[int, bytes]]:
        """Return the next inbox entries after a sequence, in order; at most `INBOX_MOST`."""

    def inboxes(self, after: Mapping[int, int]) -> dict[int, list[tuple[int, bytes]]]:
        """Return next entries of several inboxes, each after its sequence; {} if all are empty.

        There may be more of them, and in other inboxes; the next call returns these.
        """

    def heads(self) -> list[Head]:
        """Return the heads of all partitions, not necessarily of one moment."""

    def head(self, partition: int) -> Head:
        """Return the head of one partition, as the server that decides on writes knows it."""

    def owner(self, partition: int) -> str:
        """Return the owner of a partition; called before every request, so it costs no network.

        The log of one machine knows every take. The log of a cluster knows only takes that this
        object has written or read; there the lease (tenure) fences requests.
        """

    def trim(self, partition: int, through: int) -> int:
        """Move batches up to a sequence to the archive; returns how many."""

    def note(self, name: str, value: bytes) -> bool:
        """Write a note about the job once; return False if a note with this name exists."""

    def note_at(self, name: str, value: bytes, heads: Sequence[Head]) -> bool:
        """Write a note once, but only if no log and no inbox has moved since `heads`.

        Returns False if the note exists, or a head has moved: then look again.
        """

    def noted(self, name: str) -> bytes | None:
        """Return the note with this name."""

    def notes(self, prefix: str) -> dict[str, bytes]:
        """Return all notes whose names begin with a prefix."""

    def notes_since(self, number: int) -> tuple[int, dict[str, bytes]]:
        """Return the number of the last note and the notes after `number`; perhaps more."""

    def sync(self) -> None:
        """Return when a power cut can no longer take earlier commits.

        Files that survive a cut and depend on commits are written after this: sealed segments,
        snapshots, archives. A log on a server keeps its promise of `durability` by itself.
        """

    def close(self) -> None:
        """Close files and connections."""


class FillableLog(Log, Protocol):
    """A new log that can be filled with the content of another log."""

    def fill(self, partition: int, contents: Contents) -> None:
        """Fill an empty partition; batches keep their sequences."""


class ServerLog(FillableLog, Protocol):
    """A log in a server."""

    def drop(self) -> None:
        """Remove the whole crawl from the server."""
