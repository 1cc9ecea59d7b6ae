"""Where the pages of a web with topics lie, computed both ways: from topic to URL, and back.

Pages of a topic are numbered 0, 1, 2, … A share of them, the *purity*, lies on hosts that hold
nothing else; all others lie on mixed hosts, in an order that a permutation makes. So the topic of a
URL and the URL of any page of a topic are computed, and nothing is stored.

The last numbers of a topic are its *tunnel* pages. The last numbers of `other` are the *passages*
that lead to them: each tunnel has `tunnel_length` of them, one behind the other.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import accumulate
from math import gcd
from typing import NamedTuple

from lycosa.errors import ConfigError
from lycosa_testweb.mixing import below

OTHER = "other"
SUFFIX = "-topics.test"
"""Each host is a registrable domain of its own, so that hosts are spread over partitions."""


class Shape(NamedTuple):
    """The parameters of a web with topics."""

    names: tuple[str, ...] = ("gardens", "astronomy", "cooking", "railways", "spiders")
    shares: tuple[float, ...] = ()
    """The share of each topic of all pages; empty: they share evenly what `other` leaves."""
    other: float = 0.3
    """The share of pages of none of the topics."""
    pages: int = 10_000
    pages_per_host: int = 50
    links: int = 12
    """Number of links of an ordinary page, which is not a hub."""
    locality: float = 0.4
    """The share of links that stay in the topic; hubs are not counted."""
    purity: float = 0.5
    """The share of a topic's pages on hosts that hold nothing else."""
    hubs: float = 0.01
    """The share of pages that are hubs."""
    hub_links: int = 40
    """Links of a hub to pages of its topic, beside the others."""
    tunnels: float = 0.02
    """The share of a topic's pages that are reached only through pages of `other`."""
    tunnel_length: int = 2
    """Through how many."""
    telling: float = 0.6
    """The share of links whose anchor has words of the target's topic."""
    blur: float = 0.14
    """The share of pages with more words of a foreign topic than of their own."""
    several: float = 0.05
    """The share of pages of two topics, each in a section under a heading."""
    words: int = 200
    """Words of a topic; a quarter of them belongs to the next topic too."""


class Page(NamedTuple):
    """A page: the number of its topic, and its number within the topic."""

    topic: int
    number: int


