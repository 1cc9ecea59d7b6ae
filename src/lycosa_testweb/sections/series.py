"""Series of pages by number, date, folder or parameter, some of which are not linked.

The hash of the seed decides which of them exist and which are linked: `hole_share` of the
values do not exist, of the others `linked_share` are linked, and two at least. All others are
hidden, and only their neighbours reveal them (Tarantula 5.1).
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from lycosa_testweb.generated.page import Page
from lycosa_testweb.generated.section import Ground
from lycosa_testweb.mixing import digest, fraction, mix


class Kind(enum.StrEnum):
    """The kinds of series."""

    NUMBER = "number"
    PADDED = "padded"
    FOLDER = "folder"
    DAY = "day"
    MONTH = "month"
    HEXADECIMAL = "hexadecimal"
    PAGING = "paging"


@dataclass(frozen=True, slots=True)
class Series:
    """Pages that count, in one way."""

    kind: Kind
    length: int = 30
    linked_share: float = 0.4
    hole_share: float = 0.05
    first: int = 1
    step: int = 1

    @property
    def folder(self) -> str:
        """Each kind has its own."""
        return f"series-{self.kind}"

    def path(self, index: int) -> str:
        """Return the path of the page with an index, without the folder."""
        value = self.first + index * self.step
        match self.kind:
            case Kind.NUMBER:
                return f"page{value}.html"
            case Kind.PADDED:
                return f"{value:04d}.html"
            case Kind.FOLDER:
                return f"set{value}/start.html"
            case Kind.DAY:
                return (date(2021, 1, 1) + timedelta(value)).strftime("%Y/%m/%d.html")
            case Kind.MONTH:
                return f"{2000 + value // 12}-{value % 12 + 1:02d}/"
            case Kind.HEXADECIMAL:
                return f"{value:03x}.html"
        return f"list?page={value}"

    def entries(self, ground: Ground, moment: float) -> list[str]:
        """Link to some of them."""
        return [url for url in self.pages(ground) if url in self._linked(ground)]

    def page(self, ground: Ground, rest: str, query: str, moment: float) -> Page | None:
        """Return a page that is there, linked or not."""
        path = f"{rest}?{query}" if query else rest
        is_there = any(self.path(n) == path for n in range(self.length) if self._exists(ground, n))
        return ground.plain(f"{self.kind} {path}") if is_there else None

    def pages(self, ground: Ground) -> Iterator[str]:
        """Yield all that are there, linked or not."""
        base = ground.base(self.folder)
        return (base + self.path(n) for n in range(self.length) if self._exists(ground, n))

    def hidden(self, ground: Ground) -> Iterator[str]:
        """Yield those without a link."""
        linked = self._linked(ground)
        return (url for url in self.pages(ground) if url not in linked)

    def _exists(self, ground: Ground, index: int) -> bool:
        return fraction(ground.seed, digest(self.kind), index, 1) >= self.hole_share

    def _linked(self, ground: Ground) -> set[str]:
        """Return those that are linked: the first by their lot."""
        pages = list(self.pages(ground))
        by_lot = sorted(pages, key=lambda url: mix(ground.seed, digest(url), 2))
        return set(by_lot[: max(2, round(self.linked_share * len(pages)))])


@dataclass(frozen=True, slots=True)
class Cellar:
    """Pages deep in folders whose own pages are not linked; some folders have none."""

    width: int = 3
    depth: int = 3
    folder_share: float = 0.9
    folder: str = "cellar"

    _NAMES = ("north", "south", "east", "west", "upper", "lower", "old", "new")

    def entries(self, ground: Ground, moment: float) -> list[str]:
        """Link to the pages at the bottom."""
        base = ground.base(self.folder)
        return [f"{base}{folder}index.html" for folder in self._folders() if self._is_low(folder)]

    def page(self, ground: Ground, rest: str, query: str, moment: float) -> Page | None:
        """Return a page at the bottom, or a folder's own page."""
        url = ground.base(self.folder) + rest
        if query or url not in set(self.pages(ground)):
            return None
        return ground.plain(f"Cellar {rest}")

    def pages(self, ground: Ground) -> Iterator[str]:
        """Yield the pages at the bottom, and the folders that have a page."""
        yield from self.entries(ground, 0.0)
        yield from self.hidden(ground)

    def hidden(self, ground: Ground) -> Iterator[str]:
        """Yield the folders that have a page."""
        base = ground.base(self.folder)
        for folder in self._folders():
            if fraction(ground.seed, digest(folder), 3) < self.folder_share:
                yield base + folder

    def _is_low(self, folder: str) -> bool:
        return folder.count("/") == self.depth

    def _folders(self) -> list[str]:
        found, level = [""], [""]
        for _ in range(self.depth):
            level = [f"{above}{name}/" for above in level for name in self._NAMES[: self.width]]
            found += level
        return found
