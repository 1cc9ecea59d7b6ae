"""Brings a partition's state up to date by applying the events of its log.

The state is any object that implements `Folded`, such as the frontier's `PartitionState`. A
sequence that was already applied is skipped, so replaying is harmless. A gap is an error, because
the missing events cannot be recovered.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from lycosa.errors import LogError
from lycosa.model.records import AnyEvent
from lycosa.storage.log.format import decode_events


class Folded(Protocol):
    """A state that events change, and nothing else."""

    sequence: int

    def apply(self, event: AnyEvent) -> object:
        """Change the state by the event alone: no clock, no configuration, no randomness."""


def replay(state: Folded, batches: Iterable[tuple[int, bytes]]) -> int:
    """Apply the batches that the state does not know yet; return the number of events."""
    applied = 0
    for sequence, batch in batches:
        if sequence <= state.sequence:
            continue
        if sequence != state.sequence + 1:
            raise LogError(
                f"the log jumps from sequence {state.sequence} to {sequence}: a part is missing\n"
                "  its archive was moved or deleted; restore log/archive, or rebuild the log from"
                " the segments: lycosa verify DIR --repair"
            )
        events = decode_events(batch)
        for event in events:
            state.apply(event)
        state.sequence = sequence
        applied += len(events)
    return applied
