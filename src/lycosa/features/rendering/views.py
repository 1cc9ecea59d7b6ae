"""Counts views of pages in the limits of the job (`lycosa.model.url.views`).

Always true:
  * a view is in a browser only with a reservation, which ends once: it is kept, or given back;
  * a view counts once, and so does each of its pages.
"""

from __future__ import annotations

from collections.abc import Sequence

from lycosa.crawl.ports import Ports
from lycosa.fetch.browser.protocol import FoundLink
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.model.records import HostChanged, Outcome
from lycosa.model.url import url_of
from lycosa.model.url.views import view_of

NONE_RESERVED = -1
"""The reservation of a page: it has counted when it was fetched."""


class ViewLimits:
    """The limits as they hold for views; one per worker."""

    def __init__(self, ports: Ports) -> None:
        self._budget = ports.budget
        self._most = ports.job.render.views
        self._host_pages = ports.job.limits.host_pages

    def new_views(self, state: PartitionState, page: int, found: Sequence[FoundLink]) -> list[str]:
        """Return the views of a page that a document names and that nothing is known of."""
        if not self._most:
            return []
        views, url = state.rendering.views.get(page), url_of(state.table.key(page))
        known = views.found if views is not None else []
        named = dict.fromkeys(view_of(url, link.url) for link in found)
        new = [view for view in named if view and view not in known]
        return new[: max(0, self._most - len(known))]

    def is_full(self, state: PartitionState, page: int) -> bool:
        """Return whether the page's host has given as many pages as the job takes."""
        return 0 < self._host_pages <= state.hosts.kept[state.sites.host[state.pages.site[page]]]

    def is_last_on_its_way(self, partition: Partition, page: int) -> bool:
        """Return whether the last page that the host may give has been asked for."""
        state = partition.state
        host = state.sites.host[state.pages.site[page]]
        is_last = self._host_pages == state.hosts.kept[host] + 1
        return is_last and partition.readiness.is_taken(host)

    def reserve(self, view: str, now: float) -> int | None:
        """Return the reservation for a page or its view; None if no view may be shown now."""
        return self._budget.reserve(now) if view else NONE_RESERVED

    def give_back(self, reserved_bytes: int) -> None:
        """End the reservation of a view that is not kept; there is none of a page."""
        if reserved_bytes != NONE_RESERVED:
            self._budget.give_back(reserved_bytes)

    def keep(
        self, state: PartitionState, page: int, view: str, reserved: int, size_bytes: int
    ) -> int | None:
        """End the reservation of a view that is to be kept; None if it does not fit.

        Returns the bytes that it counts for: 0 if it has counted before.
        """
        views = state.rendering.views.get(page)
        if views is not None and view in views.places:
            self.give_back(reserved)
            return 0
        url = url_of(state.table.key(page)) + view
        return size_bytes if self._budget.keep(reserved, size_bytes, url) else None

    def close_full(self, partition: Partition, page: int, now: float) -> None:
        """Close the host of a view that was its last page."""
        state = partition.state
        hosts, host = state.hosts, state.sites.host[state.pages.site[page]]
        if self.is_full(state, page) and not hosts.closed[host]:
            due, strikes = hosts.due[host], hosts.strikes[host]
            partition.change_host(HostChanged(now, host, due, strikes, Outcome.HOST_LIMIT))
