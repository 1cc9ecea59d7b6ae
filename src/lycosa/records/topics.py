"""Events and messages about topics: what pages are about, and what URLs may be about.

Topics are numbers: their places in the names of the crawl's model (`lycosa.extract.topics.model`).
"""

from __future__ import annotations

from msgspec import Struct


class Classified(Struct, frozen=True, array_like=True, tag_field="t", tag=42):
    """What a page that was kept is about; its own `Fetched` precedes this."""

    page: int
    topics: list[int]
    """The surest first, at most three; none for a page of no topic."""
    confidences: list[int]
    """Of each, from 0 to 255."""
    queue: int = -1
    """The topic from whose queue it was taken; -1 where the order has nothing to do with topics."""
    is_again: bool = False
    """It was classified before, and this is a newer version of it."""


class Predicted(Struct, frozen=True, array_like=True, tag_field="t", tag=43):
    """URLs that wait have come to the queue of another topic, or to another position in it."""

    pages: list[int]
    queues: bytes
    """A topic for each."""
    positions: bytes
    """A position for each, 0 for the best."""
    put_up: list[int] = []
    """Those of them that were put off, and are wanted now."""


class Hinted(Struct, frozen=True, array_like=True, tag_field="t", tag=9):
    """A page links to URLs that were sent before: what that says about their topics."""

    said: bytes
    """What the page is about (`lycosa.crawl.topics.predictor`)."""
    keys: list[str]
    hints: bytes
    """What each link sounds like."""
