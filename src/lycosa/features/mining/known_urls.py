"""The URLs of a site as the miner sees them, read from the state of its partition."""

from __future__ import annotations

from lycosa.frontier.facts.columns import DONE, JUDGED, VAIN
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.patterns.miner import Known, Standing
from lycosa.model.records import Outcome


def known_url(state: PartitionState, key: str, page: int) -> Known:
    """Return what is known of a URL; its path is that within its site."""
    pages = state.pages
    start = len(state.site_names[pages.site[page]])
    rule = pages.guess[page] & ~(JUDGED | VAIN)
    return Known(key[start:], page, standing_of(state, page), pages.distance[page], rule)


def standing_of(state: PartitionState, page: int) -> Standing:
    """Return what the miner needs to know of a URL."""
    if state.pages.outcome[page] == Outcome.KEPT and not state.pages.guess[page] & VAIN:
        return Standing.PAGE
    return Standing.NOTHING if state.pages.status[page] == DONE else Standing.OPEN
