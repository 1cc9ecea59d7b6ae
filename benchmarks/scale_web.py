"""The web of the simulated cluster: any number of hosts of few pages, computed from their numbers.

Host n is called `www.s<n>.test` and has between one and `largest` pages, most of them few; their
sizes follow a power law, as those of the web's sites do. Each page links to two more pages of its
host, to the home page, and to the home pages of `far_links` other hosts drawn at random. So hosts
are found by links from everywhere, and nearly every link crosses from one partition to another:
the worst case for the messages between machines.

Answers take between 0.1 and 0.9 seconds, half a second on the average. No host has a robots file.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from lycosa.model.records import Request, Resolved
from lycosa_testweb.mixing import below, digest, fraction
from lycosa_testweb.parts import take_apart
from lycosa_testweb.web import HTML, PLAIN, Reply

LATENCY_SECONDS = (0.1, 0.9)
WORDS = ("spider", "silk", "thread", "orb", "dragline", "prey", "burrow", "meadow", "dew", "leg")
WORDS_A_PAGE = 30


class Sizes(NamedTuple):
    """How many pages hosts have: floor(1.5 / u^0.7) for u even in 0..1, up to the largest."""

    largest: int = 25

    def of(self, chance: float) -> int:
        """Return the number of pages for a number between 0 and 1."""
        return min(self.largest, int(1.5 / (1.0 - chance) ** 0.7))

    def shares(self) -> dict[int, float]:
        """Return which share of all hosts has how many pages."""
        bounds = [(1.5 / size) ** (1 / 0.7) if size > 1 else 1.0 for size in range(1, 99)]
        found = {
            size: bounds[size - 1] - bounds[size]
            for size in range(1, self.largest)
            if bounds[size - 1] > bounds[size]
        }
        found[self.largest] = bounds[self.largest - 1]
        return found

    @property
    def mean(self) -> float:
        """How many pages a host has on the average."""
        return sum(size * share for size, share in self.shares().items())


class ScaleWeb:
    """A web of many small hosts."""

    def __init__(self, hosts: int, far_links: int = 3, sizes: Sizes | None = None, seed: int = 1):
        self.hosts = hosts
        self.far_links = far_links
        self.sizes = sizes or Sizes()
        self._seed = seed

    def home(self, host: int) -> str:
        """Return the address of a host's home page."""
        return f"http://www.s{host}.test/"

    def size(self, host: int) -> int:
        """Return how many pages a host has."""
        return self.sizes.of(fraction(self._seed, host, 1))

    def counted(self) -> Counter[int]:
        """Return how many hosts have how many pages."""
        return Counter(self.size(host) for host in range(self.hosts))

    def answer(self, request: Request, moment: float) -> Reply:
        """Answer with a page, or that there is none."""
        parts = take_apart(request.url)
        host = _number(parts.host)
        least, most = LATENCY_SECONDS
        seconds = least + (most - least) * fraction(self._seed, host, digest(parts.path))
        page = _page_number(parts.path)
        if not 0 <= page < self.size(host):
            return Reply(404, PLAIN, b"", seconds)
        return Reply(200, HTML, self._page(host, page).encode(), seconds)

    def _page(self, host: int, page: int) -> str:
        near = ["/", *(f"/p{one}" for one in (2 * page + 1, 2 * page + 2) if one < self.size(host))]
        far = [
            self.home(below(self.hosts, self._seed, host, page, one))
            for one in range(self.far_links)
        ]
        text = " ".join(WORDS[below(len(WORDS), host, page, one)] for one in range(WORDS_A_PAGE))
        links = "".join(f'<a href="{link}">to</a>\n' for link in (*near, *far))
        title = f"{host} {page}"
        return (
            f"<!doctype html><html><title>{title}</title><body><p>{text}</p>{links}</body></html>"
        )

    def resolve(self, host: str, moment: float) -> Resolved:
        """Return an address that the host has for itself."""
        number = _number(host)
        return Resolved(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}", 3600.0)

    def is_allowed(self, url: str, agent: str) -> bool:
        """Allow everything."""
        return True

    def crawl_delay(self, host: str, agent: str) -> float:
        """Ask for none."""
        return 0.0


def _number(host: str) -> int:
    return int(host.split(".")[1][1:])


def _page_number(path: str) -> int:
    if path == "/":
        return 0
    number = path.removeprefix("/p")
    return int(number) if number.isdigit() else -1
