"""Leads links to other views of a page (session ids, spellings) to the view that is kept.

Without this every visit of a shop that writes a session into its links finds new URLs for pages
that are held already. A link is changed only if some view of the page was kept: nothing is taken on
trust, so no page is lost where a site needs the parameter. Redirects and seeds are never changed:
a server that redirects to add a session would be asked in a circle.

The link still counts for its depth: the page that is kept comes nearer by it. Its row in the table
of links says `known-copy`, because what it leads to is decided before the row is written.

Cost: nothing for links to known URLs; for a new URL with a query or an escape some tenths of a
microsecond. Pages without a plain URL are remembered in a cache of fixed size.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from lycosa._support.tuples import NamedTuple
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.records import Outcome, Target

KNOWN_COPY = "known-copy"
"""The reason under which links are counted that were led to a page that is kept."""

MOST_REMEMBERED = 20_000


class Ahead(NamedTuple):
    """Facts about the links of a page that naming them has found, and that routing them needs."""

    places: Sequence[int]
    """The positions of the links that are not settled."""
    led: Mapping[str, str]
    """The keys of links to other views of a kept page, with the key of that page."""


class KnownCopies:
    """Knows which view of a page is kept; one for each worker."""

    def __init__(self) -> None:
        self._views: dict[str, str] = {}
        """Plain key → the key under which the page is kept."""

    def learn(self, state: PartitionState, page: int, key: str) -> None:
        """Remember under which key a page is kept, if it is not the plain one."""
        plain = _plain_of(key)
        if plain is not None and state.pages.outcome[page] == Outcome.KEPT:
            self._remember(plain, key)

    def led_from(
        self, state: PartitionState, page: int, targets: Sequence[Target], places: Iterable[int]
    ) -> dict[str, str]:
        """Return which links of a page lead to other views of what is kept, and to which.

        The page itself is about to be kept. `places` are those of the links that are not settled.
        """
        plain = _plain_of(state.table.key(page))
        if plain is not None:
            self._remember(plain, state.table.key(page))
        led = {}
        for place in places:
            key = targets[place].key
            if "?" in key or ";" in key or "%" in key:
                original = self.original_of(state, key, page)
                if original is not None:
                    led[key] = original
        return led

    def _remember(self, plain: str, key: str) -> None:
        if len(self._views) >= MOST_REMEMBERED:
            self._views.clear()
        self._views.setdefault(plain, key)

    def original_of(self, state: PartitionState, key: str, keeping: int = -1) -> str | None:
        """Return the key of the view that is kept of a new URL's page; None when none is.

        `keeping` is a page that is about to be kept.
        """
        plain = _plain_of(key)
        if plain is None or state.table.find(key) is not None:
            return None
        for view in (plain, self._views.get(plain)):
            page = state.table.find(view) if view is not None else None
            if page is None:
                continue
            if page == keeping or state.pages.outcome[page] == Outcome.KEPT:
                return view
        return None

    def forget(self) -> None:
        """Forget everything: partitions may have been lost."""
        self._views.clear()


def _plain_of(key: str) -> str | None:
    """Return the plain key of a view; None for most URLs, at the cost of three looks."""
    if "?" not in key and ";" not in key and "%" not in key:
        return None
    if "#" in key:
        return None  # it is a plugin's POST, not a view of a page (`lycosa.model.url.posts`)
    from lycosa.model.url.copies import (
        plain_of,  # its expressions are dear, and many sites have no views
    )

    return plain_of(key)
