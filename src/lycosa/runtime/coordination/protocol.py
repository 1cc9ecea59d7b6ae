"""The interface of a board, and its possible answers.

A board may be out of reach for a while. That is expected, so it is a value, not an exception.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, Protocol

ANSWER_SECONDS = 3.0
"""Longest wait for an answer."""

LARGEST_VALUE_BYTES = 512 * 1024
"""The largest value; a NATS server takes messages of up to 1 MB."""


class Verdict(StrEnum):
    """Result of a write."""

    WRITTEN = "written"
    REFUSED = "refused"
    """The key has another revision than expected; nothing was written."""
    UNDECIDED = "undecided"
    """No answer came: the write has happened, has not, or will still happen."""
    UNAVAILABLE = "unavailable"
    """No request was sent, so no write has happened or will happen."""


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
    """0 if the key does not exist."""
    moment: float = 0.0
    """Time of the write, by the wall clock of the server."""


NOTHING = Entry(b"", 0)


class Board(Protocol):
    """Small values under keys of letters, digits, `-` and `/`."""

    def get(self, key: str) -> Entry | None:
        """Return a value, `NOTHING` if there is none; None if no answer came."""

    def put(self, key: str, value: bytes, expect: int) -> Answer:
        """Write if the key has the expected revision; 0 means that the key does not exist."""

    def delete(self, key: str, expect: int) -> Answer:
        """Remove a key if it has the expected revision."""

    def list(self, prefix: str) -> dict[str, Entry] | None:
        """Return all values whose keys begin with a prefix ending in `/`; None without answer."""

    def close(self) -> None:
        """Close connections."""
