"""Tells which offered URLs are repeated tries, because their last fetch failed."""

from __future__ import annotations

from lycosa.frontier.facts.columns import Pages
from lycosa.model.records import Outcome

_NO_FAILURES = frozenset((0, int(Outcome.KEPT), int(Outcome.NOT_MODIFIED)))


def has_failed(pages: Pages, page: int) -> bool:
    """Return whether the last fetch of a URL failed."""
    return pages.outcome[page] not in _NO_FAILURES
