"""The newest log lines of every machine, in one place.

Each life has one document on the board with its last lines, so that `status` shows events on
machines without a login, and on machines that are gone. It is bounded: old lines are dropped for
new ones. A machine's own log file has all lines, whether the board can be reached or not.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from lycosa._support.decoders import msgpack_decoder
from lycosa.runtime.cluster.courier import OwnDocument
from lycosa.runtime.coordination.keys import lines_key, number_in
from lycosa.runtime.coordination.protocol import Entry
from lycosa.runtime.membership.calls import Call

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


class LineDesk(OwnDocument):
    """The lines of one life, to be written to the board."""

    def __init__(self, life: int) -> None:
        super().__init__(lines_key(life), WRITE_SECONDS)
        self._lines: deque[Line] = deque(maxlen=MOST_LINES)
        self._is_new = False

    def add(self, moment: float, level: str, text: str) -> None:
        """Add a line without waiting."""
        self._lines.append(Line(moment, level, text[:LONGEST_LINE]))
        self._is_new = True

    def call(self, now: float) -> Call | None:
        """Return the next call, if one is due."""
        if self._is_new and now >= self.due:
            self._is_new, self.value = False, msgspec.msgpack.encode(list(self._lines))
        return super().call(now)


def merged(entries: Mapping[str, Entry]) -> list[tuple[int, Line]]:
    """Return the lines of all lives, with their numbers, by moment."""
    found = [
        (number_in(key), line)
        for key, entry in entries.items()
        for line in msgpack_decoder(list[Line]).decode(entry.value)
    ]
    return sorted(found, key=lambda one: (one[1].moment, one[0]))
