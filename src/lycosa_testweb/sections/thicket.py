"""A random graph with the degrees of the web, computed from the seed and not stored.

Out-degrees and in-degrees have long tails: the number of a page's links and their
targets are drawn by hash from power laws. So that every page can be reached, page n
also links to its `branching` children n x branching + 1 and so on. Some links lead to
other hosts. A thicket of a million pages costs as much as one of ten.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lycosa_testweb.generated.page import Page, anchors
from lycosa_testweb.generated.section import Ground
from lycosa_testweb.mixing import fraction, mix, skewed

_PER_FOLDER = 20
_IN_STEEPNESS = 5.0
_OUT_EXPONENT = 1.4


@dataclass(frozen=True, slots=True)
class Thicket:
    """A power-law graph over numbered pages."""

    size: int
    branching: int = 2
    most_links: int = 40
    abroad_share: float = 0.1
    folder: str = "g"

    def path(self, number: int) -> str:
        """Return the path of a page."""
        return f"{number // _PER_FOLDER}/{number}.html"

    def entries(self, ground: Ground, moment: float) -> list[str]:
        """Link to page 0."""
        return [ground.base(self.folder) + self.path(0)]

    def page(self, ground: Ground, rest: str, query: str, moment: float) -> Page | None:
        """Draw a page's links."""
        name = rest.partition("/")[2].removesuffix(".html")
        if query or not name.isdecimal() or int(name) >= self.size or rest != self.path(int(name)):
            return None
        number = int(name)
        links = anchors(*self._targets(ground, number))
        title = f"Page {number}"
        return Page(title, ground.prose(number), links, language=ground.language)

    def _targets(self, ground: Ground, number: int) -> list[str]:
        base, seed = ground.base(self.folder), ground.seed
        first = number * self.branching + 1
        last = min(first + self.branching, self.size)
        targets = [base + self.path(child) for child in range(first, last)]
        page_key = mix(seed, number)
        abroad = int(self.abroad_share * 256)
        for link in range(self.degree(seed, number)):
            key = mix(page_key, link)
            if key & 255 < abroad:
                targets.append(ground.elsewhere(key))
            else:
                chosen = skewed(self.size, _IN_STEEPNESS, key)
                targets.append(base + self.path(chosen))
        return list(dict.fromkeys(targets))

    def degree(self, seed: int, number: int) -> int:
        """Return how many links a page has beyond its children."""
        chance = 1.0 - fraction(seed, number, 0)
        return int(min(self.most_links, 2.0 * chance ** (-1.0 / _OUT_EXPONENT) - 1.0))

    def some_page(self, ground_base: str, key: int) -> str:
        """Return one of its pages, the first ones more often."""
        return ground_base + self.path(skewed(self.size, _IN_STEEPNESS, key))

    def pages(self, ground: Ground) -> Iterator[str]:
        """Yield all of them."""
        base = ground.base(self.folder)
        return (base + self.path(number) for number in range(self.size))