class Plan:
    """Places the pages of a shape."""

    def __init__(self, shape: Shape, seed: int) -> None:
        self.shape = shape
        self.seed = seed
        self.names = (*shape.names, OTHER)
        self.other = len(shape.names)
        self.sizes = _sizes(shape)
        self.tunnels = [
            round(size * shape.tunnels) if shape.tunnel_length else 0 for size in self.sizes[:-1]
        ]
        self.passages = sum(self.tunnels) * shape.tunnel_length
        self.ordinary = [
            size - hidden
            for size, hidden in zip(self.sizes, [*self.tunnels, self.passages], strict=True)
        ]
        _check(shape, self.ordinary)
        self._pure = [int(size * shape.purity) for size in self.sizes]
        self._mixed_starts = _starts(
            [size - pure for size, pure in zip(self.sizes, self._pure, strict=True)]
        )
        per_host = shape.pages_per_host
        self._host_starts = _starts(
            [
                *(-(-pure // per_host) for pure in self._pure),
                -(-self._mixed_starts[-1] // per_host),
            ]
        )
        self.hosts = self._host_starts[-1]

    # -- places --------------------------------------------------------------------------

    def place(self, page: Page) -> tuple[int, int]:
        """Return the host of a page and its number there."""
        per_host = self.shape.pages_per_host
        if page.number < self._pure[page.topic]:
            host, slot = divmod(page.number, per_host)
            return self._host_permutation.there(self._host_starts[page.topic] + host), slot
        mixed = self._mixed_starts[page.topic] + page.number - self._pure[page.topic]
        host, slot = divmod(self._mixed_permutation.there(mixed), per_host)
        return self._host_permutation.there(self._host_starts[-2] + host), slot

    def page_at(self, host: int, slot: int) -> Page | None:
        """Return the page of a host with that number there."""
        per_host = self.shape.pages_per_host
        if not (0 <= host < self.hosts and 0 <= slot < per_host):
            return None
        group_host = self._host_permutation.back(host)
        topic = bisect_right(self._host_starts, group_host) - 1
        number = (group_host - self._host_starts[topic]) * per_host + slot
        if topic < len(self.names):
            return Page(topic, number) if number < self._pure[topic] else None
        if number >= self._mixed_starts[-1]:
            return None
        mixed = self._mixed_permutation.back(number)
        topic = bisect_right(self._mixed_starts, mixed) - 1
        return Page(topic, mixed - self._mixed_starts[topic] + self._pure[topic])

    @cached_property
    def _host_permutation(self) -> _Permutation:
        return _Permutation(self.hosts, self.seed, 1)

    @cached_property
    def _mixed_permutation(self) -> _Permutation:
        return _Permutation(self._mixed_starts[-1], self.seed, 2)

    # -- tunnels -------------------------------------------------------------------------

    def is_tunnel(self, page: Page) -> bool:
        """Return whether a page of a topic is reached through passages alone."""
        return page.topic != self.other and page.number >= self.ordinary[page.topic]

    def is_passage(self, page: Page) -> bool:
        """Return whether a page of `other` leads to a tunnel page."""
        return page.topic == self.other and page.number >= self.ordinary[self.other]

    def after_passage(self, page: Page) -> Page:
        """Return the page behind a passage: the next passage, or the tunnel page."""
        tunnel, step = divmod(page.number - self.ordinary[self.other], self.shape.tunnel_length)
        if step + 1 < self.shape.tunnel_length:
            return Page(self.other, page.number + 1)
        starts = _starts(self.tunnels)
        topic = bisect_right(starts, tunnel) - 1
        return Page(topic, self.ordinary[topic] + tunnel - starts[topic])

    def entrances(self, page: Page) -> list[Page]:
        """Return the first passages of the tunnels that begin at a page."""
        if page.topic == self.other or page.number >= self.ordinary[page.topic]:
            return []
        first = sum(self.tunnels[: page.topic])
        own = range(page.number, self.tunnels[page.topic], self.ordinary[page.topic])
        length = self.shape.tunnel_length
        start = self.ordinary[self.other]
        return [Page(self.other, start + (first + tunnel) * length) for tunnel in own]


class _Permutation:
    """A permutation of 0 … size - 1, n to a n + b.

    Neighbours come from places that are the golden section of all apart, so that those who follow
    each other on a host are of all topics.
    """

    def __init__(self, size: int, seed: int, salt: int) -> None:
        self._size = max(1, size)
        step = int(self._size * 0.618) + below(max(1, self._size // 20), seed, salt, 1) + 1
        while gcd(step, self._size) != 1:
            step += 1
        self._inverse = step
        self._factor = pow(step, -1, self._size)
        self._shift = below(self._size, seed, salt, 2)

    def there(self, number: int) -> int:
        """Return where a number goes."""
        return (number * self._factor + self._shift) % self._size

    def back(self, number: int) -> int:
        """Return which number goes there."""
        return (number - self._shift) * self._inverse % self._size


def _starts(sizes: list[int]) -> list[int]:
    return [0, *accumulate(sizes)]


def _sizes(shape: Shape) -> list[int]:
    """Return how many pages each topic has, and `other`, which takes the rest."""
    even = (1 - shape.other) / max(1, len(shape.names))
    shares = shape.shares or (even,) * len(shape.names)
    if len(shares) != len(shape.names) or OTHER in shape.names:
        raise ConfigError(
            f"each of {len(shape.names)} topics needs a name and a share, but `other`"
        )
    sizes = [round(shape.pages * share) for share in shares]
    return [*sizes, shape.pages - sum(sizes)]


def _check(shape: Shape, ordinary: list[int]) -> None:
    if min(ordinary) < 2:
        raise ConfigError(
            f"a web of {shape.pages} pages has too few for {len(shape.names)} topics, `other` and "
            "the passages of the tunnels\n  more pages, a larger share of `other`, or no tunnels"
        )
    if shape.locality * shape.links < 2 or shape.locality > 1:
        raise ConfigError(
            f"two links of each page lead to pages of its topic: of {shape.links} links the share "
            f"that stays in the topic cannot be {shape.locality}\n  more links or more locality"
        )
