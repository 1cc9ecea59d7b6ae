"""The records that `Crawl` yields: one class per table.

Moments are in UTC. Ids are signed 64-bit hashes, as in the tables: `url_id` identifies a URL, and
`fetch_id` one fetch of it; all rows of a fetch share that id.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple


class Page(NamedTuple):
    """One fetch of a page or, from `Crawl.hosts`, of a robots file, whatever came of it."""

    url: str
    outcome: str
    """What became of it: `KEPT`, `NOT_FOUND` and so on."""
    status: int
    """Of HTTP; 0 when there was no answer."""
    fetched_at: datetime
    """When the answer was complete."""
    host: str
    address: str
    """The address that was asked."""
    content_type: str
    """As the server said it."""
    size_bytes: int
    """Of the content, decoded."""
    truncated: bool
    """Whether only the beginning is held: it was too long, or the rest never came."""
    began: datetime
    ended: datetime
    title: str
    description: str
    language: str
    charset: str
    depth: int
    """How many links from a seed, as far as was known."""
    via: str
    """What led to it: `seed`, `link`, `mined` or `probe`; "" in old crawls."""
    rule: str
    """With `mined`: what it was guessed by, as `folder` or `number`."""
    url_id: int
    fetch_id: int
    digest: str | None
    """Of the payload (SHA-1); None when there was no answer."""
    fingerprint: int
    """Of the visible text; pages that look alike differ in few bits."""
    warc: str | None
    """The file that has the record; None when there was no answer."""
    offset: int
    length: int
    extra: Mapping[str, object]
    """The columns that plugins have added, by their names."""


class Link(NamedTuple):
    """One link of a page that was kept."""

    source_url: str
    target_url: str
    kind: str
    """`anchor`, `image`, `canonical`, `redirect` and so on."""
    text: str
    rel: str
    times: int
    """How often the page has it."""
    source_id: int
    target_id: int
    fetch_id: int
    fetched_at: datetime


class Text(NamedTuple):
    """The visible text of a page that was kept."""

    url: str
    text: str
    url_id: int
    fetch_id: int
    fetched_at: datetime
