"""Queues of URLs by rank: the smallest rank first, and among equals the URL put in first.

Every site has a first-in-first-out queue for each rank. Of all awake sites the one is served whose
first URL has the smallest rank, and among those the smallest number. `Queues` is compiled
(`_queues`); a test compares it with the same in plain Python (`tests/plain_queues.py`).

A rank is a whole number below 2**32 - 1, and a URL's rank can only become smaller while it waits.
"""

from __future__ import annotations

from lycosa.frontier.facts.columns import Pages
from lycosa.frontier.schedulers._queues import Queues
from lycosa.model.records import Outcome

__all__ = ["Queues", "has_failed"]


_NO_FAILURES = frozenset((0, int(Outcome.KEPT), int(Outcome.NOT_MODIFIED)))


def has_failed(pages: Pages, page: int) -> bool:
    """Return whether the last fetch of a URL failed."""
    return pages.outcome[page] not in _NO_FAILURES
