"""Describes a generated web: its number of hosts, their addresses, and their traits.

`Listed` names the traits of every host, for small webs in which nothing may be missing.
`Mixture` draws them by weight from the seed, for webs of any size: the traits of host
900,000 are computed when a request needs them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from lycosa_testweb.generated.missing import Missing
from lycosa_testweb.generated.section import Section
from lycosa_testweb.generated.weather import Overload, Pace
from lycosa_testweb.generated.words import LANGUAGES, TOPICS
from lycosa_testweb.mixing import below, fraction, mix, weighted
from lycosa_testweb.robots import Robots
from lycosa_testweb.sections import Sitemaps
from lycosa_testweb.sections.sitemaps import INDEX_PATH

_NO_ROBOTS = Robots(status=404)
_USUAL_PACE = Pace()


@dataclass(frozen=True, slots=True)
class Traits:
    """The traits of one host."""

    sections: tuple[Section, ...] = ()
    robots: Robots = _NO_ROBOTS
    overload: Overload | None = None
    pace: Pace = _USUAL_PACE
    scheme: str = "http"
    language: str = "en"
    topic: str = "spiders"
    words: int = 60
    """Words of text on a page."""
    has_address: bool = True
    has_annex: bool = False
    """Whether there is a second, small site on port 8080."""
    missing: Missing | None = None
    """The reply where there is no page; None is an honest 404."""
    validators: bool = False
    """Whether pages have an ETag, and need not be sent again to who holds them."""
    server: str = ""
    """The Server header of the host; none is sent if it is empty."""
    is_dated: bool = False
    """Whether pages say when they were changed."""
    twin: int | None = None
    """The number of the host that it says the same as; None is none."""


class Plan(Protocol):
    """The hosts of a web: their number and their traits."""

    @property
    def hosts(self) -> int:
        """The number of hosts."""

    @property
    def addresses(self) -> int:
        """The number of addresses they share."""

    @property
    def names_per_domain(self) -> int:
        """How many hosts belong to one registrable domain, and so to one address."""

    def traits(self, number: int, seed: int) -> Traits:
        """Return the traits of a host."""


@dataclass(frozen=True, slots=True)
class Listed:
    """Hosts one by one."""

    sites: tuple[Traits, ...]
    addresses: int = 1
    names_per_domain: int = 1

    @property
    def hosts(self) -> int:
        """As many as are listed."""
        return len(self.sites)

    def traits(self, number: int, seed: int) -> Traits:
        """Look them up."""
        return self.sites[number]


@dataclass(frozen=True, slots=True)
class Mixture:
    """Hosts by weights."""

    hosts: int
    addresses: int
    names_per_domain: int = 1
    sections: tuple[tuple[tuple[Section, ...], float], ...] = (((), 1.0),)
    robots: tuple[tuple[Robots, float], ...] = ((_NO_ROBOTS, 1.0),)
    overloads: tuple[tuple[Overload | None, float], ...] = ((None, 1.0),)
    paces: tuple[tuple[Pace, float], ...] = ((_USUAL_PACE, 1.0),)
    https_share: float = 0.0
    dead_share: float = 0.0
    """Hosts without an address; host 0 always has one."""
    annex_share: float = 0.0
    words: int = 60
    servers: tuple[tuple[str, float], ...] = (("", 1.0),)
    dated_share: float = 0.0
    """Hosts whose pages say when they were changed."""

    def traits(self, number: int, seed: int) -> Traits:
        """Draw them."""
        key = mix(seed, number, 11)
        sections = weighted(self.sections, key, 1)
        robots = weighted(self.robots, key, 2)
        if any(isinstance(section, Sitemaps) for section in sections):
            robots = replace(robots, sitemaps=(INDEX_PATH,))
        return Traits(
            sections,
            robots,
            weighted(self.overloads, key, 3),
            weighted(self.paces, key, 4),
            "https" if fraction(key, 5) < self.https_share else "http",
            LANGUAGES[below(len(LANGUAGES), key, 6)],
            TOPICS[below(len(TOPICS), key, 7)],
            self.words,
            number == 0 or fraction(key, 8) >= self.dead_share,
            fraction(key, 9) < self.annex_share,
            server=weighted(self.servers, key, 10),
            is_dated=fraction(key, 11) < self.dated_share,
        )
