"""Pages without links to them, which the names of their neighbours reveal.

`page1.html`, `page2.html` and `page5.html` are linked, 3 and 4 exist as well; the folders
of some months are linked, the others exist. Bottom-up discovery (Tarantula) looks for these.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lycosa_testweb.generated.page import Page
from lycosa_testweb.generated.section import Ground

_LINKED_PAGES = (1, 2, 5)
_LINKED_FOLDERS = ("2021/01/", "2021/04/", "2022/03/")


@dataclass(frozen=True, slots=True)
class Hidden:
    """Numbered pages and nested folders with gaps in what is linked."""

    count: int = 6
    years: tuple[int, ...] = (2021, 2022)
    months: int = 4
    folder: str = "hidden"

    def entries(self, ground: Ground, moment: float) -> list[str]:
        """Link to some of them."""
        base = ground.base(self.folder)
        pages = [f"{base}page{number}.html" for number in _LINKED_PAGES]
        return pages + [base + path for path in _LINKED_FOLDERS]

    def page(self, ground: Ground, rest: str, query: str, moment: float) -> Page | None:
        """Return the page, linked or not."""
        return ground.plain(f"Hidden {rest}") if not query and rest in self._paths() else None

    def _paths(self) -> list[str]:
        pages = [f"page{number}.html" for number in range(1, self.count + 1)]
        years = [f"{year}/" for year in self.years]
        months = [f"{year}/{m:02d}/" for year in self.years for m in range(1, self.months + 1)]
        return pages + years + months

    def pages(self, ground: Ground) -> Iterator[str]:
        """Yield all of them, linked or not."""
        base = ground.base(self.folder)
        return (base + path for path in self._paths())
