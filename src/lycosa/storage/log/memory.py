"""The log of a simulation, with no more guarantees than the weakest server gives.

A write is all or nothing, but every write of a commit is a step of its own, and a crash can fall
between any two of them. Inboxes share one numbering, as subjects of one stream do, so the sequences
of one inbox have gaps. The object plays the server, so it outlives killed workers. It always
answers at once; `loose.LooseLog` puts a network in between.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from lycosa._support.failpoints import reach
from lycosa.storage.log.protocol import INBOX_MOST, Head, Take, Write, identity_of


class MemoryLog:
    """Logs and inboxes as lists."""

    crawl = ""
    reads_at_once = 1
    lock_seconds = 0.0

    def __init__(self, partitions: int) -> None:
        self.partitions = partitions
        self._logs: list[list[bytes]] = [[] for _ in range(partitions)]
        self._identities: list[list[bytes]] = [[] for _ in range(partitions)]
        self._inboxes: list[list[tuple[int, bytes]]] = [[] for _ in range(partitions)]
        self._heads = [Head(0, 0, "")] * partitions
        self._notes: dict[str, bytes] = {}
        self._last_post = 0

    def take(self, owner: str, takes: Sequence[Take]) -> list[int | None]:
        """Append as the new owner, step by step."""
        results: list[int | None] = []
        for partition, expect, events in takes:
            identity = identity_of(partition, expect, events)
            if len(self._logs[partition]) == expect:
                self._heads[partition] = self._heads[partition]._replace(owner=owner)
                results.append(self._append(partition, events, identity))
            else:
                results.append(self._known(partition, expect, identity))
            reach("take.written")
        return results

    def commit(self, writes: Sequence[Write]) -> list[int | None]:
        """Write step by step; each step is the posts and the append of one partition."""
        results: list[int | None] = []
        for write in writes:
            reach("log.posted")
            identity = identity_of(write.partition, write.expect, write.events, write.posts)
            if len(self._logs[write.partition]) == write.expect:
                for target, messages in write.posts:
                    self.post(target, messages)
                results.append(self._append(write.partition, write.events, identity))
                if write.releases:
                    head = self._heads[write.partition]
                    self._heads[write.partition] = head._replace(owner="")
            else:
                results.append(self._known(write.partition, write.expect, identity))
            reach("log.appended")
        return results

    def read(self, partition: int, after: int) -> Iterator[tuple[int, bytes]]:
        """Yield batches after a sequence."""
        yield from enumerate(self._logs[partition][after:], after + 1)

    def post(self, partition: int, messages: bytes) -> int:
        """Append to an inbox."""
        self._last_post += 1
        self._inboxes[partition].append((self._last_post, messages))
        self._heads[partition] = self._heads[partition]._replace(inbox=self._last_post)
        return self._last_post

    def post_all(
        self, posts: Sequence[tuple[int, bytes]], notes: Mapping[str, bytes] | None = None
    ) -> None:
        """Note, then post, step by step."""
        for name, value in (notes or {}).items():
            self.note(name, value)
        for partition, messages in posts:
            reach("seeds.before-post")
            self.post(partition, messages)
            reach("seeds.posted")

    def inbox(self, partition: int, after: int) -> list[tuple[int, bytes]]:
        """Return the next entries after a sequence."""
        entries = self._inboxes[partition]
        first = bisect_right(entries, after, key=lambda entry: entry[0])
        return entries[first : first + INBOX_MOST]

    def inboxes(self, after: Mapping[int, int]) -> dict[int, list[tuple[int, bytes]]]:
        """Return the next entries of several inboxes."""
        found = {partition: self.inbox(partition, last) for partition, last in after.items()}
        return {partition: entries for partition, entries in found.items() if entries}

    def heads(self) -> list[Head]:
        """Return all heads."""
        return list(self._heads)

    def head(self, partition: int) -> Head:
        """Return one head."""
        return self._heads[partition]

    def owner(self, partition: int) -> str:
        """Return the owner of the partition."""
        return self._heads[partition].owner

    def trim(self, partition: int, through: int) -> int:
        """Do nothing: data in memory needs no archive."""
        return 0

    def note(self, name: str, value: bytes) -> bool:
        """Write a note once."""
        if name in self._notes:
            return False
        self._notes[name] = value
        return True

    def note_at(self, name: str, value: bytes, heads: Sequence[Head]) -> bool:
        """Write a note once, if no head has moved."""
        return list(heads) == self._heads and self.note(name, value)

    def noted(self, name: str) -> bytes | None:
        """Return a note."""
        return self._notes.get(name)

    def notes(self, prefix: str) -> dict[str, bytes]:
        """Return notes by prefix."""
        return {name: value for name, value in self._notes.items() if name.startswith(prefix)}

    def notes_since(self, number: int) -> tuple[int, dict[str, bytes]]:
        """Return the notes after the first `number`."""
        return len(self._notes), dict(islice(self._notes.items(), number, None))

    def sync(self) -> None:
        """Do nothing: a simulation has no power cuts."""

    def close(self) -> None:
        """Do nothing: there are no resources to close."""

    def _append(self, partition: int, events: bytes, identity: bytes = b"") -> int:
        self._logs[partition].append(events)
        self._identities[partition].append(identity)
        sequence = len(self._logs[partition])
        self._heads[partition] = self._heads[partition]._replace(log=sequence)
        return sequence

    def _known(self, partition: int, expect: int, identity: bytes) -> int | None:
        """Return the sequence of a repeated write that has happened before."""
        known = self._identities[partition]
        return expect + 1 if len(known) > expect and known[expect] == identity else None
