"""Copies of pages, and error pages with status 200."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from lycosa_testweb.generated.page import Page
from lycosa_testweb.generated.section import Ground


def _number(rest: str, folder: str, limit: int) -> int:
    """Return n of `folder/n`, or -1."""
    name = rest.removeprefix(folder + "/")
    return int(name) if name != rest and name.isdecimal() and int(name) < limit else -1


@dataclass(frozen=True, slots=True)
class Copies:
    """The same body under many URLs, and bodies that differ in a line with the date."""

    count: int = 4
    folder: str = "copies"

    def entries(self, ground: Ground, moment: float) -> list[str]:
        """Link to all of them."""
        return list(self.pages(ground))

    def page(self, ground: Ground, rest: str, query: str, moment: float) -> Page | None:
        """Return the one page, with or without its date."""
        if query:
            return None
        if _number(rest, "same", self.count) >= 0:
            return ground.plain("Always the same")
        number = _number(rest, "near", self.count)
        if number < 0:
            return None
        day = datetime.fromtimestamp(moment // 86_400 * 86_400 - number * 86_400, UTC)
        text = f"{ground.prose(7, 240)} Printed on {day:%d %B %Y}."
        return Page("Nearly the same", text, language=ground.language)

    def pages(self, ground: Ground) -> Iterator[str]:
        """Yield all of them."""
        base = ground.base(self.folder)
        for kind in ("same", "near"):
            yield from (f"{base}{kind}/{number}" for number in range(self.count))


@dataclass(frozen=True, slots=True)
class Ghosts:
    """Soft 404s: whatever is asked for in this folder, 200 and an apology."""

    linked: int = 3
    folder: str = "ghosts"

    def entries(self, ground: Ground, moment: float) -> list[str]:
        """Link to a few."""
        return list(self.pages(ground))

    def page(self, ground: Ground, rest: str, query: str, moment: float) -> Page | None:
        """Apologise."""
        return Page("Page not found", f"Sorry, we could not find the page you asked for: {rest}")

    def pages(self, ground: Ground) -> Iterator[str]:
        """Yield the linked ones."""
        base = ground.base(self.folder)
        return (f"{base}lost-{number}.html" for number in range(self.linked))
