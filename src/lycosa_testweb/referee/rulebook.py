"""The rules that a referee judges by, and the breaches it records.

The rules are the promises of the crawler under test: its pauses, its agent, how long it
keeps a robots file. A `Breach` is one broken promise, seen from the server's side.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple


class BreachKind(enum.StrEnum):
    """The kinds of breaches."""

    HOST_OVERLAP = "two requests at once on one host"
    ADDRESS_OVERLAP = "two requests at once on one address"
    ADDRESS_GAP = "too soon after the last answer from the address"
    HOST_PAUSE = "too soon after the last answer from the host"
    CRAWL_DELAY = "sooner than the site's Crawl-delay allows"
    RETRY_AFTER = "sooner than Retry-After or the back-off after a refusal allows"
    ROBOTS_NOT_ASKED = "a page before the site's robots file"
    ROBOTS_UNREACHABLE = "a page though the robots file could not be fetched"
    ROBOTS_EXPIRED = "a page by a robots file that is too old"
    DISALLOWED = "a page that the robots file forbids"
    ASKED_TWICE = "a page that had been answered"
    ROBOTS_ASKED_TWICE = "a robots file that had been answered"


class Breach(NamedTuple):
    """A breach of a rule."""

    kind: BreachKind
    host: str
    address: str
    url: str
    moment: float
    detail: str

    def __str__(self) -> str:
        return f"{self.moment:.6f} {self.url} ({self.address}): {self.kind}; {self.detail}"


@dataclass(frozen=True, slots=True)
class RefereeRules:
    """The promises of a crawler."""

    delay_seconds: float | Callable[[str, int], float] = 1.0
    """The pause of a host, or a function of the host and of the pages it has given so far."""
    ip_delay_seconds: float = 0.5
    burst_urls: int = 1
    """Requests that a host without a Crawl-delay may get with no pause in between; after n such
    requests n pauses must follow."""
    burst_parts: int = 1
    """The same for parts of pages, by `is_part`; the first request of the row may be any, and a
    robots file may be among the others."""
    is_part: Callable[[str], bool] = bool
    """Whether a URL is one that scripts of a page ask for; without a web that tells, any is."""
    backoff_first_seconds: float = 0.0
    """The pause after a refusal (429, 503) without Retry-After; it doubles with each further one in
    a row, and holds then beside Retry-After. 0 is none."""
    backoff_most_seconds: float = 86_400.0
    agent: str = "lycosa"
    revisit_seconds: float = 0.0
    """After how long a page may be asked for again; 0 is never."""
    robots_cache_seconds: float = 86_400.0
    robots_slack_seconds: float = 5.0
    """How long after the robots file's end of life a page may still begin."""
    robots_redirects: int = 5
    tolerance_seconds: float = 1e-6
    forget_window_seconds: float = 1.0
    """How long before a kill an answer may have come in and yet be lost with the client."""
    demand_window_seconds: float = 0.1
    """The same for demands (Retry-After, Crawl-delay, robots rules): those are written down at
    once, so a client may have lost only what it was told just before it was killed."""
    one_lost_pause_seconds: float = 0.2
    """A host with at least this pause is asked again only when its last answer is durable: what a
    kill makes a client forget of such a host is its last request, and no other."""

    def back_off(self, refusals: int) -> float:
        """Return the pause after this number of refusals in a row."""
        doubled: float = self.backoff_first_seconds * 2.0 ** min(refusals - 1, 40)
        return min(doubled, self.backoff_most_seconds)

    def pause_of(self, host: str, pages: int) -> float:
        """Return the pause that is due."""
        delay = self.delay_seconds
        return delay(host, pages) if callable(delay) else delay

    def loses_one_at_most(self, host: str, pages: int) -> bool:
        """Return whether a kill may cost a host one repeated request and no more."""
        pause = self.pause_of(host, pages)
        if self.longest_burst > 1:
            pause = min(pause, self.ip_delay_seconds)
        return pause >= self.one_lost_pause_seconds

    @property
    def longest_burst(self) -> int:
        """The most requests to a host without a pause in between."""
        return max(self.burst_urls, self.burst_parts)
