"""The records that `Crawl` yields: one class per table.

Moments are in UTC. Ids are signed 64-bit hashes, as in the tables: `url_id` identifies a URL, and
`fetch_id` one fetch of it; all rows of a fetch share that id.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple


class Page(NamedTuple):
    """A fetch of a page or, from `Crawl.hosts`, of a robots file; it may have failed."""

    url: str
    outcome: str
    """The outcome of the fetch: `kept`, `not_found` and so on."""
    status: int
    """The HTTP status; 0 when there was no answer."""
    fetched_at: datetime
    """The moment when the answer was complete."""
    host: str
    address: str
    """The IP address that the request went to."""
    content_type: str
    """The content type as the server declared it."""
    size_bytes: int
    """The size of the decoded content."""
    truncated: bool
    """Whether only the beginning is stored: the body was too long, or broke off."""
    began: datetime
    ended: datetime
    title: str
    description: str
    language: str
    charset: str
    depth: int
    """The number of links from a seed, as known at the time."""
    via: str
    """The way in which the URL was found: `seed`, `link`, `redirect`, `mined` or `probe`; "" in old
    crawls.
    """
    rule: str
    """The rule of the guess, such as `folder` or `number`, if the URL was `mined`."""
    url_id: int
    fetch_id: int
    digest: str | None
    """The SHA-1 of the payload; None when there was no answer."""
    fingerprint: int
    """A fingerprint of the visible text; those of similar pages differ in few bits."""
    warc: str | None
    """The WARC file with the record; None when there was no answer."""
    offset: int
    length: int
    extra: Mapping[str, object]
    """The columns that plugins have added, by their names."""
    source_id: int | None = None
    """The `url_id` of the page that first led to the URL; None of a seed, and in old crawls."""
    redirect_url: str | None = None
    """The target of a redirect; None if the answer is not a redirect."""
    redirect_id: int | None = None
    """The `url_id` of that URL."""
    noindex: bool | None = None
    """Whether the page asks not to be found by a search; None when it was not read."""
    noarchive: bool | None = None
    """Whether the page asks not to be shown from an archive; None when it was not read."""
    topic: str | None = None
    """The topic of the page, `other` for none of the topics; None without a model or a text."""
    topic_confidence: float | None = None
    """The probability of that topic, from 0 to 1."""
    topics: tuple[str, ...] = ()
    """All topics that are probable enough, the most probable first."""
    unread: str | None = None
    """The readers that could not read the page within limits, a space between them."""


class Link(NamedTuple):
    """A link of a page that was kept."""

    source_url: str
    target_url: str
    kind: str
    """`anchor`, `image`, `canonical`, `redirect` and so on."""
    text: str
    rel: str
    times: int
    """The number of times that the page contains the link."""
    source_id: int
    target_id: int
    fetch_id: int
    fetched_at: datetime
    reason: str = "followed"
    """`followed`, or the reason why the crawl does not follow it: `out-of-scope`, `nofollow`,
    `requisite` and so on.
    """
    position: int | None = None
    """Its place among the references of the page, from 1."""


class Item(NamedTuple):
    """An item that a plugin has read out of a page."""

    url: str
    kind: str
    values: Mapping[str, object]
    """Its values by their names."""
    ordinal: int
    """Its place among the items of the page, from 1."""
    key: str | None
    """The values by which items of its kind are told apart, as JSON; None if it has no key."""
    url_id: int
    fetch_id: int
    fetched_at: datetime


class Text(NamedTuple):
    """The visible text of a page that was kept."""

    url: str
    text: str
    url_id: int
    fetch_id: int
    fetched_at: datetime
    title: str = ""
    language: str = ""
    """The language of the page; "" in old crawls."""
