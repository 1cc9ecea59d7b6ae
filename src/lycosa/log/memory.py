"""The log of a simulation, with the weak guarantees of a cluster.

Every post and every append is a separate step, as on a message server, and a crash can
fall between any two of them. Only the order protects the crawl: posts first,
then events. The object plays the server, so it outlives the workers that are killed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from lycosa.failpoints import reach
from lycosa.log.protocol import INBOX_MOST, Head, Take, Write


class MemoryLog:
    """Logs and inboxes as lists."""

    def __init__(self, partitions: int) -> None:
        self.partitions = partitions
        self._logs: list[list[bytes]] = [[] for _ in range(partitions)]
        self._inboxes: list[list[bytes]] = [[] for _ in range(partitions)]
        self._heads = [Head(0, 0, "")] * partitions
        self._notes: dict[str, bytes] = {}

    def take(self, owner: str, takes: Sequence[Take]) -> list[int | None]:
        """Append as the new owner, step by step."""
        results: list[int | None] = []
        for partition, expect, events in takes:
            if len(self._logs[partition]) == expect:
                self._heads[partition] = self._heads[partition]._replace(owner=owner)
                results.append(self._append(partition, events))
            else:
                results.append(None)
            reach("take.written")
        return results

    def commit(self, writes: Sequence[Write]) -> list[int | None]:
        """Post everything, step by step; then append, step by step."""
        valid = [len(self._logs[write.partition]) == write.expect for write in writes]
        for write, is_valid in zip(writes, valid, strict=True):
            if is_valid:
                for target, messages in write.posts:
                    self.post(target, messages)
                    reach("log.posted")
        results: list[int | None] = []
        for write, is_valid in zip(writes, valid, strict=True):
            results.append(self._append(write.partition, write.events) if is_valid else None)
            reach("log.appended")
        return results

    def read(self, partition: int, after: int) -> Iterator[tuple[int, bytes]]:
        """Yield batches after a sequence."""
        yield from enumerate(self._logs[partition][after:], after + 1)

    def post(self, partition: int, messages: bytes) -> int:
        """Append to an inbox."""
        self._inboxes[partition].append(messages)
        sequence = len(self._inboxes[partition])
        self._heads[partition] = self._heads[partition]._replace(inbox=sequence)
        return sequence

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
        return list(enumerate(self._inboxes[partition][after : after + INBOX_MOST], after + 1))

    def heads(self) -> list[Head]:
        """Return all heads."""
        return list(self._heads)

    def head(self, partition: int) -> Head:
        """Return one head."""
        return self._heads[partition]

    def owner(self, partition: int) -> str:
        """Return who owns the partition."""
        return self._heads[partition].owner

    def trim(self, partition: int, through: int) -> int:
        """Nothing to do: what is in memory is its own archive."""
        return 0

    def note(self, name: str, value: bytes) -> bool:
        """Note something once."""
        if name in self._notes:
            return False
        self._notes[name] = value
        return True

    def noted(self, name: str) -> bytes | None:
        """Return a note."""
        return self._notes.get(name)

    def notes(self, prefix: str) -> dict[str, bytes]:
        """Return notes by prefix."""
        return {name: value for name, value in self._notes.items() if name.startswith(prefix)}

    def notes_since(self, number: int) -> tuple[int, dict[str, bytes]]:
        """Return the notes after the first `number`."""
        return len(self._notes), dict(islice(self._notes.items(), number, None))

    def close(self) -> None:
        """Nothing to let go of."""

    def _append(self, partition: int, events: bytes) -> int:
        self._logs[partition].append(events)
        sequence = len(self._logs[partition])
        self._heads[partition] = self._heads[partition]._replace(log=sequence)
        return sequence
