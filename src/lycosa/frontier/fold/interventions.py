"""Applies what the operator does to the state of a partition: orders, other limits, removed hosts.

Orders: time that is paused is not time that the crawl has run. `run_began` moves on by it when the
crawl goes on, and `paused_from` is where the count stands meanwhile.

Limits: a larger depth lets the links of known pages be read again, and a larger number of pages of
a host opens the hosts that were full. Smaller limits hold for what is found from now on.
"""

from __future__ import annotations

from lycosa.frontier.facts.columns import NONE
from lycosa.frontier.fold.holdings import Holdings
from lycosa.model.job import DigestedLimits
from lycosa.model.records import Forgotten, OrderApplied, Outcome

FULL = int(Outcome.HOST_LIMIT)


def apply_order(state: Holdings, event: OrderApplied) -> None:
    """Note that an order was applied."""
    state.orders = event.number
    if state.paused_from:
        state.run_began += max(0.0, event.moment - state.paused_from)
    state.last_moment = max(state.last_moment, event.moment)
    state.paused_from = event.moment if event.is_paused else 0.0


def apply_limits(state: Holdings, limits: DigestedLimits) -> None:
    """Follow the limits of another job."""
    depths = limits.depth_static, limits.depth_dynamic
    # The log of an older Lycosa does not say by which limits links were refused: by any.
    unknown = (0, 0) if state.refusals["too-deep"] else depths
    state.limits.adopt(depths, state.limits.depths or unknown, len(state.pages.site))
    if FULL in state.hosts.closed:
        for host, closed in enumerate(state.hosts.closed):
            has_room = not limits.host_pages or state.hosts.kept[host] < limits.host_pages
            if closed == FULL and has_room:
                state.hosts.closed[host] = 0
                for site in state.sites_of(host):
                    state.open(site)


def forget(state: Holdings, event: Forgotten) -> None:
    """End everything of a host as blocked, and forget where its records were.

    `kept_pages`, `kept_bytes` and `outcomes` stay: they count what was fetched, and a
    limit that was used up is not given back.
    """
    state.hosts.closed[event.host] = Outcome.BLOCKED
    state.guesses.closed(event.host)
    sites, pages = set(state.sites_of(event.host)), state.pages
    for site in sites:
        state.close(site, Outcome.BLOCKED)
    gone = {page for page, site in enumerate(pages.site) if site in sites}
    for page in gone:
        pages.outcome[page] = Outcome.BLOCKED
        if pages.fetch[page] != NONE:
            state.fetches.length[pages.fetch[page]] = 0
    state.rendering.forget(gone)
