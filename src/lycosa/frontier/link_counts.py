"""Counts the links that lead to URLs, for schedulers whose order depends on it.

Links to URLs of other partitions are collected until the next commit posts them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lycosa.frontier.schedulers import CountsLinks, KeepsLinks, Scheduler

MOST_LINKS = 255
"""More links at once make no difference to any score."""


class LinkCounts:
    """The link counts of a partition."""

    def __init__(self, scheduler: Scheduler, site_if_offered: Callable[[int], int | None]) -> None:
        """`site_if_offered` returns the site of a URL that the scheduler has."""
        self._site_if_offered = site_if_offered
        # Few have the attribute, and to ask for the whole protocol takes 20 µs a partition.
        is_wanted = getattr(scheduler, "counts_links", False)
        self._linked = (
            scheduler.linked if is_wanted and isinstance(scheduler, CountsLinks) else None
        )
        self._take_steps = (
            scheduler.take_steps if is_wanted and isinstance(scheduler, KeepsLinks) else None
        )
        self.is_on = self._linked is not None
        """Whether the order depends on how many links lead to a URL."""
        self.abroad: dict[int, dict[str, int]] = {}
        """Links to known URLs of other partitions, by partition and key; posted by a commit."""

    def count(self, pages: Iterable[int], times: int = 1) -> None:
        """Count links to known URLs, where the order depends on it."""
        if self._linked is not None:
            for page in pages:
                site = self._site_if_offered(page)
                for _ in range(min(times, MOST_LINKS)):
                    self._linked(page, site)

    def take_steps(self) -> dict[int, int]:
        """Return the URLs to which 2, 4, 8, ... links lead by now, for the next commit."""
        return self._take_steps() if self._take_steps is not None else {}
