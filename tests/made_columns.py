"""Entries of columns, one by one: the crawl enters them by its compiled fold."""

from __future__ import annotations

from xxhash import xxh3_64_intdigest

from lycosa.frontier.facts.columns import NONE, Fetches, Pages
from lycosa.frontier.facts.sources import Sources


def add_pages(pages: Pages, sites: list[int], distances: list[int]) -> None:
    """Enter new URLs as pending."""
    zeros = bytes(len(sites))
    pages.distance.extend(distances)
    pages.site.extend(sites)
    pages.fetch.extend([NONE] * len(sites))
    for of_bytes in (pages.status, pages.outcome, pages.tries, pages.guess, pages.hops):
        of_bytes.frombytes(zeros)  # of a status that is `PENDING`


def add_fetch(fetches: Fetches) -> int:
    """Enter a URL that is asked for the first time."""
    for column in (fetches.segment, fetches.offset, fetches.length):
        column.append(0)
    fetches.due.append(0.0)
    return len(fetches.due) - 1


def add_source(sources: Sources, first: int, key: str, page: int | None) -> None:
    """Record that the URLs from this number on were found at `key`; "" for no page."""
    source = int(xxh3_64_intdigest(key.encode())) if key else 0
    if source != (sources.source[-1] if sources.source else 0):
        sources.first.append(first)
        sources.source.append(source)
        sources.page.append(0 if page is None else page + 1)
