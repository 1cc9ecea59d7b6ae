"""The page that led to each URL first, by its id, without an entry for every URL.

One event admits all new URLs of one page, and their numbers follow each other. So a list with the
first number of every event, and the id of its source, is enough; a binary search finds the source
of a URL.

Always true: the source of a URL never changes, also when another page turns out to be nearer.

Cost: 16 bytes for each event that has new URLs: 0.5 to 4 bytes for a URL (docs/decisions/
0039-who-led-here.md). URLs that an older snapshot knew have none, or their id alone.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right

from lycosa.frontier.facts.columns import Columns


class Sources(Columns):
    """The sources of consecutive URLs."""

    first: array[int]
    """The number of the first URL."""
    source: array[int]
    """The id of the page that led to it and to those behind it; 0 when none did."""
    page: array[int]
    """The number of that page and 1; 0 when it is of another partition."""

    _types = {"first": "I", "source": "Q", "page": "I"}  # noqa: RUF012

    def of(self, page: int) -> tuple[int, int | None]:
        """Return id and number of the page that led to a URL.

        The id is 0 when none did or none is known; the number is None in another partition.
        """
        position = bisect_right(self.first, page)
        if not position:
            return 0, None
        number = self.page[position - 1]
        return self.source[position - 1], number - 1 if number else None
