"""Remembers where payloads were stored, so that equal bytes are stored once.

A payload has a tag: a hash of its digest and of the form in which it was sent. Payloads stored
since the last commit are in memory, and only pages of the same partition may refer to them. When
the log has the event of an exchange, its payload is entered in the index of the crawl directory
(`payload_index`), where pages of every partition, worker and later run find it.

Always true: the index names only records whose event the log had when they were entered.

Memory: the payloads since the last commit, at most `MOST_WAITING`; a forgotten payload is stored
again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from xxhash import xxh3_64_intdigest

from lycosa.records import Place
from lycosa.store.warc.payload_index import PayloadIndex

MOST_WAITING = 100_000


class _Waiting(NamedTuple):
    """A payload whose event is not known to be in the log."""

    number: int
    partition: int
    sharer: str
    tag: int
    place: Place


def tag_of(name: str) -> int:
    """Return the tag of a payload's name; it is never 0."""
    return xxh3_64_intdigest(name.encode()) or 1


class Payloads:
    """The payloads of a crawl directory that one worker writes to."""

    def __init__(self, folder: Path, most_waiting: int = MOST_WAITING) -> None:
        self._index = PayloadIndex(folder)
        self._recent: dict[tuple[int, str], Place] = {}
        self._waiting: deque[_Waiting] = deque()
        self._most_waiting = most_waiting
        self._noted = 0

    def find_recent(self, tag: int, sharer: str) -> Place | None:
        """Return the place of a payload that the same sharer stored since the last commit."""
        return self._recent.get((tag, sharer))

    def find_durable(self, tag: int) -> Place | None:
        """Return where a payload may stand that anybody stored; the place has no length."""
        found = self._index.find(tag)
        return Place(found.segment, found.offset, 0) if found is not None else None

    def note(self, tag: int, sharer: str, partition: int, place: Place) -> None:
        """Remember where a payload stands."""
        self._recent[tag, sharer] = place
        self._noted += 1
        self._waiting.append(_Waiting(self._noted, partition, sharer, tag, place))
        if len(self._waiting) > self._most_waiting:
            self._forget(self._waiting.popleft())

    def mark(self) -> int:
        """Return a mark behind all that was noted so far."""
        return self._noted

    def settle(self, mark: int, partitions: Collection[int]) -> None:
        """Enter what was noted before a mark, of these partitions; forget what others noted then.

        Runs beside `find_recent` and `note`.
        """
        settled: list[_Waiting] = []
        while self._waiting and self._waiting[0].number <= mark:
            settled.append(self._waiting.popleft())
        # Without an entry of ours, too: another worker may have put a larger file in its place.
        self._index.add_all(
            (one.tag, *one.place[:2]) for one in settled if one.partition in partitions
        )
        for one in settled:
            self._forget(one)

    def close(self) -> None:
        """Close the index."""
        self._index.close()

    def _forget(self, one: _Waiting) -> None:
        if self._recent.get((one.tag, one.sharer)) == one.place:
            self._recent.pop((one.tag, one.sharer), None)
