"""Idle partitions, as their owners report them on the board.

A report names the sequences of log and inbox at which it was true. The search for the end compares
them with the log: an outdated report does not match, and a report of an ended life that matches is
still true. Reports therefore need not be fresh, and are never withdrawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from lycosa._support.decoders import msgpack_decoder
from lycosa.runtime.cluster.courier import OwnDocument
from lycosa.runtime.coordination.keys import idle_key
from lycosa.runtime.coordination.protocol import Entry

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


class IdleDesk(OwnDocument):
    """The reports of one life, to be written to the board."""

    def __init__(self, life: int) -> None:
        super().__init__(idle_key(life), WRITE_SECONDS)

    def tell(self, reports: list[IdleReport]) -> None:
        """Set the idle and stuck partitions; an empty list means that some are busy."""
        self.value = msgspec.msgpack.encode(reports) if reports else b""


def reports_in(entries: Mapping[str, Entry]) -> Iterator[IdleReport]:
    """Yield the reports of all lives; two may be about one partition."""
    for entry in entries.values():
        if entry.value:
            yield from msgpack_decoder(list[IdleReport]).decode(entry.value)
