"""Evidence for a focused crawl in pure Python: what the compiled one must do."""

from __future__ import annotations

from collections.abc import Sequence

from lycosa.features.topics.evidence import WEIGHTS, parts_of, position_of


class PlainFocusedEvidence:
    """How likely URLs are about what is wanted."""

    def __init__(self, weights: Sequence[float] = WEIGHTS) -> None:
        self._weights = weights
        self._heard: dict[int, tuple[int, int, int, int, int]] = {}
        self._positions: dict[int, int] = {}

    def hear(
        self, pages: list[int], probability: int, promise: int, texts: bytes, grades: Sequence[int]
    ) -> list[tuple[int, int]]:
        """Take in a link to each page; return the pages whose position has changed, with it.

        `grades` are the positions in the log.
        """
        changed = []
        for page, text in zip(pages, texts, strict=True):
            highest, promised, best, total, count = self._entry(page, grades)
            heard = (
                max(highest, probability),
                max(promised, promise),
                max(best, text),
                min(total + probability, 0xFFFF),
                min(count + 1, 0xFFFF),
            )
            self._heard[page] = heard
            position = self._position_of(*heard)
            if position != self.position(page):
                changed.append((page, position))
            self._positions[page] = position
        return changed

    def place(self, first: int, probability: int, promise: int, texts: bytes) -> bytes:
        """Take in a link to each of some new pages; return their positions."""
        pages = list(range(first, first + len(texts)))
        for page in pages:
            self._heard.pop(page, None)
            self._positions.pop(page, None)
        self.hear(pages, probability, promise, texts, ())
        return bytes(self.position(page) for page in pages)

    def position(self, page: int) -> int:
        """Return the position of a URL; the last one if nothing was heard of it."""
        return self._positions.get(page, 255)

    def promise(self, page: int) -> int:
        """Return the best promise of a page that links to a URL."""
        return self._heard[page][1] if page in self._heard else 0

    def _entry(self, page: int, grades: Sequence[int]) -> tuple[int, int, int, int, int]:
        if page in self._heard:
            return self._heard[page]
        if page < len(grades) and grades[page] != 255:
            self._positions[page] = grades[page]
            return (255 - grades[page],) * 4 + (1,)
        return (0, 0, 0, 0, 0)

    def _position_of(self, highest: int, promise: int, text: int, total: int, count: int) -> int:
        return position_of(
            sum(parts_of(highest, promise, text, total, count, weights=self._weights))
        )
