"""How many links lead to each URL, in powers of two: a part of the fold.

Only a score that orders URLs by their links needs it (`lycosa.frontier.schedulers.scores`); other
crawls record nothing and pay nothing. The log has an entry when the number of links to a URL has
reached 2, 4, 8, ... 128: at most seven for a URL, however many links there are. That is what the
score tells apart, so a resumed crawl has the order that it had before.

Cost: a byte for each URL, up to the last one with an entry.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping


class Popularity:
    """The steps of all URLs of a partition."""

    def __init__(self) -> None:
        self.steps = array("B")
        """The logarithm of the number of links to a URL, as far as there are entries."""

    def apply(self, steps: Mapping[int, int]) -> None:
        """Take in what was counted."""
        if steps:
            missing = max(steps) + 1 - len(self.steps)
            if missing > 0:
                self.steps.frombytes(bytes(missing))
            for page, step in steps.items():
                self.steps[page] = step

    def pack(self) -> bytes:
        """Return the data for a snapshot."""
        return self.steps.tobytes()

    def unpack(self, packed: bytes) -> None:
        """Take it back."""
        self.steps = array("B", packed)
