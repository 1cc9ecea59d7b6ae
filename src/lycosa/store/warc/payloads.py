"""Remembers where recent payloads were stored, so that equal bytes are stored once.

The memory is a table of fixed size with one slot per hash value; a later payload overwrites an
earlier one in its slot. So it costs the same few megabytes for a thousand pages and for a billion.
A forgotten payload is stored again.
"""

from __future__ import annotations

from xxhash import xxh3_64_intdigest

from lycosa.records import Place
from lycosa.sparse import zeros

SLOTS = 1 << 18


class Payloads:
    """Remembers the places of recent payloads by their names."""

    def __init__(self, slots: int = SLOTS) -> None:
        """Make room for a number of payloads that is a power of two."""
        self._mask = slots - 1
        self._tags = zeros("Q", slots)
        self._offsets = zeros("Q", slots)
        self._segments = zeros("I", slots)
        self._lengths = zeros("I", slots)

    def find(self, name: str) -> Place | None:
        """Return the place of a payload of this name; with a chance of 2^-64 it is another's."""
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
