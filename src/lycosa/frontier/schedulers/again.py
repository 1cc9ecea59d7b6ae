"""Which URLs are offered because they failed before."""

from __future__ import annotations

from lycosa.frontier.fold.columns import Pages
from lycosa.records import Outcome

_NO_FAILURES = frozenset((0, int(Outcome.KEPT), int(Outcome.NOT_MODIFIED)))


def has_failed(pages: Pages, page: int) -> bool:
    """Return whether the last thing that is known of a URL is that it failed."""
    return pages.outcome[page] not in _NO_FAILURES
