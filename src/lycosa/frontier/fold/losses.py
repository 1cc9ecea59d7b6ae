"""Applies the loss of records to the state of a partition: what they held is fetched again."""

from __future__ import annotations

from lycosa.frontier.facts.columns import PENDING, WAITING
from lycosa.frontier.fold.holdings import Holdings
from lycosa.model.records import Outcome, RecordsLost, RobotsState


def give_up(state: Holdings, event: RecordsLost) -> None:
    """Forget records that are gone, give back what they counted for, and ask again."""
    columns = (event.pages, event.outcomes, event.sizes, event.places)
    for page, outcome, size_bytes, place in zip(*columns, strict=True):
        state.lost.setdefault(place.segment, set()).add(place.offset)
        host = state.sites.host[state.pages.site[page]]
        is_rendered = outcome is Outcome.RENDERED
        if outcome is Outcome.KEPT or (is_rendered and size_bytes):  # a view counts as a page
            state.kept_pages -= 1
            state.kept_bytes -= size_bytes
            state.hosts.kept[host] -= bool(state.hosts.kept[host])
        if is_rendered:
            state.rendering.lost(page, place)
            continue
        state.outcomes[outcome] -= 1
        if state.place_of(page) == place:
            _ask_again(state, page, host)
    state.losses = max(state.losses, event.loss)
    for place in event.robots:
        state.lost.setdefault(place.segment, set()).add(place.offset)
    for segment in event.segments:
        state.segment_ends.pop(segment, None)
    for site in event.sites:
        state.sites.robots[site] = RobotsState.UNKNOWN
        state.sites.robots_expires[site] = 0.0
        state.rules.pop(site, None)


def _ask_again(state: Holdings, page: int, host: int) -> None:
    """Let a page whose record is lost be fetched again, also on a host that was full."""
    fetch = state.pages.fetch[page]
    state.fetches.length[fetch], state.fetches.due[fetch] = 0, 0.0
    if state.pages.outcome[page] == Outcome.KEPT:
        state.topics.lost(page)
    if state.hosts.closed[host] == Outcome.HOST_LIMIT:
        state.hosts.closed[host] = 0
        for site in state.sites_of(host):
            state.open(site)
    if state.pages.status[page] == WAITING:
        state.pages.status[page] = PENDING
    state.put_up(page)
    state.pages.outcome[page] = 0
