"""Computes the pages that a crawl limited to some depth must hold.

The walk follows the links that a web knows it has, not the bytes it sends: links cost
one, other names of a page (redirect, refresh, canonical) and other pages of its list nothing,
and only pages that robots rules allow are passed through. At depth 0 a list ends with its first
page. It is the oracle of exact depth.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Protocol

from lycosa.model.records import FREE_KINDS, LinkKind


class Charted(Protocol):
    """A web that knows its own links."""

    def is_allowed(self, url: str, agent: str) -> bool:
        """Say whether robots rules allow a URL."""

    def is_page(self, url: str) -> bool:
        """Say whether a URL gives a page, at least in fair weather."""

    def links_of(self, url: str, moment: float = 0.0) -> list[tuple[str, LinkKind]]:
        """Return the links of a URL."""


def pages_within(
    web: Charted, seeds: Iterable[str], depth: int, agent: str = "lycosa", moment: float = 0.0
) -> set[str]:
    """Return the pages at most `depth` links from a seed."""
    best: dict[str, int] = {}
    todo = deque((url, 0) for url in seeds)
    while todo:
        url, distance = todo.popleft()
        if best.get(url, depth + 1) <= distance or not web.is_allowed(url, agent):
            continue
        best[url] = distance
        for target, kind in web.links_of(url, moment):
            if kind is LinkKind.PAGINATION and not depth:
                continue
            if kind in FREE_KINDS:
                todo.appendleft((target, distance))
            else:
                todo.append((target, distance + 1))
    return {url for url in best if web.is_page(url)}
