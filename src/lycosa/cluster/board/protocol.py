"""The interface of a board, and what its answers can be.

A board can be out of reach for a while; that is weather, and a value, never an exception.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, Protocol

ANSWER_SECONDS = 3.0
"""How long a call waits for its answer at most."""

LARGEST_VALUE_BYTES = 512 * 1024
"""The largest value; a NATS server takes messages of up to 1 MB."""


class Verdict(StrEnum):
    """What became of a write."""

    WRITTEN = "written"
    REFUSED = "refused"
    """The key has another revision than expected; nothing was written."""
    UNDECIDED = "undecided"
    """No answer came: it was written, or was not, or will be."""
    UNAVAILABLE = "unavailable"
    """Nothing was sent, so nothing was written and nothing will be."""


class Answer(NamedTuple):
    """The answer to a write."""

    verdict: Verdict
    revision: int = 0
    """The new revision, if it was written."""

    @property
    def is_written(self) -> bool:
        """Whether the write is known to have happened."""
        return self.verdict is Verdict.WRITTEN


REFUSED = Answer(Verdict.REFUSED)
UNDECIDED = Answer(Verdict.UNDECIDED)
UNAVAILABLE = Answer(Verdict.UNAVAILABLE)


class Entry(NamedTuple):
    """A value as it was read."""

    value: bytes
    revision: int
    """0 if there is no such key."""
    moment: float = 0.0
    """When it was written, by the wall clock of the server."""


NOTHING = Entry(b"", 0)


class Board(Protocol):
    """Small values under keys of letters, digits, `-` and `/`."""

    def get(self, key: str) -> Entry | None:
        """Return a value, `NOTHING` if there is none; None if no answer came."""

    def put(self, key: str, value: bytes, expect: int) -> Answer:
        """Write if the key has the expected revision; 0 means that there is no such key."""

    def delete(self, key: str, expect: int) -> Answer:
        """Remove a key if it has the expected revision."""

    def list(self, prefix: str) -> dict[str, Entry] | None:
        """Return all values whose keys begin with a prefix ending in `/`; None without answer."""

    def close(self) -> None:
        """Close connections."""
