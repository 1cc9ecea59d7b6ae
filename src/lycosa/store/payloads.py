"""Which payloads were stored lately, and where: so that the same bytes are kept once.

A table of fixed size, one slot for each value of a hash: what comes later takes the slot.
So it costs the same few megabytes for a thousand pages and for a thousand million, and
forgets the old first to whom it makes way. A payload forgotten is a payload stored again.
"""

from __future__ import annotations

from xxhash import xxh3_64_intdigest

from lycosa.records import Place
from lycosa.sparse import zeros

SLOTS = 1 << 18


class Payloads:
    """Remembers places of payloads by what is asked for again."""

    def __init__(self, slots: int = SLOTS) -> None:
        """Make room for a number of payloads that is a power of two."""
        self._mask = slots - 1
        self._tags = zeros("Q", slots)
        self._offsets = zeros("Q", slots)
        self._segments = zeros("I", slots)
        self._lengths = zeros("I", slots)

    def find(self, name: str) -> Place | None:
        """Return where a payload of this name stands; by one chance in 2^64 another one does."""
        tag = xxh3_64_intdigest(name.encode())
        slot = tag & self._mask
        if self._tags[slot] != tag or not self._lengths[slot]:
            return None
        return Place(self._segments[slot], self._offsets[slot], self._lengths[slot])

    def note(self, name: str, place: Place) -> None:
        """Remember where a payload stands."""
        tag = xxh3_64_intdigest(name.encode())
        slot = tag & self._mask
        self._tags[slot] = tag
        self._segments[slot], self._offsets[slot], self._lengths[slot] = place
