"""Trees of given levels, pages per level and triples per page.

The trees of the RDFa spider's accuracy test: a root, `pages` children under it, `pages`
children under each of these, `levels` in total. Levels x pages of 2x1, 3x2, 4x3, 5x4 and
6x5 give its 2, 7, 40, 341 and 3,906 pages. Every page has the same number of triples.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lycosa_testweb.generated.page import Page, anchors
from lycosa_testweb.generated.section import Ground
from lycosa_testweb.mixing import digest


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree in which every page but the leaves links to its children."""

    levels: int
    fanout: int
    triples: int = 0
    folder: str = "tree"

    @property
    def size(self) -> int:
        """The number of its pages."""
        return sum(self.fanout**level for level in range(self.levels))

    def entries(self, ground: Ground, moment: float) -> list[str]:
        """Link to the root."""
        return [ground.base(self.folder)]

    def page(self, ground: Ground, rest: str, query: str, moment: float) -> Page | None:
        """Read the way from the root out of the path."""
        way = rest.removesuffix(".html").removesuffix("/").split("/") if rest else []
        if query or len(way) >= self.levels or not all(self._is_child(step) for step in way):
            return None
        if rest != self._path(way):
            return None
        base = ground.base(self.folder)
        children = [f"{base}{path}" for path in self._children(way)]
        title = f"Tree {'.'.join(way) or 'root'}"
        text = ground.prose(digest(rest))
        return Page(title, text, anchors(*children), triples=self.triples, language=ground.language)

    def _is_child(self, step: str) -> bool:
        return step.isdecimal() and step[0] != "0" and int(step) <= self.fanout

    def _path(self, way: list[str]) -> str:
        if not way:
            return ""
        return "/".join(way) + (".html" if len(way) == self.levels - 1 else "/")

    def _children(self, way: list[str]) -> list[str]:
        if len(way) >= self.levels - 1:
            return []
        return [self._path([*way, str(child)]) for child in range(1, self.fanout + 1)]

    def pages(self, ground: Ground) -> Iterator[str]:
        """Walk the tree."""
        base = ground.base(self.folder)
        todo: list[list[str]] = [[]]
        while todo:
            way = todo.pop()
            yield base + self._path(way)
            if len(way) < self.levels - 1:
                todo.extend([*way, str(child)] for child in range(self.fanout, 0, -1))
