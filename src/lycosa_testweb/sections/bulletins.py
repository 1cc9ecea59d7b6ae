"""Pages that change at rates of their own, a few of which are linked from many.

Page n changes by a Poisson process (`news.version_at`) whose mean interval is drawn by hash from
between `fastest_seconds` and `slowest_seconds`, evenly on a logarithmic scale. Each page has
`links` links to others, drawn by hash and the first ones more often, so in-degrees follow a power
law. The rate of change of a page is independent of its in-degree. Links never change.

Some servers say when a page changed last: `has_dates`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from email.utils import formatdate

from lycosa_testweb.generated.numbered import Numbered
from lycosa_testweb.generated.page import Page, anchors
from lycosa_testweb.generated.section import Ground
from lycosa_testweb.mixing import fraction, mix, skewed
from lycosa_testweb.sections.news import changed_at, version_at

_STEEPNESS = 4.0


@dataclass(frozen=True, slots=True)
class Bulletins(Numbered):
    """Pages with rates of change and links of their own."""

    count: int = 40
    fastest_seconds: float = 3600.0
    slowest_seconds: float = 100 * 86_400.0
    links: int = 4
    has_dates: bool = False
    folder: str = "bulletins"

    def mean_seconds(self, ground: Ground, number: int) -> float:
        """Return a page's mean time between changes."""
        octaves = self.slowest_seconds / self.fastest_seconds
        return float(self.fastest_seconds * octaves ** fraction(ground.seed, number, 7))

    def version(self, ground: Ground, number: int, moment: float) -> int:
        """Return a page's version."""
        return version_at(mix(ground.seed, number), self.mean_seconds(ground, number), moment)

    def page(self, ground: Ground, rest: str, query: str, moment: float) -> Page | None:
        """Return the page in its present version."""
        number = self.number_at(rest)
        if query or number < 0:
            return None
        version = self.version(ground, number, moment)
        text = f"{ground.prose(version * 1024 + number)} Version {version}."
        others = dict.fromkeys(self._others(ground, number))
        headers: tuple[tuple[str, str], ...] = ()
        if self.has_dates:
            key, mean = mix(ground.seed, number), self.mean_seconds(ground, number)
            changed = formatdate(int(changed_at(key, mean, moment)), usegmt=True)
            headers = (("Last-Modified", changed),)
        return Page(
            f"Bulletin {number}",
            text,
            anchors(*others),
            headers=headers,
            language=ground.language,
        )

    def _others(self, ground: Ground, number: int) -> Iterator[str]:
        base = ground.base(self.folder)
        for link in range(self.links):
            yield f"{base}{skewed(self.count, _STEEPNESS, ground.seed, number, link, 9)}.html"
