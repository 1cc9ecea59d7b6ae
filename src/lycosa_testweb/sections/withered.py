"""An old folder, in which many links are dead.

Lists link to numbered pages and to each other; every third page is gone. The host's habit
(`lycosa_testweb.generated.missing`) decides what is shown instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lycosa_testweb.generated.page import Page, anchors
from lycosa_testweb.generated.section import Ground


@dataclass(frozen=True, slots=True)
class Withered:
    """Lists of ten pages each, a third of them dead links."""

    lists: int = 6
    folder: str = "old"

    def entries(self, ground: Ground, moment: float) -> list[str]:
        """Link to the first list."""
        return [f"{ground.base(self.folder)}list0.html"]

    def page(self, ground: Ground, rest: str, query: str, moment: float) -> Page | None:
        """Return a list, or a page if it is still there."""
        if query or rest not in self._paths():
            return None
        page = ground.plain(f"Old {rest}")
        if not rest.startswith("list"):
            return page
        base, number = ground.base(self.folder), int(rest[4:-5])
        links = [f"{base}page{n}.html" for n in range(10 * number, 10 * number + 10)]
        if number + 1 < self.lists:
            links.append(f"{base}list{number + 1}.html")
        return page._replace(links=anchors(*links))

    def _paths(self) -> list[str]:
        lists = [f"list{number}.html" for number in range(self.lists)]
        return lists + [f"page{n}.html" for n in range(10 * self.lists) if n % 3 != 1]

    def pages(self, ground: Ground) -> Iterator[str]:
        """Yield the pages that still exist."""
        return (ground.base(self.folder) + path for path in self._paths())
