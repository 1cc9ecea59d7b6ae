"""Applies the removal of a host to the state of a partition."""

from __future__ import annotations

from lycosa.frontier.facts.columns import NONE
from lycosa.frontier.fold.holdings import Holdings
from lycosa.model.records import Forgotten, Outcome


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
