"""The input and output of a search: hits with passages, facets, and notes for the user."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

FOUND, NOTHING_FOUND, NOTHING_ASKED = "found", "nothing-found", "nothing-asked"
"""The outcomes of a search that was answered; the pool adds `too-slow`, `busy` and `failed`."""


class Ask(NamedTuple):
    """A question, and the wanted part of the answer."""

    text: str
    limit: int = 10
    page: int = 1


class Snippet(msgspec.Struct, frozen=True):
    """A passage of a page, with the places of the words in it."""

    text: str
    marks: list[tuple[int, int]] = []
    """Begin and end of each word that was asked for."""


class Hit(msgspec.Struct):
    """A page that was found."""

    url: str
    title: str
    host: str
    language: str
    type: str
    topic: str
    moment: int
    """When this content was fetched first, in seconds since 1970."""
    score: float
    snippet: Snippet
    url_id: int = 0
    copies: list[str] = []
    """Other URLs with the same bytes."""
    more_of_site: int = 0
    """Results of this host that come later, because two of them are above."""


class Results(msgspec.Struct):
    """The answer to a question."""

    outcome: str
    hits: list[Hit] = []
    total: int = 0
    """Pages that match, copies included."""
    first: int = 1
    """The place of the first hit in the order of all."""
    pages: int = 0
    """Pages in the index."""
    is_partial: bool = False
    """Whether too few pages have all words, so that pages with some of them are shown."""
    did_you_mean: str = ""
    facets: dict[str, list[tuple[str, int]]] = {}
    """Under `site`, `language`, `type` and `topic`: values with their numbers of pages."""
    notes: list[str] = []
    milliseconds: float = 0.0
