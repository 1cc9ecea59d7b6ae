"""The board of tests and simulations, and a connection that fails as networks do.

`MemoryBoard` plays the server: it always answers at once. `LooseBoard` is one machine's connection
to it. It loses answers, serves stale reads and is cut off, by a seeded chance.

Delays are not here: a simulation lets time pass between a call and its answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random
from threading import Lock
from typing import NamedTuple

from lycosa.runtime.coordination.keys import check
from lycosa.runtime.coordination.protocol import (
    NOTHING,
    REFUSED,
    UNAVAILABLE,
    UNDECIDED,
    Answer,
    Entry,
    Verdict,
)


class MemoryBoard:
    """A board in this process; threads may share it."""

    def __init__(self, now: Callable[[], float] = time.time, kept_versions: int = 0) -> None:
        self._now = now
        self._kept_versions = kept_versions
        self._entries: dict[str, Entry] = {}
        self._versions: list[dict[str, Entry]] = []
        """Earlier states for stale reads, the newest last."""
        self._revision = 0
        self._lock = Lock()

    def get(self, key: str, age: int = 0) -> Entry | None:
        """Return a value, as it was `age` writes ago."""
        return self._state(age).get(key, NOTHING)

    def put(self, key: str, value: bytes, expect: int) -> Answer:
        """Write under the lock."""
        check(key, value)
        with self._lock:
            if self._entries.get(key, NOTHING).revision != expect:
                return REFUSED
            self._remember()
            self._entries[key] = Entry(value, self._revision, self._now())
            return Answer(Verdict.WRITTEN, self._revision)

    def delete(self, key: str, expect: int) -> Answer:
        """Remove under the lock."""
        with self._lock:
            if not expect or self._entries.get(key, NOTHING).revision != expect:
                return REFUSED
            self._remember()
            del self._entries[key]
            return Answer(Verdict.WRITTEN, self._revision)

    def list(self, prefix: str, age: int = 0) -> dict[str, Entry] | None:
        """Return values by prefix, as they were `age` writes ago."""
        with self._lock:
            state = self._state(age)
            return {key: entry for key, entry in state.items() if key.startswith(prefix)}

    def close(self) -> None:
        """Do nothing: there is no connection."""

    def _state(self, age: int) -> dict[str, Entry]:
        age = min(age, len(self._versions))
        return self._versions[-age] if age else self._entries

    def _remember(self) -> None:
        self._revision += 1
        if self._kept_versions:
            self._versions.append(dict(self._entries))
            del self._versions[: -self._kept_versions]


class Faults(NamedTuple):
    """Failure rates of a connection to the board, as shares of all calls."""

    lost_requests: float = 0.0
    """Writes that never arrive; the caller gets no answer."""
    lost_answers: float = 0.0
    """Writes that happen, but whose answer is lost."""
    unread: float = 0.0
    """Reads without an answer."""
    stale_reads: float = 0.0
    most_stale_writes: int = 8
    """Most writes by which a stale read may be behind."""


class LooseBoard:
    """A machine's connection to a `MemoryBoard`."""

    def __init__(self, server: MemoryBoard, faults: Faults, random: Random) -> None:
        self._server = server
        self.faults = faults
        self._random = random
        self.is_cut = False
        """Whether no message gets through in either direction."""

    def get(self, key: str) -> Entry | None:
        """Return a value, which may be stale."""
        return None if self._fails() else self._server.get(key, self._age())

    def put(self, key: str, value: bytes, expect: int) -> Answer:
        """Write; the answer may be lost."""
        return self._write(lambda: self._server.put(key, value, expect))

    def delete(self, key: str, expect: int) -> Answer:
        """Remove; the answer may be lost."""
        return self._write(lambda: self._server.delete(key, expect))

    def list(self, prefix: str) -> dict[str, Entry] | None:
        """Return values by prefix, which may be stale."""
        return None if self._fails() else self._server.list(prefix, self._age())

    def close(self) -> None:
        """Do nothing: there is no connection."""

    def _write(self, write: Callable[[], Answer]) -> Answer:
        if self.is_cut:
            return UNAVAILABLE if self._random.random() < 0.5 else UNDECIDED
        chance = self._random.random()
        if chance < self.faults.lost_requests:
            return UNDECIDED
        answer = write()
        is_lost = chance < self.faults.lost_requests + self.faults.lost_answers
        return UNDECIDED if is_lost else answer

    def _fails(self) -> bool:
        return self.is_cut or self._random.random() < self.faults.unread

    def _age(self) -> int:
        if self._random.random() < self.faults.stale_reads:
            return self._random.randint(1, self.faults.most_stale_writes)
        return 0
