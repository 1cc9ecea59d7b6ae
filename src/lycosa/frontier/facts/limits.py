"""URLs that the job's limits have left out, and pages whose links are read again for larger ones.

URLs beyond the limits of depth are remembered by name, up to `MOST_TOO_DEEP`, so that the crawl can
say how many it has left out, and that it has left out none. A URL that was too deep and is known
by now is one of the crawl. Pages that were cut off are remembered by number.

A link that leads too far is in the page's record and nowhere else. So when a limit was raised, the
links of known pages are read from their records once more (`crawl.links.raised_depth`), in the
order of the pages' numbers.

Always true: the links of every page were followed by limits that are at least `depths`, and those
of pages below `next_page` by `wanted`. So a kill repeats at most the pages of one commit.

Cost: some numbers, and 150 bytes for each URL that is too deep, at most 0.3 MB a partition.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from lycosa.frontier.urltable import CompactUrlTable
from lycosa.model.records import Counted

Depths = tuple[int, int]
"""Links from a seed to the farthest page without, and with, a query."""

MOST_OWED = 10_000
"""Pages whose links are on another machine that are remembered at a time: the reading waits until
some have come, because a partition may have millions of them."""

MOST_TOO_DEEP = 2_000
"""URLs beyond the limits of depth that a partition remembers; of more it knows that there are."""
MOST_TRUNCATED = 10_000
"""Pages that were cut off that a partition remembers."""


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
        self.too_deep: set[str] = set()
        self.has_more_too_deep = False
        self.truncated: set[int] = set()
        self._counted = (-1, -1, 0, 0)
        """The sizes of table and `too_deep` at the last count of URLs, and its results."""

    # -- what was left out ------------------------------------------------------------------

    def unknown_too_deep(self, table: CompactUrlTable) -> Sequence[str]:
        """Return the URLs that are too deep, and have not become known by a shorter way."""
        keys = sorted(self.too_deep)
        return [key for key, page in zip(keys, table.find_many(keys), strict=True) if page < 0]

    def count_too_deep(self, table: CompactUrlTable | None) -> tuple[int, int]:
        """Return the numbers of these URLs without and with a query; at most `MOST_TOO_DEEP`.

        Without the table the URLs count, too, that have become known: while a crawl runs, this is
        asked every second.
        """
        sizes = -1 if table is None else len(table), len(self.too_deep)
        if self._counted[:2] != sizes:
            keys = self.too_deep if table is None else self.unknown_too_deep(table)
            dynamic = sum("?" in key for key in keys)
            self._counted = *sizes, len(keys) - dynamic, dynamic
        return self._counted[2:]

    def to_note(self, keys: Iterable[str], table: CompactUrlTable) -> tuple[list[str], bool]:
        """Return which URLs are to be noted as too deep, and whether some are too many for that."""
        new = [key for key in keys if key not in self.too_deep]
        unknown = [key for key, page in zip(new, table.find_many(new), strict=True) if page < 0]
        if len(unknown) + len(self.too_deep) > MOST_TOO_DEEP:
            room = max(0, MOST_TOO_DEEP - len(self.unknown_too_deep(table)))
            return unknown[:room], len(unknown) > room
        return unknown, False

    def apply_counted(self, event: Counted, table: CompactUrlTable) -> None:
        """Take in URLs that are too deep, and pages that were cut off."""
        if event.too_deep:
            if len(self.too_deep) + len(event.too_deep) > MOST_TOO_DEEP:
                self.too_deep.intersection_update(self.unknown_too_deep(table))
            self.too_deep.update(event.too_deep)
        self.has_more_too_deep |= event.has_more_too_deep
        if event.truncated:
            self.truncated.update(event.truncated)
        if event.whole:
            self.truncated.difference_update(event.whole)

    # -- links that are read again -----------------------------------------------------------

    def is_reading(self, owed: Collection[int]) -> bool:
        """Return whether links are to be read again, and can be while so many pages' are owed."""
        return bool(self.end_page) and len(owed) < MOST_OWED

    def adopt(self, depths: Depths, before: Depths, pages: int) -> None:
        """Follow other limits; `before` are those of all links until now, of so many pages."""
        if self.end_page and depths == self.wanted:
            return  # the job has changed in something else: what is under way goes on
        self.wanted = depths
        self.depths = min(before[0], depths[0]), min(before[1], depths[1])
        if self.depths != depths:
            self.has_more_too_deep = False  # those that are still too deep are met again
        self.next_page, self.end_page = 0, pages
        if self.depths == depths:
            self.end_page = 0

    def read_to(self, page: int) -> None:
        """Note that the links of all pages below this one were read again."""
        self.next_page = page
        if page >= self.end_page:
            self.depths = self.wanted
            self.next_page = self.end_page = 0

    def pack(self) -> dict[str, Any]:
        """Return everything for a snapshot."""
        return {
            "depths": self.depths,
            "wanted": self.wanted,
            "next": self.next_page,
            "end": self.end_page,
            "too_deep": sorted(self.too_deep),
            "more": self.has_more_too_deep,
            "truncated": sorted(self.truncated),
        }

    def unpack(self, packed: dict[str, Any]) -> None:
        """Fill from what `pack` returned; nothing from a snapshot of before."""
        if packed:
            self.depths, self.wanted = _pair(packed["depths"]), _pair(packed["wanted"])
            self.next_page, self.end_page = packed["next"], packed["end"]
            self.too_deep, self.has_more_too_deep = set(packed["too_deep"]), packed["more"]
            self.truncated = set(packed["truncated"])


def _pair(packed: Sequence[int] | None) -> Depths | None:
    return None if packed is None else (packed[0], packed[1])
