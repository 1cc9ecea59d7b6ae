"""Schedulers: the order in which the ready URLs of a partition are chosen.

A scheduler knows the pending URLs of one partition, site by site. `readiness` wakes a
site when its host may be asked and puts it to rest when it may not; only URLs of awake
sites count as ready and can be chosen. So a scheduler need not know about politeness,
and no order it produces can be impolite.

Always true:
  * `ready` is the number of URLs offered and not yet chosen whose site is awake;
  * `choose` returns None exactly when `ready` is 0;
  * a URL that was offered once is chosen at most once.

Cursors and queues are not state: a crawl resumes with fresh ones.

    factory        makes the scheduler that a job names
    breadth_first  by distance from the seeds
    best_first     by score
    scores         scores of URLs: links, depth, path, plugins
    tree           along the tree of URLs: round robin
    windows        along the tree of URLs: windows that slide over it
    diverse        sites spread as far apart as possible
    profit         by the worth of a visit, within a cycle
    topics         by topic, and in each the most promising first
    queues         the smallest rank first
    _queues        the same, compiled
    _topic_queues  the same for each topic, compiled
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable


class Scheduler(Protocol):
    """An order over pending URLs. Called by `lycosa.frontier.partition` alone."""

    @property
    def ready(self) -> int:
        """How many URLs can be chosen now."""

    def offer(self, page: int, site: int) -> None:
        """Take in a URL that has become pending."""

    def move(self, page: int, site: int) -> None:
        """Note that a URL that was offered is nearer to the seeds than it was."""

    def drop(self, site: int) -> None:
        """Forget everything that was offered of a site: it is closed."""

    def wake(self, site: int) -> None:
        """Count the site's URLs as ready; harmless when it is awake."""

    def rest(self, site: int) -> None:
        """Count the site's URLs as not ready; harmless when it rests."""

    def waiting(self, site: int) -> int:
        """Return how many URLs of the site are offered and not chosen."""

    def choose(self) -> int | None:
        """Return the next URL, which is then no longer offered, or None."""


@runtime_checkable
class CountsLinks(Protocol):
    """Optional for a scheduler: learns from how often a URL is linked to."""

    counts_links: bool
    """Whether `linked` must be called."""

    def linked(self, page: int, site: int | None) -> None:
        """Note one more link to a known URL; `site` is None unless it is offered."""


@runtime_checkable
class KeepsLinks(Protocol):
    """Optional for a scheduler that counts links: has what it counted written to the log."""

    def take_steps(self) -> dict[int, int]:
        """Return the URLs whose number of links has reached a power of two since the last call."""


@runtime_checkable
class ChoosesFrom(Protocol):
    """Optional for a scheduler: goes on with one site, or gives a certain URL back, for bursts."""

    def choose_from(self, site: int) -> int | None:
        """Return the next URL of a site that is awake, or None."""

    def withdraw(self, page: int, site: int) -> None:
        """Forget a URL that was offered."""


@runtime_checkable
class KeepsTurn(Protocol):
    """Optional for a scheduler: several URLs of a partition come one after the other."""

    def keeps_turn(self) -> bool:
        """Return whether another URL is to be chosen before those of other partitions."""


@runtime_checkable
class MovesBetweenQueues(Protocol):
    """Optional for a scheduler: has a queue for each topic."""

    def move_to(self, page: int, site: int, queue: int, position: int) -> None:
        """Note that a URL that was offered has come to a position of this queue."""
