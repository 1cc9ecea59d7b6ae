"""The newest log lines of every machine, in one place.

Each life has one document on the board with its last lines, so that `status` shows events on
machines without a login, and on machines that are gone. It is bounded: old lines are dropped for
new ones. A machine's own log file has all lines, whether the board can be reached or not.

`LineDesk` is a state machine without I/O; a `courier` makes its calls.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from lycosa.cluster.board.keys import lines_key, number_in
from lycosa.cluster.board.protocol import Answer, Entry
from lycosa.cluster.membership.calls import Call, Get, Put, Result
from lycosa.decoders import msgpack_decoder

MOST_LINES = 100
LONGEST_LINE = 300
"""Characters of a line that are kept."""
WRITE_SECONDS = 2.0
"""Shortest time between two writes of a document."""


class Line(NamedTuple):
    """A line of a log."""

    moment: float
    """Time by the wall clock of its machine."""
    level: str
    text: str


class LineDesk:
    """The lines of one life, to be written to the board."""

    def __init__(self, life: int) -> None:
        self._key = lines_key(life)
        self._lines: deque[Line] = deque(maxlen=MOST_LINES)
        self._is_new = False
        self._revision: int | None = 0
        self._in_flight: Call | None = None
        self.due = float("-inf")

    def add(self, moment: float, level: str, text: str) -> None:
        """Add a line without waiting."""
        self._lines.append(Line(moment, level, text[:LONGEST_LINE]))
        self._is_new = True

    def call(self, now: float) -> Call | None:
        """Return the next call, if one is due."""
        if self._in_flight is not None or not self._is_new or now < self.due:
            return None
        if self._revision is None:
            self._in_flight = Get(self._key)
        else:
            self._is_new = False
            value = msgspec.msgpack.encode(list(self._lines))
            self._in_flight = Put(self._key, value, self._revision)
        return self._in_flight

    def answered(self, result: Result, now: float) -> None:
        """Process the answer."""
        self._in_flight = None
        if isinstance(result, Entry):
            self._revision = result.revision
            return
        self.due = now + WRITE_SECONDS
        if isinstance(result, Answer) and result.is_written:
            self._revision = result.revision
        else:
            # The write may have happened; writing the same lines again does no harm.
            self._is_new, self._revision = True, None


def merged(entries: Mapping[str, Entry]) -> list[tuple[int, Line]]:
    """Return the lines of all lives, with their numbers, by moment."""
    found = [
        (number_in(key), line)
        for key, entry in entries.items()
        for line in msgpack_decoder(list[Line]).decode(entry.value)
    ]
    return sorted(found, key=lambda one: (one[1].moment, one[0]))
