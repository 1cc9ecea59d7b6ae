"""Limits the output of a reader of structured data: a multiple of the page's bytes.

Every reader charges what it appends, whether it is written or only kept, to the room that its page
has, and ends when there is no more. The triples found until then stay, and the page is counted
under `TOO_COSTLY`, so that the end is visible.

Always true: work and memory of a reader are linear in the bytes of the page, and bounded.
"""

from __future__ import annotations

from collections import Counter

from lycosa.extract.structured.counts import TOO_COSTLY

MOST_OUTPUT = 16
SPARE_OUTPUT = 1 << 20
LARGEST_OUTPUT = 20_000_000

LONG_NAME = 200
"""Bytes of a resolved name from which on it is charged, even if it is never written: a prefix can
be as long as the page."""


def room_of(size_bytes: int) -> int:
    """Return how many bytes a reader may append for a page of this size."""
    return min(MOST_OUTPUT * size_bytes + SPARE_OUTPUT, LARGEST_OUTPUT)


class Full(Exception):
    """The room is used up; raised and caught within a reader."""


def note(left_out: Counter[str] | None) -> None:
    """Count a page or script that took too much."""
    if left_out is not None:
        left_out[TOO_COSTLY] += 1
