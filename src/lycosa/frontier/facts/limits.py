"""The limits of depth by which links were followed, and the pages whose links are read again.

A link that leads too far is in the page's record and nowhere else. So when a limit was raised, the
links of known pages are read from their records once more (`crawl.answers.raised_depth`), in the
order of the pages' numbers.

Always true: the links of every page were followed by limits that are at least `depths`, and those
of pages below `next_page` by `wanted`. So a kill repeats at most the pages of one commit.

Cost: five numbers; nothing is kept for each page.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

Depths = tuple[int, int]
"""Links from a seed to the farthest page without, and with, a query."""

MOST_OWED = 10_000
"""Pages whose links are on another machine that are remembered at a time: the reading waits until
some have come, because a partition may have millions of them."""


class AppliedLimits:
    """The limits by which a partition's links were followed."""

    def __init__(self) -> None:
        self.depths: Depths | None = None
        """None in a crawl of an older Lycosa, and before the first job."""
        self.wanted: Depths | None = None
        """The limits of the present job, by which pages up to `end_page` are read again."""
        self.next_page = 0
        self.end_page = 0
        """0 while no links are to be read again. Later pages were found under the present job."""

    def is_reading(self, owed: Collection[int]) -> bool:
        """Return whether links are to be read again, and can be while so many pages' are owed."""
        return bool(self.end_page) and len(owed) < MOST_OWED

    def adopt(self, depths: Depths, before: Depths, pages: int) -> None:
        """Follow other limits; `before` are those of all links until now, of so many pages."""
        if self.end_page and depths == self.wanted:
            return  # the job has changed in something else: what is under way goes on
        self.wanted = depths
        self.depths = min(before[0], depths[0]), min(before[1], depths[1])
        self.next_page, self.end_page = 0, pages
        if self.depths == depths:
            self.end_page = 0

    def read_to(self, page: int) -> None:
        """Note that the links of all pages below this one were read again."""
        self.next_page = page
        if page >= self.end_page:
            self.depths = self.wanted
            self.next_page = self.end_page = 0

    def pack(self) -> tuple[Depths | None, Depths | None, int, int]:
        """Return everything for a snapshot."""
        return self.depths, self.wanted, self.next_page, self.end_page

    def unpack(self, packed: Sequence[Sequence[int] | int | None]) -> None:
        """Fill from what `pack` returned; nothing from a snapshot of before."""
        if packed:
            depths, wanted, self.next_page, self.end_page = packed  # type: ignore[assignment]
            self.depths, self.wanted = _pair(depths), _pair(wanted)


def _pair(packed: Sequence[int] | int | None) -> Depths | None:
    return (packed[0], packed[1]) if isinstance(packed, Sequence) else None
