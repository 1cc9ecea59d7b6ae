"""Pages that the rules of robots files are about.

The folder has a page for every kind of rule: a closed folder with an open one in it, a
closed ending, a closed part of a name, a closed query. The site's robots file (`robots_kinds`)
decides which of them are really closed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lycosa_testweb.generated.page import Page
from lycosa_testweb.generated.section import Ground

TARGETS = (
    "index.html",
    "closed/1.html",
    "closed/2.html",
    "closed/open/1.html",
    "closedness.html",
    "paper.pdf",
    "paper.pdf.html",
    "year/draft-1.html",
    "draft.html",
    "find?q=1",
    "find",
    "caf%C3%A9.html",
)


@dataclass(frozen=True, slots=True)
class Vault:
    """Some pages that a robots file may close."""

    folder: str = "vault"

    def entries(self, ground: Ground, moment: float) -> list[str]:
        """Link to all of them, closed or not."""
        return list(self.pages(ground))

    def page(self, ground: Ground, rest: str, query: str, moment: float) -> Page | None:
        """Return the page."""
        target = f"{rest}?{query}" if query else rest
        return ground.plain(f"Vault {target}") if target in TARGETS else None

    def pages(self, ground: Ground) -> Iterator[str]:
        """Yield all of them, closed or not."""
        base = ground.base(self.folder)
        return (base + target for target in TARGETS)
