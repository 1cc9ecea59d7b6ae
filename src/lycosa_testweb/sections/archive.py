"""An archive by date, with a list in many parts: it looks like a trap and is none.

Every day has a page of its own, `2001/03/31.html`, with a text that no other has. Lists of
`listed` days each lead to them and to the next list, `?page=2`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from lycosa_testweb.generated.page import Page, anchors
from lycosa_testweb.generated.section import Ground
from lycosa_testweb.mixing import digest

_FIRST = date(2001, 1, 1)


@dataclass(frozen=True, slots=True)
class Archive:
    """Days, and lists of them."""

    days: int = 200
    listed: int = 10
    folder: str = "archive"

    def entries(self, ground: Ground, moment: float) -> list[str]:
        """Link to the first list."""
        return [f"{ground.base(self.folder)}?page=1"]

    def page(self, ground: Ground, rest: str, query: str, moment: float) -> Page | None:
        """Return a list or a day."""
        if not rest:
            return self._list(ground, query)
        try:
            year, month, day = (int(part) for part in rest.removesuffix(".html").split("/"))
            number = (date(year, month, day) - _FIRST).days
        except ValueError:
            return None
        if query or not 0 <= number < self.days or rest != self._path(number):
            return None
        base = ground.base(self.folder)
        beside = [n for n in (number - 1, number + 1) if 0 <= n < self.days]
        page = ground.plain(f"What happened on day {number}")
        return page._replace(links=anchors(*(base + self._path(n) for n in beside)))

    def _list(self, ground: Ground, query: str) -> Page | None:
        name, _, value = query.partition("=")
        if name != "page" or not value.isdecimal() or not 1 <= int(value) <= self._lists:
            return None
        base, last = ground.base(self.folder), int(value) * self.listed
        links = [base + self._path(n) for n in range(last - self.listed, min(last, self.days))]
        if int(value) < self._lists:
            links.append(f"{base}?page={int(value) + 1}")
        return ground.plain(f"Days, part {value}")._replace(links=anchors(*links))

    @property
    def _lists(self) -> int:
        return -(-self.days // self.listed)

    def _path(self, number: int) -> str:
        return f"{_FIRST + timedelta(number):%Y/%m/%d}.html"

    def pages(self, ground: Ground) -> Iterator[str]:
        """Yield all days and lists."""
        base = ground.base(self.folder)
        yield from (base + self._path(number) for number in range(self.days))
        yield from (f"{base}?page={number}" for number in range(1, self._lists + 1))


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Any path under it is a page; some of them are linked."""

    linked: int = 60
    folder: str = "item"

    def entries(self, ground: Ground, moment: float) -> list[str]:
        """Link to the first of them."""
        return list(self.pages(ground))

    def page(self, ground: Ground, rest: str, query: str, moment: float) -> Page | None:
        """Return the same words for every name, and a number."""
        if query:
            return None
        price = digest(rest) % 900
        return Page("Item", f"{ground.prose(7, 36)} {rest} costs {price} crowns")

    def pages(self, ground: Ground) -> Iterator[str]:
        """Yield those that are linked."""
        return (f"{ground.base(self.folder)}{number}.html" for number in range(self.linked))
