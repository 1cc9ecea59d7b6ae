"""A catalogue made by a program: a page for every name, with hardly a word of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lycosa_testweb.generated.page import Page
from lycosa_testweb.generated.section import Ground
from lycosa_testweb.mixing import digest


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
