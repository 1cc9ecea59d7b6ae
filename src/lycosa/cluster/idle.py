"""Idle partitions, as their owners report them on the board.

A report names the sequences of log and inbox at which it was true. The search for the end compares
them with the log: an outdated report does not match, and a report of an ended life that matches is
still true. Reports therefore need not be fresh, and are never withdrawn.

`IdleDesk` is a state machine without I/O; a `courier` makes its calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from lycosa.cluster.board.keys import idle_key
from lycosa.cluster.board.protocol import Answer, Entry
from lycosa.cluster.membership.calls import Call, Get, Put, Result
from lycosa.decoders import msgpack_decoder

WRITE_SECONDS = 0.5
"""Shortest time between two writes of a document."""


class IdleReport(NamedTuple):
    """Report of one partition's owner."""

    partition: int
    log: int
    inbox: int
    goes_on: bool
    is_stuck: bool
    has_answers: bool


class IdleDesk:
    """The reports of one life, to be written to the board."""

    def __init__(self, life: int) -> None:
        self._key = idle_key(life)
        self._value = self._written = b""
        self._revision: int | None = 0
        self._in_flight: Call | None = None
        self.due = float("-inf")

    def tell(self, reports: list[IdleReport]) -> None:
        """Set the idle and stuck partitions; an empty list means that some are busy."""
        self._value = msgspec.msgpack.encode(reports) if reports else b""

    def call(self, now: float) -> Call | None:
        """Return the next call, if one is due."""
        if self._in_flight is not None or self._value == self._written or now < self.due:
            return None
        if self._revision is None:
            self._in_flight = Get(self._key)
        else:
            self._in_flight = Put(self._key, self._value, self._revision)
        return self._in_flight

    def answered(self, result: Result, now: float) -> None:
        """Process the answer."""
        call, self._in_flight = self._in_flight, None
        if isinstance(result, Entry):
            self._revision, self._written = result.revision, result.value
            return
        self.due = now + WRITE_SECONDS
        if isinstance(result, Answer) and result.is_written:
            assert isinstance(call, Put)
            self._revision, self._written = result.revision, call.value
        else:
            self._revision = None  # the write may have happened: the next read shows it


def reports_in(entries: Mapping[str, Entry]) -> Iterator[IdleReport]:
    """Yield the reports of all lives; two may be about one partition."""
    for entry in entries.values():
        if entry.value:
            yield from msgpack_decoder(list[IdleReport]).decode(entry.value)
