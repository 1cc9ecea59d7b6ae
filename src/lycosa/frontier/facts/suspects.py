"""The pages of a partition that are read apart, because a process died that had read them.

Always true: a suspect stays one, so it can cost no second process its life. There are at most as
many as processes have died.
"""

from __future__ import annotations

from typing import Any

from lycosa.model.records import Suspected


class Suspects:
    """Which pages are read apart, and until when all are."""

    def __init__(self) -> None:
        self.until = 0.0
        """Answers that end before this moment are read apart; 0 while no process has died."""
        self.pages: set[int] = set()
        self.rendered: set[int] = set()
        """Pages whose rendered trees are not read again."""

    def has(self, page: int, moment: float) -> bool:
        """Return whether an answer that ended at a moment is to be read apart."""
        return moment < self.until or page in self.pages

    def apply(self, event: Suspected) -> None:
        """Take in that a process has died."""
        self.until = max(self.until, event.until)
        if event.page >= 0:
            (self.rendered if event.is_rendered else self.pages).add(event.page)

    def pack(self) -> dict[str, Any]:
        """Return the content for a snapshot."""
        return {"until": self.until, "pages": sorted(self.pages), "rendered": sorted(self.rendered)}

    def unpack(self, packed: dict[str, Any]) -> None:
        """Restore what `pack` returned; nothing from a snapshot of before."""
        self.until = packed.get("until", 0.0)
        self.pages = set(packed.get("pages", ()))
        self.rendered = set(packed.get("rendered", ()))
